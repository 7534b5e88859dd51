"""Momentum rows: linear and angular momentum about the base origin, base axes.

    K theta = h - K_known phi_known - wheels

after B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space robot",
J. Guidance, Control, and Dynamics, 2019. Momentum that is not known has six constant components in inertial axes, P
and L about where the base was first; the base sees p = R^T P and l = R^T (L - r x P), r its way from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.dynamics.momentum_rows import momentum_adjoint, momentum_matrix, momentum_regressor
from freefloat.dynamics.reaction import six_rows, solve_base
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.rows.model_rows import NoisyChannel, NuisanceColumn, RowKind, Unit, turn_unit
from freefloat.estimate.rows.standard import StandardRows
from freefloat.robot.base_axes import allowed_rows

if TYPE_CHECKING:
    from freefloat.models.names import ModelName


_LABELS = (*(f"linear momentum {axis}" for axis in AXES), *(f"angular momentum {axis}" for axis in AXES))
_PLACE = {"v": 0, "w": 3, "dq": 6}


class MomentumRows(StandardRows):
    """Six rows per sample, those of a planar base three."""

    name: ClassVar[ModelName] = "momentum"
    feels: ClassVar[frozenset[str]] = frozenset({"v", "w", "dq", "q"})

    @cached_property
    def _allowed(self) -> NDArray[np.int64]:
        return allowed_rows(self.problem.robot)

    @property
    def labels(self) -> tuple[str, ...]:
        """What each row of a sample is."""
        return tuple(_LABELS[row] for row in self._allowed)

    @property
    def kinds(self) -> tuple[RowKind, ...]:
        """Linear, then angular momentum."""
        linear = [RowKind("linear momentum", axis, "kg m/s") for axis in AXES]
        every = (*linear, *(RowKind("angular momentum", axis, "N m s") for axis in AXES))
        return tuple(every[row] for row in self._allowed)

    @property
    def columns(self) -> tuple[NuisanceColumn, ...]:
        """Components of the unknown momentum, inertial axes."""
        if not self.momentum_is_unknown:
            return ()
        return tuple(
            NuisanceColumn(self.named(_LABELS[row]), "kg m/s" if row < 3 else "N m s") for row in self._allowed
        )

    def standard(self, samples: Samples, columns: NDArray[np.int64]) -> Array:
        """K along what the base can do, shape (n, rows, len(columns))."""
        K = momentum_regressor(self.problem.robot, samples, columns)
        return K if self._allowed.size == 6 else K[:, self._allowed]

    @cached_property
    def measured(self) -> Array:
        """Momentum of the bodies, as far as it is known, shape (n, rows)."""
        momentum = np.zeros((len(self.samples), 6))
        momentum[:, 3:] = self.total - self.wheel_momentum
        return momentum[:, self._allowed]

    @cached_property
    def nuisance(self) -> Array:
        """Columns of the unknown momentum, shape (n, rows, k)."""
        if not self.momentum_is_unknown:
            return np.zeros((len(self.samples), self._allowed.size, 0))
        return self._momentum_columns(self.turned, self._way)

    @cached_property
    def _way(self) -> Array:
        """Of the base since the first sample, inertial axes, shape (n, 3)."""
        if self.samples.position is None:
            raise InvalidProblem(
                f"{self.flight.name}: momentum rows with unknown momentum need `position`; without it, use "
                "angular-momentum, which is about the centre of mass"
            )
        return self.samples.position - self.samples.position[0]

    def _momentum_columns(self, turned: Array, way: Array) -> Array:
        """Less the momentum in base axes per unit of P and L, shape (n, rows, k); linear in R^T."""
        columns = np.zeros((len(self.samples), 6, 6))
        columns[:, :3, :3] = columns[:, 3:, 3:] = -turned
        columns[:, 3:, :3] = np.cross(turned, way[:, None, :])
        return columns[:, self._allowed[:, None], self._allowed]

    # ------------------------------------------------------------------ how errors move the rows

    def unit(self, channel: NoisyChannel) -> Unit | None:
        """What a unit error of a channel adds; None for positions of joints."""
        if channel.name == "q":
            return None
        if channel.name in _PLACE:
            matrix, known = self.split(self.unit_motion(channel))
            return Unit(np.concatenate([matrix, np.zeros_like(self.nuisance)], axis=2), -known)
        added, clusters = self.no_unit(), len(self.problem.minimal)
        moved = np.zeros((len(self.samples), 6))
        if channel.name == "wheel_rates":
            moved[:, 3:] = -self.wheel_unit(channel.index)
        elif channel.name == "attitude":
            moved[:, 3:] = -np.cross(np.eye(3)[channel.index], self.total)
        added.right[..., 0] += moved[:, self._allowed]
        if self.momentum_is_unknown:
            added.matrix[..., clusters:] = self._nuisance_unit(channel)
        return added

    def _nuisance_unit(self, channel: NoisyChannel) -> Array:
        """What a unit error of attitude or position adds to the columns of the unknown momentum."""
        if channel.name == "attitude":
            return self._momentum_columns(turn_unit(channel.index, self.turned), self._way)
        if channel.name == "position":
            step = np.tile(np.eye(3)[channel.index], (len(self.samples), 1))
            return self._momentum_columns(self.turned, self._way + step) - self.nuisance
        return np.zeros_like(self.nuisance)

    def slopes(self, x: Array, channels: Sequence[NoisyChannel]) -> Array:
        """Derivative of matrix x - right by channels at the unknowns x, shape (n, rows, channels)."""
        names = {channel.name for channel in channels}
        A = momentum_matrix(self.problem.robot, self.samples.q, self.phi(x))[:, self._allowed]
        by_position = self.by_position(x) if "q" in names else np.zeros((0, 0, 0))
        slopes = np.zeros((*A.shape[:2], len(channels)))
        for k, channel in enumerate(channels):
            if channel.name in _PLACE:
                slopes[..., k] = A[..., _PLACE[channel.name] + channel.index]
            elif channel.name == "q":
                slopes[..., k] = by_position[..., channel.index]
            elif (unit := self.unit_once(channel)) is not None:
                slopes[..., k] = unit.matrix @ x - unit.right[..., 0]
        return slopes

    def by_first_attitude(self) -> Array:
        """By a rotation of the first attitude, in whose axes a known momentum is given, shape (n, rows, 3)."""
        turned = np.zeros((len(self.samples), 6, 3))
        turned[:, 3:] = -self.total_by_first_attitude()
        return turned[:, self._allowed]

    def by_position(self, x: Array) -> Array:
        """Derivative of the momentum by joint positions, shape (n, rows, joints)."""
        phi = self.phi(x)
        slopes = np.zeros((len(self.samples), self._allowed.size, self.samples.q.shape[1]))
        for k, row in enumerate(self._allowed):
            Z = np.zeros((len(self.samples), 6, phi.size))
            Z[:, row] = phi
            slopes[:, k] = momentum_adjoint(self.problem.robot, self.samples, Z)[0]
        return slopes

    def instruments(self, x: Array) -> Array:
        """The matrix at the base motion that the unknowns x predict, shape (n, rows, columns)."""
        A = momentum_matrix(self.problem.robot, self.samples.q, self.phi(x))
        given = six_rows(self.measured - self.nuisance @ x[len(self.problem.minimal) :], self._allowed)
        given -= np.einsum("kij,kj->ki", A[..., 6:], self.samples.need("dq", "momentum"))
        twist = six_rows(solve_base(A, given[..., None], self._allowed)[..., 0], self._allowed)
        predicted = replace(self.samples, v=twist[:, :3], w=twist[:, 3:])
        return np.concatenate([self.split(predicted)[0], self.nuisance], axis=2)
