"""The trajectory: how joints and wheels are commanded to move, linear in a matrix of coefficients.

    position(t) = offset(t) + basis(t) @ coefficients,        0 <= t <= duration

One basis serves all channels; rates and accelerations come from its exact derivatives. A channel is a
driven joint or a wheel, by name; the position of a wheel is its angle relative to the base.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.errors import FreefloatError, ShapeError
from freefloat.files import FilePath, dump_yaml, write_text
from freefloat.frozen import Content
from freefloat.motion.extremes import Extremes, Index
from freefloat.motion.limits import Margins, driven_or_wheel, limits_of
from freefloat.robot.model import Robot

FORMAT: Final = "freefloat/trajectory@1"
_ROUNDING = 1e-9  # of the duration: how far outside a time still counts as an end


class InvalidTrajectory(FreefloatError):
    """Numbers or names that do not make a trajectory, or a time at which it does not move."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Commanded motion at n instants.

    t: shape (n,) [s].
    position, rate, acceleration: shape (n, channels) [rad or m, per s, per s^2].
    """

    t: Array
    position: Array
    rate: Array
    acceleration: Array


@dataclass(frozen=True, slots=True, eq=False)
class LinearMap:
    """From coefficients to the motion at n instants.

    t: shape (n,) [s].
    basis, basis_rate, basis_acceleration: shape (n, k), common to all channels.
    offset, offset_rate, offset_acceleration: shape (n, channels), what moves without coefficients.
    """

    t: Array
    basis: Array
    basis_rate: Array
    basis_acceleration: Array
    offset: Array
    offset_rate: Array
    offset_acceleration: Array

    def motion(self, coefficients: Array) -> Motion:
        """The motion that coefficients of shape (..., k, channels) give; a batch gives a batch."""
        return Motion(
            self.t,
            self.offset + self.basis @ coefficients,
            self.offset_rate + self.basis_rate @ coefficients,
            self.offset_acceleration + self.basis_acceleration @ coefficients,
        )


@dataclass(frozen=True, eq=False)
class Trajectory(Content, ABC):
    """A commanded motion of some joints and wheels.

    channels: names of driven joints and wheels.
    coefficients: shape (k, channels); what each row means, and its unit, is the shape's own.
    duration_s: the motion lasts from 0 to this.
    """

    kind: ClassVar[str]

    channels: tuple[str, ...]
    coefficients: Array
    duration_s: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", _names(self.channels))
        self._keep(coefficients=matrix("coefficients", self.coefficients, len(self.channels)))

    # ------------------------------------------------------------------ what each shape says

    @abstractmethod
    def _basis(self, t: Array, order: int) -> Array:
        """Derivative of this order of the basis, shape (n, k)."""

    def _offset(self, t: Array, order: int) -> Array:
        """Derivative of this order of what moves without coefficients, shape (n, channels)."""
        return np.zeros((t.size, len(self.channels)))

    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """Plain data that, with channels and coefficients, make the trajectory."""

    @abstractmethod
    def extremes(self) -> Extremes:
        """How far, how fast and how hard each channel goes, also between samples."""

    # ------------------------------------------------------------------ motion

    def evaluate(self, t: ArrayLike) -> Motion:
        """The motion at times t, shape (n,) [s]."""
        return self.linear_map(t).motion(self.coefficients)

    def linear_map(self, t: ArrayLike) -> LinearMap:
        """The map from coefficients to the motion at times t, shape (n,) [s]."""
        times = self.instants(t)
        bases = [self._basis(times, order) for order in range(3)]
        offsets = [self._offset(times, order) for order in range(3)]
        return LinearMap(times, *bases, *offsets)

    def with_coefficients(self, coefficients: ArrayLike) -> Self:
        """The same shape with other coefficients, shape (k, channels)."""
        values = matrix("coefficients", coefficients, len(self.channels))
        if values.shape != self.coefficients.shape:
            raise ShapeError(f"coefficients must have shape {self.coefficients.shape}, found {values.shape}")
        return replace(self, coefficients=values)

    def instants(self, t: ArrayLike) -> Array:
        """The times as an array of shape (n,), refused where the trajectory does not reach."""
        times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        if times.ndim != 1:
            raise ShapeError(f"t must have shape (n,), found {times.shape}")
        slack = _ROUNDING * self.duration_s
        if not ((times >= -slack) & (times <= self.duration_s + slack)).all():
            raise InvalidTrajectory(
                f"t runs from {times.min():g} to {times.max():g} s; allowed: 0 to {self.duration_s:g} s"
            )
        return np.clip(times, 0.0, self.duration_s)

    def samples(self, robot: Robot, t: ArrayLike) -> Samples:
        """The motion as a robot's q, dq, ddq and wheel rates; what is no channel stays at zero, at rest.

        So do passive joints, which have their columns and are no channels: how they move is not commanded.
        """
        for name in self.channels:
            driven_or_wheel(robot, name)
        motion = self.evaluate(t)
        wheels = [wheel.name for wheel in robot.wheels]
        return Samples(
            q=self._placed(motion.position, robot.joint_names),
            dq=self._placed(motion.rate, robot.joint_names),
            ddq=self._placed(motion.acceleration, robot.joint_names),
            wheel_rates=self._placed(motion.rate, wheels),
            wheel_accelerations=self._placed(motion.acceleration, wheels),
            t=motion.t,
        )

    def check(self, robot: Robot) -> Margins:
        """How far the motion, also between samples, stays from the robot's limits."""
        return limits_of(robot, self.channels).margins(self.extremes())

    def _placed(self, values: Array, names: Sequence[str]) -> Array:
        """Columns of these names; zero for those that are no channel."""
        column = {name: values[:, index] for index, name in enumerate(self.channels)}
        rest = np.zeros(values.shape[0])
        return np.array([column.get(name, rest) for name in names]).reshape(len(names), rest.size).T

    def _curve(self, t: Array, which: Index, order: int) -> Array:
        """Derivative of this order of channel which[i] at t[i], shape (n,)."""
        moved = np.einsum("ij,ij->i", self._basis(t, order), self.coefficients.T[which])
        return self._offset(t, order)[np.arange(t.size), which] + moved

    # ------------------------------------------------------------------ files

    def document(self) -> dict[str, Any]:
        """The trajectory as plain data (also for JSON), exact; `trajectory_from_document` reads it."""
        head = {"format": FORMAT, "kind": self.kind, "channels": list(self.channels)}
        return head | self._settings() | {"coefficients": self.coefficients.tolist()}

    def save(self, path: FilePath) -> None:
        """Write a trajectory file, whole or not at all: JSON if it is called so, else YAML."""
        document = self.document()
        if Path(path).suffix.lower() == ".json":
            lines = (f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in document.items())
            write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")
        else:
            write_text(path, dump_yaml(document))

    # ------------------------------------------------------------------ construction

    def _keep(self, **values: Any) -> None:
        """Store checked values in this frozen object; arrays become read-only."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)


def matrix(name: str, values: ArrayLike, columns: int, rows: int | None = None) -> Array:
    """A copy of finite numbers of shape (rows, columns), at least one row, or one sentence on what is wrong."""
    array = numbers(name, values)
    if array.ndim != 2 or not array.size or array.shape[1] != columns or rows not in (None, array.shape[0]):
        expected = f"({'k' if rows is None else rows}, {columns})"
        raise ShapeError(f"{name} must have shape {expected}, found {array.shape}")
    return array


def numbers(name: str, values: ArrayLike) -> Array:
    """A copy of finite numbers of any shape, or one sentence saying what is wrong."""
    try:
        array = np.array(values, dtype=np.float64)
    except ValueError as error:
        raise ShapeError(f"{name} must be numbers, in rows of equal length") from error
    if not np.isfinite(array).all():
        raise InvalidTrajectory(f"{name} holds a number that is not finite")
    return array


def positive(name: str, value: float) -> float:
    """A finite number greater than zero, or one sentence saying what is wrong."""
    number = float(value)
    if not (np.isfinite(number) and number > 0.0):
        raise InvalidTrajectory(f"{name} is {number:g}; allowed: a number greater than zero")
    return number


def increasing(name: str, values: ArrayLike, fewest: int) -> Array:
    """Times from zero, each later than the one before, shape (n,), or one sentence saying what is wrong."""
    t = numbers(name, values)
    if t.ndim != 1 or t.size < fewest:
        raise ShapeError(f"{name} must have shape (n,) with n at least {fewest}, found {t.shape}")
    if t[0] != 0.0:
        raise InvalidTrajectory(f"{name} starts at {t[0]:g} s; allowed: 0")
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if late.size:
        raise InvalidTrajectory(f"{name} does not increase after {t[late[0]]:g} s; allowed: increasing times")
    return t


def _names(channels: Sequence[str]) -> tuple[str, ...]:
    names = tuple(channels)
    for name in names:
        if not (isinstance(name, str) and name and name.isprintable()):
            raise InvalidTrajectory(f"channel {name!r} is not a name; allowed: printable text")
    if not names or len(set(names)) < len(names):
        raise InvalidTrajectory(f"channels are {', '.join(names) or 'none'}; allowed: names that differ")
    return names
