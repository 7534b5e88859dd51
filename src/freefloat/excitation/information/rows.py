"""What sensors would tell of every unknown: whitened derivatives of all readings of a planned motion, and the way back.

The rows of the likelihood that maximum likelihood on the base's motion maximises, with all its unknowns: clusters,
nuisances, errors of the joints' curves. Their square is the Fisher information. Attitude goes from instant to instant
by steps of second order, so that the derivative of every step is exact: a design needs directions, and the result is
predicted by `cramer_rao_bound`.
Noise of a velocity counts as equal along all axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.excitation.information.motion import InformedMotion
from freefloat.excitation.information.planned_base import PlannedBase
from freefloat.excitation.information.planned_flight import PlannedFlight
from freefloat.excitation.rows.rows import DesignRows, Filled, MotionSlope


@dataclass(frozen=True, eq=False)
class InformationRows(PlannedFlight, DesignRows):
    """Rows of a planned flight."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of all unknowns."""
        return self.unknowns.labels

    def fill(self, samples: Samples) -> FilledInformation:
        """The rows of a motion at the instants of the flight."""
        return FilledInformation(self, InformedMotion(self, samples))


class FilledInformation(Filled):
    """Rows of one motion, where sensors are without errors and the centre of mass is at rest."""

    def __init__(self, rows: InformationRows, motion: InformedMotion) -> None:
        self.rows, self.motion, self.point = rows, motion, np.zeros(len(rows.unknowns))
        clocks = [reading.data.clock for reading in rows.readings]
        by_clock = {clock: PlannedBase(motion, clock) for clock in clocks}
        self.seen = [(reading, by_clock[clock]) for reading, clock in zip(rows.readings, clocks, strict=True)]
        whitened = [
            reading.of_data(reading.whitened(reading.derivative(base, self.point), base)) for reading, base in self.seen
        ]
        self.shapes = [part.shape for part in whitened]
        self.matrix = np.vstack([part.reshape(-1, part.shape[2]) for part in whitened])

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion."""
        backward, start = self.motion.backward(), 0
        for (reading, base), shape in zip(self.seen, self.shapes, strict=True):
            stop = start + shape[0] * shape[1]
            whitened = reading.of_data_back(Z[start:stop].reshape(shape))
            J, turn = reading.whitened_back(base, self.point, whitened)
            base.pull_back(reading.pull_back(base, self.point, J), backward)
            if turn is not None:
                backward.bars.turn += turn
            start = stop
        return self.motion.pull_back(backward)
