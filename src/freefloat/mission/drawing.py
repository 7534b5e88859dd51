"""The robot that really flies: not the one of the CAD model, but one that it may stand for.

An experiment on the desk that flies the CAD model itself flatters every method that has a prior. Robots are drawn as
far from the CAD model as the mission's prior says that it can be trusted, and what is known within the standard
deviation it is known to. Without a prior, the usual spread is drawn with. Joints sit and point as far from where the
CAD model has them as the mission's nuisances say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.prior import CadSpread, known_covariance
from freefloat.estimate.uncertain import root_of
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.prior_knowledge import known_of, nuisances_of, prior_of
from freefloat.robot.geometry import PER_JOINT, built_with
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, can_exist
from freefloat.robot.selection import with_known_separate
from freefloat.robot.spring import Spring
from freefloat.sensors.draws import draw_normal

_HALVINGS = 20
_SAME = 1e-6  # m, and of unit vectors: what is left of a placement that went through a URDF
_HARDLY = 0.1  # of the robot file's stiffness or damping: none that is less is drawn
_FARTHEST = 6.0  # spreads of the geometry by which the robot that flies may be built otherwise


def draw_robot(mission: Mission, seed: int = 0) -> Robot:
    """A robot that the mission's CAD model may stand for; the same for a seed, everywhere.

    A body that could not exist is moved back towards that of the CAD model by halves until it can.
    """
    robot, root = mission.robot, cad_root(mission)
    cad = robot.parameters.reshape(-1, PER_BODY)
    off = (root @ draw_normal(seed, [0], "robot", (root.shape[1],))[0]).reshape(cad.shape)
    drawn = np.array([_possible(phi, change) for phi, change in zip(cad, off, strict=True)])
    bodies = robot.with_parameters(drawn.ravel()).with_springs(_drawn_springs(mission, seed))
    return built_with(bodies, draw_geometry(mission, seed))


def _drawn_springs(mission: Mission, seed: int) -> list[Spring]:
    """Springs that are off by the spreads of frequency and damping; none that hardly holds or hardly damps."""
    springs, nuisances = mission.robot.springs, nuisances_of(mission)
    if not springs:
        return []
    spreads = np.array([[2.0 * (nuisances.swing_frequency or 0.0)], [nuisances.swing_damping or 0.0]])
    off = 1.0 + spreads * draw_normal(seed, [0], "springs", (2, len(springs)))[0]
    k, d = np.maximum(off, _HARDLY)
    return [Spring(each.stiffness * by, each.damping * dby) for each, by, dby in zip(springs, k, d, strict=True)]


def draw_geometry(mission: Mission, seed: int = 0, run: int = 0) -> Array:
    """How far joints are from where the CAD model has them, (joints, 5) [m, rad] (`robot/geometry.py`).

    On a fixed base nothing is drawn: no method there estimates geometry along.
    """
    joints, spreads = len(mission.robot.joints), np.zeros(PER_JOINT)
    if mission.robot.base != "fixed":
        spreads[:3], spreads[3:] = _geometry_spreads(mission)
    return draw_normal(seed, [run], "geometry", (joints, PER_JOINT))[0] * spreads


def _geometry_spreads(mission: Mission) -> tuple[float, float]:
    """Of where joints sit [m], and of how they point [rad]; zero if they are exact."""
    nuisances = nuisances_of(mission)
    return nuisances.joint_place_m or 0.0, nuisances.joint_axis_rad or 0.0


def cad_root(mission: Mission) -> Array:
    """Of what the prior says of unknown parameters, beside that of what is known, shape (10 bodies, k)."""
    said, spread, known = mission.settings, prior_of(mission) or CadSpread(), known_of(mission)
    settled = (*said.assume_zero, *known, *said.unknown_bodies)  # of which nothing is said that could be drawn from
    unknown = spread.root(mission.robot, settled)
    return np.hstack([unknown, root_of(known_covariance(mission.robot, known))])


def mission_flown_with(mission: Mission, robot: Robot | None) -> Mission:
    """The mission as it is flown: by this robot, which must be built like the mission's in all but its inertias.

    Joints may be off by a few of the spreads that the mission's nuisances give.
    """
    if robot is None:
        return mission
    stance = mission.settings.stance
    kept = (*mission.settings.known, *mission.settings.unknown_bodies)
    whole, own = with_known_separate(robot if stance is None else stance.stood(robot), kept), mission.robot
    for what, found, expected in (
        ("bodies", whole.body_names, own.body_names),
        ("joints", whole.joint_names, own.joint_names),
        ("driven joints", whole.driven_names, own.driven_names),
        ("wheels", *(tuple(wheel.name for wheel in each.wheels) for each in (whole, own))),
    ):
        if found != expected:
            raise InvalidMission(
                f"robot {robot.name!r} has the {what} {', '.join(found) or 'none'}; "
                f"allowed: those of mission {mission.name!r}, {', '.join(expected) or 'none'}"
            )
    for difference, here, there in _differences(whole, own, *_geometry_spreads(mission)):
        raise InvalidMission(
            f"robot {robot.name!r}: {difference} is {here}; allowed: that of mission {mission.name!r}, {there}, "
            "from which only masses, centres of mass and inertias may differ, and joints by "
            f"{_FARTHEST:g} times what identify.nuisances says of geometry"
        )
    return replace(mission, robot=whole)


def _differences(robot: Robot, other: Robot, place_m: float, axis_rad: float) -> Iterator[tuple[str, str, str]]:
    """How a robot with the same names is built otherwise: what of it, and both values.

    place_m, axis_rad: spreads of where joints sit and how they point.
    """
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
    for what, found, expected, spread in _geometry(robot, other, place_m, axis_rad):
        if np.abs(found - expected).max() > _SAME + _FARTHEST * spread:
            here, there = (" ".join(f"{number:.6g}" for number in each) for each in (found, expected))
            yield what, here, there


def _geometry(robot: Robot, other: Robot, place_m: float, axis_rad: float) -> Iterator[tuple[str, Array, Array, float]]:
    """Arrays of two robots with the same names, base and joint kinds, [m] or [m/s^2] or without unit; their spread."""
    yield "its gravity", robot.gravity, other.gravity, 0.0
    for wheel, twin in zip(robot.wheels, other.wheels, strict=True):
        yield f"the axis of wheel {wheel.name!r}", wheel.axis, twin.axis, 0.0
    for joint, same in zip(robot.joints, other.joints, strict=True):
        yield f"the axis of joint {joint.name!r}", joint.axis, same.axis, 0.0
    arrays, twins = robot.tree.arrays, other.tree.arrays
    for name, dof, here, there in zip(robot.body_names, arrays.dof, arrays.geometry, twins.geometry, strict=True):
        place, turn = (place_m, axis_rad) if dof >= 0 else (0.0, 0.0)
        yield f"the place of body {name!r} on its parent", here[-3:], there[-3:], place
        yield f"the orientation of body {name!r} on its parent", here[:-6], there[:-6], turn


def _possible(phi: Array, change: Array) -> Array:
    """The body changed, or as far as it can be, shape (10,)."""
    if not can_exist(phi):  # the CAD model's body cannot be either; a mass that is not negative is all one can ask
        return phi + change if phi[0] + change[0] >= 0.0 else phi
    halves = (phi + change / 2.0**halving for halving in range(_HALVINGS))
    return next((body for body in halves if can_exist(body)), phi)
