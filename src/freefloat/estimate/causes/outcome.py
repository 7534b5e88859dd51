"""What good, doubtful and failed mean: one rule over plain numbers.

*good*: intervals may be relied on. *doubtful*: the numbers are useful, but something that is named must be looked at
first. *failed*: the numbers describe a mistake, not the robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.estimate.estimate_parts import A_SIGNAL, ChannelResidual, Outcome

FAR_BEYOND_NOISE = 100.0  # times the noise, and coloured: no sensor is so much worse than it says
HALF_EXPLAINED = 0.5  # of the signal's power: a model that explains less describes something else
IMPOSSIBLE = 10.0  # standard deviations to the nearest robot that can exist
_BEYOND_PHYSICS = 1e6  # times the CAD model's size: no body is so much heavier than it was thought


@dataclass(frozen=True, slots=True)
class FitFigures:
    """What the rule reads.

    ratio: root mean square of the weighted residual; NaN if noise is not known. white: whether it is, None if not
    tested. explained: part of the signal's power that the fit explains, NaN if not known. away: distance to the
    nearest robot that can exist, in the estimate's own standard deviations, at least; NaN if not asked for. size:
    largest value over the CAD model's size. finite: whether all values are numbers. nothing_seen: whether the data
    show no direction at all.
    """

    ratio: float = np.nan
    white: bool | None = None
    explained: float = np.nan
    away: float = np.nan
    size: float = np.nan
    finite: bool = True
    nothing_seen: bool = False


def reasons_to_fail(figures: FitFigures) -> tuple[str, ...]:
    """Why the numbers describe a mistake, a sentence each; none if they do not."""
    found = []
    if not figures.finite:
        found.append("the fit has no finite values: the data diverge, or hold numbers beyond any physical size")
    elif figures.size > _BEYOND_PHYSICS:
        found.append(f"values are {figures.size:.2g} times those of the CAD model: beyond any physical size")
    if figures.nothing_seen:
        found.append("the data show none of the clusters")
    if figures.ratio > FAR_BEYOND_NOISE and figures.white is False:
        found.append(
            f"the residual is {figures.ratio:.2g} times the sensors' noise and not white: these data are not of this "
            "robot, or not in the units and axes that were declared"
        )
    if figures.explained < HALF_EXPLAINED:
        found.append(
            f"the fit explains {100.0 * max(figures.explained, 0.0):.0f} % of what was measured: these data are not of "
            "this robot, or not in the units and axes that were declared"
        )
    if figures.away > IMPOSSIBLE:
        found.append(
            f"no robot that can exist is near: the nearest is {figures.away:.3g} of the estimate's standard deviations "
            "away or more, for some motions would have negative energy"
        )
    return tuple(found)


def outcome_by(failures: tuple[str, ...], warned: bool) -> Outcome:
    """The outcome of an estimate with these reasons to fail, and with or without warnings."""
    if failures:
        return "failed"
    return "doubtful" if warned else "good"


def explained_part(left: Sequence[ChannelResidual]) -> float:
    """Smallest part of the power of a flight's rates that a fit explains beyond the noise; NaN where none is known."""
    parts = []
    for each in left:
        if each.channel != "w" or each.signal is None or not np.isfinite(each.noise).all():
            continue
        power, noise = float((each.signal**2).sum()), float((each.noise**2).sum())
        if power > A_SIGNAL * noise:
            rest = float((each.residual**2).mean(axis=0).sum()) - noise
            parts.append(1.0 - max(rest, 0.0) / power)
    return min(parts, default=np.nan)
