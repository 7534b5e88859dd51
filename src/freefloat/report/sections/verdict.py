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
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_clusters import cad_covariance, cad_spread, total_covariance, undeclared
from freefloat.estimate.uncertain import HALF
from freefloat.mission.run_directory import Run
from freefloat.report.words import rms
from freefloat.robot.parameters import PER_BODY
from freefloat.validation.prediction import SENSORS, WORDS

_STATES = ("pass", "doubtful", "fail")
_RANKS = {"good": 0, "pass": 0, "doubtful": 1, "failed": 2, "fail": 2}
_HARDLY = 0.5  # of the CAD model's interval: one that is wider tells little that was not known
_ROUNDING = 1e-8
_UNSTATED = "the method states no intervals"
_UNTESTED = "it has not been tested on motion that it has not seen"


@dataclass(frozen=True, slots=True)
class Headline:
    """A number that matters. about: what it is, a few words. more: what stands below it.

    The same for programs, None where it is about something else: relative_half_width: of the 95 % interval;
    total_mass_kg; condition_number; ratio: of the prediction's error to the noise.
    """

    about: str
    value: str
    unit: str
    more: str
    relative_half_width: float | None = None
    total_mass_kg: float | None = None
    condition_number: float | None = None
    ratio: float | None = None


def verdict(run: Run) -> dict[str, Any]:
    """State, sentence, numbers, and what else there is to say."""
    sentence = _sentence(run)
    reasons = run.validation.reasons[1:] if run.validation else ()
    return {
        "state": _state(run),
        "sentence": sentence,
        "headlines": headlines(run),
        "warnings": [
            said
            for said in (*_own_doubts(run), *run.estimate.warnings, *reasons, *_of_the_motion(run))
            if said not in sentence
        ],
    }


def headlines(run: Run) -> tuple[Headline, Headline, Headline]:
    """Accuracy of the base's inertia, of the total mass, and prediction over noise.

    Without a base's inertia: accuracy of all clusters. Without a total mass: the condition number, or how many
    clusters are told from zero.
    """
    return _inertia(run) or _clusters(run), _mass(run) or _condition(run), _prediction(run)


def base_inertia_sd(run: Run) -> float:
    """Relative standard deviation of the base's moments of inertia, root mean square; NaN where not estimated."""
    places = _moments(run)
    return rms(run.estimate.sd[places] / np.abs(run.estimate.values[places])) if places else math.nan


# ---------------------------------------------------------------------- the state, and why


def _state(run: Run) -> str:
    """pass, doubtful or fail."""
    said = [run.estimate.outcome, run.validation.verdict if run.validation else "doubtful"]
    said += ["doubtful"] * bool(_own_doubts(run))
    return _STATES[max(_RANKS[each] for each in said)]


def _own_doubts(run: Run) -> list[str]:
    """What neither the estimate nor the prediction says of itself: a robot of the CAD model's predicts well too."""
    return [*_scale(run), *_prior_only(run)]


def _of_the_motion(run: Run) -> Iterator[str]:
    """What the motion's design says."""
    if run.excitation is None:
        return
    yield from run.excitation.warnings
    collisions = run.excitation.collisions
    if collisions.doubt:
        yield f"collisions of the motion are {collisions.in_words}"


def _prior_only(run: Run) -> Iterator[str]:
    share = _of_cad(run)
    if share is None:
        return
    places = _moments(run)
    left = rms(share[places]) if places else float(np.median(share))
    if left > _HARDLY:
        what = "the inertia of the base is" if places else "half of the clusters are"
        how = f"its interval is {100.0 * min(left, 1.0):.0f} % of" if places else "their intervals are most of"
        yield f"{what} hardly better known than from the CAD model alone: {how} what that leaves open"


def _scale(run: Run) -> Iterator[str]:
    if run.advice is not None and run.advice.answer.scale_lost:
        yield "nothing known fixes the common scale: masses and inertias are as large as the CAD model says"


def _of_cad(run: Run) -> Array | None:
    """Standard deviations in units of the CAD model's, shape (c,); None for other than sums of standard parameters."""
    estimate = run.estimate
    if not estimate.is_standard or not estimate.values.size:
        return None
    return estimate.sd / cad_spread(estimate)


def _sentence(run: Run) -> str:
    count, sd, found = len(run.estimate.values), base_inertia_sd(run), run.validation
    known = f"the inertia of the base{_with_arm(run)} is known to {_within(HALF * sd)} (95 %)"
    subject = known if math.isfinite(sd) else f"{count} clusters of parameters are estimated"
    doubts, state = _own_doubts(run), _state(run)
    if found is None:
        if state == "fail":
            return f"Do not use this estimate: it failed, and {_UNTESTED}."
        doubts += ["the estimate has warnings"] * bool(run.estimate.warnings)
        return f"{_capital(subject)}; {'; '.join([_UNTESTED, *doubts[:1]])}."
    channel = found.channels[0].channel
    ratio = f"{_times(found.ratio(channel))} times the noise of the {SENSORS[channel]}"
    over = f"over {found.duration_s:.0f} s of motion that it has not seen"
    if state == "fail" and run.estimate.outcome == "failed":
        return f"Do not use this estimate: it failed; {WORDS[channel]} predicted to {ratio}, {over}."
    if state == "fail":
        return f"Do not use this estimate: {WORDS[channel]} predicted to {ratio} only, {over}."
    predicted = f"{WORDS[channel]} predicted to {ratio}, {over}{_where(run)}"
    if state == "pass":
        return f"{_capital(subject)}; {predicted}."
    doubts += [] if found.verdict == "pass" else found.reasons[1:2]
    return f"{_capital(subject)}, with doubts: {[*doubts, 'the estimate has warnings'][0]}; {predicted}."


def _where(run: Run) -> str:
    """That nothing pulled, where an orbit's gravity gradient would matter; how much is on the flight sheet."""
    sheet = None if run.excitation is None else run.excitation.sheet
    gradient = None if sheet is None else sheet.gravity_gradient
    if gradient is None or gradient.modelled or gradient.estimated or not gradient.shift_sd > 1.0:
        return ""
    return ", in free space"


# ---------------------------------------------------------------------- the numbers


def _moments(run: Run) -> list[int]:
    """Places of the base's moments of inertia among the clusters."""
    names = {f"I{axis}_{run.robot.bodies[0].name}" for axis in ("xx", "yy", "zz")}
    return [place for place, name in enumerate(run.estimate.names) if name in names]


def _with_arm(run: Run) -> str:
    """Motion shows the base's inertia together with the mass of what it carries, as if at the first joint."""
    formulas, names = run.estimate.formulas, run.estimate.names
    alone = all(formulas[place] == names[place] for place in _moments(run))
    return "" if alone else " with the arm's mass at the shoulder"


def _inertia(run: Run) -> Headline | None:
    sd, places = base_inertia_sd(run), _moments(run)
    if math.isnan(sd):
        return None
    more = [f"95 % interval, root mean square of {len(places)} moments" if len(places) > 1 else "95 % interval"]
    if run.true_values is not None:
        error = rms(run.estimate.values[places] / run.true_values[places] - 1.0)
        more.append(f"off by {_percent(error)}")
    more += [_with_arm(run).strip()] * bool(_with_arm(run))
    return Headline("base inertia", _within(HALF * sd), "", "; ".join(more), relative_half_width=_plain(HALF * sd))


def _clusters(run: Run) -> Headline:
    values, sd = run.estimate.values, run.estimate.sd
    if run.estimate.no_interval:
        return Headline("clusters", f"{len(values)}", "", _UNSTATED)
    significant = np.isfinite(sd) & run.estimate.significant
    if not significant.any():
        alone = "none differs from zero by more than its interval"
        return Headline("clusters", "open", "", alone if np.isfinite(sd).any() else "the data show none of them alone")
    median = float(np.median(sd[significant] / np.abs(values[significant])))
    more = [f"95 % interval, median of the {int(significant.sum())} that differ from zero"]
    if run.true_values is not None:
        error = float(np.median(np.abs(values[significant] / run.true_values[significant] - 1.0)))
        more.append(f"off by {_percent(error)}")
    half = HALF * median
    return Headline("clusters", _within(half), "", "; ".join(more), relative_half_width=_plain(half))


def _mass(run: Run) -> Headline | None:
    """What is known counts as exact: it is known far better than the rest."""
    estimate = run.estimate
    weights = _mass_weights(estimate)
    if weights is None:
        return None
    value = float(estimate.parameters[::PER_BODY].sum())
    if estimate.no_interval:
        return Headline("total mass", f"{value:.4g} kg", "", _UNSTATED, total_mass_kg=value)
    sd = _sd(weights, total_covariance(estimate, cad_spread(estimate)))
    more = [f"{value:.4g} kg, 95 % interval"]
    if run.truth is not None:
        more.append(f"off by {_percent(abs(value / run.truth.mass - 1.0))}")
    if sd > _HARDLY * _sd(weights, cad_covariance(estimate)):
        more.append("mostly the CAD model's")
    half, words = HALF * sd / abs(value), "; ".join(more)
    return Headline("total mass", _within(half), "", words, relative_half_width=_plain(half), total_mass_kg=value)


def _mass_weights(estimate: Estimate) -> Array | None:
    """Of the clusters, w with w^T C phi the sum of all masses that were not declared, (c,); None where no sum is it.

    With sliding joints the masses of links are clusters of their own, not part of the base's.
    """
    columns = undeclared(estimate) if estimate.is_standard else np.zeros(0, int)
    masses = np.where(columns % PER_BODY == 0, 1.0, 0.0)
    if not masses.any() or not np.isfinite(estimate.covariance).all():
        return None
    C = estimate.minimal.combine[:, columns]
    weights = np.linalg.lstsq(C.T, masses, rcond=None)[0]
    return np.asarray(weights) if np.allclose(weights @ C, masses, rtol=0.0, atol=_ROUNDING) else None


def _sd(weights: Array, covariance: Array) -> float:
    """Of a sum of clusters."""
    return math.sqrt(max(float(weights @ covariance @ weights), 0.0))


def _condition(run: Run) -> Headline:
    number = math.nan if run.excitation is None else run.excitation.condition_number
    if math.isfinite(number):
        return Headline("condition number", f"{number:.3g}", "", "of the rows", condition_number=number)
    significant, count = int(run.estimate.significant.sum()), len(run.estimate.values)
    return Headline("clusters seen", f"{significant} of {count}", "", "differ from zero by more than their interval")


def _prediction(run: Run) -> Headline:
    if run.validation is None:
        return Headline("prediction", "–", "", "not tested on unseen motion")
    channel = run.validation.channels[0].channel
    more = f"{WORDS[channel]} on {run.validation.duration_s:.0f} s of unseen motion"
    ratio = run.validation.ratio(channel)
    return Headline("prediction", _times(ratio), "× noise", more, ratio=_plain(ratio))


def _plain(number: float) -> float | None:
    """For programs: no number where it is not finite."""
    return number if math.isfinite(number) else None


def _times(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}"


def _percent(relative: float) -> str:
    return f"{100.0 * relative:.2g} %" if relative < 1.0 else "more than 100 %"


def _within(relative: float) -> str:
    """Half an interval."""
    return f"±{_percent(relative)}" if relative < 1.0 else "more than ±100 %"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
