"""Seeds of a motion of intervals under limits that are no bounds on seeds: the base's rate, its attitude, clearance.

B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space robot", Journal of
Guidance, Control, and Dynamics, 2019, solve eqs. 32, 33 and 37 by sequential quadratic programming, "which allows to
include nonlinear constraints". A motion is linear in its seeds, starts and ranges, so it is a task of the solver of all
designs, whose limits come with their exact derivatives. Here ranges of wheels are free too, as wheels turn the base.

The search begins with ranges shortened until all limits are kept, and ends so, should it have broken one between its
instants: the shorter the ranges, the less the base moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.limits.box import BoxLimit
from freefloat.excitation.limits.joint import JointAcceleration, JointPosition, JointRate
from freefloat.excitation.limits.limit import Limit
from freefloat.excitation.procedures.interval_task import IntervalTask
from freefloat.excitation.solver.objective import GoalOnRows
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.excitation.solver.sequential_quadratic import minimise
from freefloat.excitation.solver.variables import Variables
from freefloat.motion.cycloid import seed_map

_PER_INTERVAL = 8  # instants of the search
_HALVINGS = 12
_ROOM = 1e-3  # margin that the search keeps, for what it misses between instants
_MOST_ITERATIONS = 60
_TOLERANCE = 3e-3  # on the goal


@dataclass(frozen=True, eq=False)
class LimitedSeeds:
    """Seeds for given directions, shape (intervals, channels), under all limits of a task."""

    task: IntervalTask
    directions: Array

    def improved(self, seeds: Array) -> Array | None:
        """Seeds near these that keep all limits, a local optimum among them, (2, channels); None if none was found."""
        first = self.shortened(seeds)
        point = minimise(
            self._planned, self._y(seeds if first is None else first), _MOST_ITERATIONS, _TOLERANCE, room=_ROOM
        )
        found = self.shortened(self._seeds(point.y))
        if found is None or (first is not None and self._value(first) < self._value(found)):
            return first
        return found

    def shortened(self, seeds: Array) -> Array | None:
        """The same starts with ranges shortened, all alike, until limits are kept; None if standing still breaks one.

        Ranges that point backwards, which turn all directions of a channel, are no harm.
        """
        if self.task.within(seeds, self.directions):
            return seeds
        kept, broken = 0.0, 1.0
        for _ in range(_HALVINGS):
            share = 0.5 * (kept + broken)
            if self.task.within(_scaled(seeds, share), self.directions):
                kept = share
            else:
                broken = share
        return _scaled(seeds, kept) if kept else None

    def _value(self, seeds: Array) -> float:
        return self.task.value(seeds, self.directions)

    @cached_property
    def _planned(self) -> PlannedTask:
        """The task of the solver."""
        task, intervals = self.task, len(self.directions)
        shape = task.trajectory(np.stack([np.zeros(len(task.channels)), task.largest_range]), self.directions)
        map_, k = seed_map(self.directions), 1 + intervals
        P = np.zeros((k, len(task.channels), self._scale.size))
        for column, (which, channel) in enumerate(self._free):
            P[:, channel, column] = map_[:, which, channel] * self._scale[column]
        variables = Variables(shape, np.zeros(shape.coefficients.shape), P.reshape(-1, self._scale.size))
        rows, goal = task.with_signal(task.goals[-1])
        linear = shape.linear_map(task.times(intervals))
        objective = GoalOnRows(rows, goal, task.conditions, task.channels, linear)
        t = np.linspace(0.0, shape.duration_s, intervals * _PER_INTERVAL + 1)
        return PlannedTask(objective, (*self._boxes, *task.further), task.conditions, variables, t)

    @cached_property
    def _boxes(self) -> tuple[Limit, ...]:
        """The bounds of every channel as limits."""
        limits, found = self.task.limits, list[BoxLimit]()
        for index, name in enumerate(limits.channels):
            rate, acceleration = float(limits.rate[index]), float(limits.acceleration[index])
            found += [
                JointPosition(name, float(limits.lowest[index]), float(limits.highest[index])),
                JointRate(name, -rate, rate),
                JointAcceleration(name, -acceleration, acceleration),
            ]
        return tuple(limit for limit in found if np.isfinite([limit.lowest, limit.highest]).any())

    @cached_property
    def _free(self) -> list[tuple[int, int]]:
        """Which seed of which channel each coordinate is: starts of joints, ranges of all."""
        starts = [(0, channel) for channel in np.flatnonzero(self.task.free).tolist()]
        return starts + [(1, channel) for channel in range(len(self.task.channels))]

    @cached_property
    def _scale(self) -> Array:
        """What a coordinate of one means: half the room for a start, the largest range for a range."""
        limits = self.task.limits
        sizes = np.stack([0.5 * (limits.highest - limits.lowest), self.task.largest_range])
        return np.array([sizes[which, channel] for which, channel in self._free])

    def _y(self, seeds: Array) -> Array:
        return np.array([seeds[which, channel] for which, channel in self._free]) / self._scale

    def _seeds(self, y: Array) -> Array:
        seeds = np.zeros((2, len(self.task.channels)))
        for (which, channel), value in zip(self._free, (y * self._scale).tolist(), strict=True):
            seeds[which, channel] = value
        return seeds


def _scaled(seeds: Array, share: float) -> Array:
    return np.stack([seeds[0], share * seeds[1]])
