"""The conventional way to exciting motions: draw many at random within the limits, keep the best few.

The baseline that a design must beat. K. Ayusawa, A. Rioux, E. Yoshida, G. Venture, M. Gautier, "Generating persistently
exciting trajectory based on condition number optimization", ICRA 2017, compare theirs with it: the number of motions is
limited, and the set is updated again and again by motions that better it (after J. Jovic et al., IROS 2015). How
motions are drawn is not printed; ours fill their limits (`solver/random_within.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.motion.trajectory import InvalidTrajectory

Value = Callable[[tuple[int, ...]], float]
Told = Callable[[int, float], None]


@dataclass(frozen=True, slots=True)
class RandomSelection:
    """The best few of many random motions.

    chosen: numbers of the motions. value: of the goal for all of them together. updates: how often it was bettered.
    """

    chosen: tuple[int, ...]
    value: float
    updates: int


def select_motions(draws: int, most: int, value: Value, told: Told | None = None) -> RandomSelection:
    """At most so many motions, of numbers 0 to draws - 1, whose value together is small.

    The first are taken as they come; then every other motion takes the place of that member of the set whose loss
    betters it most, if any does, again and again until none does. value: of the motions of some numbers together, to be
    made small. told: the number of motions looked at, and the least value, as they change.
    """
    if draws < 1 or most < 1:
        raise InvalidTrajectory(f"{most} of {draws} random motions; allowed: 1 or more of 1 or more")
    chosen = tuple(range(min(most, draws)))
    best, updates, looked_at, since = value(chosen), 0, len(chosen), 0
    number = len(chosen)
    while since < draws and len(chosen) < draws:
        number = number % draws
        if number not in chosen:
            options = [(*chosen[:place], number, *chosen[place + 1 :]) for place in range(len(chosen))]
            values = [value(option) for option in options]
            least = int(np.argmin(values))
            if values[least] < best:
                chosen, best, updates, since = options[least], values[least], updates + 1, -1
            looked_at += 1
            if told is not None:
                told(looked_at, best)
        number, since = number + 1, since + 1
    return RandomSelection(chosen, best, updates)


def in_order(chosen: Sequence[int], value: Value) -> tuple[int, ...]:
    """The best alone first, then always the one that betters those before it most."""
    taken, left = tuple[int, ...](), list(chosen)
    while left:
        values = [value((*taken, number)) for number in left]
        taken = (*taken, left.pop(int(np.argmin(values))))
    return taken
