"""Torque rows: base wrench along what the base can do, then joint torques.

    Y theta + drives = (wrench, torques) - Y_known phi_known - wheels - known drives

after C. G. Atkeson, C. H. An, J. M. Hollerbach, "Estimation of inertial parameters of manipulator loads and links",
International Journal of Robotics Research, 1986; where no torques are measured, the base rows alone: K. Ayusawa,
G. Venture, Y. Nakamura, same journal, 2014. A base that nothing pushes has no wrench. Drives: friction and rotors of
the joints, see `joint_drives.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.dynamics.rotors import rotor_columns
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics, mass_matrix, torque_regressor, wheel_wrench_columns
from freefloat.estimate.estimate_parts import torque_unit
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.rows.joint_drives import JointDrives
from freefloat.estimate.rows.model_rows import NoisyChannel, NuisanceColumn, RowKind
from freefloat.estimate.rows.standard import StandardRows
from freefloat.models.model import BaseWrench
from freefloat.robot.base_axes import allowed_rows

if TYPE_CHECKING:
    from freefloat.models.names import ModelName


_BASE = (*(f"force {axis}" for axis in AXES), *(f"moment {axis}" for axis in AXES))
_RATES = ("v", "w", "dq", "wheel_rates")
_PLACE = {"dv": 0, "dw": 3, "ddq": 6}


class TorqueRows(StandardRows):
    """A row for each way that the base can go, and one for each joint if torques are measured."""

    name: ClassVar[ModelName] = "torque"
    feels: ClassVar[frozenset[str]] = frozenset({"v", "w", "dq", "ddq", "dv", "dw", "torques", "base_wrench"})
    rate_linear: ClassVar[bool] = False

    @cached_property
    def _chosen(self) -> NDArray[np.int64]:
        """Rows that are measured, of six of the base and one per joint."""
        base, joints = allowed_rows(self.problem.robot), len(self.problem.robot.joints)
        if self.samples.torques is not None:
            return np.concatenate([base, np.arange(6, 6 + joints)])
        if not base.size:
            raise InvalidProblem(f"{self.flight.name}: torque rows of a fixed base need `torques`")
        return base

    @property
    def labels(self) -> tuple[str, ...]:
        """What each row of a sample is."""
        every = (*_BASE, *(f"torque {name}" for name in self.problem.robot.joint_names))
        return tuple(every[row] for row in self._chosen)

    @property
    def kinds(self) -> tuple[RowKind, ...]:
        """Force and moment on the base, then joint torques."""
        robot = self.problem.robot
        base = [RowKind("force on the base", axis, "N") for axis in AXES]
        base += [RowKind("moment on the base", axis, "N m") for axis in AXES]
        every = (*base, *(RowKind("torques", name, torque_unit(robot)) for name in robot.joint_names))
        return tuple(every[row] for row in self._chosen)

    @property
    def columns(self) -> tuple[NuisanceColumn, ...]:
        """What is unknown of the joints' drives, if their torques are measured."""
        return self.drives.columns

    @cached_property
    def drives(self) -> JointDrives:
        """The drives of the joints; nothing of them is unknown without torques."""
        return self.joint_drives if self._has_joints else replace(self.joint_drives, unknown=())

    @property
    def explains(self) -> frozenset[str]:
        """Torques, where they were measured."""
        return frozenset({"torques"} if self._has_joints else ())

    @property
    def _has_joints(self) -> bool:
        return bool((self._chosen >= 6).any())

    def standard(self, samples: Samples, columns: NDArray[np.int64]) -> Array:
        """Rows of what is measured, shape (n, rows, len(columns))."""
        return torque_regressor(self.problem.robot, samples)[:, self._chosen[:, None], columns]

    @cached_property
    def nuisance(self) -> Array:
        """The columns of the drives, shape (n, rows, terms joints)."""
        columns, joints = self._below_base(self.drives.torque_columns()), len(self.problem.robot.joints)
        if "rotor" in self.drives.unknown:
            place = self.drives.unknown.index("rotor") * joints
            columns[..., place : place + joints] = rotor_columns(self.problem.robot, self.samples)
        return columns[:, self._chosen]

    @cached_property
    def doubt(self) -> Array:
        """How many times as much as usual each row errs: more near a joint's standstill, (n, rows)."""
        return self._below_base(self.drives.doubt, 1.0)[:, self._chosen]

    @staticmethod
    def _below_base(of_joints: Array, of_base: float = 0.0) -> Array:
        """Rows of the joints, (n, joints, ...), after six of the base."""
        n, _, *rest = of_joints.shape
        return np.concatenate([np.full((n, 6, *rest), of_base), of_joints], axis=1)

    @cached_property
    def measured(self) -> Array:
        """Wrench and torques of the bodies, shape (n, rows)."""
        samples, robot = self.samples, self.problem.robot
        measured = np.zeros((len(samples), 6 + len(robot.joints)))
        if samples.base_wrench is not None:
            measured[:, :6] = samples.base_wrench
        if samples.torques is not None:
            measured[:, 6:] = samples.torques - self.drives.known_friction.value
        if self.drives.rotors.any():
            measured = measured - rotor_columns(robot, samples) @ self.drives.rotors
        return (measured - wheel_wrench_columns(robot, samples) @ robot.wheel_inertias)[:, self._chosen]

    def slopes(self, x: Array, channels: Sequence[NoisyChannel]) -> Array:
        """Derivative of matrix x - right by channels, shape (n, rows, channels): at the CAD model, with x's drives.

        Of rotors only what their own joints feel.
        """
        H = mass_matrix(self.cad_robot, self.samples.q)
        drives = self.drives.at(x[len(self.problem.minimal) :])
        driven = {"dq": drives.by_rate, "ddq": drives.by_acceleration}
        slopes = np.zeros((len(self.samples), 6 + len(self.problem.robot.joints), len(channels)))
        for k, channel in enumerate(channels):
            if channel.name in _PLACE:
                slopes[..., k] = H[..., _PLACE[channel.name] + channel.index]
            elif channel.name in _RATES:
                slopes[..., k] = self._by_rate(channel)
            elif channel.name == "torques":
                slopes[:, 6 + channel.index, k] = -1.0
            elif channel.name == "base_wrench":
                slopes[:, channel.index, k] = -1.0
            if channel.name in driven:
                slopes[:, 6 + channel.index, k] += driven[channel.name][:, channel.index]
        return slopes[:, self._chosen]

    def _by_rate(self, channel: NoisyChannel) -> Array:
        """Derivative by a rate, shape (n, 6 + joints).

        Torques are a quadratic form c of the rates r: c(r + e) - c(r) - c(e), which is twice the bilinear form of
        r and e, is the derivative itself.
        """
        added = self.unit_motion(channel)
        both = replace(self._coasting, **{name: self._rate(name) + getattr(added, name) for name in _RATES})
        still = {name: getattr(self._coasting, name) for name in ("ddq", "dv", "dw", "wheel_accelerations")}
        alone = replace(added, **still)
        return self._quadratic(both) - self._quadratic(self._coasting) - self._quadratic(alone)

    def _rate(self, name: str) -> Array:
        rate: Array = getattr(self._coasting, name)
        return rate

    @cached_property
    def _coasting(self) -> Samples:
        """The flight's rates without accelerations."""
        samples, robot = self.samples, self.problem.robot
        v, w = samples.base_twist(robot, "torque")
        still, wheels = np.zeros((len(samples), 3)), np.zeros((len(samples), len(robot.wheels)))
        return Samples(
            q=samples.q,
            dq=samples.need("dq", "torque"),
            ddq=np.zeros_like(samples.q),
            v=v,
            w=w,
            dv=still,
            dw=still,
            wheel_rates=wheels if samples.wheel_rates is None else samples.wheel_rates,
            wheel_accelerations=wheels,
        )

    def _quadratic(self, samples: Samples) -> Array:
        return inverse_dynamics(replace(self.cad_robot, gravity=np.zeros(3)), samples)


class BaseWrenchRows(TorqueRows):
    """Six rows under a base that stands: force and moment that hold it, as measured; torques are not asked for."""

    name: ClassVar[ModelName] = "base-wrench"

    @cached_property
    def _chosen(self) -> NDArray[np.int64]:
        """Those of the base."""
        if self.samples.base_wrench is None:
            raise InvalidProblem(
                f"{self.flight.name}: base-wrench rows need `base_wrench`: force and moment on the base"
            )
        return BaseWrench(self.problem.robot).row_numbers
