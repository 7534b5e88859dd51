"""The joint torque sensor."""

from __future__ import annotations

from typing import Literal

from freefloat.sensors.axis_sensor import JointSensor
from freefloat.sensors.sensor import Output, PerName, SpreadPerName, nothing
from freefloat.sensors.truth import Layout


class TorqueSensor(JointSensor):
    """Joint torques: white noise, offset, resolution, range. `_N` fields are for joints that slide."""

    quantities = ("tau",)
    reads = "torques"

    kind: Literal["torque"] = "torque"
    noise_Nm: SpreadPerName = nothing("standard deviation of a sample")
    noise_N: SpreadPerName = nothing("standard deviation of a sample")
    resolution_Nm: SpreadPerName = nothing("smallest step")
    resolution_N: SpreadPerName = nothing("smallest step")
    offset_Nm: PerName = nothing("reading without load, in every run")
    offset_N: PerName = nothing("reading without load, in every run")
    offset_sd_Nm: SpreadPerName = nothing("reading without load, drawn for every run")
    offset_sd_N: SpreadPerName = nothing("reading without load, drawn for every run")
    range_Nm: SpreadPerName = nothing("largest reading; none if zero")
    range_N: SpreadPerName = nothing("largest reading; none if zero")

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Joint torques or forces [N m or N]."""
        turning = (self.noise_Nm, self.offset_Nm, self.offset_sd_Nm, self.resolution_Nm, self.range_Nm)
        sliding = (self.noise_N, self.offset_N, self.offset_sd_N, self.resolution_N, self.range_N)
        return (self._output(layout, ("Nm", turning), ("N", sliding)),)
