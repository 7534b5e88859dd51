"""Velocity of a point of the base, tracked from outside or integrated from an accelerometer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.files import Positive
from freefloat.robot.rotations import turned
from freefloat.sensors.draws import Stream
from freefloat.sensors.noise import Noise, random_walk
from freefloat.sensors.quantities import MICRO_G
from freefloat.sensors.sensor import ZERO, DensitySensor, MountedSensor, Output, PerAxis, SpreadPerAxis
from freefloat.sensors.truth import Layout, Truth


class VelocitySensor(MountedSensor, DensitySensor):
    """Velocity of a point of the base: tracked from outside, or integrated from an accelerometer.

    Tracking has white noise. Integration has a velocity random walk, and the accelerometer's constant bias,
    which is fixed in the sensor's axes and therefore turns with the base: its share is the integral of R_IS b.
    """

    quantities = ("velocity", "body_velocity")

    kind: Literal["velocity"] = "velocity"
    axes: Literal["inertial", "body"] = Field("inertial", description="inertial, or body: the sensor's own")
    noise_m_s: SpreadPerAxis = Field(ZERO, description="standard deviation of a sample")
    velocity_random_walk_m_s_per_sqrt_h: SpreadPerAxis = Field(ZERO, description="of the accelerometer")
    accelerometer_bias_ug: PerAxis = Field(ZERO, description="of the accelerometer, in every run")
    accelerometer_bias_sd_ug: SpreadPerAxis = Field(ZERO, description="of the accelerometer, drawn per run")
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
        """Velocity [m/s]; the noise's random walk is that of the integral in inertial axes."""
        walk = np.array(self.velocity_random_walk_m_s_per_sqrt_h) / 60.0
        density = Noise(np.zeros(3), walk_sd=walk).scaled(self.density)
        noise = Noise(np.array(self.noise_m_s), walk_sd=density.walk_sd)
        name = self.channel_name(*self.gives())
        limit = np.full(3, self.range_m_s or np.inf)
        return (Output(name, tuple("xyz"), ("m_s",) * 3, noise, np.zeros(3), limit),)

    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        seen = np.stack([self._seen(truth, times) for truth in truths])
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
        if drift is None or self.axes == "inertial":
            return drift
        back = np.stack([truth.rotation(times) @ self.frame().R for truth in truths]).swapaxes(2, 3)
        return back[..., 0] * drift[..., :1] + back[..., 1] * drift[..., 1:2] + back[..., 2] * drift[..., 2:]

    def _attitude_integral(self, truth: Truth, times: Array) -> Array:
        """Integral of R_IS from the first sample on, shape (n, 3, 3) [s], by Simpson's rule."""
        ends, middles = truth.rotation(times), truth.rotation(0.5 * (times[1:] + times[:-1]))
        pieces = (ends[1:] + ends[:-1] + 4.0 * middles) * (np.diff(times)[:, None, None] / 6.0)
        return np.concatenate([np.zeros((1, 3, 3)), np.cumsum(pieces, axis=0)]) @ self.frame().R


def _integrated(integral: Array, bias: Array) -> Array:
    """(1 or runs, n, 3, 3) times (runs, 3), term by term, shape (runs, n, 3)."""
    x, y, z = (bias[:, None, axis : axis + 1] for axis in range(3))
    return integral[..., 0] * x + integral[..., 1] * y + integral[..., 2] * z
