"""A humanoid of 34 joints that stands on its left foot, to try designs of such a size on.

Its proportions are those of HRP-4 as its makers give them (K. Kaneko et al., IROS 2011): 1.51 m, 39 kg, six joints a
leg, seven an arm, two in the waist, two in the neck, two in each hand. How the mass is spread is not public; our links
are cylinders. x is forward, y to the left, z up; at zero it stands upright, arms beside the body.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from freefloat.excitation.limits.clearance import clearance_limits
from freefloat.excitation.limits.joint import joint_limits
from freefloat.excitation.limits.support import CentreOfMassInside, SupportPolygon, ZeroMomentPointInside
from freefloat.excitation.limits.torque import torque_limits
from freefloat.excitation.plan import Plan
from freefloat.motion.fourier import Fourier
from freefloat.motion.quintic import ENDS
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint
from freefloat.robot.shapes import Capsule
from freefloat.robot.standing import standing_on
from freefloat.robot.transform import Transform

GRAVITY = (0.0, 0.0, -9.81)
SOLE_M = 0.09  # below the ankle
FOOT_M = ((0.13, 0.05), (0.13, -0.05), (-0.09, -0.05), (-0.09, 0.05))
# Positions [rad] at which motions begin and end: knees bent, leaning to the left so that the centre of mass is above
# the left foot, the right leg lifted aside. All others are at zero, or a quarter into a range that ends there.
HOME = {
    "left_foot_joint": 0.12,
    "left_hip_roll_joint": -0.12,
    "right_hip_roll_joint": -0.3,
    **{
        f"{side}_{part}_joint": angle
        for side in ("left", "right")
        for part, angle in (("thigh", -0.22), ("shank", 0.44), ("ankle", -0.22))
    },
}
PERIOD_S, HARMONICS, INSTANTS = 8.0, 10, 100
CLEARANCE_M = 0.01
_X, _Y, _Z = np.eye(3)


class _Link(NamedTuple):
    """A cylinder from its joint along z of its frame: where it sits on its parent [m], and what it is.

    limits: of the joint [deg]. to: z of its far end [m]; below zero downwards. radius: [m]. solid: has a shape.
    """

    name: str
    parent: str
    xyz: tuple[float, float, float]
    axis: np.ndarray
    limits: tuple[float, float]
    torque: float
    mass: float
    to: float
    radius: float
    solid: bool = False


def _leg(side: str, y: float) -> list[_Link]:
    inwards, outwards = (-15.0, 30.0) if y > 0.0 else (-30.0, 15.0)
    return [
        _Link(f"{side}_hip_yaw", "pelvis", (0.0, y, -0.05), _Z, (-30, 30), 60, 0.6, -0.04, 0.05),
        _Link(f"{side}_hip_roll", f"{side}_hip_yaw", (0, 0, -0.04), _X, (inwards, outwards), 90, 0.7, -0.04, 0.05),
        _Link(f"{side}_thigh", f"{side}_hip_roll", (0, 0, -0.02), _Y, (-70, 25), 120, 2.3, -0.3, 0.06, True),
        _Link(f"{side}_shank", f"{side}_thigh", (0, 0, -0.3), _Y, (0, 100), 120, 1.7, -0.3, 0.05, True),
        _Link(f"{side}_ankle", f"{side}_shank", (0, 0, -0.3), _Y, (-40, 40), 90, 0.5, -0.03, 0.04),
        _Link(f"{side}_foot", f"{side}_ankle", (0, 0, 0), _X, (-20, 20), 90, 0.9, -SOLE_M, 0.05),
    ]


def _arm(side: str, y: float) -> list[_Link]:
    out = (-10.0, 90.0) if y > 0.0 else (-90.0, 10.0)
    hand = f"{side}_hand"
    return [
        _Link(f"{side}_shoulder_pitch", "chest", (0, y, 0.3), _Y, (-150, 50), 40, 0.7, 0.05, 0.04),
        _Link(
            f"{side}_shoulder_roll",
            f"{side}_shoulder_pitch",
            (0, math.copysign(0.04, y), 0),
            _X,
            out,
            40,
            0.6,
            -0.05,
            0.04,
        ),
        _Link(f"{side}_upper_arm", f"{side}_shoulder_roll", (0, 0, -0.05), _Z, (-80, 80), 30, 1.1, -0.2, 0.04, True),
        _Link(f"{side}_forearm", f"{side}_upper_arm", (0, 0, -0.2), _Y, (-120, 0), 30, 0.8, -0.15, 0.035, True),
        _Link(f"{side}_wrist_yaw", f"{side}_forearm", (0, 0, -0.15), _Z, (-80, 80), 10, 0.3, -0.05, 0.03),
        _Link(f"{side}_wrist_pitch", f"{side}_wrist_yaw", (0, 0, -0.05), _Y, (-40, 40), 10, 0.2, -0.03, 0.03),
        _Link(hand, f"{side}_wrist_pitch", (0, 0, -0.02), _X, (-40, 40), 10, 0.5, -0.1, 0.035, True),
        _Link(f"{side}_thumb", hand, (0.02, 0, -0.05), _Y, (0, 50), 3, 0.08, -0.05, 0.02),
        _Link(f"{side}_fingers", hand, (0, 0, -0.1), _Y, (0, 80), 3, 0.12, -0.06, 0.02),
    ]


_LINKS = [
    *_leg("left", 0.08),
    *_leg("right", -0.08),
    _Link("waist", "pelvis", (0, 0, 0.08), _Z, (-30, 30), 60, 0.8, 0.04, 0.06),
    _Link("chest", "waist", (0, 0, 0.04), _Y, (-10, 30), 100, 8.5, 0.36, 0.1, True),
    _Link("neck", "chest", (0, 0, 0.38), _Z, (-60, 60), 5, 0.3, 0.05, 0.04),
    _Link("head", "neck", (0, 0, 0.05), _Y, (-20, 30), 5, 1.8, 0.2, 0.08, True),
    *_arm("left", 0.16),
    *_arm("right", -0.16),
]
_APART = [
    (f"{side}_{part}", other) for side in ("left", "right") for part in ("forearm", "hand") for other in ("chest",)
]
_APART += [(f"{side}_hand", f"{side}_thigh") for side in ("left", "right")]
_APART += [("left_hand", "right_hand"), ("left_forearm", "right_forearm"), ("left_thigh", "right_thigh")]
_APART += [("left_shank", "right_shank"), ("left_hand", "right_thigh"), ("right_hand", "left_thigh")]


def humanoid() -> Robot:
    """Standing on its left foot, whose frame is at the ankle."""
    pelvis = Body("pelvis", parameters=_cylinder(5.4, -0.05, 0.08, 0.1))
    robot = Robot("humanoid", (pelvis, *map(_body, _LINKS)))
    return standing_on(robot, "left_foot", GRAVITY)


def humanoid_plan(earlier: tuple[Trajectory, ...] = (), harmonics: int = HARMONICS) -> Plan:
    """Condition number of base-wrench rows, all joints moving from rest to rest, within limits of all kinds.

    earlier: motions whose rows are there already.
    """
    robot = humanoid()
    names = robot.joint_names
    ends = np.zeros((ENDS, len(names)))
    ends[[0, 3]] = [_home(robot.joint(name)) for name in names]
    polygon = SupportPolygon.of(robot, [(x, y, -SOLE_M) for x, y in FOOT_M])
    limits = (
        *joint_limits(robot, names),
        *torque_limits(robot),
        CentreOfMassInside(polygon),
        ZeroMomentPointInside(polygon, 0.01),
        *clearance_limits(robot, CLEARANCE_M, _APART),
    )
    shape = Fourier(names, np.zeros((2 * harmonics, len(names))), PERIOD_S, ends)
    return Plan(
        robot,
        shape,
        limits=limits,
        goal="condition-number",
        model="base-wrench",
        earlier=earlier,
        goal_instants=INSTANTS,
        limit_instants=2 * INSTANTS,
    )


def _home(joint: Joint) -> float:
    low, high = joint.position
    return HOME.get(joint.name, 0.25 * (low + high) if low * high == 0.0 else 0.0)


def _body(link: _Link) -> Body:
    low, high = np.radians(link.limits)
    joint = Joint(f"{link.name}_joint", "revolute", link.axis, (float(low), float(high)), 2.0, 8.0, link.torque)
    shape = (Capsule(np.zeros(3), np.array([0.0, 0.0, link.to]), link.radius),) if link.solid else ()
    phi = _cylinder(link.mass, 0.0, link.to, link.radius)
    return Body(link.name, link.parent, joint, Transform(p=np.array(link.xyz, float)), phi, shape)


def _cylinder(mass: float, start: float, end: float, radius: float) -> np.ndarray:
    """Ten parameters of a cylinder along z that is a little heavier in front and to the left."""
    across = mass * (3.0 * radius**2 + (end - start) ** 2) / 12.0
    com = np.array([0.1 * radius, 0.05 * radius, 0.5 * (start + end)])
    return parameters_from_com(mass, com, np.diag([across, across, 0.5 * mass * radius**2]))
