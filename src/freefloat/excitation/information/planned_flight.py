"""A planned flight as its information is computed: what is unknown, where it is, what reads it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import (
    BASE_TORQUE,
    EXTERNAL_TORQUE,
    MOMENTUM,
    TORQUE_WALK,
    Unknowns,
    parameter_columns,
    unknowns_of,
)
from freefloat.models.model import NotApplicable
from freefloat.sensors.kinds import readings_among
from freefloat.sensors.reading import Reading, Setting

_PUSHES = (MOMENTUM, EXTERNAL_TORQUE, BASE_TORQUE, TORQUE_WALK)  # which turn the base by its attitude


@dataclass(frozen=True, eq=False)
class PlannedFlight:
    """A problem that was planned with some motion of the same shape, duration and rate.

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
        """Of every sensor of the base that has noise."""
        measured = self.flight.measured
        setting = Setting.of(
            self.problem.robot, measured, lambda kind: self.unknowns.bearing_on(kind, 0), self.flight.orbit
        )
        of_base = (reading for reading in readings_among(measured) if reading.of_base)
        return tuple(reading(setting, measured[reading.array]) for reading in of_base)

    @cached_property
    def turns(self) -> bool:
        """Whether the attitude matters to any reading."""
        turning = any(part.kind in _PUSHES for part in self.unknowns.parts)
        return turning or bool(self.momentum.any()) or any(reading.needs_attitude for reading in self.readings)
