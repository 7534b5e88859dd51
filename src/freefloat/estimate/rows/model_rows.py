"""Rows of one model in one flight, and how errors of the samples move them.

    matrix [clusters, nuisances] = right

Most rows are linear in the measured rates, so that a unit error of one channel adds a known matrix and a known
right-hand side to them. All methods that allow for noisy regressors are built on that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates, spin_momentum
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import Flight
from freefloat.models.model import NotApplicable
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations
from freefloat.robot.transform import skew

if TYPE_CHECKING:
    from freefloat.estimate.problem_data import ProblemData
    from freefloat.models.names import ModelName


Group = Literal["standard", "angular-momentum", "base-velocity"]
_RATES = ("v", "w", "dq", "wheel_rates")
_KEPT_BYTES = 2 << 20  # of rows, up to which what each channel adds to them is kept
_TWIST = {"v": 0, "w": 1, "dv": 0, "dw": 1}


@dataclass(frozen=True, slots=True)
class NoisyChannel:
    """A measured number that errs: column `index` of the samples' array `name`, by `sd` in each sample."""

    name: str
    index: int
    sd: float


@dataclass(frozen=True, slots=True)
class NuisanceColumn:
    """A column that is no cluster: what it stands for, its unit, and whether all flights and models share it."""

    name: str
    unit: str
    shared: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """What a unit error of a channel adds to the rows: matrix (n, rows, columns), right (n, rows, 1 + known)."""

    matrix: Array
    right: Array


def instead(robot: Robot, models: str) -> str:
    """What is advised where a method is not for some rows: models that it is for, which a fixed base has none of."""
    return "allowed on a fixed base: maximum-likelihood, weighted or least-squares" if robot.base == "fixed" else models


def noisy_channels(robot: Robot, flight: Flight, walks: bool = True) -> tuple[NoisyChannel, ...]:
    """The channels of a flight whose noise is known and not zero, but for what the base cannot do.

    walks: whether a velocity that walks errs at least by a step of its walk.
    """
    channels = []
    for name, level in _levels(flight, walks).items():
        moves = _moves(robot, name, level.size)
        channels += [NoisyChannel(name, i, float(sd)) for i, sd in enumerate(level) if sd > 0.0 and moves[i]]
    return tuple(channels)


def _levels(flight: Flight, walks: bool) -> Mapping[str, Array]:
    """Standard deviations of a sample by array."""
    if not walks or "v" not in flight.walks:
        return flight.noise
    step = flight.walks["v"] * np.sqrt(float(np.median(np.diff(flight.t))))
    return {**flight.noise, "v": np.hypot(flight.sd("v", 3), step)}


def _moves(robot: Robot, name: str, width: int) -> NDArray[np.bool_]:
    """Which components of one of the samples' arrays the base's kind leaves free, shape (width,)."""
    if name not in _TWIST:
        return np.ones(width, dtype=bool)
    return np.isin(np.arange(3) + 3 * _TWIST[name], allowed_rows(robot))


class RowKind(NamedTuple):
    """What a row is: a component of a quantity."""

    quantity: str
    component: str
    unit: str


@dataclass(frozen=True, eq=False)
class ModelRows(ABC):
    """Rows of one model in one flight.

    number: of the flight, counted from one, for the names of nuisances; None if there is only one flight.
    """

    problem: ProblemData
    flight: Flight
    number: int | None

    name: ClassVar[ModelName]
    group: ClassVar[Group]
    rate_linear: ClassVar[bool] = True  # rows are linear in v, w, dq and the wheels' rates
    feels: ClassVar[frozenset[str]]  # arrays of the samples whose errors always move the rows

    # ------------------------------------------------------------------ the rows

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """What each row of a sample is."""

    @property
    def kinds(self) -> tuple[RowKind, ...]:
        """The same for plots: quantity, component and unit of each row."""
        return tuple(RowKind(self.name, label, "") for label in self.labels)

    @property
    @abstractmethod
    def columns(self) -> tuple[NuisanceColumn, ...]:
        """The columns after those of the clusters."""

    @cached_property
    @abstractmethod
    def matrix(self) -> Array:
        """Columns of the clusters, then of the nuisances, shape (n, rows, columns)."""

    @cached_property
    @abstractmethod
    def right(self) -> Array:
        """Right-hand side, then its derivative by each uncertain known value, shape (n, rows, 1 + known)."""

    # ------------------------------------------------------------------ how errors move them

    @property
    def explains(self) -> frozenset[str]:
        """Arrays of the samples without whose noise nobody knows how rows err."""
        return frozenset()

    @property
    def doubt(self) -> Array:
        """How many times as much as usual each row errs, beyond what errors of the samples do, shape (n, rows)."""
        return np.ones(self.right.shape[:2])

    def slopes(self, x: Array, channels: Sequence[NoisyChannel]) -> Array:
        """Derivative of matrix x - right by channels at the unknowns x, shape (n, rows, channels)."""
        slopes = np.zeros((*self.right.shape[:2], len(channels)))
        by_position = self.by_position(x) if any(channel.name == "q" for channel in channels) else None
        for k, channel in enumerate(channels):
            if channel.name == "q" and by_position is not None:
                slopes[..., k] = by_position[..., channel.index]
            elif (unit := self.unit_once(channel)) is not None:
                slopes[..., k] = unit.matrix @ x - unit.right[..., 0]
        return slopes

    def unit_once(self, channel: NoisyChannel) -> Unit | None:
        """`unit`, kept where rows are few: it is the same for all unknowns, and asked for time and again."""
        if self.matrix.nbytes > _KEPT_BYTES:
            return self.unit(channel)
        key = channel.name, channel.index
        if key not in self._units:
            self._units[key] = self.unit(channel)
        return self._units[key]

    @cached_property
    def _units(self) -> dict[tuple[str, int], Unit | None]:
        return {}

    def by_position(self, x: Array) -> Array:
        """Derivative of matrix x - right by joint positions, shape (n, rows, joints)."""
        raise NotImplementedError

    def by_first_attitude(self) -> Array:
        """Derivative of matrix x - right by a rotation of the first attitude, base axes, shape (n, rows, 3).

        Of rows that take a known momentum from the first sample's axes to the others'.
        """
        return np.zeros((*self.right.shape[:2], 3))

    def unit(self, channel: NoisyChannel) -> Unit | None:
        """What a unit error of a channel adds; None if the rows are not linear in it (positions of joints)."""
        raise NotApplicable(
            f"{self.name} rows are not linear in the measured rates; "
            + instead(
                self.problem.robot, "methods for noisy regressors are for momentum, angular-momentum and base-velocity"
            )
        )

    def instruments(self, x: Array) -> Array:
        """The matrix at the base motion that the unknowns x predict, shape (n, rows, columns)."""
        raise NotApplicable(
            f"{self.name} rows do not predict the base's motion; "
            + instead(self.problem.robot, "the instrumental variable is for momentum and angular-momentum")
        )

    # ------------------------------------------------------------------ shared by the models

    @cached_property
    def samples(self) -> Samples:
        """The flight's samples, without what the base cannot do."""
        samples, robot = self.flight.samples, self.problem.robot
        if robot.base == "free":
            return samples
        given = {name: values for name in _TWIST if (values := getattr(samples, name)) is not None}
        return replace(samples, **{name: values * _moves(robot, name, 3) for name, values in given.items()})

    @cached_property
    def uncertain(self) -> NDArray[np.int64]:
        """Standard parameters that are known with a standard deviation."""
        return np.flatnonzero(self.problem.known_sd)

    @property
    def momentum_is_unknown(self) -> bool:
        """Whether the total momentum is to be estimated."""
        return self.flight.momentum.is_unknown

    @cached_property
    def turned(self) -> Array:
        """R^T at each sample, from inertial to base axes, shape (n, 3, 3)."""
        attitude = self.samples.need("attitude", f"{self.name} with a momentum that is not zero")
        return np.asarray(rotations(attitude).transpose(0, 2, 1))

    @cached_property
    def wheel_momentum(self) -> Array:
        """Of all wheels, base axes, shape (n, 3)."""
        return spin_momentum(self.problem.robot, self.samples)

    @cached_property
    def total(self) -> Array:
        """Known angular momentum, zero if it is zero or unknown, base axes, shape (n, 3)."""
        momentum = self.flight.momentum
        if momentum.kind != "known":
            return np.zeros((len(self.samples), 3))
        if self.problem.robot.base == "planar":
            return np.tile(momentum.vector * [0.0, 0.0, 1.0], (len(self.samples), 1))
        return self.turned @ (self.turned[0].T @ momentum.vector)

    def total_by_first_attitude(self) -> Array:
        """Derivative of `total` by a rotation of the first attitude, base axes, shape (n, 3, 3)."""
        momentum = self.flight.momentum
        if momentum.kind != "known" or self.problem.robot.base == "planar":
            return np.zeros((len(self.samples), 3, 3))
        return np.asarray(-self.turned @ (self.turned[0].T @ skew(momentum.vector)))

    def wheel_unit(self, wheel: int) -> Array:
        """Momentum of a wheel at unit rate, base axes, shape (3,)."""
        return momentum_by_wheel_rates(self.problem.robot)[:, wheel]

    def named(self, what: str) -> str:
        """The name of a nuisance, with its flight's number if there are several."""
        return what if self.number is None else f"{what} flight {self.number}"

    def unit_motion(self, channel: NoisyChannel) -> Samples:
        """The flight's positions with every rate zero but that of one channel, which is one."""
        n, joints = self.samples.q.shape
        widths: Mapping[str, int] = {"v": 3, "w": 3, "dq": joints, "wheel_rates": len(self.problem.robot.wheels)}
        rates = {name: np.zeros((n, widths[name])) for name in _RATES}
        rates[channel.name][:, channel.index] = 1.0
        return Samples(q=self.samples.q, **rates)

    def no_unit(self) -> Unit:
        """Nothing added."""
        return Unit(np.zeros_like(self.matrix), np.zeros_like(self.right))


def turn_unit(axis: int, turned: Array) -> Array:
    """Derivative of R^T by a small rotation about a base axis, shape (n, 3, 3)."""
    return np.asarray(-skew(np.eye(3)[axis]) @ turned)
