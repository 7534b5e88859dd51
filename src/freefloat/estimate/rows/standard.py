"""Rows that are linear in the standard parameters: momentum, energy, torque over the same clusters."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.estimate.rows.joint_drives import FilteredMotion, JointDrives
from freefloat.estimate.rows.model_rows import Group, ModelRows
from freefloat.robot.model import Robot


class StandardRows(ModelRows):
    """Rows over the clusters of the problem; what is known goes to the right."""

    group: ClassVar[Group] = "standard"

    @abstractmethod
    def standard(self, samples: Samples, columns: NDArray[np.int64]) -> Array:
        """Regressor of some standard parameters, by their numbers, shape (n, rows, len(columns))."""

    @cached_property
    @abstractmethod
    def measured(self) -> Array:
        """What matrix and known parameters together give, shape (n, rows)."""

    @cached_property
    @abstractmethod
    def nuisance(self) -> Array:
        """Columns of the nuisances, shape (n, rows, k)."""

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """Which standard parameters the flight had."""
        return self.problem.present(self.flight)

    @cached_property
    def cad_robot(self) -> Robot:
        """The robot with its CAD values, without the bodies that the flight did not have."""
        robot = self.problem.robot
        return robot if self.there.all() else robot.with_parameters(np.where(self.there, robot.parameters, 0.0))

    @cached_property
    def joint_drives(self) -> JointDrives:
        """The drives of the joints along the flight."""
        samples, flight = self.samples, self.flight
        return JointDrives(
            self.problem.robot,
            self.problem.friction,
            flight.t,
            samples.need("dq", self.name),
            np.zeros_like(samples.q) if samples.ddq is None else samples.ddq,
            flight.sd("dq", samples.q.shape[1]),
            None if flight.torque_filter is None else FilteredMotion(flight.torque_filter, flight.joints, flight.t),
        )

    @cached_property
    def _split(self) -> tuple[Array, Array]:
        return self.split(self.samples)

    @cached_property
    def matrix(self) -> Array:
        """Columns of the clusters, then of the nuisances, shape (n, rows, columns)."""
        return np.concatenate([self._split[0], self.nuisance], axis=2)

    @cached_property
    def right(self) -> Array:
        """Right-hand side, then its derivative by each uncertain known value, shape (n, rows, 1 + known)."""
        right = -self._split[1]
        right[..., 0] += self.measured
        return right

    def split(self, samples: Samples) -> tuple[Array, Array]:
        """Columns of the clusters (n, rows, c); what is known, and per uncertain parameter, (n, rows, 1 + known)."""
        kept, known = self.problem.minimal.kept, self.problem.known_columns
        Y = self.standard(samples, np.concatenate([kept, known]))
        if not self.there.all():
            Y = Y * self.there[np.concatenate([kept, known])]
        given = Y[..., kept.size :]
        by_known = given[..., np.searchsorted(known, self.uncertain)]
        return Y[..., : kept.size], np.concatenate([(given @ self.problem.fixed[known])[..., None], by_known], axis=2)

    def phi(self, x: Array) -> Array:
        """Standard parameters that move as the clusters in x do in this flight, shape (10 bodies,)."""
        return np.where(self.there, self.problem.standard(x[: len(self.problem.minimal)]), 0.0)
