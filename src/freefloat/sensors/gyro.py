"""The gyro: angular velocity, in its own axes."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.files import Positive
from freefloat.sensors.inertial import Triad
from freefloat.sensors.noise import Noise
from freefloat.sensors.sensor import ZERO, Output, PerAxis, SpreadPerAxis
from freefloat.sensors.truth import Layout, Truth

_PER_HOUR = math.pi / 180.0 / 3600.0  # deg/h in rad/s
_PER_ROOT_HOUR = math.pi / 180.0 / 60.0  # deg/sqrt(h) in rad/sqrt(s)


class Gyro(Triad):
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
