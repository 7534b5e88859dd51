"""Inertial sensors: three axes with the noise, the scale errors and the misalignment of a data sheet."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.experiment.draws import Stream
from freefloat.experiment.recording_columns import MICRO_G, STANDARD_GRAVITY
from freefloat.experiment.sensor_noise import Noise
from freefloat.experiment.sensors_base import (
    ZERO,
    DensitySensor,
    MountedSensor,
    Output,
    PerAxis,
    SpreadPerAxis,
)
from freefloat.experiment.truth import Layout, Truth, turned
from freefloat.files import Positive
from freefloat.robot.transform import Array

_PER_HOUR = math.pi / 180.0 / 3600.0  # deg/h in rad/s
_PER_ROOT_HOUR = math.pi / 180.0 / 60.0  # deg/sqrt(h) in rad/sqrt(s)


class _Triad(MountedSensor, DensitySensor):
    """Three axes, nearly at right angles and nearly of scale one.

    What it reads is D (1 + U) (1 - [misalignment x]) times the truth in its frame, with D the diagonal of the
    scales and U, strictly upper triangular, by how much its axes are not at right angles.
    """

    scale_ppm: PerAxis = Field(ZERO, description="error of scale in every run")
    scale_sd_ppm: SpreadPerAxis = Field(ZERO, description="error of scale, drawn for every run")
    misalignment_mrad: PerAxis = Field(ZERO, description="how its frame is turned from the mounting, always")
    misalignment_sd_mrad: SpreadPerAxis = Field(ZERO, description="the same, drawn for every run")
    nonorthogonality_mrad: PerAxis = Field(ZERO, description="of the axes x and y, x and z, y and z")

    @abstractmethod
    def _seen(self, truth: Truth, times: Array) -> Array:
        """What perfect axes in the sensor's frame would read, shape (n, 3) [SI]."""

    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        seen = np.stack([self._seen(truth, times) for truth in truths])
        return output.noise.added_to(_turned(self._gains(draws), seen), self.interval_s, draws)

    def _gains(self, draws: Stream) -> Array:
        """From the truth in its frame to readings, shape (runs, 3, 3), or (1, 3, 3) if nothing is drawn."""
        scale, turn = np.array([self.scale_ppm]) * 1e-6, np.array([self.misalignment_mrad]) * 1e-3
        if any(self.scale_sd_ppm):
            scale = scale + 1e-6 * np.array(self.scale_sd_ppm) * draws.normal("scale", (3,))
        if any(self.misalignment_sd_mrad):
            turn = turn + 1e-3 * np.array(self.misalignment_sd_mrad) * draws.normal("misalignment", (3,))
        upper = np.eye(3)
        upper[0, 1], upper[0, 2], upper[1, 2] = 1e-3 * np.array(self.nonorthogonality_mrad)
        turned_back = np.eye(3) - np.cross(turn[:, None, :], np.eye(3)).swapaxes(1, 2)
        return (1.0 + scale)[..., None] * (upper @ turned_back)


def _turned(gains: Array, vectors: Array) -> Array:
    """Term by term, so that a run's numbers do not depend on how many runs there are; shape (runs, n, 3)."""
    g = gains[:, None]  # (runs, 1, 3, 3)
    return g[..., 0] * vectors[..., :1] + g[..., 1] * vectors[..., 1:2] + g[..., 2] * vectors[..., 2:]


class Gyro(_Triad):
    """Angular velocity."""

    quantities = ("gyro",)

    kind: Literal["gyro"] = "gyro"
    angle_random_walk_deg_per_sqrt_h: SpreadPerAxis = Field(ZERO, description="white noise")
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
        step, limit = np.radians(self.resolution_deg_s), math.radians(self.range_deg_s or math.inf)
        name = self.channel_name("gyro")
        return (Output(name, tuple("xyz"), ("rad_s",) * 3, noise, step, np.full(3, limit)),)

    def _seen(self, truth: Truth, times: Array) -> Array:
        return truth.at("w", times) @ self.frame().R


class Accelerometer(_Triad):
    """Specific force: the acceleration of where it sits, less gravity."""

    quantities = ("accelerometer",)

    kind: Literal["accelerometer"] = "accelerometer"
    velocity_random_walk_m_s_per_sqrt_h: SpreadPerAxis = Field(ZERO, description="white noise")
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
