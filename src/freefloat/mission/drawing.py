"""The robot that really flies: not the one of the CAD model, but one that it may stand for.

An experiment on the desk that flies the CAD model itself flatters every method that has a prior. Robots are drawn as
far from the CAD model as the mission's prior says that it can be trusted, and what is known within the standard
deviation it is known to. Without a prior, the usual spread is drawn with.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.estimate.prior import CadSpread, known_covariance
from freefloat.estimate.uncertain import root_of
from freefloat.experiment.draws import draw_normal
from freefloat.mission.believed import known_of, prior_of
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.regressor.selection import with_known_separate
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, pseudo_inertia
from freefloat.robot.transform import Array

_HALVINGS = 20


def draw_robot(mission: Mission, seed: int = 0) -> Robot:
    """A robot that the mission's CAD model may stand for; the same for a seed, everywhere.

    A body that could not exist is moved back towards that of the CAD model by halves until it can.
    """
    robot, root = mission.robot, cad_root(mission)
    cad = robot.parameters.reshape(-1, PER_BODY)
    off = (root @ draw_normal(seed, [0], "robot", (root.shape[1],))[0]).reshape(cad.shape)
    drawn = np.array([_possible(phi, change) for phi, change in zip(cad, off, strict=True)])
    return robot.with_parameters(drawn.ravel())


def cad_root(mission: Mission) -> Array:
    """Of what the prior says of unknown parameters, beside that of what is known, shape (10 bodies, k)."""
    said, spread, known = mission.settings, prior_of(mission) or CadSpread(), known_of(mission)
    unknown = spread.root(mission.robot, (*said.assume_zero, *known))
    return np.hstack([unknown, root_of(known_covariance(mission.robot, known))])


def flown_by(mission: Mission, robot: Robot | None) -> Mission:
    """The mission as it is flown: by this robot, which must have the mission's bodies, joints and wheels."""
    if robot is None:
        return mission
    whole, believed = with_known_separate(robot, mission.settings.known), mission.robot
    for what, found, expected in (
        ("bodies", whole.body_names, believed.body_names),
        ("joints", whole.joint_names, believed.joint_names),
        ("wheels", *(tuple(wheel.name for wheel in each.wheels) for each in (whole, believed))),
    ):
        if found != expected:
            raise InvalidMission(
                f"robot {robot.name!r} has the {what} {', '.join(found) or 'none'}; "
                f"allowed: those of mission {mission.name!r}, {', '.join(expected) or 'none'}"
            )
    return replace(mission, robot=whole)


def _possible(phi: Array, change: Array) -> Array:
    """The body changed, or as far as it can be, shape (10,)."""
    if _smallest(phi) <= 0.0:  # the CAD model's body cannot be either; a mass that is not negative is all one can ask
        return phi + change if phi[0] + change[0] >= 0.0 else phi
    halves = (phi + change / 2.0**halving for halving in range(_HALVINGS))
    return next((body for body in halves if _smallest(body) > 0.0), phi)


def _smallest(phi: Array) -> float:
    return float(np.linalg.eigvalsh(pseudo_inertia(phi))[0])
