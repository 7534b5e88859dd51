"""Which joints a recording can be of: driven ones; of passive joints there is nothing that measures."""

from __future__ import annotations

from freefloat.data.recording import Recording
from freefloat.robot.model import Robot

_OF_JOINTS = ("q", "dq", "tau")


def passive_joint_measured(recording: Recording, robot: Robot) -> str | None:
    """One sentence on a channel that claims to measure a passive joint of this robot; None if none does."""
    passive = {robot.joint_names[k] for k in robot.passive}
    for channel in recording:
        claimed = [name for name in channel.components if name in passive] if channel.quantity in _OF_JOINTS else []
        if claimed:
            allowed = ", ".join(robot.driven_names) or "none"
            return (
                f"channel {channel.name} claims to measure {claimed[0]!r}, which is a passive joint of {robot.name}; "
                f"allowed: driven joints, {allowed}"
            )
    return None
