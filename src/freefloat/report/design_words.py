"""Designed motions in words: what the goal's value means, how accurate, how found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast, get_args

from freefloat.estimate.uncertain import HALF
from freefloat.excitation.excitation import Excitation, HowFound, Prediction, typical_accuracy
from freefloat.excitation.goals.by_name import goal_named
from freefloat.excitation.goals.condition_number import NO_RANK
from freefloat.excitation.goals.goal import Goal
from freefloat.excitation.goals.names import GoalName
from freefloat.report.words import rms


def goal_words(excitation: Excitation) -> str:
    """What the goal's value means."""
    if excitation.goal not in get_args(GoalName):  # one of the user's own
        return Goal.words(excitation.value)
    return goal_named(cast(GoalName, excitation.goal)).words(excitation.value)


def accuracy_words(predictions: Sequence[Prediction], base: str) -> str:
    """As the report of a run has it: root mean square over the base's moments of inertia where they are predicted.

    Else the median of all clusters; nothing without predictions.
    """
    names = {f"I{axis}_{base}" for axis in ("xx", "yy", "zz")}
    moments = [each.relative for each in predictions if each.name in names and math.isfinite(each.relative)]
    typical = rms(moments) if moments else typical_accuracy(predictions)
    if math.isnan(typical):
        return ""
    return f"{'base inertia' if moments else 'clusters'} {percent(typical)} (95 %)"


def condition_words(condition_number: float) -> str:
    """Nothing where there is none."""
    if math.isnan(condition_number):
        return ""
    return f"cond {condition_number:.4g}" if condition_number < NO_RANK else "cond infinite: rows lack rank"


def percent(relative: float) -> str:
    """Half a 95 % interval, of a relative standard deviation."""
    half = HALF * relative
    return f"± {100.0 * half:.2g} %" if half < 1.0 else "more than ± 100 %"


def searched_words(excitation: Excitation) -> str:
    """What a design did with passive joints; nothing where it had none."""
    if not (excitation.locked and excitation.swings):
        return locked_words(excitation.locked) if excitation.locked else ""
    return f"searched with {', '.join(excitation.locked)} locked; what is predicted is for the robot that swings"


def swing_words(swings: Sequence[Prediction]) -> list[str]:
    """What will be known of each spring and mode, as half a 95 % interval; nothing of what a file leaves at zero."""
    return [
        f"{each.name} {each.value:.3g}{_unit_of(each.name)} {percent(each.relative)}" for each in swings if each.value
    ]


def _unit_of(name: str) -> str:
    return " Hz" if name.startswith("frequency") else ""


def locked_words(joints: Sequence[str]) -> str:
    """What a design does with passive joints that it leaves out."""
    whose = "its" if len(joints) == 1 else "their"
    return f"for the robot with {', '.join(joints)} locked; {whose} swing is not counted"


def how_words(how: HowFound, optimality: float) -> str:
    """How a motion was found; one that was given has no starts."""
    if not how.values:
        return how.solver
    if how.drawn:
        return f"{how.solver}, seed {how.seed}: the best of {how.drawn} within the limits, in {how.seconds:.1f} s"
    ended = [value for value in how.values if not math.isnan(value)]
    kept = f"{len(ended)} of {len(how.values)} starts ended within the limits"
    of_a_start = how.best < len(how.values)
    best = f", the best is number {how.best + 1}" if of_a_start else ", the best is from one that had not ended"
    left = f", optimality {optimality:.1g}" if math.isfinite(optimality) else ""
    stopped = ", interrupted" if how.interrupted else ""
    effort = f"{how.iterations} iterations in {how.seconds:.1f} s"
    return f"{how.solver}, seed {how.seed}: {kept}{best}; {effort}{left}{stopped}"
