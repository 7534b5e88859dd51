"""The robot that really flies: not the one of the CAD model, but one that it may stand for.

An experiment on the desk that flies the CAD model itself flatters every method that has a prior. Robots are drawn as
far from the CAD model as the mission's prior says that it can be trusted, and what is known within the standard
deviation it is known to. Without a prior, the usual spread is drawn with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.prior import CadSpread, known_covariance
from freefloat.estimate.uncertain import root_of
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.prior_knowledge import known_of, prior_of
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, can_exist
from freefloat.robot.selection import with_known_separate
from freefloat.sensors.draws import draw_normal

_HALVINGS = 20
_SAME = 1e-6  # m, and of unit vectors: what is left of a placement that went through a URDF


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


def mission_flown_with(mission: Mission, robot: Robot | None) -> Mission:
    """The mission as it is flown: by this robot, which must be built like the mission's in all but its inertias."""
    if robot is None:
        return mission
    whole, own = with_known_separate(robot, mission.settings.known), mission.robot
    for what, found, expected in (
        ("bodies", whole.body_names, own.body_names),
        ("joints", whole.joint_names, own.joint_names),
        ("wheels", *(tuple(wheel.name for wheel in each.wheels) for each in (whole, own))),
    ):
        if found != expected:
            raise InvalidMission(
                f"robot {robot.name!r} has the {what} {', '.join(found) or 'none'}; "
                f"allowed: those of mission {mission.name!r}, {', '.join(expected) or 'none'}"
            )
    for difference, here, there in _differences(whole, own):
        raise InvalidMission(
            f"robot {robot.name!r}: {difference} is {here}; allowed: that of mission {mission.name!r}, {there}, "
            "from which only masses, centres of mass and inertias may differ"
        )
    return replace(mission, robot=whole)


def _differences(robot: Robot, other: Robot) -> Iterator[tuple[str, str, str]]:
    """How a robot with the same names is built otherwise: what of it, and both values."""
    if robot.base != other.base:
        yield "the kind of its base", robot.base, other.base
    for joint, same in zip(robot.joints, other.joints, strict=True):
        if joint.kind != same.kind:
            yield f"the kind of joint {joint.name!r}", joint.kind, same.kind
    parents = (each.tree.arrays.parent.tolist() for each in (robot, other))
    for name, *carriers in zip(robot.body_names, *parents, strict=True):
        if carriers[0] != carriers[1]:
            here, there = (robot.body_names[index] for index in carriers)
            yield f"the parent of body {name!r}", here, there
    for what, found, expected in _geometry(robot, other):
        if np.abs(found - expected).max() > _SAME:
            here, there = (" ".join(f"{number:.6g}" for number in each) for each in (found, expected))
            yield what, here, there


def _geometry(robot: Robot, other: Robot) -> Iterator[tuple[str, Array, Array]]:
    """Arrays of two robots with the same names, base and joint kinds, [m] or [m/s^2] or without unit."""
    yield "its gravity", robot.gravity, other.gravity
    for wheel, twin in zip(robot.wheels, other.wheels, strict=True):
        yield f"the axis of wheel {wheel.name!r}", wheel.axis, twin.axis
    for joint, same in zip(robot.joints, other.joints, strict=True):
        yield f"the axis of joint {joint.name!r}", joint.axis, same.axis
    for name, here, there in zip(robot.body_names, robot.tree.arrays.geometry, other.tree.arrays.geometry, strict=True):
        yield f"the place of body {name!r} on its parent", here[-3:], there[-3:]
        yield f"the orientation of body {name!r} on its parent", here[:-6], there[:-6]


def _possible(phi: Array, change: Array) -> Array:
    """The body changed, or as far as it can be, shape (10,)."""
    if not can_exist(phi):  # the CAD model's body cannot be either; a mass that is not negative is all one can ask
        return phi + change if phi[0] + change[0] >= 0.0 else phi
    halves = (phi + change / 2.0**halving for halving in range(_HALVINGS))
    return next((body for body in halves if can_exist(body)), phi)
