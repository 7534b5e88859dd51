"""What sensors would tell of every unknown: whitened derivatives of all readings of a planned motion, and the way back.

The rows of the likelihood that maximum likelihood on the base's motion maximises (`estimate/bound`, where they are
computed for a flight as a whole by another path), with all its unknowns: clusters, nuisances, errors of the joints'
curves. Their square is the Fisher information. Attitude goes from instant to instant by steps of second order, so that
the derivative of every step is exact: a design needs directions, and the result is predicted by `cramer_rao_bound`.
Noise of a velocity counts as equal along all axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.likelihood.unknowns import Unknowns, parameter_columns, unknowns_of
from freefloat.estimate.problem import Problem
from freefloat.excitation.information.motion import InformedMotion
from freefloat.excitation.information.sensors import READERS, Reader
from freefloat.excitation.rows.rows import DesignRows, Filled, MotionSlope
from freefloat.models.model import NotApplicable


@dataclass(frozen=True, eq=False)
class InformationRows(DesignRows):
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
        if not self.readers:
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
    def readers(self) -> tuple[Reader, ...]:
        """Of every sensor that has noise."""
        there = [name for name in READERS if name in self.flight.noise]
        return tuple(READERS[name](self.problem, self.unknowns) for name in there)

    @cached_property
    def turns(self) -> bool:
        """Whether the attitude matters to any reading."""
        turning = any(part.kind in ("momentum", "external torque") for part in self.unknowns.parts)
        return turning or bool(self.momentum.any()) or bool({"v", "attitude", "position"} & set(self.flight.noise))

    def fill(self, samples: Samples) -> FilledInformation:
        """The rows of a motion at the instants of the flight."""
        return FilledInformation(self, InformedMotion(self, samples))


class FilledInformation(Filled):
    """Rows of one motion."""

    def __init__(self, rows: InformationRows, motion: InformedMotion) -> None:
        self.rows, self.motion = rows, motion
        stacked = [reader.rows(motion) for reader in rows.readers]
        self.sizes = [part.shape[0] for part in stacked]
        self.matrix = np.vstack(stacked)

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion."""
        backward = self.motion.backward()
        start = 0
        for reader, size in zip(self.rows.readers, self.sizes, strict=True):
            reader.pull_back(self.motion, Z[start : start + size], backward)
            start += size
        return self.motion.pull_back(backward)
