"""Mistakes in data or robot file, in sentences: what explains the motion better than what was recorded and declared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from freefloat.estimate.causes.advice import two_digits
from freefloat.estimate.causes.fault_search import Search, plausible, search_faults, silent_axes
from freefloat.estimate.causes.suspicions import Suspicions
from freefloat.estimate.estimate_parts import Residual
from freefloat.estimate.problem import Problem

MISFIT = 2.0  # times the sensors' noise that a residual may have before mistakes are looked for
_CLEAR = 0.01  # difference of explained shares that is worth printing


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake that was found, in a sentence. joint_units: whether that speaks of the units of the joints."""

    sentence: str
    joint_units: bool = False


def mistakes(problem: Problem, samples: Suspicions, residual: Residual) -> Iterator[Mistake]:
    """Each mistake that is found; looking for them takes a while."""
    unexplained = not residual.ratio <= MISFIT  # also where the noise is not known
    if unexplained:
        yield from map(Mistake, samples.dead)
    yield from map(Mistake, silent_axes(problem))
    search = search_faults(problem)
    if search is not None and search.faults:
        yield Mistake(_named(search), any(fault.joint_units for fault, _ in search.faults))
    elif search is not None and unexplained and not plausible(search.recorded):
        yield Mistake(_another_robot(search, samples))


def _named(search: Search) -> str:
    """The mistakes that explain the data, of which one was made."""
    (first, best), *others = search.faults
    what = first.what + "".join(f", or that {fault.what}" for fault, _ in others)
    which = " (the data do not tell which)" if others else ""
    recorded = search.recorded
    if best.explained - recorded.explained > _CLEAR:
        gain = (
            f"the CAD model then explains {_share(best.explained)} of the power of the measured rates instead of "
            f"{_share(recorded.explained)}"
        )
    else:
        factor = recorded.cost / best.cost
        gain = f"what no model near the CAD model explains is then {two_digits(factor)} times less"
    return f"it seems that {what}{which}: {gain}; {first.cure}"


def _another_robot(search: Search, samples: Suspicions) -> str:
    found, away = search.recorded, two_digits(math.sqrt(search.recorded.spreads))
    doubt = "is it the right robot file?"
    if samples.still or samples.wheels_still:
        still = ", ".join([*samples.still, *(["the wheels"] if samples.wheels_still else [])])
        doubt = f"is it the right robot file, or did {still} move after all?"
    return (
        f"the motion does not fit this robot: its CAD model explains {_share(found.explained)} of the power of the "
        f"measured rates, and the model that explains most is {away} spreads away from it on average and still leaves "
        f"{_share(found.left)}: {doubt}"
    )


def _share(part: float) -> str:
    return f"{100.0 * min(max(part, 0.0), 1.0):.3g} %"
