"""What the drives of joints add to torque and energy rows: columns of unknown terms, what known ones give, doubt.

Joint j's drive gives sum_k c_jk f_k(r_j, r_j') beside inverse dynamics (`robot/drive.py`): a column f_k for each term
that is unknown, of all flights together; terms that are known go to the right-hand side. Where rates are measured, a
sign is a hyperbolic tangent that is steep as far as their noise allows. Torques that were low-passed do not jump where
a joint turns back; their columns then went through the same filter, from motion that is finer than the samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import make_interp_spline

from freefloat.arrays import Array
from freefloat.data.processing.filtering import LowPass
from freefloat.dynamics.drive_torques import DriveColumn, doubt_near_standstill, drive_column
from freefloat.estimate.joint_curves import JointCurves
from freefloat.estimate.rows.model_rows import NuisanceColumn
from freefloat.robot.drive import DRIVE_TERMS, FRICTION_TERMS, DriveTerm, drive_name, drive_unit
from freefloat.robot.model import Robot

_CLEAR = 2.0  # standard deviations of a rate: a joint that is faster has a direction
_JUMPS: tuple[DriveTerm, ...] = ("coulomb", "stribeck")  # where a joint turns back
_BENT = (*_JUMPS, "asymmetric")  # there: what a low-pass changes even if the motion is slow
_FINE = 20.0  # instants in a period of the cut-off
_FEWEST = 16


class FilteredMotion:
    """Rates of joints at instants so near each other that what they cause can be low-passed; shape (m, joints)."""

    def __init__(self, low_pass: LowPass, curves: JointCurves, t: Array) -> None:
        count = math.ceil(_FINE * low_pass.cutoff_Hz * float(t[-1] - t[0])) + 1
        self._low_pass, self._t = low_pass, np.linspace(t[0], t[-1], max(count, _FEWEST))
        self.rate = curves.at(self._t).rate

    def at(self, values: Array, t: Array) -> Array:
        """Values at these instants, (m, joints), low-passed, at times t, (n, joints)."""
        rate_Hz = (self._t.size - 1) / float(self._t[-1] - self._t[0])
        return np.asarray(make_interp_spline(self._t, self._low_pass.apply(values, rate_Hz))(t))


@dataclass(frozen=True, eq=False)
class JointDrives:
    """The drives of a robot's joints along a motion at n instants.

    unknown: terms that are estimated, of every joint. t: the instants, shape (n,) [s]. dq, ddq: shape (n, joints).
    rate_sd: of the rates, (joints,). filtered: where torques were low-passed, how.
    """

    robot: Robot
    unknown: tuple[DriveTerm, ...]
    t: Array
    dq: Array
    ddq: Array
    rate_sd: Array
    filtered: FilteredMotion | None = None

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

    def at(self, sizes: Array) -> DriveColumn:
        """All torques with the unknown terms of these sizes, (terms joints,), known terms included."""
        given = dict(zip(self.unknown, sizes.reshape(len(self.unknown), self.dq.shape[1]), strict=True))
        return self._sum(DRIVE_TERMS, {**self._assumed, **given})

    @cached_property
    def known_friction(self) -> DriveColumn:
        """What terms of friction that are not unknown give, with its derivatives, (n, joints) each."""
        return self._sum([term for term in FRICTION_TERMS if term not in self.unknown], self._assumed)

    @cached_property
    def assumed_friction(self) -> DriveColumn:
        """Torques of all terms as the robot has them, but for the rotors'."""
        return self._sum(FRICTION_TERMS, self._assumed)

    @cached_property
    def rotors(self) -> Array:
        """Inertia of the rotors that is known, shape (joints,)."""
        return np.zeros(self.dq.shape[1]) if "rotor" in self.unknown else self._assumed["rotor"]

    @cached_property
    def doubt(self) -> Array:
        """How many times as much as in motion each joint's torque errs, (n, joints): ones without what jumps."""
        if not any(term in self.unknown or self._assumed[term].any() for term in _JUMPS):
            return np.ones_like(self.dq)
        between_s = float(np.median(np.diff(self.t))) if self.t.size > 1 else 0.0
        return doubt_near_standstill(self.dq, self.ddq, between_s, _CLEAR * self._smooth)

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
        column = drive_column(term, self.dq, self.ddq, slow, self._smooth)
        if self.filtered is None or term not in _BENT:
            return column
        fine = drive_column(term, self.filtered.rate, np.zeros_like(self.filtered.rate), slow, self._smooth).value
        return column._replace(value=self.filtered.at(fine, self.t))

    def _sum(self, terms: Sequence[DriveTerm], sizes: dict[DriveTerm, Array]) -> DriveColumn:
        total = DriveColumn(*(np.zeros_like(self.dq) for _ in range(3)))
        for term in terms:
            if sizes[term].any():
                parts = zip(total, self._column(term), strict=True)
                total = DriveColumn(*(so_far + sizes[term] * part for so_far, part in parts))
        return total
