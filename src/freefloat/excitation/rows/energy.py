"""Rows of the energy that a robot gains between pairs of states, after Gautier, Khalil (IJRR 1992).

Samples are 2 r states: first the r initial ones, then the r final ones in the same order. A moving base reacts at zero
momentum; wheels act through the reaction, their own energy is known and no column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.energy import energy_adjoint
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.excitation.rows.reaction_slope import ReactedMotion, react, refuse_gravity
from freefloat.excitation.rows.rows import DesignRows, Filled, MotionSlope
from freefloat.models.model import Energy


@dataclass(frozen=True, eq=False)
class FilledEnergy(Filled):
    """Differences of energy rows.

    matrix: shape (r, clusters).
    """

    model: Energy
    motion: ReactedMotion
    matrix: Array

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion of a number whose derivative by the matrix is Z, in its shape."""
        robot, samples = self.motion.robot, self.motion.samples
        weights = np.zeros((len(samples), robot.parameters.size))
        weights[:, self.model.minimal.kept] = np.vstack([-Z, Z])
        gq, gdq, gv, gw = energy_adjoint(robot, samples, weights)
        return self.motion.slope(gq, gdq, gv, gw)


@dataclass(frozen=True, eq=False)
class EnergyDesignRows(DesignRows):
    """One row per pair of states.

    model: whose clusters are the columns, and whose robot moves.
    """

    model: Energy

    def __post_init__(self) -> None:
        refuse_gravity(self.model.robot, "energy")

    @property
    def names(self) -> tuple[str, ...]:
        """Of the clusters' leading parameters."""
        return self.model.minimal.leaders

    def fill(self, samples: Samples) -> FilledEnergy:
        """The matrix for r initial, then r final states of joints and wheels."""
        if len(samples) % 2:
            raise ShapeError(f"energy rows need r initial and r final states, found {len(samples)} states in all")
        motion = react(self.model.robot, samples)
        initial, final = np.split(self.model.rows(motion.samples)[:, 0], 2)
        return FilledEnergy(self.model, motion, final - initial)
