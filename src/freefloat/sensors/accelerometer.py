"""The accelerometer: specific force where it sits, less gravity."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.files import Positive
from freefloat.robot.rotations import turned
from freefloat.sensors.inertial import Triad
from freefloat.sensors.noise import Noise
from freefloat.sensors.quantities import MICRO_G, STANDARD_GRAVITY
from freefloat.sensors.sensor import ZERO, Output, PerAxis, SpreadPerAxis
from freefloat.sensors.truth import Layout, Truth


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
