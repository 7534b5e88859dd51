"""Which intervals to fly, and in which order, by exchange: what pruning in one pass cannot find.

Pruning (`interval_pruning.py`) judges intervals in the order in which they happen to stand, and as if leaving one out
did not move all later ones to other positions. Here at random one interval is replaced by an unused combination of
directions, or flown at another place in the order; whatever makes the goal less and keeps the limits stays. After
V. V. Fedorov, "Theory of optimal experiments", 1972, whose exchanges of single readings these are for intervals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.excitation.procedures.interval_task import IntervalTask

Choice = NDArray[np.int64]


def exchange(
    task: IntervalTask, seeds: Array, pool: Array, chosen: Choice, tries: int, rng: np.random.Generator
) -> Choice:
    """A better choice of as many intervals, in the order in which to fly them.

    seeds: held, shape (2, channels). pool: combinations of directions, shape (all, channels).
    chosen: which of them to begin with, shape (intervals,).
    """
    best = task.value(seeds, pool[chosen])
    for _ in range(tries):
        candidate = _neighbour(chosen, len(pool), rng)
        value = task.value(seeds, pool[candidate])
        if value < best and task.within(seeds, pool[candidate]):
            chosen, best = candidate, value
    return chosen


def _neighbour(chosen: Choice, count: int, rng: np.random.Generator) -> Choice:
    """One interval replaced by an unused one, or moved to another place."""
    place = int(rng.integers(chosen.size))
    unused = np.setdiff1d(np.arange(count), chosen)
    if unused.size and rng.random() < 0.5:
        changed = chosen.copy()
        changed[place] = rng.choice(unused)
        return changed
    return np.insert(np.delete(chosen, place), int(rng.integers(chosen.size)), chosen[place])
