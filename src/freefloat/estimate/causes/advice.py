"""Sentences about estimates: what was not seen, what not to trust, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimate_parts import Residual
from freefloat.estimate.rows.equations import Equations

_NAMED = 3  # clusters of a direction, and directions, that are named
_SMALL = 0.1  # of the largest part of a direction
_ALONG = 0.5  # cosine with the CAD model itself, which may be somewhat wrong: the direction is the scale
_CONTAINED = 0.8  # the same of several directions together
_MOSTLY = 0.5  # of a direction, squared
SCALE, MASS = "the common scale of all clusters", "the total mass"
_NO_READINGS = ("base-wrench",)  # models of what maximum likelihood does not compare
_TOO_LARGE, _TOO_SMALL = 1.5, 0.67
_BY_CHANCE = 4.0  # standard deviations of the ratio itself


def held_in_words(leaders: Sequence[str], whole: Array | None, unseen: Array) -> tuple[str, ...]:
    """What each unseen direction is, shape (k, clusters) in units of the CAD model's spread.

    leaders: short names of the clusters. whole: the CAD model in the same units, shape (clusters,), if any multiple
    of a solution is one, so that no data show the scale; None if something known fixes it.
    """
    return tuple(_direction(leaders, whole, row) for row in _scale_apart(whole, unseen))


def _scale_apart(whole: Array | None, unseen: Array) -> Array:
    """The same directions, the first along the scale if they contain it; others have no part in it."""
    if whole is None or len(unseen) < 2:
        return unseen
    rows = np.linalg.qr(unseen.T)[0].T
    along = rows @ whole
    if float(np.linalg.norm(along)) < _CONTAINED * float(np.linalg.norm(whole)):
        return unseen
    return np.asarray(np.linalg.qr(np.column_stack([along, np.eye(along.size)]))[0].T @ rows)


def _direction(leaders: Sequence[str], whole: Array | None, row: Array) -> str:
    if whole is not None and abs(float(row @ whole)) > _ALONG * float(np.linalg.norm(whole)):
        return SCALE
    size = np.abs(row)
    order = np.argsort(-size)[:_NAMED].tolist()
    if leaders[order[0]].startswith("m_") and size[order[0]] ** 2 > _MOSTLY * float(size @ size):
        return MASS
    large = int((size > _SMALL * size[order[0]]).sum())
    names = [leaders[index] for index in order[:large]]
    if large == 1:
        return names[0]
    more = f" and {large - _NAMED} more" if large > _NAMED else ""
    return f"a combination of {', '.join(names)}{more}"


def sentences(
    equations: Equations,
    sd: Array,
    held: tuple[str, ...],
    residual: Residual,
    bias: Array | None,
    widened: bool = False,
) -> Iterator[str]:
    """Warnings about a linear estimate, each with advice. widened: whether intervals allow for what is not white."""
    if held:
        yield lost_sentence(held)
    compared = any(source.name not in _NO_READINGS for stack in equations.stacks for source in stack.sources)
    remedy = "; maximum-likelihood can estimate most of it" if compared else ""
    yield from residual_sentences(residual, remedy, widened)
    yield from _shifted(equations, sd, bias)


def lost_sentence(lost: tuple[str, ...], open_: bool = False) -> str:
    """What the data do not show at all, and what would. open_: whether intervals say so, else it stays as it was."""
    left = "intervals are as wide as that leaves them" if open_ else "held at the CAD model"
    return f"the data do not show {_some(lost)}: {left}. {_remedy(lost)}"


def never_sentence(lost: tuple[str, ...]) -> str:
    """What no data of these sensors show."""
    return f"no motion shows {_some(lost)} to these sensors: held at the CAD model, which is a prior for it"


def _some(words: tuple[str, ...]) -> str:
    further = len(words) - _NAMED
    more = f"; and {further} more direction{'s' if further > 1 else ''}" if further > 0 else ""
    return "; ".join(words[:_NAMED]) + more


def residual_sentences(residual: Residual, remedy: str = "", widened: bool = False) -> Iterator[str]:
    """What the residual says. remedy: of one that is not white. widened: whether intervals allow for that."""
    chance = _BY_CHANCE / np.sqrt(2.0 * max(residual.rows - residual.unknowns, 1))
    size = two_digits(residual.ratio)
    if residual.ratio > max(_TOO_LARGE, 1.0 + chance):
        yield (
            f"the residual is {size} times what the sensors' noise explains: the model lacks something, such as a time "
            "offset or a body, or the sensors are worse than they say"
        )
    if residual.ratio < min(_TOO_SMALL, 1.0 - chance):
        yield f"the residual is only {size} of what the sensors' noise explains: it is stated too large"
    if residual.white is False:
        yield (
            "the residual is not white: something lasts over several samples (a sensor's bias or hold, a time offset, "
            f"a body that the model lacks); intervals {'were widened for it' if widened else 'are too narrow'}{remedy}"
        )


def two_digits(value: float) -> str:
    """A number to two digits, as a person writes it."""
    rounded = float(f"{value:.2g}")
    return f"{rounded:.0f}" if 10.0 <= abs(rounded) < 1e7 else f"{rounded:.2g}"


def _remedy(held: tuple[str, ...]) -> str:
    if SCALE in held:
        return (
            "Nothing known enters the equations: spin a wheel, declare known what fills a cluster of its own, or "
            "measure torques."
        )
    return "Move more joints and in more ways, or declare known what is."


def _shifted(equations: Equations, sd: Array, bias: Array | None) -> Iterator[str]:
    """Where noise in the columns moves clusters by more than their standard deviation."""
    c = len(equations.minimal)
    if bias is None or not (sd[:c] > 0.0).any():
        return
    shift = np.abs(bias[:c]) / np.where(sd[:c] > 0.0, sd[:c], np.inf)
    many, worst = int((shift > 1.0).sum()), int(np.argmax(shift))
    if many:
        yield (
            f"noise in the measured rates is expected to shift {many} of {c} clusters by more than their standard "
            f"deviation, {equations.minimal.leaders[worst]} the most, by {shift[worst]:.2g} of them; bias-compensated "
            "allows for it"
        )
