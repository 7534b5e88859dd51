"""Mistakes in data or robot file, in sentences: what explains the motion better than what was recorded and declared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.estimate.cause import Cause
from freefloat.estimate.causes.advice import two_digits
from freefloat.estimate.causes.fault_search import Search, dead_axes, plausible, search_faults
from freefloat.estimate.causes.possible_faults import Fault
from freefloat.estimate.causes.rate_comparison import Agreement
from freefloat.estimate.causes.suspicions import Suspicions
from freefloat.estimate.problem import Problem
from freefloat.robot.rotations import logarithm

MISFIT = 2.0  # times the sensors' noise that a residual may have before mistakes are looked for
_CLEAR = 0.01  # difference of explained shares that is worth printing
# Share of the power that the CAD model leaves, times the mean square distance of what explains most, in spreads. A jump
# of a clock by 50 ms makes it ten, something that swings or a load elsewhere fifty at most; another robot, eighty.
_ANOTHER = 70.0


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake that was found, in a sentence.

    causes: the same, several of which the data do not tell one from the other. joint_units: whether it is in the units
    of the joints.
    """

    sentence: str
    causes: tuple[Cause, ...] = ()
    joint_units: bool = False

    @property
    def is_another_robot(self) -> bool:
        """Whether it is that the robot is another one, the last that is thought of."""
        return any(cause.kind == "robot" for cause in self.causes)


def mistakes(problem: Problem, samples: Suspicions, ratio: float) -> Iterator[Mistake]:
    """Each mistake that is found; looking for them takes a while. ratio: what a fit leaves, over the noise."""
    unexplained = not ratio <= MISFIT  # also where the noise is not known
    dead, said = tuple(dead_axes(problem)), samples.dead if unexplained else ()
    for place, sentence in enumerate(said):
        yield Mistake(sentence, dead if place == 0 else ())
    if not said:
        yield from (Mistake(f"{cause.what}; {cause.cure}", (cause,)) for cause in dead)
    search = search_faults(problem)
    if search is None:
        return
    if search.faults:
        causes = tuple(cause_of(fault, search.recorded, found) for fault, found in search.faults)
        yield Mistake(_named(search), causes, any(fault.joint_units for fault, _ in search.faults))
    elif unexplained and not dead and _is_another(search.recorded):
        sentence, doubt = _another_robot(search.recorded), _doubt(samples)
        yield Mistake(
            f"{sentence}: {doubt}", (Cause("robot", problem.robot.name, sentence, np.nan, np.nan, 1.0, cure=doubt),)
        )


def cause_of(fault: Fault, recorded: Agreement, found: Agreement) -> Cause:
    """The cause that a fault is.

    recorded: agreement of the data as they are. found: once the fault is undone.
    """
    amount = np.nan
    if found.wheel and fault.missing:
        amount = math.hypot(*found.wheel)
    elif fault.kind == "mounting":
        amount = float(np.linalg.norm(logarithm(fault.turn[None])))
    share = 1.0 - min(found.cost / recorded.cost, 1.0)
    return Cause(fault.kind, fault.name, _in_words(fault, found), amount, np.nan, share, cure=fault.cure)


def _in_words(fault: Fault, found: Agreement) -> str:
    """The fault, with what was found of it."""
    inertia = math.hypot(*found.wheel)
    if not fault.missing or not inertia:
        return fault.what
    axis = ", ".join(f"{part / inertia:.2f}" for part in found.wheel)
    return f"{fault.what} (spin inertia about {inertia:.2g} kg m^2, axis ({axis}) or opposite)"


def _named(search: Search) -> str:
    """The mistakes that explain the data, of which one was made."""
    (first, best), *others = search.faults
    what = _in_words(first, best) + "".join(f", or that {_in_words(fault, found)}" for fault, found in others)
    which = " (the data do not tell which)" if others else ""
    recorded = search.recorded
    if best.explained - recorded.explained > _CLEAR:
        gain = (
            f"the CAD model then explains {_share(best.explained)} of the power of the measured rates instead of "
            f"{_share(recorded.explained)}"
        )
    else:  # also where other things than rates were compared
        factor = recorded.cost / best.cost
        gain = f"what is left unexplained is then {two_digits(factor)} times less"
    return f"it seems that {what}{which}: {gain}; {first.cure}"


def _is_another(recorded: Agreement) -> bool:
    """Whether it must be another robot.

    A small mistake may leave much beyond noise, or take what explains most far away, but of the power it leaves little.
    """
    return not plausible(recorded) and (1.0 - recorded.explained) * recorded.spreads > _ANOTHER


def _another_robot(found: Agreement) -> str:
    away = two_digits(math.sqrt(found.spreads))
    return (
        f"the motion does not fit this robot: its CAD model explains {_share(found.explained)} of the power of the "
        f"measured rates, and the model that explains most is {away} spreads away from it on average and still leaves "
        f"{_share(found.left)}"
    )


def _doubt(samples: Suspicions) -> str:
    if samples.still or samples.wheels_still:
        still = ", ".join([*samples.still, *(["the wheels"] if samples.wheels_still else [])])
        return f"is it the right robot file, or did {still} move after all?"
    return "is it the right robot file?"


def _share(part: float) -> str:
    return f"{100.0 * min(max(part, 0.0), 1.0):.3g} %"
