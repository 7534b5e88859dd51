"""What an estimate predicts of recordings, in one form for all that can be measured.

A point holds theta, the parameters of the prediction, then nu, everything else that the recordings may hold (biases,
clocks, misalignment, momentum). Rows are measured less predicted over the sensors' noise, with exact derivatives.
The estimate is a claimed, theta = theta_0 + root xi with xi ~ N(0, E).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.errors import FreefloatError
from freefloat.estimate.causes.claims import Suspected
from freefloat.estimate.estimate_parts import ChannelResidual
from freefloat.estimate.likelihood.likelihood import Rows
from freefloat.estimate.likelihood.noise_levels import Levels
from freefloat.estimate.problem import Problem
from freefloat.models.names import cluster_words
from freefloat.robot.rotations import logarithm, rotations
from freefloat.sensors.kinds import READINGS

WORDS = {reading.array: reading.words for reading in READINGS} | {
    "torques": "joint torques",
    "base_wrench": "base wrench",
}
SENSORS = {reading.array: reading.sensor for reading in READINGS} | {
    "torques": "torque sensors",
    "base_wrench": "wrench sensor",
}


class InvalidValidation(FreefloatError):
    """An estimate and recordings that cannot be compared."""


class UnfitEstimate(InvalidValidation):
    """An estimate that these recordings, or none, can be predicted from."""


@dataclass(frozen=True, slots=True, eq=False)
class ClaimedClusters:
    """What an estimate says of the parameters of a prediction.

    names, formulas, values: of the estimate's c clusters. sd: their standard deviations, shape (c,).
    theta: parameters of the prediction, shape (p,). by_cluster: their derivative by the clusters, (p, c).
    root: theta = theta_0 + root xi, shape (p, m). cad_root: the same for the spread of a CAD model, shape (p, k).
    spread: covariance of the clusters by the CAD model, (c, c).
    Errors of known values count twice: in the estimate's covariance and beside it. The estimate has absorbed them, so
    that most of what they do to the prediction cancels, but how they go together is not kept with an estimate. The
    tests then fire more rarely than they may (mean square of the innovations of a small satellite: 0.8, not 1); with
    the second count left out, what does not cancel would fire them far too often (3.4).
    """

    names: tuple[str, ...]
    formulas: tuple[str, ...]
    values: Array
    sd: Array
    theta: Array
    by_cluster: Array
    root: Array
    cad_root: Array
    spread: Array

    @property
    def words(self) -> tuple[str, ...]:
        """Names of the clusters that do not pass for single parameters."""
        return tuple(cluster_words(name, text) for name, text in zip(self.names, self.formulas, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class PredictedReading(ChannelResidual):
    """One channel of one flight: what is left of it, and what was read, shape (n, k) [unit]."""

    measured: Array

    @classmethod
    def of(cls, left: ChannelResidual, measured: Array) -> Self:
        """Of what is left of a channel, and what was read."""
        return cls(
            flight=left.flight,
            channel=left.channel,
            components=left.components,
            unit=left.unit,
            t=left.t,
            residual=left.residual,
            noise=left.noise,
            measured=measured,
            signal=left.signal,
        )

    @property
    def predicted(self) -> Array:
        """What the sensor should have read, shape (n, k)."""
        return self.measured - self.residual


@dataclass(frozen=True, slots=True, eq=False)
class PredictedMomentum:
    """What is missing in the balance of the angular momentum about the centre of mass.

    t: shape (n,) [s]. residual: base axes, shape (n, 3) [N m s]. noise: of it by the gyro's noise, rms, shape (3,).
    """

    flight: str
    t: Array
    residual: Array
    noise: Array


class Predictor(Protocol):
    """Recordings as a function of a point (theta, nu)."""

    claimed: ClaimedClusters
    kinds: tuple[str, ...]  # of nu, such as `time offset`
    mean: Array  # of nu before the data, shape (k,)
    information: Array  # of nu before the data, shape (k, k)
    levels: Levels  # noise that rows are weighed by over what was declared, where they differ
    noise_is_left: bool  # whether nobody said the noise, and it is what the estimate left of its own recordings

    def start(self) -> Array:
        """A first point, the estimate's theta in it."""
        ...

    def rows(self, point: Array, derivatives: bool) -> tuple[Rows, ...]:
        """Weighted residuals, derivatives by all of the point."""
        ...

    def finer(self) -> Predictor | None:
        """The same with joints' curves on knots half as far apart; None if there are none, or too few readings."""
        ...

    def as_noisy(self, rows: tuple[Rows, ...]) -> Predictor | None:
        """The same with sensors that rows show to be noisier than declared weighed by that; None if none is."""
        ...

    def settle(self, point: Array) -> float:
        """Bring joints' curves to what all readings make likely at a point; how far readings move, in their noise."""
        ...

    def readings(self, point: Array) -> tuple[PredictedReading, ...]:
        """The same in the sensors' units, in the same order."""
        ...

    def momentum(self, point: Array, readings: tuple[PredictedReading, ...]) -> tuple[PredictedMomentum, ...]:
        """Residual of the momentum balance of each flight with angular rates; none where there is no such balance.

        readings: at this point.
        """
        ...

    def turned_away_rad(self, point: Array, readings: tuple[PredictedReading, ...]) -> float | None:
        """Largest angle between attitudes integrated from predicted and from measured rates; None without rates.

        readings: at this point.
        """
        ...

    def suspected(self, point: Array, root: Array, xi: Array) -> Suspected:
        """What may be wrong with the flights if theta = theta_0 + root xi, xi ~ N(0, E); at a point that fits best."""
        ...

    def on(self, problem: Problem) -> Predictor:
        """What the same estimate predicts of other flights."""
        ...

    def shifted(self, parameters: Array) -> Array | None:
        """Theta of standard parameters, (10 bodies,); None where theta is not made of them."""
        ...


def largest_turn_rad(t: Array, predicted: Array, measured: Array) -> float:
    """Largest angle between attitudes integrated from predicted and from measured rates.

    t: shape (n,) [s]. predicted, measured: body axes, shape (n, 3) [rad/s].
    """
    ahead, seen = (rotations(integrate_rates(t, rates)) for rates in (predicted, measured))
    return float(np.linalg.norm(logarithm(ahead.swapaxes(1, 2) @ seen), axis=1).max())
