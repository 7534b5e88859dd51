"""The verdict in a sentence, and the three numbers that matter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.report.run_story import RunResult
from freefloat.report.words import HALF
from freefloat.validation.prediction import SENSORS, WORDS


@dataclass(frozen=True, slots=True)
class Headline:
    """A number that matters. about: what it is, a few words. more: what stands below it."""

    about: str
    value: str
    unit: str
    more: str


def verdict(result: RunResult) -> dict[str, Any]:
    """State, sentence and numbers."""
    return {
        "state": _state(result),
        "sentence": _sentence(result),
        "headlines": headlines(result),
        "warnings": [*result.estimate.warnings, *(result.validation.reasons[1:] if result.validation else ())],
    }


def headlines(result: RunResult) -> tuple[Headline, ...]:
    """Accuracy of the base's inertia, prediction over noise, and use of the limits.

    Where there is none of these: accuracy of all clusters; that of the total mass, or the condition number.
    """
    first, third = _inertia(result) or _clusters(result), _limits(result) or _mass(result) or _condition(result)
    return tuple(each for each in (first, _prediction(result), third) if each is not None)


def base_inertia_sd(result: RunResult) -> float:
    """Relative standard deviation of the base's moments of inertia, root mean square; NaN where not estimated."""
    estimate, places = result.estimate, _moments(result)
    relative = estimate.sd[places] / np.abs(estimate.values[places])
    return float(np.sqrt(np.mean(relative**2))) if places else math.nan


def _moments(result: RunResult) -> list[int]:
    """Places of the base's moments of inertia among the clusters."""
    names = {f"I{axis}_{result.base}" for axis in ("xx", "yy", "zz")}
    return [place for place, name in enumerate(result.estimate.names) if name in names]


def _state(result: RunResult) -> str:
    """pass, doubtful or fail: the worse of the estimate's own outcome and what the prediction says."""
    ranks = {"good": 0, "pass": 0, "doubtful": 1, "failed": 2, "fail": 2}
    said = [result.estimate.outcome, *([result.validation.verdict] if result.validation else [])]
    return ("pass", "doubtful", "fail")[max(ranks[each] for each in said)]


def _sentence(result: RunResult) -> str:
    count, sd = len(result.estimate.values), base_inertia_sd(result)
    known = f"the inertia of the base is known to ±{_percent(HALF * sd)} (95 %)"
    subject = known if math.isfinite(sd) else f"{count} clusters of parameters are estimated"
    if result.validation is None:
        return f"{_capital(subject)}; it has not been tested on motion that it has not seen."
    channel = result.validation.channels[0].channel
    ratio = f"{result.validation.ratio(channel):.2f} times the noise of the {SENSORS[channel]}"
    words, duration = WORDS[channel], f"{result.validation.duration_s:.0f} s of motion that it has not seen"
    match _state(result):
        case "pass":
            return f"{_capital(subject)}, and the estimate predicts the {words} to {ratio}, over {duration}."
        case "doubtful":
            return f"{_capital(subject)}, with doubts: the {words} is predicted to {ratio}, over {duration}."
    return f"Do not use this estimate: the {words} is predicted to {ratio} only, over {duration}."


def _inertia(result: RunResult) -> Headline | None:
    sd = base_inertia_sd(result)
    if not math.isfinite(sd):
        return None
    off = _inertia_error(result)
    count = len(_moments(result))
    more = f"95 % interval, mean of {count} moments" if count > 1 else "95 % interval"
    return Headline("base inertia", f"±{_percent(HALF * sd)}", "", more if off is None else f"{more}; off by {off}")


def _clusters(result: RunResult) -> Headline | None:
    values, sd = result.estimate.values, result.estimate.sd
    told = np.isfinite(sd) & (values != 0.0)
    if not told.any():
        return None
    median = float(np.median(sd[told] / np.abs(values[told])))
    return Headline("clusters", f"±{_percent(HALF * median)}", "", f"95 % interval, median of {int(told.sum())}")


def _condition(result: RunResult) -> Headline | None:
    number = result.excitation.condition_number
    return Headline("condition number", f"{number:.3g}", "", "of the rows") if math.isfinite(number) else None


def _inertia_error(result: RunResult) -> str | None:
    if result.true_values is None:
        return None
    places = _moments(result)
    error = result.estimate.values[places] / result.true_values[places] - 1.0
    return _percent(float(np.sqrt(np.mean(error**2))))


def _prediction(result: RunResult) -> Headline | None:
    if result.validation is None:
        return None
    channel = result.validation.channels[0].channel
    more = f"{WORDS[channel]} on {result.validation.duration_s:.0f} s of unseen motion"
    return Headline("prediction", f"{result.validation.ratio(channel):.2f}", "× noise", more)


def _limits(result: RunResult) -> Headline | None:
    tightest = result.excitation.tightest
    if tightest is None:
        return None
    kept = sum(each.kept for each in result.excitation.margins)
    use = 100.0 * (1.0 - tightest.share)
    text = f"{use:.1f}" if use < 99.95 or not tightest.kept else "100"
    return Headline(
        "largest limit use", text, "%", f"{tightest.limit}; {kept} of {len(result.excitation.margins)} limits kept"
    )


def _mass(result: RunResult) -> Headline | None:
    name = f"m_{result.base}"
    if name not in result.estimate.names:
        return None
    value, sd = result.estimate.value(name)
    return Headline("total mass", f"±{_percent(HALF * sd / abs(value))}", "", f"{value:.4g} kg, 95 % interval")


def _percent(relative: float) -> str:
    return f"{100.0 * relative:.2g} %" if relative < 1.0 else "> 100 %"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
