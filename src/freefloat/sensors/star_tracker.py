"""The star tracker: attitude, with its own noise about each axis."""

from __future__ import annotations

import math
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

_ARCSEC = math.pi / 180.0 / 3600.0


class StarTracker(AttitudeSensor):
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
