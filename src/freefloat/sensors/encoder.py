"""The encoder: positions of joints."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from freefloat.sensors.axis_sensor import JointSensor
from freefloat.sensors.sensor import EVERY, Output, PerName, SpreadPerName, nothing
from freefloat.sensors.truth import Layout


class Encoder(JointSensor):
    """Joint positions: white noise, counts, a zero that is off. `_m` fields are for joints that slide."""

    quantities = ("q",)
    reads = "q"

    kind: Literal["encoder"] = "encoder"
    noise_rad: SpreadPerName = nothing("standard deviation of a sample")
    noise_m: SpreadPerName = nothing("standard deviation of a sample")
    resolution_rad: SpreadPerName = nothing("one count")
    resolution_m: SpreadPerName = nothing("one count")
    bits: Annotated[int, Field(ge=1, le=40)] | None = Field(None, description="counts per turn are 2^bits")
    zero_offset_rad: PerName = nothing("what it reads at zero, in every run")
    zero_offset_m: PerName = nothing("what it reads at zero, in every run")
    zero_offset_sd_rad: SpreadPerName = nothing("what it reads at zero, drawn for every run")
    zero_offset_sd_m: SpreadPerName = nothing("what it reads at zero, drawn for every run")

    @model_validator(mode="after")
    def _one_resolution(self) -> Self:
        if self.bits is not None and any(self.resolution_rad.values()):
            raise ValueError("gives bits and resolution_rad; allowed: one of them")
        return self

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Joint positions [rad or m]."""
        step = self.resolution_rad if self.bits is None else {EVERY: 2.0 * np.pi / 2.0**self.bits}
        endless: dict[str, float] = {}
        turning = (self.noise_rad, self.zero_offset_rad, self.zero_offset_sd_rad, step, endless)
        sliding = (self.noise_m, self.zero_offset_m, self.zero_offset_sd_m, self.resolution_m, endless)
        return (self._output(layout, ("rad", turning), ("m", sliding)),)
