"""Rows of the angular momentum about the centre of mass, base axes, of a robot that reacts.

Columns are inertias, first moments and products -(S_a x p_b + S_b x p_a) of the first moments' columns in the centre of
mass (S) and in the linear momentum (p), after Christidi-Loumpasefski, Papadopoulos (RAS 2022). Clusters that are known
can be left out: the reduced regressor whose condition number M. Spirolazzi, "Free-floating robot inertial parameter
identification towards in orbit servicing", 2022, makes small.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.mass_centre import first_moment_adjoint, first_moment_regressor
from freefloat.dynamics.momentum_rows import momentum_adjoint, momentum_regressor
from freefloat.dynamics.samples import Samples
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.rows.reaction_slope import ReactedMotion, react
from freefloat.excitation.rows.rows import Filled, ModelDesignRows, MotionSlope
from freefloat.models.angular_momentum import AngularMomentum


@dataclass(frozen=True, eq=False)
class FilledAngularMomentum(Filled):
    """Rows of one motion.

    matrix: shape (n rows, columns), instant by instant. candidates: which candidate each column is, (columns,).
    """

    model: AngularMomentum
    motion: ReactedMotion
    candidates: NDArray[np.int64]
    matrix: Array

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion of a number whose derivative by the matrix is Z, in its shape."""
        robot, n = self.motion.robot, len(self.motion.samples)
        weights = np.zeros((n, 3, len(self.model.candidates)))
        axes = self.model._axes
        weights[:, axes[:, None], self.candidates] = Z.reshape(n, axes.size, self.candidates.size)
        inertias, moments = self.model._inertias, self.model._moments
        columns = self.model.underlying.minimal.kept
        linear = inertias.size + moments.size
        by_S, by_p = self._products(weights[:, :, linear:])
        momentum = np.zeros((n, 6, robot.parameters.size))
        momentum[:, 3:, columns[np.concatenate([inertias, moments])]] = weights[:, :, :linear]
        momentum[:, :3, columns[moments]] = by_p
        first = np.zeros((n, 3, robot.parameters.size))
        first[:, :, columns[moments]] = by_S
        gq, gdq, gv, gw = momentum_adjoint(robot, self._held, momentum)
        gq += first_moment_adjoint(robot, self._held.q, first)
        return self.motion.slope(gq, gdq, 0.0 * gv, gw)

    @cached_property
    def _held(self) -> Samples:
        """The motion with the base's origin at rest: about the centre of mass its velocity does not matter."""
        return replace(self.motion.samples, v=np.zeros((len(self.motion.samples), 3)))

    def _products(self, weights: Array) -> tuple[Array, Array]:
        """Derivatives by S and p, each (n, 3, moments), of what has derivatives (n, 3, pairs) by the products."""
        robot, columns = self.motion.robot, self.model.underlying.minimal.kept[self.model._moments]
        S = first_moment_regressor(robot, self._held)[..., columns]
        p = momentum_regressor(robot, self._held, columns)[:, :3]
        used = np.flatnonzero(weights.any(axis=(0, 1)))
        first, second = self.model.pairs[used].T
        weight = -weights[:, :, used] / np.where(first == second, 2.0, 1.0)
        by_S, by_p = np.zeros_like(S), np.zeros_like(p)
        for one, other in ((first, second), (second, first)):
            place = np.eye(columns.size)
            by_S += np.cross(p[..., other], weight, axis=1) @ place[one]  # w . (S x p) = S . (p x w)
            by_p += np.cross(weight, S[..., one], axis=1) @ place[other]
        return by_S, by_p


@dataclass(frozen=True, eq=False)
class AngularMomentumDesignRows(ModelDesignRows):
    """Three rows per instant, one for a planar base.

    model: whose clusters are the columns. conditions: of the robot that moves.
    without: positions of clusters that are no columns, such as `model.known_clusters()`.
    """

    model: AngularMomentum
    conditions: Conditions
    without: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @cached_property
    def _asked(self) -> NDArray[np.int64]:
        return np.setdiff1d(np.arange(len(self.model.minimal)), self.without)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the clusters' leading candidates."""
        leaders = self.model.minimal.leaders
        return tuple(leaders[cluster] for cluster in self._asked)

    @property
    def values(self) -> Array:
        """Of the clusters that are columns, shape (columns,)."""
        return self.model.values()[self._asked]

    def fill(self, samples: Samples) -> FilledAngularMomentum:
        """The matrix for a motion of joints and wheels."""
        motion = react(self.conditions.robot, samples, self.conditions.momentum)
        rows = self.model.rows(motion.samples)[..., self._asked]
        candidates = self.model.minimal.kept[self._asked]
        return FilledAngularMomentum(self.model, motion, candidates, rows.reshape(-1, rows.shape[2]))
