"""The wrench sensor: force and moment from outside on the base, as force plates under the feet or a sensor below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.sensors.draws import Stream
from freefloat.sensors.noise import Noise
from freefloat.sensors.sensor import ZERO, Output, PerAxis, Sensor, SpreadPerAxis
from freefloat.sensors.truth import Layout, Truth

_PLACES = {"force": slice(0, 3), "moment": slice(3, 6)}  # in `base_wrench`


class WrenchSensor(Sensor):
    """Force, and moment about the base's origin, base axes: white noise, offset, resolution."""

    quantities = ("force", "moment")

    kind: Literal["wrench"] = "wrench"
    noise_N: SpreadPerAxis = Field(ZERO, description="standard deviation of a sample of the force")
    noise_Nm: SpreadPerAxis = Field(ZERO, description="standard deviation of a sample of the moment")
    offset_N: PerAxis = Field(ZERO, description="force without load, in every run")
    offset_Nm: PerAxis = Field(ZERO, description="moment without load, in every run")
    offset_sd_N: SpreadPerAxis = Field(ZERO, description="force without load, drawn for every run")
    offset_sd_Nm: SpreadPerAxis = Field(ZERO, description="moment without load, drawn for every run")
    resolution_N: SpreadPerAxis = Field(ZERO, description="smallest step of the force")
    resolution_Nm: SpreadPerAxis = Field(ZERO, description="smallest step of the moment")

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Force [N] and moment [N m]."""
        force = (self.noise_N, self.offset_N, self.offset_sd_N, self.resolution_N)
        moment = (self.noise_Nm, self.offset_Nm, self.offset_sd_Nm, self.resolution_Nm)
        return self._output("force", "N", *force), self._output("moment", "Nm", *moment)

    def _output(
        self, quantity: str, unit: str, white: PerAxis, bias: PerAxis, bias_sd: PerAxis, step: PerAxis
    ) -> Output:
        noise = Noise(np.array(white), bias=np.array(bias), bias_sd=np.array(bias_sd))
        return Output(self.channel_name(quantity), tuple("xyz"), (unit,) * 3, noise, np.array(step), np.full(3, np.inf))

    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        quantity = output.channel.partition(".")[0]
        place = _PLACES[quantity]
        signal = self._shown(lambda truth, t: truth.at("base_wrench", t)[:, place], truths, times, draws)
        return output.noise.added_to(signal, self.interval_s, draws, f"{quantity}/")
