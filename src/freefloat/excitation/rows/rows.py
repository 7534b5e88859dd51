"""Rows: the matrix that a motion fills, and the way back from it to the motion.

A design wants a matrix C, rows of a regressor or whitened derivatives of what sensors read, to have some property. The
derivative of a goal by the entries of C is pulled back to the motion by the reverse sweep of the kernels; the
trajectory, linear in its coefficients, does the rest:

    filled = rows.fill(samples)
    value, Z = goal(filled.matrix)            # Z = d goal / d C
    slope = filled.pull_back(Z)               # d goal / d q, dq, ddq, wheels, at every instant
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.motion.trajectory import LinearMap
from freefloat.robot.model import Robot


@dataclass(frozen=True, slots=True, eq=False)
class MotionSlope:
    """Derivative of one number by the motion at n instants.

    q, dq, ddq: shape (n, joints). wheel_rates, wheel_accelerations: shape (n, wheels).
    """

    q: Array
    dq: Array
    ddq: Array
    wheel_rates: Array
    wheel_accelerations: Array

    @classmethod
    def zero(cls, robot: Robot, n: int) -> MotionSlope:
        """Of what does not depend on the motion."""
        q, dq, ddq = np.zeros((3, n, len(robot.joints)))
        return cls(q, dq, ddq, *np.zeros((2, n, len(robot.wheels))))

    def __add__(self, other: MotionSlope) -> MotionSlope:
        return MotionSlope(
            self.q + other.q,
            self.dq + other.dq,
            self.ddq + other.ddq,
            self.wheel_rates + other.wheel_rates,
            self.wheel_accelerations + other.wheel_accelerations,
        )

    def by_coefficients(self, robot: Robot, channels: Sequence[str], linear: LinearMap) -> Array:
        """Derivative by the coefficients of a trajectory with these channels, shape (k, channels)."""
        found = np.zeros((linear.basis.shape[1], len(channels)))
        joints, wheels = list(robot.joint_names), [wheel.name for wheel in robot.wheels]
        for column, name in enumerate(channels):
            if name in joints:
                j = joints.index(name)
                found[:, column] = (
                    linear.basis.T @ self.q[:, j]
                    + linear.basis_rate.T @ self.dq[:, j]
                    + linear.basis_acceleration.T @ self.ddq[:, j]
                )
            else:
                w = wheels.index(name)
                found[:, column] = (
                    linear.basis_rate.T @ self.wheel_rates[:, w]
                    + linear.basis_acceleration.T @ self.wheel_accelerations[:, w]
                )
        return found


class Filled(ABC):
    """The matrix of one motion.

    matrix: shape (m, columns).
    """

    matrix: Array

    @abstractmethod
    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion of a number whose derivative by the matrix is Z, shape (m, columns)."""


class DesignRows(ABC):
    """What a motion's instants contribute to a design."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Of the columns."""

    @abstractmethod
    def fill(self, samples: Samples) -> Filled:
        """The matrix for motion that has q, dq, ddq, wheel rates and t; base motion follows from it."""


class ModelDesignRows(DesignRows):
    """Rows of a model that is linear in its clusters: matrix times values is what would be measured."""

    @property
    @abstractmethod
    def values(self) -> Array:
        """Of the columns, for the robot as it is assumed to be, shape (columns,)."""
