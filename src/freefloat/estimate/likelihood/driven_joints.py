"""Torques of the joints of a robot on the ground along a motion, with their exact derivatives.

    tau = Y(q, dq, ddq) phi + what drives give (`dynamics/drive_torques.py`)

Derivatives by the motion are reverse sweeps of inverse dynamics, one a joint.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.drive_torques import DriveColumn, drive_column
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics, joint_torque_slopes, torque_regressor
from freefloat.robot.drive import DRIVE_TERMS, DriveTerm
from freefloat.robot.model import Robot

_AT_ONCE = 8192  # instants, so that what is computed on the way takes little memory


@dataclass(frozen=True, slots=True, eq=False)
class TorqueSlopes:
    """Derivatives of torques at n instants: by parameters (n, joints, c), by the motion (n, joints, joints) each.

    drives: by the terms that are unknown, each joint's by its own, (n, joints) each.
    """

    parameters: Array
    positions: Array
    rates: Array
    accelerations: Array
    drives: tuple[Array, ...]


@dataclass(frozen=True, slots=True, eq=False)
class DrivenJoints:
    """A robot on the ground whose joints are driven.

    unknown: terms of the drives that are, of every joint. smooth: rates at which joints have clearly turned, (joints,).
    """

    robot: Robot
    unknown: tuple[DriveTerm, ...]
    smooth: Array

    def torques(self, q: Array, dq: Array, ddq: Array, drives: Array, phi: Array) -> Array:
        """Of joints that move so, (n, joints); drives: the unknown terms, (terms, joints). phi: (10 bodies,)."""
        total: Array = inverse_dynamics(self.robot, Samples(q=q, dq=dq, ddq=ddq), phi)[:, 6:]
        for size, column in zip(self._sizes(drives), self._columns(dq, ddq), strict=True):
            total = total + size * column.value
        return total

    def slopes(
        self, q: Array, dq: Array, ddq: Array, drives: Array, phi: Array, columns: NDArray[np.int64]
    ) -> TorqueSlopes:
        """Their derivatives; columns: of the standard parameters that are asked for, (c,)."""
        n, joints = q.shape
        parameters = np.empty((n, joints, columns.size))
        by_motion = np.empty((3, n, joints, joints))
        for start in range(0, n, _AT_ONCE):
            own = slice(start, start + _AT_ONCE)
            samples = Samples(q=q[own], dq=dq[own], ddq=ddq[own])
            parameters[own] = torque_regressor(self.robot, samples)[:, 6:, columns]
            by_motion[:, own] = joint_torque_slopes(self.robot, samples, phi)
        every, diagonal = self._columns(dq, ddq), np.arange(joints)
        for size, column in zip(self._sizes(drives), every, strict=True):
            by_motion[1][:, diagonal, diagonal] += size * column.by_rate
            by_motion[2][:, diagonal, diagonal] += size * column.by_acceleration
        found = dict(zip(DRIVE_TERMS, every, strict=True))
        return TorqueSlopes(
            parameters, by_motion[0], by_motion[1], by_motion[2], tuple(found[term].value for term in self.unknown)
        )

    def _sizes(self, drives: Array) -> list[Array]:
        """Of all terms, (joints,) each: those that are unknown as given, others as the robot has them."""
        given = dict(zip(self.unknown, drives, strict=True))
        return [
            given[term] if term in given else np.array([getattr(joint.drive, term) for joint in self.robot.joints])
            for term in DRIVE_TERMS
        ]

    def _columns(self, dq: Array, ddq: Array) -> list[DriveColumn]:
        slow = [joint.drive.stribeck_rate for joint in self.robot.joints]
        return [drive_column(term, dq, ddq, slow, self.smooth) for term in DRIVE_TERMS]
