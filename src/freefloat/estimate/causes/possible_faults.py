"""Mistakes in recordings and robot files that happen, what undoes each, and how to say it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.robot.model import Robot
from freefloat.robot.rotations import logarithm

_DEGREES = 180.0 / np.pi
_PER_MINUTE = 60.0 / (2.0 * np.pi)


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One mistake.

    kind, name: as those of a `Cause`. what: in words, to follow "it seems that". cure: what to change, and where.
    gyro: takes the recorded rates to those that were meant, in the gyro's own axes, shape (3, 3). turn: takes these, in
    base axes by the gyro's declared mounting, to where they belong, a rotation (3, 3). joints: factor of each joint's
    motion, shape (dofs,). order: whose column each joint's motion is in; its own unless given. wheels: factor of each
    wheel's rate, shape (wheels,). momentum: whether the total momentum is not what was declared. missing: name of a
    wheel whose rate was recorded and that the robot file does not have. absent: name of a body that was not there.
    """

    kind: str
    name: str
    what: str
    cure: str
    joints: Array
    wheels: Array
    gyro: Array = field(default_factory=lambda: np.eye(3))
    turn: Array = field(default_factory=lambda: np.eye(3))
    order: tuple[int, ...] = ()
    momentum: bool = False
    missing: str = ""
    absent: str = ""

    def joint_motion(self, recorded: Array) -> Array:
        """Motion of the joints that was meant, of what was recorded, shape (n, dofs) each."""
        return (recorded[:, self.order] if self.order else recorded) * self.joints

    @property
    def joint_units(self) -> bool:
        """Whether it is in the units of the joints."""
        return bool((np.abs(self.joints) != 1.0).any())


@dataclass(frozen=True, slots=True)
class _OfRobot:
    """Faults of recordings of one robot: what a fault does not speak of stays as it was recorded."""

    robot: Robot

    def fault(
        self,
        kind: str,
        name: str,
        what: str,
        cure: str,
        gyro: Array | None = None,
        turn: Array | None = None,
        joints: Array | None = None,
        wheels: Array | None = None,
        order: tuple[int, ...] = (),
        momentum: bool = False,
        missing: str = "",
        absent: str = "",
    ) -> Fault:
        return Fault(
            kind,
            name,
            what,
            cure,
            np.ones(len(self.robot.joints)) if joints is None else joints,
            np.ones(len(self.robot.wheels)) if wheels is None else wheels,
            np.eye(3) if gyro is None else gyro,
            np.eye(3) if turn is None else turn,
            order,
            momentum,
            missing,
            absent,
        )


def no_fault(robot: Robot) -> Fault:
    """The recording as it is."""
    return _OfRobot(robot).fault("", "", "", "")


def possible_faults(
    robot: Robot, momentum_unknown: bool, unclaimed: Sequence[str] = (), known: Sequence[str] = ()
) -> Iterator[Fault]:
    """Single mistakes, and the one double one that comes of a single setting.

    momentum_unknown: whether the total momentum is estimated anyway. unclaimed: wheels whose rates were recorded and
    that the robot does not have. known: bodies that are declared known.
    """
    of = _OfRobot(robot)
    yield from _units(of)
    yield from _reversed_joints(of)
    yield from _swapped(of)
    yield from _gyro_axes(of)
    yield from _wheels(of)
    for name in unclaimed:
        what = f"the wheel {name}, whose rate was recorded, stores momentum, but is missing from the robot file"
        yield of.fault("missing wheel", name, what, "add it to the base's wheels in the robot file", missing=name)
    for name in known:
        what = f"{name}, which is declared known, was not there"
        cure = "say so in the mission file (`identify.without`), or correct it in the robot file"
        yield of.fault("known", name, what, cure, absent=name)
    if not momentum_unknown:
        what, cure = (
            "the total angular momentum is not what was declared",
            "say `momentum: unknown` in the mission file",
        )
        yield of.fault("momentum", "", what, cure, momentum=True)


def _units(of: _OfRobot) -> Iterator[Fault]:
    turning = np.array([joint.kind != "prismatic" for joint in of.robot.joints], dtype=bool)
    degrees, right = np.where(turning, 1.0 / _DEGREES, 1.0), np.eye(3)
    gyro_cure = "convert the gyro's rates in the recording, or name their unit in its columns (`gyro_x_deg_s`)"
    joints_cure = "convert the joints' positions and rates in the recording, or name their unit (`q_<joint>_deg`)"
    what = "the gyro is recorded in degrees per second instead of radians"
    yield of.fault("units", "gyro", what, gyro_cure, gyro=right / _DEGREES)
    what = "the gyro's rates were converted from degrees to radians once too often"
    yield of.fault("units", "gyro", what, gyro_cure, gyro=right * _DEGREES)
    if turning.any():
        what = "the joints are recorded in degrees instead of radians"
        yield of.fault("units", "joints", what, joints_cure, joints=degrees)
        what = "the joints were converted from degrees to radians once too often"
        yield of.fault("units", "joints", what, joints_cure, joints=1.0 / degrees)
        what = "both the joints and the gyro are recorded in degrees instead of radians"
        both = "convert both in the recording, or name their units in its columns (`q_<joint>_deg`, `gyro_x_deg_s`)"
        yield of.fault("units", "joints and gyro", what, both, gyro=right / _DEGREES, joints=degrees)
    if turning.any() and not turning.all():  # all numbers of a log converted alike
        alike, also = np.full(turning.size, 1.0 / _DEGREES), "and so is what slides, as if it turned"
        what = f"the joints are recorded in degrees instead of radians, {also}"
        yield of.fault("units", "joints", what, joints_cure, joints=alike)
        what = f"both the joints and the gyro are recorded in degrees instead of radians, {also}"
        yield of.fault("units", "joints and gyro", what, both, gyro=right / _DEGREES, joints=alike)


def _reversed_joints(of: _OfRobot) -> Iterator[Fault]:
    for index, joint in enumerate(of.robot.joints):
        factors = np.ones(len(of.robot.joints))
        factors[index] = -1.0
        what = f"{joint.name} moves the other way than the robot file says"
        cure = f"turn round the axis of {joint.name} in the robot file, or its sign in the recording"
        yield of.fault("sign", joint.name, what, cure, joints=factors)


def _swapped(of: _OfRobot) -> Iterator[Fault]:
    """Every two joints of one kind in each other's columns."""
    joints = of.robot.joints
    for one, other in itertools.combinations(range(len(joints)), 2):
        order = list(range(len(joints)))
        if (joints[one].kind == "prismatic") == (joints[other].kind == "prismatic"):
            order[one], order[other] = other, one
            what = f"{joints[one].name} and {joints[other].name} are swapped in the recording"
            cure = "exchange the names of their columns in the recording, or in the mapping of the log's messages"
            yield of.fault("order", f"{joints[one].name}, {joints[other].name}", what, cure, order=tuple(order))


def _wheels(of: _OfRobot) -> Iterator[Fault]:
    """All wheels at once, and each alone."""
    names = [wheel.name for wheel in of.robot.wheels]
    if not names:
        return
    every, several = np.ones(len(names)), len(names) > 1
    units = "convert {} in the recording, or name the unit (`wheel_<wheel>_rpm`)"
    sign = "turn round {} in the robot file"
    what = "the wheels' rates are recorded in revolutions per minute instead of radians per second"
    yield of.fault("units", "wheels", what, units.format("the wheels' rates"), wheels=every / _PER_MINUTE)
    if several:
        what = "the wheels turn the other way than the robot file says"
        yield of.fault("sign", "wheels", what, sign.format("the wheels' axes"), wheels=-every)
    for index, name in enumerate(names):
        own = np.eye(len(names))[index]
        what = f"the wheel {name} turns the other way than the robot file says"
        yield of.fault("sign", name, what, sign.format(f"the axis of {name}"), wheels=every - 2.0 * own)
        if several:
            what = f"the rate of the wheel {name} is recorded in revolutions per minute instead of radians per second"
            factors = np.where(own > 0.0, 1.0 / _PER_MINUTE, 1.0)
            yield of.fault("units", name, what, units.format("its rate"), wheels=factors)


def _gyro_axes(of: _OfRobot) -> Iterator[Fault]:
    """Every way to name and point the gyro's axes other than the right one."""
    if of.robot.base == "planar":
        yield _signed_axes(of, (0, 1, 2), (1, 1, -1))
        return
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            if order != (0, 1, 2) or signs != (1, 1, 1):
                yield _signed_axes(of, order, signs)


def _signed_axes(of: _OfRobot, order: tuple[int, ...], signs: tuple[int, ...]) -> Fault:
    shown = np.diag(signs) @ np.eye(3)[list(order)]  # recorded = shown @ meant
    reversed_axes = [axis for axis, sign in zip(AXES, signs, strict=True) if sign < 0]
    alone = order == (0, 1, 2) and len(reversed_axes) == 1
    kind, name = ("sign", f"gyro {reversed_axes[0]}") if alone else ("axes", "gyro")
    cure = (
        "correct signs and names of the gyro's columns in the recording, or its mounting in the mission file's sensors"
    )
    return of.fault(kind, name, _axes_in_words(order, signs), cure, gyro=shown.T)


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
    return f"the gyro's axes are mixed up: what is called its x, y, z is its {', '.join(shown)}"


def turned_gyro(robot: Robot, R: Array) -> Fault:
    """A gyro whose rates, as its mounting has them, R, a rotation of shape (3, 3), takes to those in base axes."""
    vector = logarithm(R[None])[0]
    angle = float(np.linalg.norm(vector))
    listed = ", ".join(f"{part:.2f}" for part in vector / max(angle, 1e-300))
    what = f"the gyro is mounted turned by {np.degrees(angle):.1f} deg about ({listed}) of the base"
    cure = "correct the gyro's mounting in the mission file's sensors"
    return _OfRobot(robot).fault("mounting", "gyro", what, cure, turn=R)


def of_other_sensor(robot: Robot, kind: str, name: str, what: str, cure: str) -> Fault:
    """A mistake in something else than the rates of base, joints and wheels."""
    return _OfRobot(robot).fault(kind, name, what, cure)
