"""The verdict: predict, fit within the estimate's uncertainty, test, find the mistake, say it.

An estimate fails where tests fire that chance hardly explains and the prediction is also worse than the sensors by a
factor that matters, and where errors are more than half of the signal, however uncertain it says to be. Noise that is
larger than declared, or too little motion, is no fault of the estimate: doubtful.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.cause import Cause
from freefloat.estimate.causes.claims import NONE, RIVALS, in_words
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import in_percent
from freefloat.estimate.likelihood.finished import white
from freefloat.estimate.likelihood.likelihood import SETTLED, SETTLING, WRONG_MODEL
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.estimate.problem import Problem
from freefloat.estimate.progress import say
from freefloat.validation.checks import FitCheck, FitChecks, check_fit
from freefloat.validation.estimate_mistakes import changed_estimates
from freefloat.validation.extent import hidden_clusters, sensitivities, windows
from freefloat.validation.fits import FittedPrediction, Freedom, at, fit
from freefloat.validation.lines import lines_of
from freefloat.validation.other_causes import mistaken_recordings, noisy_sensors
from freefloat.validation.prediction import SENSORS, WORDS, PredictedReading, Predictor
from freefloat.validation.validation import ChannelError, Validation, Verdict, of_signal_of, ratio_of

_AS_GOOD = 1.5  # times the sensors' noise: as good as these in practice
_WIDE = 10.0  # times the CAD model's spread: free parameters
_EVERYTHING = 0.9  # of what is to be explained
_MOSTLY = 0.5  # of the clusters that an estimate claims to know: so many a flight must be able to judge
_USELESS = 0.5  # of the signal's root mean square, whatever the estimate says of its own uncertainty
_SLIGHT = 0.01  # of the signal: where nobody said the noise, less is as good as none
_NAMED = 3
_NO_FAULT = ("noise", "prior")  # causes that intervals allow for
_SHRINKING = ("least-squares", "weighted", "recursive", "adaline", "hopfield-tank")  # by noise in their columns
_REFINEMENTS = 2  # of the joints' curves, at most


@dataclass(frozen=True, slots=True, eq=False)
class _Judgement:
    """The fits and what they say.

    held: with the estimate as it is. within: within its uncertainty. checks: the tests of the latter.
    causes: what explains those that fired.
    """

    held: FittedPrediction
    within: FittedPrediction
    checks: FitChecks
    causes: tuple[Cause, ...]


def judged(prediction: Predictor, problem: Problem, estimate: Estimate, false_alarm: float) -> Validation:
    """Validate an estimate by what it predicts of recordings; false_alarm: of all tests together, at most."""
    with one_blas_thread():
        claimed = prediction.claimed
        say("the estimate as it is")
        nu = prediction.start()[claimed.theta.size :]
        held = _settled(fit(prediction, Freedom.none(claimed.theta), nu, derivatives=False))
        within = _within(held)
        noisier = None if _is_far(within) else prediction.as_noisy(within.rows)
        if noisier is not None:
            say("noise as it is")
            held, within = _again(noisier, held)
        for _ in range(_REFINEMENTS):
            finer = within.prediction.finer() if white(within.rows) is False and not _is_far(within) else None
            if finer is None:
                break
            say("finer curves of the joints")
            held, within = _again(finer, held)
        checks = check_fit(within, false_alarm)
        if prediction.noise_is_left:  # what a model of drives leaves is no noise: more of it is what can be told
            checks = checks.of_level(np.inf if _is_slight(held) else _AS_GOOD)
            return _validation(problem, estimate, _Judgement(held, within, checks, ()), false_alarm)
        say("what may be wrong" if checks.fired else "what it depends on")
        causes = _causes(problem, estimate, within, checks, nu, false_alarm) if checks.fired else ()
        return _validation(problem, estimate, _Judgement(held, within, checks, causes), false_alarm)


def _is_slight(held: FittedPrediction) -> bool:
    """Whether errors are so small a part of what was measured that nobody minds them."""
    readings = held.prediction.readings(held.point)
    left = sum(float((each.residual**2).mean(axis=0).sum()) for each in readings)
    signal = sum(float((each.measured.std(axis=0) ** 2).sum()) for each in readings)
    return left < _SLIGHT**2 * signal


def _again(prediction: Predictor, held: FittedPrediction) -> tuple[FittedPrediction, FittedPrediction]:
    """Fits by another prediction of the same, with the estimate as it is and within its uncertainty."""
    prediction.start()
    held = _settled(fit(prediction, held.freedom, held.nu, derivatives=False))
    return held, _within(held)


def _within(held: FittedPrediction) -> FittedPrediction:
    """A fit within the estimate's uncertainty."""
    say("within its uncertainty")
    claimed = held.prediction.claimed
    return fit(held.prediction, Freedom.within(claimed.theta, claimed.root), held.nu)


def _is_far(within: FittedPrediction) -> bool:
    """Whether so much is left that no finer curves, or noisier sensors, explain it."""
    return not float((within.residual**2).mean()) < WRONG_MODEL**2


def _settled(held: FittedPrediction) -> FittedPrediction:
    """A fit with the estimate as it is, and the joints' curves that go with it."""
    for _ in range(SETTLING):
        moved = held.prediction.settle(held.point)
        if not 0.0 < moved < np.inf:
            break
        held = fit(held.prediction, held.freedom, held.nu, derivatives=False)
        if moved < SETTLED:
            break
    return held


# ---------------------------------------------------------------------- causes


def _causes(
    problem: Problem, estimate: Estimate, within: FittedPrediction, checks: FitChecks, nu: Array, false_alarm: float
) -> tuple[Cause, ...]:
    """What explains the tests that fired; nothing if nothing does. nu: before any fit.

    Where only the level is too high, sensors are noisier than declared. Otherwise what may be wrong with the flights
    is compared with changes of the estimate, by how much less a fit costs that allows for each; mistakes of recording
    are looked for where neither explains everything. Of an estimate that accuses its own recordings nothing is looked
    for: what is wrong is known, and all that follows from it is far from linear.
    """
    prediction, claimed = within.prediction, within.prediction.claimed
    if all(check.fired == (check.name == "level") for check in checks.checks):
        return tuple(noisy_sensors(checks, prediction.readings(within.point)))
    if any(cause.kind != NONE for cause in _accused(estimate)):
        return ()
    wide = Freedom.within(claimed.theta, np.hstack([claimed.root, _WIDE * claimed.cad_root]))
    free = fit(prediction, wide, nu)
    unmoved = at(prediction, within.freedom, np.concatenate([np.zeros(within.freedom.size), nu]))
    changed = changed_estimates(problem, estimate, unmoved, within.cost, free.cost)
    suspected = prediction.suspected(within.point, within.freedom.root, within.xi)
    told = _best((*changed, *suspected.named))
    everything = told and told[0].share > _EVERYTHING
    return (() if everything else tuple(mistaken_recordings(problem, estimate))) or told


def _accused(estimate: Estimate) -> list[Cause]:
    """What the estimate says to be wrong with the recordings that it was made from, and intervals do not allow for."""
    return [cause for cause in estimate.causes if cause.kind not in _NO_FAULT]


def _best(causes: tuple[Cause, ...]) -> tuple[Cause, ...]:
    """Those that save most, the best first."""
    most = max((cause.gain for cause in causes), default=0.0)
    return tuple(sorted((cause for cause in causes if cause.gain > most - RIVALS), key=lambda each: -each.gain))


# ---------------------------------------------------------------------- the result


def _validation(problem: Problem, estimate: Estimate, made: _Judgement, false_alarm: float) -> Validation:
    prediction, held, within = made.within.prediction, made.held, made.within
    readings = prediction.readings(held.point)
    channels = _channels(readings, made.checks)
    duration = sum(float(flight.t[-1] - flight.t[0]) for flight in problem.flights)
    verdict, reasons = _verdict(made, estimate, channels, duration)
    return Validation(
        verdict=verdict,
        reasons=reasons,
        channels=channels,
        checks=made.checks.checks,
        causes=made.causes,
        lines=lines_of(made.checks.columns, readings),
        sensitivities=sensitivities(within, readings),
        windows=windows(within, readings),
        readings=readings,
        momentum=prediction.momentum(held.point, readings),
        turned_away_rad=prediction.turned_away_rad(held.point, readings),
        duration_s=duration,
        false_alarm=false_alarm,
    )


def _channels(readings: tuple[PredictedReading, ...], checks: FitChecks) -> tuple[ChannelError, ...]:
    levels = {(place, component): check.level for place, component, check in checks.columns}
    errors = []
    for place, reading in enumerate(readings):
        rms, largest = np.sqrt((reading.residual**2).mean(axis=0)), np.abs(reading.residual).max(axis=0)
        for k, component in enumerate(reading.components):
            signal = float("nan") if reading.signal is None else float(reading.signal[k])
            numbers = (float(rms[k]), float(largest[k]), float(reading.noise[k]), levels[place, k], signal)
            errors.append(ChannelError(reading.flight, reading.channel, component, reading.unit, *numbers))
    return tuple(errors)


def _verdict(
    made: _Judgement, estimate: Estimate, channels: tuple[ChannelError, ...], duration_s: float
) -> tuple[Verdict, tuple[str, ...]]:
    ratios = _ratios(channels)
    checks, causes, left = made.checks, made.causes, made.within.prediction.noise_is_left
    reasons = [headline(channels, duration_s, noise_is_left=left)]
    hidden, claimed = hidden_clusters(made.within)
    little, accused = claimed == 0 or len(hidden) > _MOSTLY * claimed, _accused(estimate)
    if checks.fired and left:
        level = checks.of("level").statistic
        reasons.append(
            f"of the recordings that the estimate was made from, far less is left: here {level:.2g} times it"
        )
    elif checks.fired:
        reasons.append(_fired(checks))
        if causes or not accused:
            reasons.append(in_words(causes) if causes else _unexplained(made.within))
        if checks.of("parameters").fired and estimate.model == "angular-momentum" and estimate.method in _SHRINKING:
            reasons.append(f"{estimate.method} shrinks clusters where rates are noisy: identify by maximum-likelihood")
    elif max(ratios.values()) > _AS_GOOD:
        reasons.append("it is no nearer because the estimate is uncertain, as it says itself")
    if little:
        reasons.append(_little(hidden, claimed))
    if accused:
        reasons.append(f"of the recordings that the estimate was made from, {in_words(accused)}")
    only_noise = bool(causes) and all(cause.kind == "noise" for cause in causes)
    useless = [name for name in ratios if of_signal_of(channels, name) > _USELESS]
    if useless:
        words = ", ".join(WORDS[name] for name in useless)
        reasons.append(
            f"errors of {words} are more than half of the signal: the estimate predicts hardly anything of it"
        )
    if useless or (checks.fired and not only_noise and (left or max(ratios.values()) > _AS_GOOD)):
        return "fail", tuple(reasons)
    worse = left and max(ratios.values()) > _AS_GOOD and not _is_slight(made.held)
    return ("doubtful" if checks.fired or little or accused or worse else "pass"), tuple(reasons)


def headline(
    channels: tuple[ChannelError, ...], duration_s: float, seen: bool = False, noise_is_left: bool = False
) -> str:
    """How well the motion is predicted.

    seen: whether the estimate was made from it. noise_is_left: as of a `Predictor`.
    """
    parts = {name: _in_percent(of_signal_of(channels, name)) for name in _ratios(channels)}
    noise = {name: "what the estimate left" if noise_is_left else f"{SENSORS[name]} noise" for name in parts}
    said = [
        f"{WORDS[name]} predicted to {_factor(ratio)} × {noise[name]}{parts[name]}"
        for name, ratio in _ratios(channels).items()
    ]
    return f"{', '.join(said)} on {duration_s:.3g} s of {'' if seen else 'unseen '}motion"


def _ratios(channels: tuple[ChannelError, ...]) -> dict[str, float]:
    return {name: ratio_of(channels, name) for name in dict.fromkeys(each.channel for each in channels)}


def _factor(ratio: float) -> str:
    """To two digits, also where the last is a zero."""
    return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def _in_percent(of_signal: float) -> str:
    """Which part of the signal an error is; nothing where that is not known."""
    return "" if np.isnan(of_signal) else f" ({in_percent(of_signal)} of its signal)"


def _fired(checks: FitChecks) -> str:
    words = {
        "parameters": "parameters off by more than the estimate allows",
        "sensors and clocks": "sensors or clocks off by more than was assumed",
        "level": "more left than the sensors' noise",
        "colour": "what is left is not white",
    }
    sentences = [
        f"{words[check.name]} ({check.statistic:.3g} {check.meaning}{_limit(check)})"
        for check in checks.checks
        if check.fired
    ]
    return "; ".join(sentences)


def _limit(check: FitCheck) -> str:
    return f", limit {check.limit:.3g}" if check.limit else ""  # none at all are allowed: the count says it


def _unexplained(within: FittedPrediction) -> str:
    claimed, sizes = within.prediction.claimed, _pulls(within)
    worst = [claimed.words[place] for place in np.argsort(-sizes)[:_NAMED]]
    return f"no single mistake explains it; the recordings pull most at {', '.join(worst)}"


def _pulls(within: FittedPrediction) -> Array:
    """How far the fit moved each cluster of the estimate, in its standard deviations, shape (c,)."""
    claimed = within.prediction.claimed
    moved = np.linalg.lstsq(claimed.by_cluster, claimed.root @ within.xi, rcond=None)[0]
    return np.asarray(np.abs(moved) / np.where(np.isfinite(claimed.sd) & (claimed.sd > 0.0), claimed.sd, np.inf))


def _little(hidden: list[str], claimed: int) -> str:
    if not claimed:
        return "the estimate claims to know no cluster to 3 %: there is nothing to confirm"
    listed = ", ".join(hidden[:_NAMED])
    return (
        f"too little motion to judge: an error of 10 % would not show in {len(hidden)} of the {claimed} clusters that "
        f"the estimate claims to know ({listed}{', …' if len(hidden) > _NAMED else ''})"
    )
