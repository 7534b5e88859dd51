"""Numbers and estimates in words: as many digits as are known, units that people read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from freefloat.estimate.estimate import Estimate

_TERMS = 2  # of a formula that are shown
RESTS, MARK = "resting on the prior", "* "  # intervals are as right as what was said of the CAD model
_LISTED = 3
_DECIMALS, _LARGE = 8, 1e6  # beyond these, numbers are written with exponents
_PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_SCALED = ("s", "rad", "m", "rad/s", "m/s", "N m", "N m s")


def number(value: float) -> str:
    """Five significant digits, no needless zeros."""
    return f"{value:.5g}"


def rms(values: ArrayLike) -> float:
    """Root mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


def with_interval(value: float, half: float) -> tuple[str, str]:
    """A value and half its interval, to two digits of the latter."""
    if math.isnan(half):
        return number(value), "no interval"
    if not math.isfinite(half):
        return number(value), "open"
    if half == 0.0:
        return number(value), "exact"
    decimals = max(0, 1 - math.floor(math.log10(half)))
    if decimals > _DECIMALS or half > _LARGE:
        return number(value), f"±{half:.2g}"
    return f"{round(value, decimals) + 0.0:.{decimals}f}", f"±{half:.{decimals}f}"  # no negative zeros


def relative(value: float, half: float) -> str:
    """Half an interval in per cent of the value; a dash where there is none."""
    if not math.isfinite(half) or value == 0.0:
        return "–"
    share = 100.0 * half / abs(value)
    return f"{share:.2g} %" if share < 100.0 else "> 100 %"


def shortened(formula: str) -> str:
    """The first terms of a formula, and a sign that there are more."""
    words, kept, terms = formula.split(" "), list[str](), 1
    for word in words:
        terms += word in ("+", "-")
        if terms > _TERMS:
            return " ".join([*kept, "+ …"])
        kept.append(word)
    return formula


def prefixed(size: float, unit: str) -> tuple[float, str]:
    """A scale in which a number of this size is not far from one, and its unit."""
    if unit not in _SCALED or size == 0.0:
        return 1.0, unit
    scale, prefix = next((each for each in _PREFIXES if size >= each[0]), _PREFIXES[-1])
    return scale, f"{prefix}{unit}"


def residual_line(estimate: Estimate) -> str:
    """What the fit leaves over, and what the data did not show, in one line."""
    residual = estimate.residual
    known = math.isfinite(residual.ratio)
    level = f"residual {residual.ratio:.2f} × sensor noise{estimate.signal_words}"
    parts = [level if known else f"residual: the sensors' noise is not known{estimate.signal_words}"]
    if residual.white is not None:
        parts.append("white" if residual.white else "not white")
    unsure = int((~estimate.significant).sum())
    if estimate.no_interval:
        parts.append("no intervals")
    elif unsure:
        parts.append(f"{_counted(unsure)} not significant")
    parts += _listed("held at the prior", estimate.held, "direction")
    resting = [name for name, rests in zip(estimate.names, estimate.rests_on_prior, strict=True) if rests]
    parts += _listed(f"{MARK}{RESTS}", resting, "cluster")
    return " · ".join(parts)


def _listed(what: str, names: Sequence[str], noun: str) -> list[str]:
    """Names if they are few, else how many there are; nothing if there are none."""
    if len(names) > _LISTED:
        return [f"{_counted(len(names), noun)} {what}"]
    return [f"{what}: {', '.join(names)}"] if names else []


def _counted(count: int, noun: str = "cluster") -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
