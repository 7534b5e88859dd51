"""Rows of inverse dynamics: joint torques and, of a moving base, the wrench, which is zero in free flight.

After Atkeson, An, Hollerbach (IJRR 1986); as the matrix of a design: Ayusawa et al. A fixed base carries any gravity; a
moving one reacts at zero momentum, its accelerations following from the balance of forces. Under a base that stands the
rows may be those of its wrench alone (`BaseWrench`).
"""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import torque_adjoint
from freefloat.excitation.rows.reaction_slope import ReactedMotion, react_with_accelerations
from freefloat.excitation.rows.rows import Filled, ModelDesignRows, MotionSlope
from freefloat.models.model import Torque


@dataclass(frozen=True, eq=False)
class FilledTorque(Filled):
    """Rows of one motion.

    matrix: shape (n rows, clusters), instant by instant.
    """

    model: Torque
    motion: ReactedMotion
    matrix: Array

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion of a number whose derivative by the matrix is Z, in its shape."""
        robot, samples, kept = self.motion.robot, self.motion.samples, self.model.minimal.kept
        rows = self.model.row_numbers
        weights = Z.reshape(len(samples), rows.size, kept.size)
        return self.motion.slope_with_accelerations(torque_adjoint(robot, samples, weights, rows, kept))


@dataclass(frozen=True, eq=False)
class TorqueDesignRows(ModelDesignRows):
    """A row for each number that the model measures at an instant: `Torque.row_numbers`.

    model: whose clusters are the columns, and whose robot moves.
    """

    model: Torque

    @property
    def names(self) -> tuple[str, ...]:
        """Of the clusters' leading parameters."""
        return self.model.minimal.leaders

    @property
    def values(self) -> Array:
        """Of the clusters, shape (clusters,)."""
        return self.model.values()

    def fill(self, samples: Samples) -> FilledTorque:
        """The matrix for a motion of the joints."""
        motion = react_with_accelerations(self.model.robot, samples)
        rows = self.model.rows(motion.samples)
        return FilledTorque(self.model, motion, rows.reshape(-1, rows.shape[2]))
