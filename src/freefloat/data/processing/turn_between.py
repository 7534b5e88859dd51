"""How the base turned between two instants of a recording: by its gyro, by its attitudes, or by both.

With C_i the turn of the base since the first instant, the rates of a gyro with a constant bias b integrate to

    Q_i = exp(J_i b) C_i,      J_i = integral of Q dt      (first order in b)

and attitudes A_i = A_0 C_i have A_i Q_i^-1 = A_0 exp(-J_i b): least squares find b, and many readings count where
attitudes alone are two. What is most accurate is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.data.processing.base_motion import base_attitude
from freefloat.data.processing.process_parts import ProcessingInputs, attitude_noise, gyro_rates
from freefloat.data.processing.resampling import resample
from freefloat.frozen import Content
from freefloat.robot.rotations import conjugate, quaternion_product, rotation_vectors, rotations
from freefloat.sensors.channel import Channel

_ROUNDS = 3  # of linearised least squares: a bias is small
_FEWEST = 8  # attitudes for what they leave to tell whether gyro and attitudes agree
_APART = 1.5  # times the attitudes' noise: gyro and attitudes that leave more contradict each other
_NEAR = 2.0  # intervals of a channel: as far beyond its ends as it still counts as known


@dataclass(frozen=True, slots=True)
class GyroErrors:
    """What is believed of a gyro: standard deviations of its bias [rad/s] and of how it is mounted [rad]."""

    bias_sd: float
    mounting_sd: float


@dataclass(frozen=True, slots=True, eq=False)
class Turn(Content):
    """From base axes at one instant to those at another: a at the other = R a, shape (3, 3).

    sd: how far off about any axis [rad]. by: the sensors that told it.
    """

    R: Array
    sd: float
    by: str


def turn_between(inputs: ProcessingInputs, start_s: float, end_s: float, errors: GyroErrors) -> Turn | None:
    """The most accurate of what the sensors tell of a turn; None if none was read at both instants."""
    gyro, attitudes = _Gyro.of(inputs, start_s, end_s), _Attitudes.of(inputs)
    found = [
        None if attitudes is None else attitudes.turn(start_s, end_s),
        None if gyro is None else gyro.turn(errors),
        None if gyro is None or attitudes is None else _by_both(gyro, attitudes),
    ]
    return min((each for each in found if each is not None), key=lambda each: each.sd, default=None)


def _reaches(channel: Channel, start_s: float, end_s: float) -> bool:
    slack = _NEAR * channel.interval_s
    return bool(channel.t[0] - slack <= start_s and end_s <= channel.t[-1] + slack)


@dataclass(frozen=True, slots=True, eq=False)
class _Attitudes:
    """Attitudes of the base, quaternions (n, 4) at times (n,) of a channel, and their noise [rad]."""

    channel: Channel
    values: Array
    sd: float

    @classmethod
    def of(cls, inputs: ProcessingInputs) -> _Attitudes | None:
        channel = inputs.channels.get("attitude")
        if channel is None:
            return None
        known = inputs.known(channel)
        values = base_attitude(channel.of((*AXES, "w")), known.mounting)
        return cls(channel, values, float(np.sqrt((attitude_noise(channel, known, values) ** 2).mean())))

    def turn(self, start_s: float, end_s: float) -> Turn | None:
        """By what was read at both instants."""
        if not _reaches(self.channel, start_s, end_s):
            return None
        R = rotations(resample(self.channel.t, self.values, np.clip([start_s, end_s], *self.channel.t[[0, -1]])))
        return Turn(R[1].T @ R[0], np.sqrt(2.0) * self.sd, "attitudes at both")


@dataclass(frozen=True, slots=True, eq=False)
class _Gyro:
    """Rates in base axes, (n, 3) at times t (n,) from the first to the second instant [rad/s], and their noise."""

    t: Array
    w: Array
    sd: float

    @classmethod
    def of(cls, inputs: ProcessingInputs, start_s: float, end_s: float) -> _Gyro | None:
        rates, channel = gyro_rates(inputs), inputs.channels.get("gyro")
        if rates is None or channel is None or not _reaches(channel, start_s, end_s):
            return None
        gaps = channel.gaps()
        if ((gaps[:, 1] > start_s) & (gaps[:, 0] < end_s)).any():
            return None  # nobody knows how it turned there
        t, w, sd = rates
        slack = 1e-6 * channel.interval_s  # an instant is not to be there twice
        inside = (t > start_s + slack) & (t < end_s - slack)
        ends = np.clip([start_s, end_s], t[0], t[-1])
        at_ends = resample(t, w, ends)
        own = np.concatenate([[start_s], t[inside], [end_s]])
        return cls(own, np.vstack([at_ends[:1], w[inside], at_ends[1:]]), float(np.sqrt((sd**2).mean())))

    def since_start(self, bias: Array) -> Array:
        """The turn since the first instant at each time, quaternions (n, 4)."""
        return integrate_rates(self.t, self.w - bias)

    @property
    def wandering(self) -> float:
        """What its noise makes of the turn [rad]."""
        span = float(self.t[-1] - self.t[0])
        return self.sd * float(np.sqrt(span * np.median(np.diff(self.t))))

    def turn(self, errors: GyroErrors) -> Turn:
        """By its rates alone."""
        whole = self.since_start(np.zeros(3))[-1]
        angle = float(np.linalg.norm(rotation_vectors(whole)))
        off = (self.wandering, errors.bias_sd * float(self.t[-1] - self.t[0]), errors.mounting_sd * angle)
        return Turn(rotations(whole[None])[0].T, float(np.linalg.norm(off)), "the gyro's rates")


def _by_both(gyro: _Gyro, attitudes: _Attitudes) -> Turn | None:
    """By rates less the bias that attitudes show; None if these are few, or gyro and attitudes do not agree."""
    t = attitudes.channel.t
    inside = (t >= gyro.t[0]) & (t <= gyro.t[-1])
    if inside.sum() < _FEWEST or gyro.t.size < _FEWEST:
        return None
    t, measured, bias = t[inside], attitudes.values[inside], np.zeros(3)
    for _ in range(_ROUNDS):
        Q = gyro.since_start(bias)
        J = _integral(gyro.t, rotations(Q).reshape(-1, 9))
        there = resample(gyro.t, Q, t, "spline")
        apart = quaternion_product(measured, conjugate(there / np.linalg.norm(there, axis=1, keepdims=True)))
        off = rotation_vectors(quaternion_product(conjugate(apart[:1]), apart))
        at = np.stack([np.interp(t, gyro.t, column) for column in J.T], axis=1).reshape(-1, 3, 3)
        # Differences are in axes of the first attitude, which are those of the base then but for its noise.
        rows = np.concatenate([np.tile(np.eye(3), (t.size, 1, 1)), -at], axis=2).reshape(-1, 6)
        found, _, rank, _ = np.linalg.lstsq(rows, off.reshape(-1), rcond=None)
        if rank < rows.shape[1]:
            return None
        bias = bias + found[3:]
    left = off.reshape(-1) - rows @ found
    level = float(np.sqrt((left**2).sum() / (left.size - 6)))
    if level > _APART * attitudes.sd > 0.0:
        return None
    by_bias = J[-1].reshape(3, 3)
    covariance = level**2 * by_bias @ np.linalg.inv(rows.T @ rows)[3:, 3:] @ by_bias.T
    sd = float(np.hypot(np.sqrt(np.trace(covariance) / 3.0), gyro.wandering))
    return Turn(rotations(gyro.since_start(bias)[-1:])[0].T, sd, "the gyro's rates and attitudes")


def _integral(t: Array, values: Array) -> Array:
    """Since the first instant, shape (n, k), by trapezoids."""
    steps = 0.5 * np.diff(t)[:, None] * (values[1:] + values[:-1])
    return np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(steps, axis=0)])
