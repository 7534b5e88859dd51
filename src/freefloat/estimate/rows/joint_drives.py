"""What the drives of joints add to torque and energy rows: columns of unknown terms, what known ones give, doubt.

Joint j's drive gives sum_k c_jk f_k(r_j, r_j') beside inverse dynamics (`robot/drive.py`): a column f_k for each term
that is unknown, of all flights together; terms that are known go to the right-hand side. Where rates are measured, a
sign is a hyperbolic tangent that is steep as far as their noise allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.drive_torques import DriveColumn, doubt_near_standstill, drive_column
from freefloat.estimate.rows.model_rows import NuisanceColumn
from freefloat.robot.drive import DRIVE_TERMS, DriveTerm, drive_name, drive_unit
from freefloat.robot.model import Robot

_CLEAR = 2.0  # standard deviations of a rate: a joint that is faster has a direction
_FRICTION = tuple(term for term in DRIVE_TERMS if term != "rotor")
_JUMPS: tuple[DriveTerm, ...] = ("coulomb", "stribeck")  # where a joint turns back


@dataclass(frozen=True, eq=False)
class JointDrives:
    """The drives of a robot's joints along a motion at n instants.

    unknown: terms that are estimated, of every joint. dq, ddq: shape (n, joints). rate_sd: of the rates, (joints,).
    between_s: time between instants [s].
    """

    robot: Robot
    unknown: tuple[DriveTerm, ...]
    dq: Array
    ddq: Array
    rate_sd: Array
    between_s: float

    @property
    def columns(self) -> tuple[NuisanceColumn, ...]:
        """What is unknown, term by term."""
        joints = self.robot.joints
        return tuple(
            NuisanceColumn(drive_name(term, joint.name), drive_unit(term, joint.kind == "prismatic"), shared=True)
            for term in self.unknown
            for joint in joints
        )

    @cached_property
    def own(self) -> Array:
        """Each joint's torque by its own unknown terms, shape (n, joints, terms)."""
        return np.stack([column.value for column in self._unknown], axis=2) if self.unknown else self._none

    def torque_columns(self) -> Array:
        """Torques by all unknown terms, shape (n, joints, terms joints)."""
        n, joints = self.dq.shape
        wide, every = np.zeros((n, joints, len(self.unknown), joints)), np.arange(joints)
        wide[:, every, :, every] = self.own.transpose(1, 0, 2)
        return wide.reshape(n, joints, -1)

    @cached_property
    def known(self) -> DriveColumn:
        """Torques that the terms which are not unknown give, with their derivatives, (n, joints) each."""
        return self._sum([term for term in DRIVE_TERMS if term not in self.unknown], self._assumed)

    def at(self, sizes: Array) -> DriveColumn:
        """All torques with the unknown terms of these sizes, (terms joints,), known terms included."""
        given = dict(zip(self.unknown, sizes.reshape(len(self.unknown), self.dq.shape[1]), strict=True))
        return self._sum(DRIVE_TERMS, {**self._assumed, **given})

    @cached_property
    def known_friction(self) -> DriveColumn:
        """What is known, but for the rotors'."""
        return self._sum([term for term in _FRICTION if term not in self.unknown], self._assumed)

    @cached_property
    def assumed_friction(self) -> DriveColumn:
        """Torques of all terms as the robot has them, but for the rotors'."""
        return self._sum(_FRICTION, self._assumed)

    @cached_property
    def rotors(self) -> Array:
        """Inertia of the rotors that is known, shape (joints,)."""
        return np.zeros(self.dq.shape[1]) if "rotor" in self.unknown else self._assumed["rotor"]

    @cached_property
    def doubt(self) -> Array:
        """How many times as much as in motion each joint's torque errs, (n, joints): ones without what jumps."""
        if not any(term in self.unknown or self._assumed[term].any() for term in _JUMPS):
            return np.ones_like(self.dq)
        return doubt_near_standstill(self.dq, self.ddq, self.between_s, _CLEAR * self._smooth)

    @property
    def _smooth(self) -> Array:
        return _CLEAR * self.rate_sd

    @property
    def _none(self) -> Array:
        return np.zeros((*self.dq.shape, 0))

    @cached_property
    def _assumed(self) -> dict[DriveTerm, Array]:
        drives = [joint.drive for joint in self.robot.joints]
        return {term: np.array([getattr(drive, term) for drive in drives]) for term in DRIVE_TERMS}

    @property
    def _unknown(self) -> list[DriveColumn]:
        return [self._column(term) for term in self.unknown]

    def _column(self, term: DriveTerm) -> DriveColumn:
        slow = np.array([joint.drive.stribeck_rate for joint in self.robot.joints])
        return drive_column(term, self.dq, self.ddq, slow, self._smooth)

    def _sum(self, terms: Sequence[DriveTerm], sizes: dict[DriveTerm, Array]) -> DriveColumn:
        total = DriveColumn(*(np.zeros_like(self.dq) for _ in range(3)))
        for term in terms:
            if sizes[term].any():
                parts = zip(total, self._column(term), strict=True)
                total = DriveColumn(*(so_far + sizes[term] * part for so_far, part in parts))
        return total
