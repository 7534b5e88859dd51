"""The verdict in a sentence, and the three numbers that matter.

What decides the state is the worst of these:
- what the estimate says of itself: good, doubtful (it has warnings) or failed;
- what the prediction of unseen motion says: pass, doubtful or fail. Not tested is doubtful;
- whether the flight taught anything: doubtful where the base's moments of inertia (without these, half of all
  clusters) are known less than twice as well as from the CAD model alone;
- whether anything known fixes the common scale: doubtful where only the CAD model does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.estimate.estimated_clusters import cad_spread
from freefloat.estimate.prior import CadSpread
from freefloat.report.run_story import RunResult
from freefloat.report.words import HALF
from freefloat.robot.transform import Array
from freefloat.validation.prediction import SENSORS, WORDS

_STATES = ("pass", "doubtful", "fail")
_RANKS = {"good": 0, "pass": 0, "doubtful": 1, "failed": 2, "fail": 2}
_HARDLY = 0.5  # of the CAD model's interval: one that is wider tells little that was not known
_UNTESTED = "it has not been tested on motion that it has not seen"


@dataclass(frozen=True, slots=True)
class Headline:
    """A number that matters. about: what it is, a few words. more: what stands below it."""

    about: str
    value: str
    unit: str
    more: str


def verdict(result: RunResult) -> dict[str, Any]:
    """State, sentence, numbers, and what else there is to say."""
    sentence = _sentence(result)
    reasons = result.validation.reasons[1:] if result.validation else ()
    return {
        "state": _state(result),
        "sentence": sentence,
        "headlines": headlines(result),
        "warnings": [
            said for said in (*_own_doubts(result), *result.estimate.warnings, *reasons) if said not in sentence
        ],
    }


def headlines(result: RunResult) -> tuple[Headline, Headline, Headline]:
    """Accuracy of the base's inertia, of the total mass, and prediction over noise.

    Without a base's inertia: accuracy of all clusters. Without a total mass: the condition number, or how many
    clusters are told from zero.
    """
    return _inertia(result) or _clusters(result), _mass(result) or _condition(result), _prediction(result)


def base_inertia_sd(result: RunResult) -> float:
    """Relative standard deviation of the base's moments of inertia, root mean square; NaN where not estimated."""
    places = _moments(result)
    return _rms(result.estimate.sd[places] / np.abs(result.estimate.values[places])) if places else math.nan


# ---------------------------------------------------------------------- the state, and why


def _state(result: RunResult) -> str:
    """pass, doubtful or fail."""
    said = [result.estimate.outcome, result.validation.verdict if result.validation else "doubtful"]
    said += ["doubtful"] * bool(_own_doubts(result))
    return _STATES[max(_RANKS[each] for each in said)]


def _own_doubts(result: RunResult) -> list[str]:
    """What neither the estimate nor the prediction says of itself: a robot of the CAD model's predicts well too."""
    return [*_scale(result), *_prior_only(result)]


def _prior_only(result: RunResult) -> Iterator[str]:
    share = _of_cad(result)
    if share is None:
        return
    places = _moments(result)
    left = _rms(share[places]) if places else float(np.median(share))
    if left > _HARDLY:
        what = "the inertia of the base is" if places else "half of the clusters are"
        how = f"its interval is {100.0 * min(left, 1.0):.0f} % of" if places else "their intervals are most of"
        yield f"{what} hardly better known than from the CAD model alone: {how} what that leaves open"


def _scale(result: RunResult) -> Iterator[str]:
    if result.advice is not None and result.advice.answer.scale_lost:
        yield "nothing known fixes the common scale: masses and inertias are as large as the CAD model says"


def _of_cad(result: RunResult) -> Array | None:
    """Standard deviations in units of the CAD model's, shape (c,); None for other than sums of standard parameters."""
    estimate, prior = result.estimate, result.estimate.origin.get("prior")
    if not estimate.is_standard or not estimate.values.size:
        return None
    return estimate.sd / cad_spread(estimate, CadSpread(**prior) if isinstance(prior, Mapping) else None)


def _sentence(result: RunResult) -> str:
    count, sd, found = len(result.estimate.values), base_inertia_sd(result), result.validation
    known = f"the inertia of the base is known to ±{_percent(HALF * sd)} (95 %)"
    subject = known if math.isfinite(sd) else f"{count} clusters of parameters are estimated"
    doubts, state = _own_doubts(result), _state(result)
    if found is None:
        if state == "fail":
            return f"Do not use this estimate: it failed, and {_UNTESTED}."
        return f"{_capital(subject)}; {'; '.join([_UNTESTED, *doubts[:1]])}."
    channel = found.channels[0].channel
    ratio = f"{_times(found.ratio(channel))} times the noise of the {SENSORS[channel]}"
    over = f"over {found.duration_s:.0f} s of motion that it has not seen"
    if state == "fail" and result.estimate.outcome == "failed":
        return f"Do not use this estimate: it failed; {WORDS[channel]} predicted to {ratio}, {over}."
    if state == "fail":
        return f"Do not use this estimate: {WORDS[channel]} predicted to {ratio} only, {over}."
    predicted = f"{WORDS[channel]} predicted to {ratio}, {over}"
    if state == "pass":
        return f"{_capital(subject)}; {predicted}."
    doubts += [] if found.verdict == "pass" else found.reasons[1:2]
    return f"{_capital(subject)}, with doubts: {[*doubts, 'the estimate has warnings'][0]}; {predicted}."


# ---------------------------------------------------------------------- the numbers


def _moments(result: RunResult) -> list[int]:
    """Places of the base's moments of inertia among the clusters."""
    names = {f"I{axis}_{result.base}" for axis in ("xx", "yy", "zz")}
    return [place for place, name in enumerate(result.estimate.names) if name in names]


def _inertia(result: RunResult) -> Headline | None:
    sd, places = base_inertia_sd(result), _moments(result)
    if math.isnan(sd):
        return None
    more = [f"95 % interval, mean of {len(places)} moments" if len(places) > 1 else "95 % interval"]
    if result.true_values is not None:
        error = _rms(result.estimate.values[places] / result.true_values[places] - 1.0)
        more.append(f"off by {_percent(error)}")
    return Headline("base inertia", f"±{_percent(HALF * sd)}", "", "; ".join(more))


def _clusters(result: RunResult) -> Headline:
    values, sd = result.estimate.values, result.estimate.sd
    told = np.isfinite(sd) & result.estimate.significant
    if not told.any():
        alone = "none differs from zero by more than its interval"
        return Headline("clusters", "open", "", alone if np.isfinite(sd).any() else "the data show none of them alone")
    median = float(np.median(sd[told] / np.abs(values[told])))
    more = [f"95 % interval, median of the {int(told.sum())} that differ from zero"]
    if result.true_values is not None:
        error = float(np.median(np.abs(values[told] / result.true_values[told] - 1.0)))
        more.append(f"off by {_percent(error)}")
    return Headline("clusters", f"±{_percent(HALF * median)}", "", "; ".join(more))


def _mass(result: RunResult) -> Headline | None:
    """What is known counts as exact: it is known far better than the rest."""
    name, estimate = f"m_{result.base}", result.estimate
    if name not in estimate.names or not estimate.is_standard:
        return None
    place = estimate.names.index(name)
    known = estimate.robot.mass - float(estimate.cad[place])
    value, sd, share = float(estimate.values[place]) + known, float(estimate.sd[place]), _of_cad(result)
    more = [f"{value:.4g} kg, 95 % interval"]
    if result.true_values is not None:
        more.append(f"off by {_percent(abs(value / (float(result.true_values[place]) + known) - 1.0))}")
    if share is not None and share[place] > _HARDLY:
        more.append("mostly the CAD model's")
    return Headline("total mass", f"±{_percent(HALF * sd / value)}", "", "; ".join(more))


def _condition(result: RunResult) -> Headline:
    number = math.nan if result.excitation is None else result.excitation.condition_number
    if math.isfinite(number):
        return Headline("condition number", f"{number:.3g}", "", "of the rows")
    told, count = int(result.estimate.significant.sum()), len(result.estimate.values)
    return Headline("clusters seen", f"{told} of {count}", "", "differ from zero by more than their interval")


def _prediction(result: RunResult) -> Headline:
    if result.validation is None:
        return Headline("prediction", "–", "", "not tested on unseen motion")
    channel = result.validation.channels[0].channel
    more = f"{WORDS[channel]} on {result.validation.duration_s:.0f} s of unseen motion"
    return Headline("prediction", _times(result.validation.ratio(channel)), "× noise", more)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _times(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}"


def _percent(relative: float) -> str:
    return f"{100.0 * relative:.2g} %" if relative < 1.0 else "> 100 %"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
