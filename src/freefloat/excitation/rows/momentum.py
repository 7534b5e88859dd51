"""Rows of the momentum about the base origin, base axes, of a robot that reacts.

K(q, dq, v, w) reduced to the clusters, v and w being the base's reaction, after Naveen, Shah, Misra (JGCD 2019), who
have it at zero momentum. A total momentum that is given is on the other side of the equation: it changes how the base
moves, not which columns there are. Spin inertias of wheels are known and no columns; wheels act through the reaction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.momentum_rows import momentum_adjoint
from freefloat.dynamics.samples import Samples
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.rows.reaction_slope import ReactedMotion, react
from freefloat.excitation.rows.rows import Filled, ModelDesignRows, MotionSlope
from freefloat.models.model import Momentum
from freefloat.robot.base_axes import allowed_rows


@dataclass(frozen=True, eq=False)
class FilledMomentum(Filled):
    """Rows of one motion.

    matrix: shape (n rows, clusters), instant by instant.
    """

    model: Momentum
    motion: ReactedMotion
    matrix: Array

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion of a number whose derivative by the matrix is Z, in its shape."""
        robot, samples = self.motion.robot, self.motion.samples
        allowed, kept = allowed_rows(robot), self.model.minimal.kept
        weights = np.zeros((len(samples), 6, robot.parameters.size))
        weights[:, allowed[:, None], kept] = Z.reshape(len(samples), allowed.size, kept.size)
        gq, gdq, gv, gw = momentum_adjoint(robot, samples, weights)
        return self.motion.slope(gq, gdq, gv, gw)


@dataclass(frozen=True, eq=False)
class MomentumDesignRows(ModelDesignRows):
    """Six rows per instant, three for a planar base.

    model: whose clusters are the columns. conditions: of the robot that moves.
    """

    model: Momentum
    conditions: Conditions

    @property
    def names(self) -> tuple[str, ...]:
        """Of the clusters' leading parameters."""
        return self.model.minimal.leaders

    @property
    def values(self) -> Array:
        """Of the clusters, shape (clusters,)."""
        return self.model.values()

    def fill(self, samples: Samples) -> FilledMomentum:
        """The matrix for a motion of joints and wheels."""
        motion = react(self.conditions.robot, samples, self.conditions.momentum)
        rows = self.model.rows(motion.samples)
        return FilledMomentum(self.model, motion, rows.reshape(-1, rows.shape[2]))
