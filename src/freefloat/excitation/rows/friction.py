"""Columns of friction beside those of bodies, so that a designed motion tells one from the other.

Of each joint that moves there is a column for each term f of its drive that is unknown (`robot/drive.py`). In the row
of the joint's torque it is f(r), r being the joint's rate; in rows of the energy, what friction takes from instant to
instant,

    (t' - t) (f(r) r + f(r') r') / 2.

The sign of a rate is a hyperbolic tangent, so that a joint may turn back while its rows keep a derivative. Rotors have
no columns: what they show, inertias of bodies show too.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.drive_torques import DriveColumn, drive_column
from freefloat.dynamics.samples import Samples
from freefloat.excitation.rows.energy import EnergyDesignRows
from freefloat.excitation.rows.rows import Filled, ModelDesignRows, MotionSlope
from freefloat.excitation.rows.torque import TorqueDesignRows
from freefloat.robot.drive import FRICTION_TERMS, DriveTerm, drive_name
from freefloat.robot.model import Robot

_NEAR = 0.3  # of the rate that is slow for Stribeck's friction: the width of the sign


@dataclass(frozen=True, eq=False)
class FilledFriction(Filled):
    """Rows of bodies and friction of one motion.

    by_rate: derivative of each term's share at each instant by the rate of its joint, (n, terms, joints that move).
    matrix: shape (m, columns + terms joints).
    """

    rows: FrictionRows
    inner: Filled
    samples: Samples
    by_rate: Array
    matrix: Array

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion of a number whose derivative by the matrix is Z, in its shape."""
        columns = self.inner.matrix.shape[1]
        slope = self.inner.pull_back(Z[:, :columns])
        by_share = self.rows.pulled_to_instants(Z[:, columns:].reshape(len(Z), *self.by_rate.shape[1:]), self.samples)
        dq = np.array(slope.dq)
        dq[:, self.rows.moving] += (by_share * self.by_rate).sum(axis=1)
        return replace(slope, dq=dq)


@dataclass(frozen=True, eq=False)
class FrictionRows(ModelDesignRows):
    """Rows of a model with columns of friction after those of bodies.

    robot: whose joints rub. terms: of every joint that moves. moving: the numbers of these joints.
    """

    rows: ModelDesignRows
    robot: Robot
    terms: tuple[DriveTerm, ...]
    moving: NDArray[np.int64]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the model's columns, then term by term of the joints."""
        joints = [self.robot.joint_names[j] for j in self.moving]
        return (*self.rows.names, *(drive_name(term, joint) for term in self.terms for joint in joints))

    @property
    def values(self) -> Array:
        """Of the columns, as the robot has them."""
        drives = [self.robot.joints[j].drive for j in self.moving]
        return np.append(self.rows.values, [getattr(drive, term) for term in self.terms for drive in drives])

    def fill(self, samples: Samples) -> FilledFriction:
        """The matrix for a motion of the joints."""
        inner, dq = self.rows.fill(samples), samples.need("dq", "friction")[:, self.moving]
        slow = np.array([self.robot.joints[j].drive.stribeck_rate for j in self.moving])
        columns = [drive_column(term, dq, np.zeros_like(dq), slow, _NEAR * slow) for term in self.terms]
        shares = [self.share(column, dq) for column in columns]
        friction = self.rows_of(np.stack([value for value, _ in shares], axis=1), samples)
        matrix = np.hstack([inner.matrix, friction.reshape(len(inner.matrix), -1)])
        return FilledFriction(self, inner, samples, np.stack([slope for _, slope in shares], axis=1), matrix)

    @abstractmethod
    def share(self, column: DriveColumn, dq: Array) -> tuple[Array, Array]:
        """What a term gives at an instant, and its derivative by the rate, (n, joints) each."""

    @abstractmethod
    def rows_of(self, shares: Array, samples: Samples) -> Array:
        """Shares at the instants, (n, terms, joints), as rows, (m, terms, joints)."""

    @abstractmethod
    def pulled_to_instants(self, Z: Array, samples: Samples) -> Array:
        """Derivative by the shares, (n, terms, joints), of a number whose derivative by the rows is Z."""


@dataclass(frozen=True, eq=False)
class TorqueFrictionRows(FrictionRows):
    """Each joint's friction in the row of its own torque; rows are those of all joints at every instant."""

    def share(self, column: DriveColumn, dq: Array) -> tuple[Array, Array]:
        """The torque."""
        return column.value, column.by_rate

    def rows_of(self, shares: Array, samples: Samples) -> Array:
        """Zeros in the rows of other joints."""
        n, terms, moving = shares.shape
        rows = np.zeros((n, len(self.robot.joints), terms, moving))
        rows[:, self.moving, :, np.arange(moving)] = shares.transpose(2, 0, 1)
        return rows.reshape(-1, terms, moving)

    def pulled_to_instants(self, Z: Array, samples: Samples) -> Array:
        """Of the rows of each joint's own torque."""
        _, terms, moving = Z.shape
        own = Z.reshape(len(samples), -1, terms, moving)[:, self.moving, :, np.arange(moving)]
        return own.transpose(1, 2, 0)


@dataclass(frozen=True, eq=False)
class EnergyFrictionRows(FrictionRows):
    """The work that friction takes between successive instants."""

    def share(self, column: DriveColumn, dq: Array) -> tuple[Array, Array]:
        """The power."""
        return column.value * dq, column.by_rate * dq + column.value

    def rows_of(self, shares: Array, samples: Samples) -> Array:
        """Power, integrated by the trapezoidal rule."""
        return _half_steps(samples) * (shares[1:] + shares[:-1])

    def pulled_to_instants(self, Z: Array, samples: Samples) -> Array:
        """Half of the step before an instant, and half of that after it."""
        halves, none = _half_steps(samples) * Z, np.zeros((1, *Z.shape[1:]))
        return np.concatenate([none, halves]) + np.concatenate([halves, none])


def _half_steps(samples: Samples) -> Array:
    """Half of the time between successive instants, shape (n - 1, 1, 1) [s]."""
    return 0.5 * np.diff(samples.need("t", "friction's work"))[:, None, None]


def with_friction(
    rows: TorqueDesignRows | EnergyDesignRows, terms: Sequence[DriveTerm], channels: Sequence[str]
) -> ModelDesignRows:
    """Rows on a fixed base with columns of these terms but the rotors', of those joints that are channels."""
    rubbing, robot = tuple(term for term in FRICTION_TERMS if term in terms), rows.model.robot
    moving = np.array([j for j, name in enumerate(robot.joint_names) if name in channels], dtype=np.int64)
    if not (rubbing and moving.size):
        return rows
    kind = TorqueFrictionRows if isinstance(rows, TorqueDesignRows) else EnergyFrictionRows
    return kind(rows, robot, rubbing, moving)
