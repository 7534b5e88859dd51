"""Velocity of a point of the base, tracked from outside or integrated from an accelerometer.

What an estimator predicts of it, taken to the base's origin: with V of the centre of mass, R_0 the first attitude, R
the attitude against it, U what pulses gave of V, and a the bias of an accelerometer whose integral it is,

    v + R^T R_0^T V + R^T U + R^T (integral of R) a

If it is such an integral its errors walk, and its changes from sample to sample are compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.files import Positive
from freefloat.robot.base_axes import sliding_axes
from freefloat.robot.model import Robot
from freefloat.robot.rotations import cross_matrices, turned
from freefloat.sensors.draws import Stream
from freefloat.sensors.measured import Measured
from freefloat.sensors.moving_base import MovingBase, PulledBack
from freefloat.sensors.noise import FLAT_ALLAN, Noise, flicker, random_walk
from freefloat.sensors.quantities import MICRO_G
from freefloat.sensors.reading import DRIFT_VELOCITY, Reading, drift_velocity
from freefloat.sensors.sensor import ZERO, DensitySensor, MountedSensor, Output, PerAxis, Sensor, SpreadPerAxis
from freefloat.sensors.truth import Layout, Truth
from freefloat.sensors.unknowns import UnknownGroup, along, independent, usual_spread
from freefloat.sensors.walks import StepWhitening

ACCELEROMETER_BIAS = "velocity bias"
_FIRST_M_S = 1.0  # spread of the first of several velocities that are compared by their changes


class VelocitySensor(MountedSensor, DensitySensor):
    """Velocity of a point of the base: tracked from outside, or integrated from an accelerometer.

    Tracking has white noise. Integration has a velocity random walk, and the accelerometer's bias, constant and with a
    flicker, which is fixed in the sensor's axes and therefore turns with the base: its share is the integral of R_IS b.
    """

    quantities = ("velocity", "body_velocity")

    kind: Literal["velocity"] = "velocity"
    axes: Literal["inertial", "body"] = Field("inertial", description="inertial, or body: the sensor's own")
    noise_m_s: SpreadPerAxis = Field(ZERO, description="standard deviation of a sample")
    velocity_random_walk_m_s_per_sqrt_h: SpreadPerAxis = Field(ZERO, description="of the accelerometer")
    accelerometer_bias_ug: PerAxis = Field(ZERO, description="of the accelerometer, in every run")
    accelerometer_bias_sd_ug: SpreadPerAxis = Field(ZERO, description="of the accelerometer, drawn per run")
    accelerometer_bias_instability_ug: SpreadPerAxis = Field(ZERO, description="flicker B of the accelerometer's bias")
    range_m_s: Positive | None = Field(None, description="largest reading")

    def gives(self) -> tuple[str, ...]:
        """Velocity, in the axes that it was set up for."""
        return ("velocity",) if self.axes == "inertial" else ("body_velocity",)

    @property
    def accelerometer_bias(self) -> tuple[Array, Array]:
        """Fixed value and standard deviation between runs, sensor axes, shape (3,) each [m/s^2]."""
        fixed, drawn = self.accelerometer_bias_ug, self.accelerometer_bias_sd_ug
        return np.array(fixed) * MICRO_G, np.array(drawn) * MICRO_G

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Velocity [m/s]; the noise's random walk is that of the integral in inertial axes, its flicker the bias'."""
        walk = np.array(self.velocity_random_walk_m_s_per_sqrt_h) / 60.0
        unstable = np.array(self.accelerometer_bias_instability_ug) * MICRO_G
        density = Noise(np.zeros(3), walk_sd=walk, flicker=unstable).scaled(self.density)
        noise = Noise(np.array(self.noise_m_s), walk_sd=density.walk_sd, flicker=density.flicker)
        name = self.channel_name(*self.gives())
        limit = np.full(3, self.range_m_s or np.inf)
        return (Output(name, tuple("xyz"), ("m_s",) * 3, noise, np.zeros(3), limit),)

    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        seen = self._shown(self._seen, truths, times, draws)
        noisy = Noise(output.noise.white_sd).added_to(seen, self.interval_s, draws)
        drift = self._drift(output, truths, times, draws)
        return noisy if drift is None else noisy + drift

    def _seen(self, truth: Truth, times: Array) -> Array:
        frame = self.frame()
        velocity = truth.velocity_of(frame.p, times)
        return velocity @ frame.R if self.axes == "body" else turned(truth.rotation(times), velocity)

    def _drift(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array | None:
        """The accelerometer's errors, integrated in inertial axes, shape (runs, n, 3) [m/s]."""
        fixed, spread = self.accelerometer_bias
        walk = output.noise.walk_sd * math.sqrt(self.interval_s)
        drift = None
        if walk.any():
            drift = walk * random_walk(draws.normal("walk", (times.size, 3)))
        if fixed.any() or spread.any():
            bias = fixed + spread * draws.normal("accelerometer bias", (3,))
            share = _integrated(np.stack([self._attitude_integral(truth, times) for truth in truths]), bias)
            drift = share if drift is None else drift + share
        if output.noise.flicker.any():
            bias = output.noise.flicker * flicker(draws.normal("bias instability", (times.size, 3)))
            share = np.stack([self._integral(truth, times, run) for truth, run in _each(truths, bias)])
            drift = share if drift is None else drift + share
        if drift is None or self.axes == "inertial":
            return drift
        back = np.stack([truth.rotation(times) @ self.frame().R for truth in truths]).swapaxes(2, 3)
        return back[..., 0] * drift[..., :1] + back[..., 1] * drift[..., 1:2] + back[..., 2] * drift[..., 2:]

    def _integral(self, truth: Truth, times: Array, bias: Array) -> Array:
        """Of a bias, (n, 3) in sensor axes, each over the time up to the next, inertial axes, (n, 3) [m/s]."""
        steps = turned(truth.rotation(times) @ self.frame().R, bias)[:-1] * np.diff(times)[:, None]
        return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])

    def _attitude_integral(self, truth: Truth, times: Array) -> Array:
        """Integral of R_IS from the first sample on, shape (n, 3, 3) [s], by Simpson's rule."""
        ends, middles = truth.rotation(times), truth.rotation(0.5 * (times[1:] + times[:-1]))
        pieces = (ends[1:] + ends[:-1] + 4.0 * middles) * (np.diff(times)[:, None, None] / 6.0)
        return np.concatenate([np.zeros((1, 3, 3)), np.cumsum(pieces, axis=0)]) @ self.frame().R


def _each(truths: Sequence[Truth], bias: Array) -> Iterator[tuple[Truth, Array]]:
    """The truth and the bias of every run; one truth may stand for all, bias: (runs, n, 3)."""
    return zip(truths if len(truths) == len(bias) else [truths[0]] * len(bias), bias, strict=True)


def _integrated(integral: Array, bias: Array) -> Array:
    """(1 or runs, n, 3, 3) times (runs, 3), term by term, shape (runs, n, 3)."""
    x, y, z = (bias[:, None, axis : axis + 1] for axis in range(3))
    return integral[..., 0] * x + integral[..., 1] * y + integral[..., 2] * z


# ---------------------------------------------------------------------- as an estimator compares it


@dataclass(frozen=True)
class VelocityNuisances:
    """Standard deviation assumed of each of a velocity's errors; None leaves it out."""

    velocity_bias_m_s2: float | None = usual_spread(1e-3, "of an acceleration that was integrated")


class VelocityReading(Reading[VelocityNuisances]):
    """Velocity of the base's origin along the axes that slide, in base axes."""

    array = "v"
    quantities = ("body_velocity", "velocity")
    unit, words, sensor = "m/s", "base velocity", "velocity sensor"
    turns = False
    walks = True

    @classmethod
    def flight_unknowns(
        cls, nuisances: VelocityNuisances, robot: Robot, data: Measured, ending: str
    ) -> Iterator[UnknownGroup]:
        """The velocity of the centre of mass; the bias of an acceleration that was integrated."""
        axes, sd = sliding_axes(robot), nuisances.velocity_bias_m_s2
        yield drift_velocity(axes, ending)
        if data.walk.any() and sd is not None:
            words = "accelerometer bias"
            yield independent(ACCELEROMETER_BIAS, along(axes, words, ending), "m/s^2", sd, words)

    @classmethod
    def sd_in_base_axes(cls, sensor: Sensor, quantity: str, sd: Array) -> Array:
        """Of inertial axes, which the base's pass through, the mean; else as they are turned, shape (3,)."""
        return _mean_of_axes(sd) if quantity == "velocity" else super().sd_in_base_axes(sensor, quantity, sd)

    @classmethod
    def walk_in_base_axes(cls, sensor: Sensor, quantity: str, walk: Array) -> Array:
        """The mean, for the base turns in its own axes, shape (3,)."""
        return _mean_of_axes(walk)

    @classmethod
    def walk_of_flicker(cls, flicker: Array, between_s: float) -> Array:
        """That of white acceleration with the flicker's Allan deviation: what a constant bias leaves of it."""
        return FLAT_ALLAN * flicker * np.sqrt(between_s)

    @property
    def _arm(self) -> Array:
        """[r x] of the point that was measured, shape (3, 3)."""
        return cross_matrices(self.data.arm[None])[0]

    def _coasting(self, base: MovingBase, point: Array) -> Array:
        """The velocity of the centre of mass in base axes, shape (n, 3)."""
        V = self.setting.vector(point, DRIFT_VELOCITY, self.axes)
        return base.R.swapaxes(1, 2) @ (self.setting.first_attitude(point).T @ V)

    def predicted(self, base: MovingBase, point: Array) -> Array:
        """Velocity of the base's origin, base axes, shape (n, 3) [m/s]."""
        predicted = base.v + self._coasting(base, point)
        if base.pushed_velocity is not None:
            predicted = predicted + turned(base.R.swapaxes(1, 2), base.pushed_velocity)
        if self.setting.place(ACCELEROMETER_BIAS) is not None:
            bias = self.setting.vector(point, ACCELEROMETER_BIAS, self.axes)
            predicted = predicted + base.R.swapaxes(1, 2) @ base.integral @ bias
        if self._arm.any():  # as it was measured, not as it was taken to the base's origin
            spare = base.w if self.data.taken_by is None else base.w - self.data.taken_by
            predicted = predicted + np.cross(spare, self.data.arm)
        return predicted

    def derivative(self, base: MovingBase, point: Array) -> Array:
        """Of the velocity, by all unknowns, shape (n, axes, k)."""
        coasting, back, setting = self._coasting(base, point), base.R.swapaxes(1, 2), self.setting
        J = np.array(base.velocity_by_unknowns)
        if coasting.any():
            J += (cross_matrices(coasting) @ setting.turn_by_unknowns(base, point))[:, self.axes]
        if base.pushed_velocity is not None:
            pushed = cross_matrices(turned(back, base.pushed_velocity)) @ base.turn_by_unknowns
            J += (pushed + back @ base.pushed_velocity_by_unknowns)[:, self.axes]
        if self._arm.any():
            J -= base.rates_by_unknowns(self._arm[self.axes][:, setting.turning])
        for kind, columns in self._columns(base, point):
            J[:, :, setting.place(kind)] += (back @ columns)[:, self.axes]
        return J

    def _columns(self, base: MovingBase, point: Array) -> Iterator[tuple[str, Array]]:
        """By unknowns of its own, in the axes of the first sample, shape (n or 1, 3, axes)."""
        along_axes = np.eye(3)[:, self.axes]
        if self.setting.place(DRIFT_VELOCITY) is not None:
            yield DRIFT_VELOCITY, (self.setting.first_attitude(point).T @ along_axes)[None]
        if self.setting.place(ACCELEROMETER_BIAS) is not None:
            yield ACCELEROMETER_BIAS, base.integral @ along_axes

    def pull_back(self, base: MovingBase, point: Array, J: Array) -> PulledBack:
        """The way back from a derivative by `derivative`, J (n, axes, k), where the centre of mass is at rest."""
        by_rates = -self._arm[self.axes][:, self.setting.turning].T @ J if self._arm.any() else None
        turn, integral = np.zeros((len(J), 3)), None
        for kind, columns in self._columns(base, point):
            J_own = np.eye(3)[:, self.axes] @ J[:, :, self.setting.place(kind)]
            turn -= np.cross(base.R.swapaxes(1, 2) @ columns, J_own, axis=1).sum(axis=2)
            if kind == ACCELEROMETER_BIAS:
                integral = base.R @ J_own @ np.eye(3)[self.axes]
        return PulledBack(by_rates=by_rates, by_velocity=J, turn=turn, integral=integral)

    def by_twist(self) -> Array:
        """The velocity of the point that was measured, shape (axes, r)."""
        return np.hstack([np.eye(self.axes.size), -self._arm[self.axes][:, self.setting.turning]])

    # ------------------------------------------------------------------ noise

    @property
    def steps(self) -> bool:
        """Whether it is an integrated acceleration."""
        return bool(self.data.walk[self.axes].all())

    def _whitening(self, t: Array) -> StepWhitening:
        """Noise counts as equal along all axes, for the base turns in them."""
        white, walk = (float(np.sqrt((level**2).mean())) for level in (self.data.sd, self.data.walk))
        return StepWhitening(t, white, walk)

    def whitened(self, values: Array, base: MovingBase) -> Array:
        """Values (n, axes, c) made white: of errors that walk, the first, then changes in inertial axes."""
        if not self.steps:
            return super().whitened(values, base)
        inertial = base.R[:, self.axes[:, None], self.axes] @ values
        changes = self._whitening(base.t).whitened(np.diff(inertial, axis=0))
        return np.concatenate([inertial[:1] / _FIRST_M_S, changes])

    def of_data(self, rows: Array) -> Array:
        """Whitened derivatives; changes do not show the velocity of the centre of mass itself."""
        if not self.steps:
            return rows
        return self._without_coasting(rows[1:])

    def of_data_back(self, Z: Array) -> Array:
        """The way back of `of_data`."""
        if not self.steps:
            return Z
        return np.concatenate([np.zeros_like(Z[:1]), self._without_coasting(np.array(Z))])

    def _without_coasting(self, rows: Array) -> Array:
        rows[:, :, self.setting.place(DRIFT_VELOCITY)] = 0.0
        return rows

    def whitened_back(self, base: MovingBase, point: Array, Z: Array) -> tuple[Array, Array | None]:
        """The way back of the whitened derivative."""
        if not self.steps:
            return super().whitened_back(base, point, Z)
        changes, axes = self._whitening(base.t).transposed(Z[1:]), np.eye(3)[:, self.axes]
        inertial = np.zeros((len(Z), 3, Z.shape[2]))
        inertial[:1] = axes @ Z[:1] / _FIRST_M_S
        inertial[:-1] -= axes @ changes
        inertial[1:] += axes @ changes
        J = base.R.swapaxes(1, 2) @ inertial
        return J[:, self.axes], np.cross(axes @ self.derivative(base, point), J, axis=1).sum(axis=2)


def _mean_of_axes(sd: Array) -> Array:
    """One standard deviation for all axes, shape (3,)."""
    return np.full(3, np.sqrt((sd**2).mean()))
