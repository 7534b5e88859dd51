"""Torques of the joints of a robot on the ground along a motion, with their exact derivatives.

    tau = Y(q, dq, ddq) phi + what drives give (`dynamics/drive_torques.py`, `dynamics/rotors.py`)

Derivatives by the motion are reverse sweeps, one a joint, of inverse dynamics and of rotors behind gears with ratios.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.drive_torques import DriveColumn, drive_column
from freefloat.dynamics.rotor_adjoint import rotor_adjoint
from freefloat.dynamics.rotors import rotor_columns
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics, joint_torque_slopes, torque_regressor
from freefloat.robot.drive import DRIVE_TERMS, DriveTerm
from freefloat.robot.model import Robot

_AT_ONCE = 8192  # instants, so that what is computed on the way takes little memory


@dataclass(frozen=True, slots=True, eq=False)
class TorqueSlopes:
    """Derivatives of torques at n instants: by parameters (n, joints, c), by the motion (n, joints, joints) each.

    drives: by the terms that are unknown, term by term of all joints, (n, joints, terms joints).
    """

    parameters: Array
    positions: Array
    rates: Array
    accelerations: Array
    drives: Array


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
        samples, sizes = Samples(q=q, dq=dq, ddq=ddq), self._sizes(drives)
        total: Array = inverse_dynamics(self.robot, samples, phi)[:, 6:]
        for term, size in sizes.items():
            if not size.any():
                continue
            if term == "rotor":
                total = total + rotor_columns(self.robot, samples)[:, 6:] @ size
            else:
                total = total + size * self._column(term, dq, ddq).value
        return total

    def slopes(
        self, q: Array, dq: Array, ddq: Array, drives: Array, phi: Array, columns: NDArray[np.int64]
    ) -> TorqueSlopes:
        """Their derivatives; columns: of the standard parameters that are asked for, (c,)."""
        n, joints = q.shape
        parameters = np.empty((n, joints, columns.size))
        by_motion = np.empty((3, n, joints, joints))
        by_drives = np.zeros((n, joints, len(self.unknown) * joints))
        sizes = self._sizes(drives)
        for start in range(0, n, _AT_ONCE):
            own = slice(start, start + _AT_ONCE)
            samples = Samples(q=q[own], dq=dq[own], ddq=ddq[own])
            parameters[own] = torque_regressor(self.robot, samples)[:, 6:, columns]
            by_motion[:, own] = joint_torque_slopes(self.robot, samples, phi) + self._by_rotors(samples, sizes["rotor"])
            if "rotor" in self.unknown:
                by_drives[own, :, self._place("rotor")] = rotor_columns(self.robot, samples)[:, 6:]
        diagonal = np.arange(joints)
        for term in DRIVE_TERMS:
            if term == "rotor" or not (term in self.unknown or sizes[term].any()):
                continue
            column = self._column(term, dq, ddq)
            by_motion[1][:, diagonal, diagonal] += sizes[term] * column.by_rate
            by_motion[2][:, diagonal, diagonal] += sizes[term] * column.by_acceleration
            if term in self.unknown:
                by_drives[:, diagonal, self._place(term).start + diagonal] = column.value
        return TorqueSlopes(parameters, by_motion[0], by_motion[1], by_motion[2], by_drives)

    def _by_rotors(self, samples: Samples, rotors: Array) -> Array:
        """What rotors of these inertias add to the derivatives by the motion, shape (3, n, joints, joints)."""
        n, joints = samples.q.shape
        found, drives = np.zeros((3, n, joints, joints)), [joint.drive for joint in self.robot.joints]
        found[2][:, np.arange(joints), np.arange(joints)] = rotors
        if not rotors.any() or not any(np.isfinite(drive.gear_ratio) for drive in drives):
            return found
        found[:] = 0.0
        for sign in (1.0, -1.0):  # a search may pass by rotors that no robot has
            sizes = np.maximum(sign * rotors, 0.0)
            given = [replace(drive, rotor=size) for drive, size in zip(drives, sizes.tolist(), strict=True)]
            robot = self.robot.with_drives(given)
            for joint in range(joints if sizes.any() else 0):
                weight = np.zeros((n, 6 + joints))
                weight[:, 6 + joint] = sign
                slope = rotor_adjoint(robot, samples, weight)
                found[:, :, joint] += np.stack([slope.q, slope.dq, slope.ddq])
        return found

    def _place(self, term: DriveTerm) -> slice:
        """Of an unknown term among the unknown terms of all joints."""
        start, joints = self.unknown.index(term), len(self.robot.joints)
        return slice(start * joints, (start + 1) * joints)

    def _sizes(self, drives: Array) -> dict[DriveTerm, Array]:
        """Of all terms, (joints,) each: those that are unknown as given, others as the robot has them."""
        given = dict(zip(self.unknown, drives, strict=True))
        return {
            term: given[term]
            if term in given
            else np.array([getattr(joint.drive, term) for joint in self.robot.joints])
            for term in DRIVE_TERMS
        }

    def _column(self, term: DriveTerm, dq: Array, ddq: Array) -> DriveColumn:
        slow = [joint.drive.stribeck_rate for joint in self.robot.joints]
        return drive_column(term, dq, ddq, slow, self.smooth)
