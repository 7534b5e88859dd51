"""The wheel tachometer."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.files import Positive
from freefloat.sensors.axis_sensor import AxisSensor, Names, chosen
from freefloat.sensors.noise import Noise
from freefloat.sensors.sensor import NotNegative, Output
from freefloat.sensors.truth import Layout


class Tachometer(AxisSensor):
    """Rates of wheels relative to the base."""

    quantities = ("wheel",)
    reads = "wheel_rates"

    kind: Literal["tachometer"] = "tachometer"
    wheels: Names | None = Field(None, description="names of wheels; all of them unless given")
    noise_rad_s: NotNegative = Field(0.0, description="standard deviation of a sample")
    resolution_rad_s: NotNegative = Field(0.0, description="smallest step")
    range_rad_s: Positive | None = Field(None, description="largest reading")

    def _columns(self, layout: Layout) -> list[int]:
        return chosen("wheel", self.wheels, layout.wheels)

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Wheel rates [rad/s]."""
        names = tuple(layout.wheels[index] for index in self._columns(layout))
        ones = np.ones(len(names))
        return (
            Output(
                self.channel_name("wheel"),
                names,
                ("rad_s",) * len(names),
                Noise(self.noise_rad_s * ones),
                self.resolution_rad_s * ones,
                (self.range_rad_s or np.inf) * ones,
            ),
        )
