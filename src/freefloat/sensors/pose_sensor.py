"""Motion capture, GNSS: where the base is, and how it is turned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.sensors.attitude_sensor import AttitudeSensor
from freefloat.sensors.draws import Stream
from freefloat.sensors.noise import Noise
from freefloat.sensors.sensor import ZERO, Output, PerAxis, SpreadPerAxis
from freefloat.sensors.truth import Layout, Truth


class PoseSensor(AttitudeSensor):
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
