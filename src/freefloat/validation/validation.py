"""The validation: whether an estimate predicts what it has not seen, with reasons and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from freefloat.estimate.cause import Cause
from freefloat.estimate.estimate_parts import TORQUES, part_of_signal
from freefloat.exact_json import plain, save_json
from freefloat.files import FilePath
from freefloat.frozen import Content, FrozenMapping
from freefloat.validation.checks import FitCheck
from freefloat.validation.extent import Sensitivity, Windows
from freefloat.validation.lines import Line
from freefloat.validation.prediction import PredictedMomentum, PredictedReading

FORMAT = "freefloat/validation@1"
_SERIES = ("readings", "momentum", "windows")
Verdict = Literal["pass", "doubtful", "fail"]


@dataclass(frozen=True, slots=True)
class ChannelError:
    """How well one component of a channel is predicted, the estimate held.

    rms, largest: of measured less predicted [unit]. noise: of the sensor [unit]. level: rms over noise once the
    estimate may move within its own uncertainty and oscillations are taken out. signal: standard deviation over time
    of what was measured, about its mean [unit]; NaN if it is not known.
    """

    flight: str
    channel: str
    component: str
    unit: str
    rms: float
    largest: float
    noise: float
    level: float
    signal: float = math.nan

    @property
    def ratio(self) -> float:
        """Root mean square over the sensor's noise."""
        return self.rms / self.noise

    @property
    def of_signal(self) -> float:
        """Root mean square over that of the signal; NaN where that is not known, or hardly more than noise."""
        noise = 0.0 if self.channel == TORQUES else self.noise  # of torques it is said in any case
        return part_of_signal(*(np.array([value]) for value in (self.rms, self.signal, noise)))


def ratio_of(channels: Sequence[ChannelError], name: str) -> float:
    """Root mean square error of a channel over its sensor's noise, all components and flights; NaN without it."""
    squares = [each.ratio**2 for each in channels if each.channel == name]
    return float(np.sqrt(np.mean(squares))) if squares else float("nan")


def of_signal_of(channels: Sequence[ChannelError], name: str) -> float:
    """Root mean square error of a channel over that of its signal, all components and flights; NaN if not known."""
    own = [each for each in channels if each.channel == name]
    return part_of_signal(
        *(np.array(values) for values in zip(*((e.rms, e.signal, e.noise) for e in own), strict=True))
    )


@dataclass(frozen=True, eq=False)
class Validation(Content):
    """What predicting recordings says of an estimate.

    verdict: `pass`: nothing contradicts the estimate; `fail`: the recordings do; `doubtful`: between, or no proof.
    reasons: sentences, the first of which says how well the motion is predicted.
    channels: errors by component. checks: the tests, which together raise a false alarm with at most that
        probability.
    causes: mistakes that explain what the tests found, the best first. lines: oscillations in what is left.
    sensitivities: clusters that the prediction depends on, the most first. windows: what growing parts of the
        recordings alone would say of the clusters.
    readings: measured and predicted, channel by channel. momentum: residual of the momentum balance.
    turned_away_rad: largest angle between attitudes integrated from predicted and from measured rates; None if rates
        were not measured. duration_s: of all recordings. origin: versions, hashes, names.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    channels: tuple[ChannelError, ...]
    checks: tuple[FitCheck, ...]
    causes: tuple[Cause, ...]
    lines: tuple[Line, ...]
    sensitivities: tuple[Sensitivity, ...]
    windows: Windows
    readings: tuple[PredictedReading, ...]
    momentum: tuple[PredictedMomentum, ...]
    turned_away_rad: float | None
    duration_s: float
    false_alarm: float
    notes: tuple[str, ...] = ()
    origin: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "origin", FrozenMapping(dict(self.origin)))

    def ratio(self, channel: str) -> float:
        """Root mean square error of a channel over its sensor's noise, all components and flights; NaN without it."""
        return ratio_of(self.channels, channel)

    def of_signal(self, channel: str) -> float:
        """Root mean square error of a channel over that of its signal, all components and flights; NaN if not known."""
        return of_signal_of(self.channels, channel)

    def __str__(self) -> str:
        first, *others = self.reasons
        return "\n".join([f" {self.verdict.upper()}  {first}", *(f"  {sentence}" for sentence in others)])

    def save(self, path: FilePath) -> None:
        """Write a validation file, JSON, whole or not at all; `load_validation` reads it back."""
        save_json(path, self.document())

    def document(self) -> dict[str, Any]:
        """The validation as plain data, exact."""
        return {"format": FORMAT, **plain(self)}

    def summary(self) -> dict[str, Any]:
        """The same without series over time, which only the file holds."""
        return {name: value for name, value in self.document().items() if name not in _SERIES}
