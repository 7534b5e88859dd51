"""What a robot is made of: bodies, the joints they move on, reaction wheels, named points."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, frozen_array
from freefloat.errors import InvalidRobot
from freefloat.frozen import Content
from freefloat.robot.drive import Drive
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.shapes import Shape
from freefloat.robot.spring import Spring
from freefloat.robot.transform import Transform

BaseKind = Literal["free", "planar", "fixed"]
JointKind = Literal["revolute", "continuous", "prismatic", "fixed"]


def _unit_axis(where: str, given: ArrayLike) -> Array:
    axis = np.asarray(given, float)
    length = float(np.linalg.norm(axis))
    if axis.shape != (3,) or not np.isfinite(length) or length < 1e-9:
        raise InvalidRobot(where, f"axis is {given!r}; allowed: three finite numbers, not all zero")
    return frozen_array(axis if abs(length - 1.0) < 1e-15 else axis / length, (3,))


@dataclass(frozen=True, slots=True, eq=False)
class Joint(Content):
    """How a body moves on its parent.

    axis: unit vector in the body frame, shape (3,).
    position: lowest and highest position [rad or m]; infinite where there is no limit.
    rate, acceleration: largest magnitude [rad/s or m/s, per s^2]; infinite where there is no limit.
    torque: largest torque or force [N m or N]; infinite where there is no limit.
    drive: friction, and the rotor behind its gear.
    passive: what holds it if nobody drives or measures it; None if somebody does.
    """

    name: str
    kind: JointKind = "revolute"
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    position: tuple[float, float] = (-math.inf, math.inf)
    rate: float = math.inf
    acceleration: float = math.inf
    torque: float = math.inf
    drive: Drive = field(default_factory=Drive)
    passive: Spring | None = None

    def __post_init__(self) -> None:
        where = f"joint {self.name!r}"
        if self.kind not in get_args(JointKind):
            raise InvalidRobot(where, f"kind is {self.kind!r}; allowed: {', '.join(get_args(JointKind))}")
        object.__setattr__(self, "axis", _unit_axis(where, self.axis))
        low, high = self.position
        if not low <= high:
            raise InvalidRobot(where, f"position limits are {low} to {high}; the lower must not exceed the upper")
        for limit in ("rate", "acceleration", "torque"):
            value = getattr(self, limit)
            if not value > 0.0:
                raise InvalidRobot(where, f"{limit} limit is {value}; allowed: a positive number")
        if self.passive is not None and (self.kind == "fixed" or self.drive.has_any):
            why = "does not move" if self.kind == "fixed" else "has a drive"
            raise InvalidRobot(where, f"is passive, and {why}; allowed: a joint that moves, without a drive")

    @property
    def moves(self) -> bool:
        """Whether the joint has a coordinate of its own."""
        return self.kind != "fixed"


@dataclass(frozen=True, slots=True, eq=False)
class Body(Content):
    """One rigid body as its source describes it.

    parent: name of the body that carries it; None for the base.
    joint: how it moves on its parent; None for the base.
    placement: its frame in the parent's frame at joint position zero.
    parameters: its ten standard parameters about its own frame, shape (10,).
    shapes: capsules, spheres and ellipsoids for clearance, in its own frame.
    """

    name: str
    parent: str | None = None
    joint: Joint | None = None
    placement: Transform = field(default_factory=Transform)
    parameters: Array = field(default_factory=lambda: np.zeros(PER_BODY))
    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        where = f"body {self.name!r}"
        object.__setattr__(self, "parameters", frozen_array(self.parameters, (PER_BODY,)))
        if not np.isfinite(self.parameters).all():
            raise InvalidRobot(where, "its mass, centre of mass or inertia is not a finite number")
        if self.parameters[0] < 0.0:
            raise InvalidRobot(where, f"mass is {self.parameters[0]} kg; allowed: zero or more")
        R, p = self.placement.R, self.placement.p
        if not (np.isfinite(R).all() and np.isfinite(p).all()):
            raise InvalidRobot(where, "its placement holds a number that is not finite")
        if np.abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0.0:
            raise InvalidRobot(where, "the rotation of its placement is not a rotation matrix")
        if self.parent is None and (p.any() or (np.eye(3) != R).any()):
            raise InvalidRobot(where, "the base is the frame of reference; allowed: no placement")
        if (self.parent is None) != (self.joint is None):
            raise InvalidRobot(where, "a body has both a parent and a joint, or (the base) neither")


@dataclass(frozen=True, slots=True, eq=False)
class Wheel(Content):
    """A reaction wheel of the base.

    axis: unit vector in the base frame, shape (3,).
    spin_inertia: about the axis [kg m^2].
    max_rate: largest speed relative to the base [rad/s].
    relative_sd: standard deviation of the spin inertia over itself; zero if it counts as exact.
    """

    name: str
    axis: Array
    spin_inertia: float
    max_rate: float = math.inf
    relative_sd: float = 0.0

    def __post_init__(self) -> None:
        where = f"wheel {self.name!r}"
        object.__setattr__(self, "axis", _unit_axis(where, self.axis))
        if not (math.isfinite(self.spin_inertia) and self.spin_inertia > 0.0):
            raise InvalidRobot(where, f"spin inertia is {self.spin_inertia} kg m^2; allowed: a positive number")
        if not self.max_rate > 0.0:
            raise InvalidRobot(where, f"largest rate is {self.max_rate} rad/s; allowed: a positive number")
        if not (math.isfinite(self.relative_sd) and self.relative_sd >= 0.0):
            raise InvalidRobot(where, f"spin inertia's relative_sd is {self.relative_sd}; allowed: zero or more")


@dataclass(frozen=True, slots=True, eq=False)
class Point(Content):
    """A named point fixed in a body: a tracked feature, a tool tip. xyz in the body frame [m]."""

    name: str
    body: str
    xyz: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "xyz", frozen_array(self.xyz, (3,)))
        if not np.isfinite(self.xyz).all():
            raise InvalidRobot(f"point {self.name!r}", f"its position is {self.xyz}; allowed: three finite numbers")
