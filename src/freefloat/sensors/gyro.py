"""The gyro: angular velocity, in its own axes.

What an estimator predicts of it in base axes, with its own axes as columns of R, scales s along these, a small turn mu
and a bias b that may walk:

    R (1 + s) R^T (w - mu x w) + b + walk(t)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import AXES, Array
from freefloat.files import Positive
from freefloat.robot.base_axes import turning_axes
from freefloat.robot.model import Robot
from freefloat.robot.rotations import axial, cross_matrices
from freefloat.sensors.inertial import Triad
from freefloat.sensors.measured import Measured
from freefloat.sensors.moving_base import MovingBase, PulledBack, TurningBase
from freefloat.sensors.noise import Noise
from freefloat.sensors.reading import Reading
from freefloat.sensors.sensor import ZERO, Output, PerAxis, SpreadPerAxis
from freefloat.sensors.truth import Layout, Truth
from freefloat.sensors.unknowns import UnknownGroup, along, independent, usual_spread
from freefloat.sensors.walks import KNOTS, knot_functions, knot_information, knot_interval

_PER_HOUR = math.pi / 180.0 / 3600.0  # deg/h in rad/s
_PER_ROOT_HOUR = math.pi / 180.0 / 60.0  # deg/sqrt(h) in rad/sqrt(s)

BIAS = "gyro bias"
MISALIGNMENT = "gyro misalignment"
SCALE = "gyro scale"
WALKS = tuple(f"gyro walk {axis}" for axis in AXES)  # of the bias, about each axis


class Gyro(Triad):
    """Angular velocity."""

    quantities = ("gyro",)

    kind: Literal["gyro"] = "gyro"
    angle_random_walk_deg_per_sqrt_h: SpreadPerAxis = Field(ZERO, description="white noise")
    noise_rad_s: SpreadPerAxis = Field(ZERO, description="white noise of a sample, beside the angle random walk")
    bias_instability_deg_per_h: SpreadPerAxis = Field(ZERO, description="B of IEEE Std 952")
    rate_random_walk_deg_per_h_per_sqrt_h: SpreadPerAxis = Field(ZERO, description="random walk of the bias")
    bias_deg_per_h: PerAxis = Field(ZERO, description="initial bias, in every run")
    bias_sd_deg_per_h: SpreadPerAxis = Field(ZERO, description="initial bias, drawn for every run and axis")
    range_deg_s: Positive | None = Field(None, description="largest reading")
    resolution_deg_s: SpreadPerAxis = Field(ZERO, description="smallest step")

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Angular velocity [rad/s]."""
        white = np.array(self.angle_random_walk_deg_per_sqrt_h) * _PER_ROOT_HOUR * math.sqrt(self.rate_Hz)
        noise = Noise(
            white,
            walk_sd=np.array(self.rate_random_walk_deg_per_h_per_sqrt_h) * _PER_HOUR / 60.0,
            flicker=np.array(self.bias_instability_deg_per_h) * _PER_HOUR,
            bias=np.array(self.bias_deg_per_h) * _PER_HOUR,
            bias_sd=np.array(self.bias_sd_deg_per_h) * _PER_HOUR,
        ).scaled(self.density)
        noise = replace(noise, white_sd=np.hypot(noise.white_sd, self.noise_rad_s))
        step, limit = np.radians(self.resolution_deg_s), math.radians(self.range_deg_s or math.inf)
        name = self.channel_name("gyro")
        return (Output(name, tuple("xyz"), ("rad_s",) * 3, noise, step, np.full(3, limit)),)

    def _seen(self, truth: Truth, times: Array) -> Array:
        return truth.at("w", times) @ self.frame().R


# ---------------------------------------------------------------------- as an estimator compares it


@dataclass(frozen=True)
class GyroNuisances:
    """Standard deviation assumed of each of a gyro's errors; None leaves it out."""

    gyro_bias_rad_s: float | None = usual_spread(1e-3, "constant over a flight")
    misalignment_rad: float | None = usual_spread(1e-3, "of the gyro, about each axis")
    gyro_scale: float | None = usual_spread(None, "of each axis; costs accuracy")


class RateReading(Reading[GyroNuisances]):
    """Angular rates about the axes that turn, in base axes."""

    array = "w"
    quantities = ("gyro",)
    unit, words, sensor = "rad/s", "base rate", "gyro"
    turns = True
    needs_attitude = False
    walks = True

    @classmethod
    def shared_unknowns(cls, nuisances: GyroNuisances, robot: Robot) -> Iterator[UnknownGroup]:
        """Misalignment and scale, which are the sensor's."""
        axes = turning_axes(robot)
        if nuisances.misalignment_rad is not None and robot.base == "free":
            yield independent(MISALIGNMENT, along(axes, MISALIGNMENT), "rad", nuisances.misalignment_rad)
        if nuisances.gyro_scale is not None:
            yield independent(SCALE, along(axes, SCALE), "", nuisances.gyro_scale)

    @classmethod
    def flight_unknowns(
        cls, nuisances: GyroNuisances, robot: Robot, data: Measured, ending: str
    ) -> Iterator[UnknownGroup]:
        """The bias, and where it walks its values at the knots after the first, axis by axis."""
        if nuisances.gyro_bias_rad_s is None:
            return
        axes = turning_axes(robot)
        yield independent(BIAS, along(axes, BIAS, ending), "rad/s", nuisances.gyro_bias_rad_s)
        walk, interval = data.walk, knot_interval(data.t)
        for axis in axes.tolist():
            if walk[axis] > 0.0:
                words = f"{BIAS} {AXES[axis]} after"
                labels = tuple(f"{words} {k * interval:.4g} s{ending}" for k in range(1, KNOTS))
                units, information = ("rad/s",) * len(labels), knot_information(float(walk[axis]), interval)
                yield UnknownGroup(WALKS[axis], labels, units, BIAS, np.zeros(len(labels)), information)

    def gain(self, point: Array) -> Array:
        """What it makes of rates about the axes that turn, shape (axes, axes)."""
        return self._scaling(point) @ self._turning(point)

    def _turning(self, point: Array) -> Array:
        """E - mu x, shape (axes, axes)."""
        turn = self.setting.vector(point, MISALIGNMENT, np.arange(3))
        return np.asarray((np.eye(3) - cross_matrices(turn[None])[0])[self.axes[:, None], self.axes])

    def _scaling(self, point: Array) -> Array:
        """R (1 + s) R^T, shape (axes, axes)."""
        scale = 1.0 + self.setting.vector(point, SCALE, self.axes)[self.axes]
        return (self._own * scale) @ self._own.T

    @cached_property
    def _own(self) -> Array:
        """R; base axes where not all of these turn, shape (axes, axes)."""
        return self.data.own_axes if self.axes.size == len(AXES) else np.eye(self.axes.size)

    @cached_property
    def _knots(self) -> Array:
        return knot_functions(self.data.t)

    def predicted(self, base: TurningBase, point: Array) -> Array:
        """Rates as the gyro shows them, shape (n, 3) [rad/s]."""
        predicted = np.zeros((base.t.size, 3))
        bias = self.setting.place(BIAS)
        predicted[:, self.axes] = base.w[:, self.axes] @ self.gain(point).T + (0.0 if bias is None else point[bias])
        for axis in self.axes.tolist():
            knots = self.setting.place(WALKS[axis])
            if knots is not None:
                predicted[:, axis] += self._knots @ point[knots]
        return predicted

    def derivative(self, base: TurningBase, point: Array) -> Array:
        """Of the rates that it shows, by all unknowns, shape (n, axes, k)."""
        J = base.rates_by_unknowns(self.gain(point))
        place, R = self.setting.place, self._own
        turns, scales, bias = place(MISALIGNMENT), place(SCALE), place(BIAS)
        if turns is not None:
            J[:, :, turns] += self._scaling(point) @ cross_matrices(base.w)
        if scales is not None:
            J[:, :, scales] += R * (base.w[:, self.axes] @ (self._turning(point).T @ R))[:, None, :]
        for row, axis in enumerate(self.axes.tolist()):
            if bias is not None:
                J[:, row, bias.start + row] += 1.0
            knots = place(WALKS[axis])
            if knots is not None:
                J[:, row, knots] += self._knots
        return J

    def pull_back(self, base: MovingBase, point: Array, J: Array) -> PulledBack:
        """The way back from a derivative by `derivative`, J (n, axes, k)."""
        turns, scales, w = self.setting.place(MISALIGNMENT), self.setting.place(SCALE), np.zeros((len(J), 3))
        if turns is not None:
            w += axial(J[:, :, turns])
        if scales is not None:
            w[:, self.axes] += np.einsum("ri,nri->ni", self._own, J[:, :, scales]) @ self._own.T
        return PulledBack(by_rates=J, w=w)

    def by_twist(self) -> Array:
        """The rates, without errors of scale and axes, shape (axes, r)."""
        return np.eye(self.setting.sliding.size + self.axes.size)[self.setting.sliding.size :]
