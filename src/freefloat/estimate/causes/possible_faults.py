"""Mistakes in recordings and robot files that happen, what undoes each, and how to say it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.robot.model import Robot
from freefloat.robot.rotations import logarithm

_DEGREES = 180.0 / np.pi
_PER_MINUTE = 60.0 / (2.0 * np.pi)


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One mistake.

    what: in words, to follow "it seems that". cure: what to do about it.
    gyro: takes the recorded rates to those that were meant, shape (3, 3). joints: factor of each joint's motion,
    shape (dofs,). order: whose column each joint's motion is in; its own unless given. wheels: factor of the wheels'
    rates. momentum: whether the total momentum is not what was declared.
    """

    what: str
    cure: str
    gyro: Array
    joints: Array
    wheels: float = 1.0
    momentum: bool = False
    order: tuple[int, ...] = ()

    def joint_motion(self, recorded: Array) -> Array:
        """Motion of the joints that was meant, of what was recorded, shape (n, dofs) each."""
        return (recorded[:, self.order] if self.order else recorded) * self.joints

    @property
    def joint_units(self) -> bool:
        """Whether it is in the units of the joints."""
        return bool((np.abs(self.joints) != 1.0).any())


def no_fault(robot: Robot) -> Fault:
    """The recording as it is."""
    return Fault("", "", np.eye(3), np.ones(len(robot.joints)))


def possible_faults(robot: Robot, momentum_unknown: bool) -> Iterator[Fault]:
    """Single mistakes, and the one double one that comes of a single setting.

    momentum_unknown: whether the total momentum is estimated anyway.
    """
    right, still = np.eye(3), np.ones(len(robot.joints))
    turning = np.array([joint.kind != "prismatic" for joint in robot.joints], dtype=bool)
    degrees = np.where(turning, 1.0 / _DEGREES, 1.0)
    yield from _gyro_units(still)
    if turning.any():
        cure = "convert the positions and rates of the joints"
        yield Fault("the joints are recorded in degrees instead of radians", cure, right, degrees)
        what = "the joints were converted from degrees to radians once too often"
        yield Fault(what, cure, right, 1.0 / degrees)
        what = "both the joints and the gyro are recorded in degrees instead of radians"
        yield Fault(what, "convert both", right / _DEGREES, degrees)
    for index, joint in enumerate(robot.joints):
        factors = np.array(still)
        factors[index] = -1.0
        cure = "check the joint's axis in the robot file and the sign of its encoder"
        yield Fault(f"{joint.name} moves the other way than the robot file says", cure, right, factors)
    yield from _swapped(robot, still)
    yield from _gyro_axes(robot, still)
    if robot.wheels:
        what = "the wheels' rates are recorded in revolutions per minute instead of radians per second"
        yield Fault(what, "convert the wheels' rates", right, still, wheels=1.0 / _PER_MINUTE)
        cure = "check the wheels' axes in the robot file"
        yield Fault("the wheels turn the other way than the robot file says", cure, right, still, wheels=-1.0)
    if not momentum_unknown:
        cure = "declare the momentum unknown"
        yield Fault("the total angular momentum is not what was declared", cure, right, still, momentum=True)


def _swapped(robot: Robot, still: Array) -> Iterator[Fault]:
    """Every two joints of one kind in each other's columns."""
    for one, other in itertools.combinations(range(len(robot.joints)), 2):
        joints, order = (robot.joints[one], robot.joints[other]), list(range(len(robot.joints)))
        if (joints[0].kind == "prismatic") == (joints[1].kind == "prismatic"):
            order[one], order[other] = other, one
            what = f"{joints[0].name} and {joints[1].name} are swapped in the recording"
            cure = "check names and order of the joints' columns"
            yield Fault(what, cure, np.eye(3), still, order=tuple(order))


def _gyro_units(still: Array) -> Iterator[Fault]:
    right, cure = np.eye(3), "convert the gyro's rates"
    yield Fault("the gyro is recorded in degrees per second instead of radians", cure, right / _DEGREES, still)
    what = "the gyro's rates were converted from degrees to radians once too often"
    yield Fault(what, cure, right * _DEGREES, still)


def _gyro_axes(robot: Robot, still: Array) -> Iterator[Fault]:
    """Every way to name and point the gyro's axes other than the right one."""
    cure = "check names, signs and mounting of the gyro's axes"
    if robot.base == "planar":
        yield Fault("the gyro's z axis points the other way", cure, np.diag([1.0, 1.0, -1.0]), still)
        return
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            if order != (0, 1, 2) or signs != (1, 1, 1):
                shown = np.diag(signs) @ np.eye(3)[list(order)]  # recorded = shown @ meant
                yield Fault(_axes_in_words(order, signs), cure, shown.T, still)


def _axes_in_words(order: tuple[int, ...], signs: tuple[int, ...]) -> str:
    turned = [axis for axis, sign in zip(AXES, signs, strict=True) if sign < 0]
    if order == (0, 1, 2):
        if len(turned) == 1:
            return f"the gyro's {turned[0]} axis points the other way"
        return f"the gyro's axes {' and '.join([', '.join(turned[:-1]), turned[-1]])} point the other way"
    moved = [AXES[row] for row, column in enumerate(order) if row != column]
    if len(moved) == 2 and not turned:
        return f"the gyro's axes {moved[0]} and {moved[1]} are swapped"
    shown = [f"{'-' if sign < 0 else ''}{AXES[column]}" for column, sign in zip(order, signs, strict=True)]
    return f"the gyro's axes are mixed up: its x, y, z show the base's {', '.join(shown)}"


def turned_gyro(R: Array, still: Array) -> Fault:
    """A gyro whose recorded rates R, a rotation of shape (3, 3), takes to those in base axes."""
    vector = logarithm(R[None])[0]
    angle = float(np.linalg.norm(vector))
    listed = ", ".join(f"{part:.2f}" for part in vector / max(angle, 1e-300))
    what = f"the gyro is mounted turned by {np.degrees(angle):.1f} deg about ({listed}) of the base"
    return Fault(what, "say how the gyro is mounted", R, still)
