"""Rows of the angular momentum about the centre of mass, base axes, and their derivatives.

    Y pi = h - Y_known pi_known - wheels

after O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space
manipulator systems", Robotics and Autonomous Systems, 2022. Momentum that is not known is constant in inertial axes:
three columns -R^T. Rows are linear in w and dq; in the joints' positions they are

    sum_a K_a c_a - sum_ab Q_ab S_a x P_b

with the first moments' columns S, P of centre of mass and linear momentum, whose exact derivatives are those of the
momentum regressor: a base moving with v has the angular momentum s x v.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.dynamics.mass_centre import first_moment_regressor
from freefloat.dynamics.momentum_rows import momentum_adjoint, momentum_regressor
from freefloat.estimate.rows.model_rows import Group, ModelRows, NoisyChannel, NuisanceColumn, RowKind, Unit, turn_unit
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.robot.base_axes import turning_axes

if TYPE_CHECKING:
    from freefloat.models.names import ModelName


@dataclass(frozen=True, eq=False)
class AngularMomentumRows(ModelRows):
    """Three rows per sample, that of a planar base one.

    model: of the robot as it was in all flights.
    """

    model: AngularMomentum

    name: ClassVar[ModelName] = "angular-momentum"
    feels: ClassVar[frozenset[str]] = frozenset({"w", "dq", "q"})
    group: ClassVar[Group] = "angular-momentum"

    @cached_property
    def _axes(self) -> NDArray[np.int64]:
        return turning_axes(self.problem.robot)

    @cached_property
    def _known(self) -> NDArray[np.int64]:
        return self.model.known_clusters()

    @cached_property
    def _asked(self) -> NDArray[np.int64]:
        return np.setdiff1d(np.arange(len(self.model.minimal)), self._known)

    @property
    def labels(self) -> tuple[str, ...]:
        """What each row of a sample is."""
        return tuple(f"angular momentum {AXES[axis]} about the centre of mass" for axis in self._axes)

    @property
    def kinds(self) -> tuple[RowKind, ...]:
        """Components of one vector."""
        return tuple(RowKind("angular momentum about the centre of mass", AXES[axis], "N m s") for axis in self._axes)

    @property
    def columns(self) -> tuple[NuisanceColumn, ...]:
        """Components of the unknown momentum, inertial axes."""
        axes = self._axes if self.momentum_is_unknown else ()
        return tuple(NuisanceColumn(self.named(f"momentum {AXES[axis]}"), "N m s") for axis in axes)

    @cached_property
    def _rows(self) -> Array:
        return self.model.rows(self.samples)

    @cached_property
    def _nuisance(self) -> Array:
        n, axes = len(self.samples), self._axes
        if not self.momentum_is_unknown:
            return np.zeros((n, axes.size, 0))
        return -np.ones((n, 1, 1)) if axes.size == 1 else -self.turned  # in the plane, z stays z

    @cached_property
    def matrix(self) -> Array:
        """Columns of the clusters, then of the nuisances, shape (n, rows, columns)."""
        return np.concatenate([self._of_unknowns(self._rows), self._nuisance], axis=2)

    @cached_property
    def right(self) -> Array:
        """Right-hand side, then its derivative by each uncertain known value, shape (n, rows, 1 + known)."""
        right = self._of_settled(self._rows)
        right[..., 0] += (self.total - self.wheel_momentum)[:, self._axes]
        return right

    @cached_property
    def _known_values(self) -> Array:
        """Values of the known clusters, then their derivatives by uncertain parameters, (known, 1 + uncertain)."""
        theta = self.model.underlying.minimal
        slope = self.model.jacobian(theta.values(self.model.standard(None))) @ theta.combine
        return np.column_stack([self.model.values()[self._known], slope[np.ix_(self._known, self.uncertain)]])

    @property
    def _count(self) -> int:
        """How many unknowns there are before the nuisances."""
        return int(self._asked.size)

    def _of_unknowns(self, rows: Array) -> Array:
        """Columns of the unknowns, of those of all clusters, (n, rows, clusters) -> (n, rows, count)."""
        return rows[..., self._asked]

    def _of_settled(self, rows: Array) -> Array:
        """What is settled on the right-hand side, and its derivatives, (n, rows, clusters) -> (n, rows, 1 + known)."""
        return -rows[..., self._known] @ self._known_values

    def _pi(self, x: Array) -> Array:
        """All clusters, known ones included, shape (clusters,)."""
        pi = np.zeros(len(self.model.minimal))
        pi[self._asked], pi[self._known] = x[: self._asked.size], self._known_values[:, 0]
        return pi

    # ------------------------------------------------------------------ how errors move the rows

    def unit(self, channel: NoisyChannel) -> Unit | None:
        """What a unit error of a channel adds; None for positions of joints."""
        if channel.name == "q":
            return None
        added, moved = self.no_unit(), np.zeros((len(self.samples), 3))
        if channel.name in ("w", "dq"):
            rows = self.model.rows(self.unit_motion(channel))
            added.matrix[..., : self._count] = self._of_unknowns(rows)
            added.right[...] = self._of_settled(rows)
        elif channel.name == "wheel_rates":
            moved[:] = -self.wheel_unit(channel.index)
        elif channel.name == "attitude" and self._axes.size > 1:
            moved[:] = -np.cross(np.eye(3)[channel.index], self.total)
            if self.momentum_is_unknown:
                added.matrix[..., self._count :] = -turn_unit(channel.index, self.turned)
        added.right[..., 0] += moved[:, self._axes]
        return added

    def by_first_attitude(self) -> Array:
        """By a rotation of the first attitude, in whose axes a known momentum is given, shape (n, rows, 3)."""
        return -self.total_by_first_attitude()[:, self._axes]

    def by_position(self, x: Array) -> Array:
        """Derivative of Y pi by joint positions, shape (n, rows, joints)."""
        n, robot = len(self.samples), self.problem.robot
        still = replace(self.samples, v=np.zeros((n, 3)))
        lever = [replace(still, v=np.tile(np.eye(3)[a], (n, 1)), w=still.v, dq=np.zeros_like(still.q)) for a in (1, 2)]
        linear, quadratic, moments = self._coefficients(self._pi(x))
        S = first_moment_regressor(robot, still)[..., moments] @ quadratic
        P = momentum_regressor(robot, still, moments)[:, :3] @ quadratic
        slopes = np.zeros((n, self._axes.size, self.samples.q.shape[1]))
        for k, e in enumerate(np.eye(3)[self._axes, None, :, None]):  # as columns, (1, 3, 1)
            Z = np.zeros((n, 6, linear.size))
            Z[:, 3:] = e * linear
            Z[:, :3, moments] -= np.cross(e, S, axis=1)
            slopes[:, k] = momentum_adjoint(robot, still, Z)[0]
            by_moment = -np.cross(P, e, axis=1)  # of S, which for v along y is (l_z, ., -l_x), along z (., l_x, .)
            for motion, places in zip(lever, (((5, 0, 1.0), (3, 2, -1.0)), ((3, 1, 1.0),)), strict=True):
                Z = np.zeros((n, 6, linear.size))
                for row, axis, sign in places:
                    Z[:, row, moments] = sign * by_moment[:, axis]
                slopes[:, k] += momentum_adjoint(robot, motion, Z)[0]
        return slopes

    def _coefficients(self, pi: Array) -> tuple[Array, Array, NDArray[np.int64]]:
        """Of the standard columns of K (10 bodies,), of products of moments (m, m), and the moments' columns (m,)."""
        model, candidates = self.model, np.zeros(len(self.model.candidates))
        candidates[model.minimal.kept] = pi
        columns = model.underlying.minimal.kept
        inertias, moments = columns[model._inertias], columns[model._moments]
        linear, count = np.zeros(self.problem.robot.parameters.size), inertias.size + moments.size
        linear[inertias] += candidates[: inertias.size]
        linear[moments] += candidates[inertias.size : count]
        quadratic = np.zeros((moments.size, moments.size))
        first, second = model.pairs.T
        quadratic[first, second] = candidates[count:]
        quadratic[second, first] = candidates[count:]
        return linear, quadratic, moments

    def instruments(self, x: Array) -> Array:
        """The matrix at the base motion that the unknowns x predict, shape (n, rows, columns)."""
        pi, axes, n = self._pi(x), self._axes, len(self.samples)
        by_rate = [self.model.rows(self.unit_motion(NoisyChannel("w", int(axis), 1.0))) @ pi for axis in axes]
        turning = self.model.rows(replace(self.samples, w=np.zeros((n, 3)))) @ pi
        given = (self.total - self.wheel_momentum)[:, axes] - self._nuisance @ x[self._count :] - turning
        w = np.zeros((n, 3))
        w[:, axes] = np.linalg.solve(np.stack(by_rate, axis=2), given[..., None])[..., 0]
        rows = self.model.rows(replace(self.samples, w=w))
        return np.concatenate([self._of_unknowns(rows), self._nuisance], axis=2)
