"""Rows of the energy that a robot gains from state to state, after Gautier, Khalil (IJRR 1992).

Of n states there are n - 1 rows, every state but the first and the last being used twice (eq. 23). States are points to
be joined, or the successive instants of a motion. A moving base reacts at zero momentum; wheels act through the
reaction, their own energy is known and no column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.energy import energy_adjoint
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.rows.reaction_slope import ReactedMotion, react, refuse_gravity
from freefloat.excitation.rows.rows import Filled, ModelDesignRows, MotionSlope
from freefloat.models.model import Energy, NotApplicable


@dataclass(frozen=True, eq=False)
class FilledEnergy(Filled):
    """Differences of energy rows.

    matrix: shape (n - 1, clusters).
    """

    model: Energy
    motion: ReactedMotion
    matrix: Array

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion of a number whose derivative by the matrix is Z, in its shape."""
        robot, samples = self.motion.robot, self.motion.samples
        weights = np.zeros((len(samples), robot.parameters.size))
        none = np.zeros((1, Z.shape[1]))
        weights[:, self.model.minimal.kept] = -np.diff(np.vstack([none, Z, none]), axis=0)
        gq, gdq, gv, gw = energy_adjoint(robot, samples, weights)
        return self.motion.slope(gq, gdq, gv, gw)


@dataclass(frozen=True, eq=False)
class EnergyDesignRows(ModelDesignRows):
    """One row for each state but the first: what it has more than the one before.

    model: whose clusters are the columns, and whose robot moves.
    """

    model: Energy

    def __post_init__(self) -> None:
        refuse_gravity(self.model.robot, "energy")

    @property
    def names(self) -> tuple[str, ...]:
        """Of the clusters' leading parameters."""
        return self.model.minimal.leaders

    @property
    def values(self) -> Array:
        """Of the clusters, shape (clusters,)."""
        return self.model.values()

    def fill(self, samples: Samples) -> FilledEnergy:
        """The matrix for states of joints and wheels in their order."""
        if len(samples) < 2:
            raise ShapeError(f"energy rows are differences between states, found {len(samples)}; allowed: 2 or more")
        motion = react(self.model.robot, samples)
        return FilledEnergy(self.model, motion, np.diff(self.model.rows(motion.samples)[:, 0], axis=0))


def refuse_momentum(conditions: Conditions) -> None:
    """Refuse conditions under which the base moves by more than its reaction."""
    if conditions.momentum.any():
        size = float(np.linalg.norm(conditions.momentum))
        raise NotApplicable(f"energy rows are those of a robot at zero momentum, found {size:g} N m s; allowed: zero")
