"""What a mission asks every motion to keep."""

from __future__ import annotations

from collections.abc import Sequence

from freefloat.excitation.limits.limit import Limit
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.models.model import NotApplicable


def mission_limits(mission: Mission, channels: Sequence[str]) -> tuple[Limit, ...]:
    """All that the robot and the mission ask of a motion; refused where some of it cannot be checked."""
    try:
        return mission.settings.excitation.limits.limits(mission.robot, channels)
    except NotApplicable as error:
        raise InvalidMission(f"{mission.path}: excitation.limits.{error}") from error


def asks_for_clearance(mission: Mission) -> bool:
    """Whether bodies are to be kept apart; refused where that cannot be checked, whatever the motion."""
    if mission.settings.excitation.limits.clearance_m is None:
        return False
    mission_limits(mission, mission.robot.driven_names)
    return True
