"""The joint torque sensor.

What an estimator predicts of it, on a robot that stands on the ground, is what the joints' motors give, friction and
rotors included, times one and the error of its gain. Near standstill friction is not what it is in motion, and whether
a joint has turned back is not known: what is read there hardly counts. Where its clock is not said, it is its own.

It may be a motor's current that is recorded: a reading times the gain of its joint's drive is a torque.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.sensors.axis_sensor import JointSensor, chosen
from freefloat.sensors.joint_reading import JointReading
from freefloat.sensors.moving_base import MovingBase
from freefloat.sensors.sensor import EVERY, Output, PerName, SpreadPerName, for_each, nothing
from freefloat.sensors.truth import Layout
from freefloat.sensors.unknowns import UnknownGroup, independent, usual_spread

GAIN = "torque gain"
_EXACT = 1e-6  # relative standard deviation of a gain without one, beside gains that have one


def gain_name(joint: str) -> str:
    """What the error of a joint's gain is called among the quantities of an estimate."""
    return f"{GAIN} of {joint}"


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
    gain: PerName = Field(
        default_factory=lambda: {EVERY: 1.0},
        description="torque over what is recorded, such as N m/A of a motor's current; all else is said of the torque",
    )
    gain_relative_sd: SpreadPerName = nothing("of the gain, which maximum likelihood then estimates; wide if unknown")

    @model_validator(mode="after")
    def _gains_are_numbers_to_divide_by(self) -> Self:
        for name, gain in self.gain.items():
            if gain == 0.0:
                raise ValueError(f"gives a gain of 0 for {name!r}; allowed: a number that is not zero")
        return self

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Joint torques or forces [N m or N]."""
        turning = (self.noise_Nm, self.offset_Nm, self.offset_sd_Nm, self.resolution_Nm, self.range_Nm)
        sliding = (self.noise_N, self.offset_N, self.offset_sd_N, self.resolution_N, self.range_N)
        output = self._output(layout, ("Nm", turning), ("N", sliding))
        chosen("joint", [name for name in (*self.gain, *self.gain_relative_sd) if name != EVERY], layout.joints)
        return (replace(output, gain=for_each({EVERY: 1.0, **self.gain}, output.components)),)

    def gain_spreads(self, joints: tuple[str, ...]) -> tuple[float, ...] | None:
        """Relative standard deviation of each joint's gain; None if all are known."""
        spreads = for_each(self.gain_relative_sd, joints)
        return tuple(np.maximum(spreads, _EXACT).tolist()) if spreads.any() else None


# ---------------------------------------------------------------------- as an estimator compares it


@dataclass(frozen=True)
class TorqueNuisances:
    """Standard deviation assumed of each of a torque sensor's errors, or one for each joint; None leaves it out."""

    torque_gain: float | tuple[float, ...] | None = usual_spread(
        None, "of every joint's torque, over what is read: gains of drives"
    )


class TorqueReading(JointReading[TorqueNuisances]):
    """Torques, or forces, of all joints of a robot on the ground."""

    array = "joint_torques"
    quantities = ("tau",)
    unit, words, sensor = "N m or N", "joint torques", "torque sensor"
    left_is_slow = True

    @classmethod
    def shared_unknowns(cls, nuisances: TorqueNuisances, robot: Robot) -> Iterator[UnknownGroup]:
        """The error of each joint's gain."""
        if nuisances.torque_gain is not None:
            labels = [gain_name(joint) for joint in robot.joint_names]
            yield independent(GAIN, labels, "", nuisances.torque_gain)

    def _gains(self, point: Array) -> Array:
        place = self.setting.place(GAIN)
        return np.ones(len(self.setting.joints)) if place is None else 1.0 + point[place]

    def predicted(self, base: MovingBase, point: Array) -> Array:
        """Torques as the sensor shows them, shape (n, joints) [N m or N]."""
        return base.joint_torques * self._gains(point)

    def derivative(self, base: MovingBase, point: Array) -> Array:
        """Of these torques, by all unknowns, shape (n, joints, k)."""
        place, joints = self.setting.place(GAIN), np.arange(len(self.setting.joints))
        J = base.joint_torques_by_unknowns * self._gains(point)[:, None]
        if place is not None:
            J[:, joints, place.start + joints] += base.joint_torques
        return J

    def whitened(self, values: Array, base: MovingBase) -> Array:
        """Values (n, joints, c) over their noise, which is larger at some readings."""
        louder = self.data.louder
        values /= (self.sd if louder is None else self.sd * louder)[..., None]
        return values
