"""The accelerometer: specific force where it sits, less gravity.

What an estimator predicts of it: the centre of mass falls freely, so that at the place r only the motion about that
centre is felt. With u = v + w x r, v of the base's origin relative to the centre of mass, scales s, a small turn mu of
its axes and a bias b,

    (1 + s) (f - mu x f) + b,      f = u' + w x u.

Where pulses push the centre of mass, the velocity that they gave it is in u. It shows where the centre of mass is, and
under a known force the mass. Rows are sums over a few instants, in which u counts by its change and w x u as it is
(`Measured.by_change`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.files import Positive
from freefloat.robot.base_axes import sliding_axes, turning_axes
from freefloat.robot.model import Robot
from freefloat.robot.rotations import cross_matrices, turned
from freefloat.sensors.inertial import Triad
from freefloat.sensors.measured import Measured
from freefloat.sensors.moving_base import MovingBase, PulledBack
from freefloat.sensors.noise import Noise
from freefloat.sensors.quantities import MICRO_G, STANDARD_GRAVITY
from freefloat.sensors.reading import Reading
from freefloat.sensors.sensor import ZERO, Output, PerAxis, SpreadPerAxis
from freefloat.sensors.truth import Layout, Truth
from freefloat.sensors.unknowns import UnknownGroup, along, independent, usual_spread

BIAS = "accelerometer bias"
MISALIGNMENT = "accelerometer misalignment"
SCALE = "accelerometer scale"


class Accelerometer(Triad):
    """Specific force: the acceleration of where it sits, less gravity."""

    quantities = ("accelerometer",)

    kind: Literal["accelerometer"] = "accelerometer"
    velocity_random_walk_m_s_per_sqrt_h: SpreadPerAxis = Field(ZERO, description="white noise")
    noise_m_s2: SpreadPerAxis = Field(ZERO, description="white noise of a sample, beside the velocity random walk")
    bias_instability_ug: SpreadPerAxis = Field(ZERO, description="B of IEEE Std 952")
    acceleration_random_walk_ug_per_sqrt_h: SpreadPerAxis = Field(ZERO, description="random walk of the bias")
    bias_ug: PerAxis = Field(ZERO, description="initial bias, in every run")
    bias_sd_ug: SpreadPerAxis = Field(ZERO, description="initial bias, drawn for every run and axis")
    range_g: Positive | None = Field(None, description="largest reading")
    resolution_ug: SpreadPerAxis = Field(ZERO, description="smallest step")

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Specific force [m/s^2]."""
        white = np.array(self.velocity_random_walk_m_s_per_sqrt_h) / 60.0 * math.sqrt(self.rate_Hz)
        noise = Noise(
            white,
            walk_sd=np.array(self.acceleration_random_walk_ug_per_sqrt_h) * MICRO_G / 60.0,
            flicker=np.array(self.bias_instability_ug) * MICRO_G,
            bias=np.array(self.bias_ug) * MICRO_G,
            bias_sd=np.array(self.bias_sd_ug) * MICRO_G,
        ).scaled(self.density)
        noise = replace(noise, white_sd=np.hypot(noise.white_sd, self.noise_m_s2))
        step, limit = np.array(self.resolution_ug) * MICRO_G, (self.range_g or math.inf) * STANDARD_GRAVITY
        name = self.channel_name("accelerometer")
        return (Output(name, tuple("xyz"), ("m_s2",) * 3, noise, step, np.full(3, limit)),)

    def _seen(self, truth: Truth, times: Array) -> Array:
        frame = self.frame()
        v, w, dv, dw = (truth.at(name, times) for name in ("v", "w", "dv", "dw"))
        force = dv + np.cross(w, v + np.cross(w, frame.p)) + np.cross(dw, frame.p)
        if truth.gravity.any():
            downwards = np.broadcast_to(truth.gravity, force.shape)
            force = force - turned(truth.rotation(times).swapaxes(1, 2), downwards)
        return force @ frame.R


# ---------------------------------------------------------------------- as an estimator compares it


@dataclass(frozen=True)
class AccelerometerNuisances:
    """Standard deviation assumed of each of an accelerometer's errors; None leaves it out."""

    accelerometer_bias_m_s2: float | None = usual_spread(0.5, "constant over a flight")
    accelerometer_misalignment_rad: float | None = usual_spread(1e-2, "against the base, about each axis that turns")
    accelerometer_scale: float | None = usual_spread(1e-2, "of each axis")


class SpecificForceReading(Reading[AccelerometerNuisances]):
    """Specific force at the sensor's place along the axes that slide, in base axes."""

    array = "specific_force"
    quantities = ("accelerometer",)
    unit, words, sensor = "m/s^2", "specific force", "accelerometer"
    turns = False
    of_base = False
    changes = True

    @classmethod
    def shared_unknowns(cls, nuisances: AccelerometerNuisances, robot: Robot) -> Iterator[UnknownGroup]:
        """Misalignment and scale, which are the sensor's."""
        turn, scale = nuisances.accelerometer_misalignment_rad, nuisances.accelerometer_scale
        if turn is not None:
            yield independent(MISALIGNMENT, along(turning_axes(robot), MISALIGNMENT), "rad", turn)
        if scale is not None:
            yield independent(SCALE, along(sliding_axes(robot), SCALE), "", scale)

    @classmethod
    def flight_unknowns(
        cls, nuisances: AccelerometerNuisances, robot: Robot, data: Measured, ending: str
    ) -> Iterator[UnknownGroup]:
        """The bias."""
        if nuisances.accelerometer_bias_m_s2 is not None:
            labels = along(sliding_axes(robot), BIAS, ending)
            yield independent(BIAS, labels, "m/s^2", nuisances.accelerometer_bias_m_s2)

    @property
    def _as_it_is(self) -> Array:
        """One where a value counts as it is, zero where it counts by its change, shape (n, 1)."""
        assert self.data.by_change is not None
        return np.where(self.data.by_change, 0.0, 1.0)[:, None]

    def _gain(self, point: Array) -> Array:
        """What it makes of a specific force, shape (3, 3)."""
        turn = self.setting.vector(point, MISALIGNMENT, self.setting.turning)
        return np.asarray(self._scale(point)[:, None] * (np.eye(3) - cross_matrices(turn[None])[0]))

    def _scale(self, point: Array) -> Array:
        return 1.0 + self.setting.vector(point, SCALE, self.axes)

    def _felt(self, base: MovingBase) -> Array:
        """Without errors of the sensor: where its change counts u, else w x u, shape (n, 3)."""
        u, as_it_is = self._velocity(base), self._as_it_is
        return (1.0 - as_it_is) * u + as_it_is * np.cross(base.w, u)

    def predicted(self, base: MovingBase, point: Array) -> Array:
        """What the sensor makes of these, and the bias where values count as they are, shape (n, 3)."""
        return self._felt(base) @ self._gain(point).T + self._as_it_is * self.setting.vector(point, BIAS, self.axes)

    def _velocity(self, base: MovingBase) -> Array:
        """Of the sensor's place relative to a centre of mass that nothing pushed, shape (n, 3) [m/s]."""
        u = base.v + np.cross(base.w, self.data.arm)
        return u if base.pushed_velocity is None else u + turned(base.R.swapaxes(1, 2), base.pushed_velocity)

    def derivative(self, base: MovingBase, point: Array) -> Array:
        """Of these, by all unknowns, shape (n, axes, k)."""
        setting, as_it_is = self.setting, self._as_it_is[:, :, None]
        by_rates = base.rates_by_unknowns(np.eye(3)[:, setting.turning])
        by_velocity = np.eye(3)[:, setting.sliding] @ base.velocity_by_unknowns
        by_velocity -= cross_matrices(self.data.arm[None]) @ by_rates
        if base.pushed_velocity is not None:
            back = base.R.swapaxes(1, 2)
            by_velocity += cross_matrices(turned(back, base.pushed_velocity)) @ base.turn_by_unknowns
            by_velocity += back @ base.pushed_velocity_by_unknowns
        steady = cross_matrices(base.w) @ by_velocity - cross_matrices(self._velocity(base)) @ by_rates
        gain, scale, felt = self._gain(point), self._scale(point), self._felt(base)
        J: Array = gain[self.axes] @ ((1.0 - as_it_is) * by_velocity + as_it_is * steady)
        turns, scales, bias = setting.place(MISALIGNMENT), setting.place(SCALE), setting.place(BIAS)
        if turns is not None:
            J[:, :, turns] += (scale[:, None] * cross_matrices(felt))[:, self.axes[:, None], setting.turning]
        if scales is not None:
            J[:, :, scales] += (felt @ gain.T / scale)[:, self.axes, None] * np.eye(self.axes.size)
        if bias is not None:
            J[:, :, bias] += as_it_is * np.eye(self.axes.size)
        return J

    def pull_back(self, base: MovingBase, point: Array, J: Array) -> PulledBack:
        """Nothing: plans leave it out."""
        return PulledBack()
