"""Rows of the base's velocity against that of the centre of mass, base axes.

    Y eta + R^T v_cm + (R^T int R dt) a = v

after O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space
manipulator systems", Robotics and Autonomous Systems, 2022. The centre of mass moves uniformly with v_cm, inertial
axes; a is the constant error of an acceleration whose integral v is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.dynamics.momentum_rows import momentum_adjoint
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.rows.integral import integral
from freefloat.estimate.rows.model_rows import Group, ModelRows, NoisyChannel, NuisanceColumn, RowKind, Unit, turn_unit
from freefloat.models.angular_momentum import BaseVelocity
from freefloat.robot.base_axes import sliding_axes

if TYPE_CHECKING:
    from freefloat.models.names import ModelName


@dataclass(frozen=True, eq=False)
class BaseVelocityRows(ModelRows):
    """Three rows per sample, those of a planar base two.

    model: of the robot as it was in all flights.
    """

    model: BaseVelocity

    name: ClassVar[ModelName] = "base-velocity"
    feels: ClassVar[frozenset[str]] = frozenset({"v", "w", "dq", "q"})
    group: ClassVar[Group] = "base-velocity"

    @cached_property
    def _axes(self) -> NDArray[np.int64]:
        return sliding_axes(self.problem.robot)

    @property
    def labels(self) -> tuple[str, ...]:
        """What each row of a sample is."""
        return tuple(f"velocity {AXES[axis]}" for axis in self._axes)

    @property
    def kinds(self) -> tuple[RowKind, ...]:
        """Components of one vector."""
        return tuple(RowKind("base velocity", AXES[axis], "m/s") for axis in self._axes)

    @cached_property
    def _drifts(self) -> bool:
        """Whether the velocity is an integrated acceleration with an unknown constant error."""
        return self.problem.nuisances.velocity_bias_m_s2 is not None and bool(
            np.any(self.flight.walks.get("v", np.zeros(3)))
        )

    @property
    def columns(self) -> tuple[NuisanceColumn, ...]:
        """The velocity of the centre of mass, inertial axes, and the acceleration's error."""
        names = [("velocity of the centre of mass", "m/s")] if self._turns else []
        names += [("velocity bias", "m/s^2")] if self._turns and self._drifts else []
        return tuple(
            NuisanceColumn(self.named(f"{what} {AXES[axis]}"), unit) for what, unit in names for axis in self._axes
        )

    @cached_property
    def _turns(self) -> bool:
        """Whether the attitude is known, so that a moving centre of mass can be told from a turning base."""
        if self.samples.attitude is None and not self.flight.momentum.is_zero:
            raise InvalidProblem(
                f"{self.flight.name}: base-velocity rows need `attitude` where momentum is not zero, for the "
                "centre of mass may move"
            )
        return self.samples.attitude is not None

    @cached_property
    def _nuisance(self) -> Array:
        return self._moving(self.turned) if self._turns else np.zeros((len(self.samples), self._axes.size, 0))

    def _moving(self, turned: Array) -> Array:
        """Columns of the centre of mass' velocity and of the acceleration's error, linear in R^T at the sample."""
        columns = [turned]
        if self._drifts:
            R = self.turned.transpose(0, 2, 1)
            columns.append(turned @ integral(R, self.flight.t))
        return np.concatenate([each[:, self._axes[:, None], self._axes] for each in columns], axis=2)

    @cached_property
    def matrix(self) -> Array:
        """Columns of the clusters, then of the nuisances, shape (n, rows, columns)."""
        return np.concatenate([self.model.rows(self.samples), self._nuisance], axis=2)

    @cached_property
    def right(self) -> Array:
        """The measured velocity; known values do not enter, shape (n, rows, 1 + known)."""
        right = np.zeros((len(self.samples), self._axes.size, 1 + self.uncertain.size))
        right[..., 0] = self.samples.need("v", "base velocity")[:, self._axes]
        return right

    # ------------------------------------------------------------------ how errors move the rows

    def unit(self, channel: NoisyChannel) -> Unit | None:
        """What a unit error of a channel adds; None for positions of joints."""
        if channel.name == "q":
            return None
        added, clusters = self.no_unit(), len(self.model.minimal)
        if channel.name in ("w", "dq"):
            added.matrix[..., :clusters] = self.model.rows(self.unit_motion(channel))
        elif channel.name == "v":
            added.right[..., 0] = np.eye(3)[channel.index][self._axes]
        elif channel.name == "attitude" and self._turns:
            added.matrix[..., clusters:] = self._moving(turn_unit(channel.index, self.turned))
        return added

    def by_position(self, x: Array) -> Array:
        """Derivative of Y eta by joint positions, shape (n, rows, joints)."""
        n, model = len(self.samples), self.model
        still = replace(self.samples, v=np.zeros((n, 3)))
        eta = np.zeros(self.problem.robot.parameters.size)
        moments = model.underlying.minimal.kept[model._moments]
        eta[moments[model.minimal.kept]] = x[: len(model.minimal)]
        slopes = np.zeros((n, self._axes.size, self.samples.q.shape[1]))
        for k, axis in enumerate(self._axes):
            Z = np.zeros((n, 6, eta.size))
            Z[:, axis] = -eta
            slopes[:, k] = momentum_adjoint(self.problem.robot, still, Z)[0]
        return slopes
