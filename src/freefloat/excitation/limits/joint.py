"""Position, rate and acceleration of joints: linear in the coefficients, on the grid of instants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.excitation.limits.box import BoxLimit
from freefloat.excitation.limits.limit import Limit, LimitFields
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.motion.limits import limits_of
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.robot.model import Robot


@dataclass(frozen=True, eq=False)
class ChannelLimit(BoxLimit):
    """A derivative of a channel's position; of: the channel's name.

    field: of `Motion`. basis: of `LinearMap`.
    """

    linear = True
    field: ClassVar[str]
    basis: ClassVar[str]

    def values(self, motion: PlannedMotion) -> Array:
        """Of the channel, shape (n,)."""
        values: Array = getattr(motion.motion, self.field)
        return values[:, self._channel(motion)]

    def slopes(self, motion: PlannedMotion, at: NDArray[np.int64]) -> Array:
        """By the motion's coefficients, at some of the instants, shape (len(at), coefficients, channels)."""
        basis: Array = getattr(motion.linear, self.basis)[at]
        found = np.zeros((*basis.shape, len(motion.channels)))
        found[:, :, self._channel(motion)] = basis
        return found.reshape(at.size, -1)

    def _channel(self, motion: PlannedMotion) -> int:
        if self.of not in motion.channels:
            raise InvalidTrajectory(f"{self.of} is limited but does not move; allowed: {', '.join(motion.channels)}")
        return motion.channels.index(self.of)


@dataclass(frozen=True, eq=False)
class JointPosition(ChannelLimit):
    """lowest <= position of a channel <= highest [rad or m]."""

    kind, title = "position", "position of {}"
    field = "position"
    basis = "basis"


@dataclass(frozen=True, eq=False)
class JointRate(ChannelLimit):
    """lowest <= rate of a channel <= highest [rad/s or m/s]."""

    kind, title = "rate", "rate of {}"
    field = "rate"
    basis = "basis_rate"
    unit: str = "rad/s"


@dataclass(frozen=True, eq=False)
class JointAcceleration(ChannelLimit):
    """lowest <= acceleration of a channel <= highest [rad/s^2 or m/s^2]."""

    kind, title = "acceleration", "acceleration of {}"
    field = "acceleration"
    basis = "basis_acceleration"
    unit: str = "rad/s^2"


def joint_limits(robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
    """What the robot allows the joints among these channels; nothing where it sets no bound.

    Wheels are left to `wheel_limits`, because what they turn at before the motion counts too.
    """
    names = [name for name in channels if name in robot.joint_names]
    allowed = limits_of(robot, names)
    found: list[BoxLimit] = []
    for index, name in enumerate(names):
        unit, rate, acceleration = allowed.units[index], float(allowed.rate[index]), float(allowed.acceleration[index])
        found += [
            JointPosition(name, float(allowed.lowest[index]), float(allowed.highest[index]), unit),
            JointRate(name, -rate, rate, f"{unit}/s"),
            JointAcceleration(name, -acceleration, acceleration, f"{unit}/s^2"),
        ]
    return tuple(limit for limit in found if np.isfinite([limit.lowest, limit.highest]).any())


class JointFields(LimitFields):
    """Nothing: what joints may do is said by the robot."""

    def limits(self, robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
        """Of the joints among the channels."""
        return joint_limits(robot, channels)
