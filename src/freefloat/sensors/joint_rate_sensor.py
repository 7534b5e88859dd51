"""The joint-rate sensor: rates of joints.

What an estimator predicts of it is the rate of the joints' curves and a bias of each joint, dq + b. Where its clock is
not said, it is that of the encoders, with which it commonly shares the drives' electronics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.sensors.axis_sensor import JointSensor
from freefloat.sensors.joint_reading import JointReading
from freefloat.sensors.measured import Measured
from freefloat.sensors.moving_base import MovingBase
from freefloat.sensors.sensor import Output, PerName, SpreadPerName, nothing
from freefloat.sensors.truth import Layout
from freefloat.sensors.unknowns import UnknownGroup, independent, usual_spread

BIAS = "joint rate bias"
_NONE = 1e-12  # spread of a bias that is left out, where another joint has one


class JointRateSensor(JointSensor):
    """Joint rates: white noise, bias, resolution, range. `_m_s` fields are for joints that slide.

    Its clock is that of the encoders unless `clock` names another.
    """

    quantities = ("dq",)
    reads = "dq"

    kind: Literal["joint-rate"] = "joint-rate"
    noise_rad_s: SpreadPerName = nothing("standard deviation of a sample")
    noise_m_s: SpreadPerName = nothing("standard deviation of a sample")
    resolution_rad_s: SpreadPerName = nothing("smallest step")
    resolution_m_s: SpreadPerName = nothing("smallest step")
    bias_rad_s: PerName = nothing("reading at rest, in every run")
    bias_m_s: PerName = nothing("reading at rest, in every run")
    bias_sd_rad_s: SpreadPerName = nothing("reading at rest, drawn for every run")
    bias_sd_m_s: SpreadPerName = nothing("reading at rest, drawn for every run")
    range_rad_s: SpreadPerName = nothing("largest reading; none if zero")
    range_m_s: SpreadPerName = nothing("largest reading; none if zero")

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Joint rates [rad/s or m/s]."""
        turning = (self.noise_rad_s, self.bias_rad_s, self.bias_sd_rad_s, self.resolution_rad_s, self.range_rad_s)
        sliding = (self.noise_m_s, self.bias_m_s, self.bias_sd_m_s, self.resolution_m_s, self.range_m_s)
        return (self._output(layout, ("rad_s", turning), ("m_s", sliding)),)


# ---------------------------------------------------------------------- as an estimator compares it


@dataclass(frozen=True)
class JointRateNuisances:
    """Standard deviation assumed of each of a joint-rate sensor's errors; None leaves it out."""

    joint_rate_bias_rad_s: float | None = usual_spread(1e-3, "of every joint that turns, constant over a flight")
    joint_rate_bias_m_s: float | None = usual_spread(1e-3, "of every joint that slides, constant over a flight")


class JointRateReading(JointReading[JointRateNuisances]):
    """Rates of all joints. They say how the joints moved and nothing else of the base."""

    array = "joint_rates"
    quantities = ("dq",)
    unit, words, sensor = "rad/s or m/s", "joint rates", "joint-rate sensor"

    @classmethod
    def flight_unknowns(
        cls, nuisances: JointRateNuisances, robot: Robot, data: Measured, ending: str
    ) -> Iterator[UnknownGroup]:
        """The bias of each joint."""
        slides = [joint.kind == "prismatic" for joint in robot.joints]
        turning, sliding = nuisances.joint_rate_bias_rad_s, nuisances.joint_rate_bias_m_s
        sds = [(sliding if slide else turning) or 0.0 for slide in slides]
        if any(sds):
            labels = [f"{BIAS} of {joint.name}{ending}" for joint in robot.joints]
            units = ["m/s" if slide else "rad/s" for slide in slides]
            yield independent(BIAS, labels, units, np.maximum(sds, _NONE))

    def predicted(self, base: MovingBase, point: Array) -> Array:
        """Rates of the joints as the sensor shows them, shape (n, joints) [rad/s or m/s]."""
        bias = self.setting.place(BIAS)
        return base.joint_rates + (0.0 if bias is None else point[bias])

    def derivative(self, base: MovingBase, point: Array) -> Array:
        """Of these rates, by all unknowns, shape (n, joints, k)."""
        J, bias = np.array(base.joint_rates_by_unknowns), self.setting.place(BIAS)
        if bias is not None:
            J[:, :, bias] += np.eye(len(self.setting.joints))
        return J
