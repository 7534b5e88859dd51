"""Sensors of where the base is and how it moves: star tracker, pose, velocity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.experiment.draws import Stream
from freefloat.experiment.recording_columns import MICRO_G
from freefloat.experiment.sensor_noise import Noise, random_walk
from freefloat.experiment.sensors_base import (
    ZERO,
    DensitySensor,
    MountedSensor,
    Output,
    PerAxis,
    SpreadPerAxis,
)
from freefloat.experiment.truth import Layout, Truth, quaternion_of, quaternion_product, quaternions, turned
from freefloat.files import Positive
from freefloat.robot.transform import Array

_ARCSEC = math.pi / 180.0 / 3600.0


class _AttitudeSensor(MountedSensor):
    """Gives the attitude of its frame, R_IB R_BS, turned by a small rotation in its own axes."""

    def _attitude(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        mounted = quaternion_of(self.frame().R)
        true = np.stack([quaternion_product(truth.at("attitude", times), mounted) for truth in truths])
        still = np.zeros((1, times.size, 3))
        error = output.noise.added_to(still, self.interval_s, draws, "attitude/")
        return quaternion_product(true, quaternions(error))

    def _attitude_output(self, noise: Noise) -> Output:
        return Output(self.channel_name("attitude"), tuple("xyzw"), ("",) * 4, noise)


class StarTracker(_AttitudeSensor):
    """Attitude, with its own noise about each of its axes (the boresight, commonly z, is the worst)."""

    quantities = ("attitude",)

    kind: Literal["star-tracker"] = "star-tracker"
    noise_arcsec: SpreadPerAxis = Field(ZERO, description="standard deviation of a sample about each axis")
    misalignment_arcsec: PerAxis = Field(ZERO, description="how it is turned from its mounting, in every run")
    misalignment_sd_arcsec: SpreadPerAxis = Field(ZERO, description="the same, drawn for every run")

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Attitude, a quaternion; its noise is that of a rotation vector [rad]."""
        white, fixed, drawn = (
            np.array(each) * _ARCSEC
            for each in (self.noise_arcsec, self.misalignment_arcsec, self.misalignment_sd_arcsec)
        )
        return (self._attitude_output(Noise(white, bias=fixed, bias_sd=drawn)),)

    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        return self._attitude(output, truths, times, draws)


class PoseSensor(_AttitudeSensor):
    """Position of its origin and attitude of its frame: motion capture, GNSS (then without attitude)."""

    quantities = ("position", "attitude")

    kind: Literal["pose"] = "pose"
    position_noise_m: SpreadPerAxis = Field(ZERO, description="standard deviation of a sample, inertial axes")
    position_offset_m: PerAxis = Field(ZERO, description="error in every run, inertial axes")
    position_offset_sd_m: SpreadPerAxis = Field(ZERO, description="error drawn for every run, inertial axes")
    gives_attitude: bool = Field(True, description="false for position alone")
    attitude_noise_deg: SpreadPerAxis = Field(ZERO, description="standard deviation of a sample per axis")
    misalignment_deg: PerAxis = Field(ZERO, description="how it is turned from its mounting, in every run")
    misalignment_sd_deg: SpreadPerAxis = Field(ZERO, description="the same, drawn for every run")

    def gives(self) -> tuple[str, ...]:
        """Position, and attitude unless that is switched off."""
        return self.quantities if self.gives_attitude else ("position",)

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Position [m] and attitude, a quaternion; its noise is that of a rotation vector [rad]."""
        where = Noise(
            np.array(self.position_noise_m),
            bias=np.array(self.position_offset_m),
            bias_sd=np.array(self.position_offset_sd_m),
        )
        position = Output(self.channel_name("position"), tuple("xyz"), ("m",) * 3, where)
        if not self.gives_attitude:
            return (position,)
        turned_by = Noise(
            np.radians(self.attitude_noise_deg),
            bias=np.radians(self.misalignment_deg),
            bias_sd=np.radians(self.misalignment_sd_deg),
        )
        return position, self._attitude_output(turned_by)

    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        if output.components == tuple("xyzw"):
            return self._attitude(output, truths, times, draws)
        where = np.stack([self._position(truth, times) for truth in truths])
        return output.noise.added_to(where, self.interval_s, draws, "position/")

    def _position(self, truth: Truth, times: Array) -> Array:
        arm = self.frame().p
        position = truth.at("position", times)
        return position + truth.rotation(times) @ arm if arm.any() else position


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
