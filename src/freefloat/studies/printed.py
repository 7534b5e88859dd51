"""Printed motions: Fourier coefficients of a publication as a motion of its robot."""

from __future__ import annotations

from freefloat.motion.fourier import Fourier
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published


def printed_motion(study: str, robot: Robot) -> Fourier:
    """The motion of all joints of the robot that a study prints as `trajectory`, from rest to rest."""
    said = published(study)["trajectory"]
    return Fourier.from_harmonics(robot.joint_names, said["a_rad_s"], said["b_rad_s"], said["duration_s"])
