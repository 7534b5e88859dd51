"""All limits that a mission can ask for: what `excitation.limits` of a mission file may say.

A limit of a new kind is its own file, with its fields, and a line here.
"""

from __future__ import annotations

from collections.abc import Sequence

from freefloat.excitation.limits.attitude import AttitudeFields
from freefloat.excitation.limits.base_rate import BaseRateFields
from freefloat.excitation.limits.clearance import ClearanceFields
from freefloat.excitation.limits.joint import JointFields
from freefloat.excitation.limits.limit import Limit, LimitFields
from freefloat.excitation.limits.support import SupportFields
from freefloat.excitation.limits.swing import SwingFields
from freefloat.excitation.limits.torque import TorqueFields
from freefloat.excitation.limits.wheels import WheelFields
from freefloat.robot.model import Robot


class LimitsSection(
    JointFields, WheelFields, TorqueFields, AttitudeFields, BaseRateFields, ClearanceFields, SupportFields, SwingFields
):
    """Limits beside those of the joints."""

    def limits(self, robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
        """All that the robot and the mission ask of a motion of these channels, kind by kind as they are listed."""
        kinds = (kind for kind in LimitsSection.__bases__ if issubclass(kind, LimitFields))
        return tuple(limit for kind in kinds for limit in kind.limits(self, robot, channels))
