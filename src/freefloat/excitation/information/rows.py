"""What sensors would tell of every unknown: whitened derivatives of all readings of a planned motion, and the way back.

The rows of the likelihood that maximum likelihood on the base's motion maximises, with all its unknowns: clusters,
nuisances, errors of the joints' curves. Their square is the Fisher information. Attitude goes from instant to instant
by steps of second order, so that the derivative of every step is exact: a design needs directions, and the result is
predicted by `cramer_rao_bound`.
Noise of a velocity counts as equal along all axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import EXTERNAL_TORQUE, MOMENTUM, Unknowns, parameter_columns, unknowns_of
from freefloat.excitation.information.motion import InformedMotion
from freefloat.excitation.information.planned_base import PlannedBase
from freefloat.excitation.rows.rows import Filled, MotionSlope, Rows
from freefloat.models.model import NotApplicable
from freefloat.sensors.kinds import readings_among
from freefloat.sensors.reading import Reading, Setting


@dataclass(frozen=True, eq=False)
class InformationRows(Rows):
    """Rows of a problem that was planned with some motion of the same shape, duration and rate.

    problem: with one flight. momentum: total angular momentum in base axes at the first instant, (3,) [N m s].
    """

    problem: Problem
    momentum: Array

    def __post_init__(self) -> None:
        if self.problem.robot.base == "fixed":
            raise NotApplicable("a fixed base does not react: design with another goal, on torque rows")
        if len(self.problem.flights) != 1:
            raise InvalidProblem(f"a design plans one flight, found {len(self.problem.flights)}")
        if not self.readings:
            raise InvalidProblem("no sensor of the base's motion has a noise level; allowed: at least one")

    @property
    def flight(self) -> Flight:
        """The planned flight: its noise and its instants count, not its motion."""
        return self.problem.flights[0]

    @cached_property
    def unknowns(self) -> Unknowns:
        """All of them, clusters first."""
        return unknowns_of(self.problem)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all unknowns."""
        return self.unknowns.labels

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """Standard parameters that are unknown: leaders of clusters, then known ones that may deviate."""
        return parameter_columns(self.problem, self.unknowns)

    @cached_property
    def phi(self) -> Array:
        """Standard parameters of what is there, as the CAD model has them, (10 bodies,)."""
        return self.problem.standard(self.problem.cad) * self.problem.present(self.flight)

    @cached_property
    def readings(self) -> tuple[Reading[Any], ...]:
        """Of every sensor that has noise."""
        setting = Setting.of(self.problem.robot, self.flight, lambda kind: self.unknowns.bearing_on(kind, 0))
        return tuple(reading(setting) for reading in readings_among(self.flight.noise))

    @cached_property
    def turns(self) -> bool:
        """Whether the attitude matters to any reading."""
        turning = any(part.kind in (MOMENTUM, EXTERNAL_TORQUE) for part in self.unknowns.parts)
        return turning or bool(self.momentum.any()) or any(reading.needs_attitude for reading in self.readings)

    def fill(self, samples: Samples) -> FilledInformation:
        """The rows of a motion at the instants of the flight."""
        return FilledInformation(self, InformedMotion(self, samples))


class FilledInformation(Filled):
    """Rows of one motion, where sensors are without errors and the centre of mass is at rest."""

    def __init__(self, rows: InformationRows, motion: InformedMotion) -> None:
        self.rows, self.motion, self.base = rows, motion, PlannedBase(motion)
        self.point = np.zeros(len(rows.unknowns))
        whitened = [
            reading.of_data(reading.whitened(reading.derivative(self.base, self.point), self.base))
            for reading in rows.readings
        ]
        self.shapes = [part.shape for part in whitened]
        self.matrix = np.vstack([part.reshape(-1, part.shape[2]) for part in whitened])

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion."""
        backward, start = self.motion.backward(), 0
        for reading, shape in zip(self.rows.readings, self.shapes, strict=True):
            stop = start + shape[0] * shape[1]
            whitened = reading.of_data_back(Z[start:stop].reshape(shape))
            J, turn = reading.whitened_back(self.base, self.point, whitened)
            self.base.pull_back(reading.pull_back(self.base, self.point, J), backward)
            if turn is not None:
                backward.bars.turn += turn
            start = stop
        return self.motion.pull_back(backward)
