"""As few intervals as have a condition number no larger than a given one.

The pruning of B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space
robot", Journal of Guidance, Control, and Dynamics, 2019, goes once through the intervals and does not say how few it
leaves. Here those that are missed least go, several at a time while that is easy and one at a time in the end; seeds
are optimised again for the others. Where the condition number is then too large, intervals are exchanged
(`interval_exchange.py`) before so few are given up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.procedures.interval_exchange import Choice, exchange
from freefloat.excitation.procedures.interval_seeds import optimise_seeds
from freefloat.excitation.procedures.interval_task import IntervalTask

_AT_ONCE = 6  # one of so many goes in a step while that is easy


@dataclass(frozen=True, eq=False)
class FewestIntervals:
    """A search among combinations of directions, pool of shape (all, channels).

    largest: condition number that is allowed. tries: of an exchange. rounds: of exchanges before a number is given up.
    """

    task: IntervalTask
    pool: Array
    largest: float
    tries: int
    rounds: int
    rng: np.random.Generator

    def found(self, seeds: Array, chosen: Choice) -> tuple[Array, Choice]:
        """Seeds and as few intervals as the search finds, from intervals that are good enough or may become so."""
        seeds, chosen = self.exchanged(seeds, chosen)
        if not self._enough(seeds, chosen):
            return seeds, chosen
        leave = max(1, chosen.size // _AT_ONCE)
        while chosen.size > self.task.fewest:
            left = self._without_least_missed(seeds, chosen, min(leave, chosen.size - self.task.fewest))
            tried, _ = optimise_seeds(self.task, self.pool[left], seeds)
            if leave == 1:
                tried, left = self.exchanged(tried, left)
            if self._enough(tried, left):
                seeds, chosen = tried, left
                leave = min(leave, max(1, chosen.size // _AT_ONCE))
            elif leave > 1:
                leave //= 2
            else:
                break
        return seeds, chosen

    def exchanged(self, seeds: Array, chosen: Choice) -> tuple[Array, Choice]:
        """Intervals exchanged and seeds optimised until the condition number is small enough, or rounds end."""
        for _ in range(self.rounds):
            if self._enough(seeds, chosen):
                break
            chosen = exchange(self.task, seeds, self.pool, chosen, self.tries, self.rng)
            seeds, _ = optimise_seeds(self.task, self.pool[chosen], seeds)
        return seeds, chosen

    def _enough(self, seeds: Array, chosen: Choice) -> bool:
        directions = self.pool[chosen]
        if self.task.condition_number(seeds, directions) > self.largest:
            return False
        return self.task.within(seeds, directions)

    def _without_least_missed(self, seeds: Array, chosen: Choice, count: int) -> Choice:
        values = [self.task.value(seeds, self.pool[np.delete(chosen, place)]) for place in range(chosen.size)]
        return np.delete(chosen, np.argsort(values, kind="stable")[:count])
