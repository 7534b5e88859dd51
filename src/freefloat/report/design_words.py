"""Designed motions in words: what the goal's value means, how accurate, how found."""

from __future__ import annotations

import math
from collections.abc import Sequence

from freefloat.excitation.excitation import Excitation, HowFound, Prediction, typical_accuracy
from freefloat.report.words import HALF, rms

_SINGULAR = 1e12  # a condition number beyond this is rounding


def goal_words(excitation: Excitation) -> str:
    """What the goal's value means."""
    value = excitation.value
    words = {
        "accuracy": f"standard deviations {math.exp(value):.3g} in the mean (geometric, SI units)",
        "worst-accuracy": f"standard deviations {100.0 * math.exp(value):.3g} % of the CAD model's spread, "
        "the worst counting most",
        "condition-number": f"condition number at most {math.exp(value):.4g} (smoothed)",
        "frobenius": f"Frobenius condition number {math.exp(value):.4g}",
        "d-optimal": f"half axes of the error ellipsoid {math.exp(0.5 * value):.3g} in the mean, for unit noise",
        "a-optimal": f"root of the sum of variances {math.exp(0.5 * value):.3g}, for unit noise",
        "e-optimal": f"smallest singular value at least {math.exp(-value):.3g}",
    }
    return words.get(excitation.goal, f"{value:.5g}")


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
    return f"cond {condition_number:.4g}" if condition_number < _SINGULAR else "cond infinite: rows lack rank"


def percent(relative: float) -> str:
    """Half a 95 % interval, of a relative standard deviation."""
    half = HALF * relative
    return f"± {100.0 * half:.2g} %" if half < 1.0 else "more than ± 100 %"


def how_words(how: HowFound, optimality: float) -> str:
    """How a motion was found; one that was given has no starts."""
    if not how.values:
        return how.solver
    ended = [value for value in how.values if not math.isnan(value)]
    kept = f"{len(ended)} of {len(how.values)} starts ended within the limits"
    of_a_start = how.best < len(how.values)
    best = f", the best is number {how.best + 1}" if of_a_start else ", the best is from one that had not ended"
    left = f", optimality {optimality:.1g}" if math.isfinite(optimality) else ""
    stopped = ", interrupted" if how.interrupted else ""
    effort = f"{how.iterations} iterations in {how.seconds:.1f} s"
    return f"{how.solver}, seed {how.seed}: {kept}{best}; {effort}{left}{stopped}"
