"""The verdict in a sentence, and the three numbers that matter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.report.run_story import RunStory
from freefloat.report.words import HALF
from freefloat.validation.prediction import SENSORS, WORDS


@dataclass(frozen=True, slots=True)
class Headline:
    """A number that matters. about: what it is, a few words. more: what stands below it."""

    about: str
    value: str
    unit: str
    more: str


def verdict(story: RunStory) -> dict[str, Any]:
    """State, sentence and numbers."""
    return {
        "state": _state(story),
        "sentence": _sentence(story),
        "headlines": headlines(story),
        "warnings": [*story.estimate.warnings, *(story.validation.reasons[1:] if story.validation else ())],
    }


def headlines(story: RunStory) -> tuple[Headline, ...]:
    """Accuracy of the base's inertia, prediction over noise, and use of the limits or accuracy of the total mass."""
    third = _limits(story) if story.excitation.margins else _mass(story)
    return tuple(each for each in (_inertia(story), _prediction(story), third) if each is not None)


def base_inertia_sd(story: RunStory) -> float:
    """Relative standard deviation of the base's moments of inertia, root mean square; NaN where not estimated."""
    estimate, names = story.estimate, {f"I{axis}_{story.base}" for axis in ("xx", "yy", "zz")}
    places = [place for place, name in enumerate(estimate.names) if name in names]
    relative = estimate.sd[places] / np.abs(estimate.values[places])
    return float(np.sqrt(np.mean(relative**2))) if places else math.nan


def _state(story: RunStory) -> str:
    """pass, doubtful or fail: the worse of the estimate's own outcome and what the prediction says."""
    ranks = {"good": 0, "pass": 0, "doubtful": 1, "failed": 2, "fail": 2}
    said = [story.estimate.outcome, *([story.validation.verdict] if story.validation else [])]
    return ("pass", "doubtful", "fail")[max(ranks[each] for each in said)]


def _sentence(story: RunStory) -> str:
    count, sd = len(story.estimate.values), base_inertia_sd(story)
    known = f"the inertia of the base is known to ±{_percent(HALF * sd)} (95 %)"
    subject = known if math.isfinite(sd) else f"{count} clusters of parameters are estimated"
    if story.validation is None:
        return f"{_capital(subject)}; it has not been tested on motion that it has not seen."
    channel = story.validation.channels[0].channel
    ratio = f"{story.validation.ratio(channel):.2f} times the noise of the {SENSORS[channel]}"
    words, duration = WORDS[channel], f"{story.validation.duration_s:.0f} s of motion that it has not seen"
    match _state(story):
        case "pass":
            return f"{_capital(subject)}, and the estimate predicts the {words} to {ratio}, over {duration}."
        case "doubtful":
            return f"{_capital(subject)}, with doubts: the {words} is predicted to {ratio}, over {duration}."
    return f"Do not use this estimate: the {words} is predicted to {ratio} only, over {duration}."


def _inertia(story: RunStory) -> Headline | None:
    sd = base_inertia_sd(story)
    if not math.isfinite(sd):
        return None
    off = _inertia_error(story)
    more = "95 % interval, mean of three moments"
    return Headline("base inertia", f"±{_percent(HALF * sd)}", "", more if off is None else f"{more}; off by {off}")


def _inertia_error(story: RunStory) -> str | None:
    if story.true_values is None:
        return None
    names = {f"I{axis}_{story.base}" for axis in ("xx", "yy", "zz")}
    places = [place for place, name in enumerate(story.estimate.names) if name in names]
    error = story.estimate.values[places] / story.true_values[places] - 1.0
    return _percent(float(np.sqrt(np.mean(error**2))))


def _prediction(story: RunStory) -> Headline | None:
    if story.validation is None:
        return None
    channel = story.validation.channels[0].channel
    more = f"{WORDS[channel]} on {story.validation.duration_s:.0f} s of unseen motion"
    return Headline("prediction", f"{story.validation.ratio(channel):.2f}", "× noise", more)


def _limits(story: RunStory) -> Headline | None:
    tightest = story.excitation.tightest
    if tightest is None:
        return None
    kept = sum(each.kept for each in story.excitation.margins)
    use = 100.0 * (1.0 - tightest.share)
    text = f"{use:.1f}" if use < 99.95 or not tightest.kept else "100"
    return Headline(
        "largest limit use", text, "%", f"{tightest.limit}; {kept} of {len(story.excitation.margins)} limits kept"
    )


def _mass(story: RunStory) -> Headline | None:
    name = f"m_{story.base}"
    if name not in story.estimate.names:
        return None
    value, sd = story.estimate.value(name)
    return Headline("total mass", f"±{_percent(HALF * sd / abs(value))}", "", f"{value:.4g} kg, 95 % interval")


def _percent(relative: float) -> str:
    return f"{100.0 * relative:.2g} %"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
