"""What the sensors of a mission can tell of its robot."""

from __future__ import annotations

from freefloat.mission.mission_file import Mission
from freefloat.models.advice import Advice, advise
from freefloat.models.identifiable import Measurement


def advice_of(mission: Mission) -> Advice | None:
    """What the mission's sensors can tell; nothing is said of a fixed base, where torques show every cluster."""
    if mission.robot.base == "fixed":
        return None
    said = mission.settings.momentum
    measured = Measurement(
        velocity=bool(mission.measured & {"velocity", "body_velocity"}),
        torque="torque" in mission.measured,
        momentum=said if isinstance(said, str) else "known",
        wheels="constant" if mission.wheel_rates.any() else "still",
        thruster=bool(mission.settings.flight.pulses and mission.measured & {"velocity", "body_velocity", "position"}),
    )
    return advise(mission.robot, measured, tuple(mission.settings.known), tuple(mission.settings.assume_zero))
