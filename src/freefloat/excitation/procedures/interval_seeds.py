"""Optimal seeds of a motion of cycloidal intervals.

Steps 1 and 3 of B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space
robot", Journal of Guidance, Control, and Dynamics, 2019.

They solve the problem of eqs. 32, 33 and 37 by sequential quadratic programming. As directions are given, eq. 33 leaves
the start an interval that depends on the range only. So with u = range / (largest range) and s = the start's place in
its interval, both between bounds that do not change, limits are kept throughout and no constraint is left:

    range = u range_max,    start = theta_min - least range + s (theta_max - theta_min - (most - least) range)

least and most being how far the directions lead back and forth, in ranges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from freefloat.arrays import Array
from freefloat.excitation.goals.goal import Goal
from freefloat.excitation.procedures.interval_limits import LimitedSeeds
from freefloat.excitation.procedures.interval_task import IntervalTask

_LEAST = 0.02  # of the largest range: less is no motion, which eq. 37 excludes
_FIRST_RANGE = 0.9
_MOST_STEPS = 200  # of the optimiser, for each goal


@dataclass(frozen=True, eq=False)
class SeedSpace:
    """Seeds as numbers between fixed bounds: x = (u, s) of the free channels, shape (2 free,)."""

    task: IntervalTask
    directions: Array

    @cached_property
    def _free(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.task.free)

    @cached_property
    def _travel(self) -> tuple[Array, Array]:
        """Least and most of where the directions lead the free channels, in ranges."""
        led = np.cumsum(self.directions[:, self._free], axis=0)
        return np.minimum(led.min(axis=0), 0.0), np.maximum(led.max(axis=0), 0.0)

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        limits = self.task.limits
        return limits.lowest[self._free], (limits.highest - limits.lowest)[self._free]

    @cached_property
    def largest_range(self) -> Array:
        """What eq. 36 allows and the position limits have room for, shape (free,)."""
        least, most = self._travel
        return np.minimum(self.task.largest_range[self._free], self._box[1] / (most - least))

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Of x."""
        return [(_LEAST, 1.0)] * self._free.size + [(0.0, 1.0)] * self._free.size

    def random(self, rng: np.random.Generator) -> Array:
        """A start of the search: long ranges, anywhere."""
        return np.concatenate([np.full(self._free.size, _FIRST_RANGE), rng.uniform(0.05, 0.95, self._free.size)])

    def seeds(self, x: Array) -> Array:
        """Starts and ranges, shape (2, channels)."""
        (least, most), (low, room) = self._travel, self._box
        u, s = np.split(x, 2)
        ranges = u * self.largest_range
        seeds = np.stack([np.zeros_like(self.task.largest_range), self.task.largest_range])
        seeds[:, self._free] = low - least * ranges + s * (room - (most - least) * ranges), ranges
        return seeds

    def place(self, seeds: Array) -> Array:
        """The x of seeds, as near as this space has them, shape (2 free,)."""
        (least, most), (low, room) = self._travel, self._box
        start, ranges = seeds[:, self._free]
        u = np.clip(ranges / self.largest_range, _LEAST, 1.0)
        ranges = u * self.largest_range
        left = room - (most - least) * ranges
        s = np.divide(start - low + least * ranges, left, out=np.full_like(start, 0.5), where=left > 0.0)
        return np.concatenate([u, np.clip(s, 0.0, 1.0)])

    def value_and_slope(self, x: Array, goal: Goal) -> tuple[float, Array]:
        """A goal's value and its derivative by x."""
        value, slope = self.task.value_and_slope(goal, self.seeds(x), self.directions)
        (least, most), (_, room) = self._travel, self._box
        u, s = np.split(x, 2)
        start, ranges = slope[:, self._free]
        by_range = ranges - start * (least + s * (most - least))
        by_s = start * (room - (most - least) * u * self.largest_range)
        return value, np.concatenate([by_range * self.largest_range, by_s])


def optimise_seeds(task: IntervalTask, directions: Array, first: Array | int) -> tuple[Array, float]:
    """Seeds, shape (2, channels), that are a local optimum for given directions, and their value.

    first: seeds to improve, for the goal that decides, or the number of a random start, which goes through all goals.
    The value is infinite if no seeds were found that keep further limits.
    """
    space = SeedSpace(task, directions)
    if isinstance(first, int):
        x, goals = space.random(np.random.default_rng(first)), task.goals
    else:
        x, goals = space.place(first), task.goals[-1:]
    value = np.inf
    for goal in goals:
        found = minimize(
            space.value_and_slope,
            x,
            args=(goal,),
            jac=True,
            method="L-BFGS-B",
            bounds=space.bounds,
            options={"maxiter": _MOST_STEPS},
        )
        x, value = found.x, float(found.fun)
    seeds = space.seeds(x)
    if not task.further or task.within(seeds, directions):
        return seeds, value
    kept = LimitedSeeds(task, directions).improved(seeds)
    return (seeds, np.inf) if kept is None else (kept, task.value(kept, directions))
