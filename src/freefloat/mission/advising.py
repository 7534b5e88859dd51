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
    moved = mission.channels if mission.trajectory is None else mission.trajectory.channels
    turned = any(wheel.name in moved for wheel in mission.robot.wheels)
    measured = Measurement(
        velocity=bool(mission.measured & {"velocity", "body_velocity"}),
        torque="torque" in mission.measured,
        momentum=said if isinstance(said, str) else "known",
        wheels="varying" if turned else "constant" if mission.wheel_rates.any() else "still",
        thruster=bool(mission.settings.flight.pulses and mission.measured & {"velocity", "body_velocity", "position"}),
    )
    return advise(mission.robot, measured, tuple(mission.settings.known), tuple(mission.settings.assume_zero))
