"""The yardstick for choices of intervals: V. V. Fedorov's exchange, written without the product's search.

Each interval of a choice in its turn is exchanged for whichever combination makes the goal least, until no exchange
helps ("Theory of optimal experiments", 1972, chapter 3; one interval after the other as in R. D. Cook,
C. J. Nachtsheim, "A comparison of algorithms for constructing exact D-optimal designs", Technometrics, 1980). Then
seeds are optimised, and so on. A number of intervals will do if one of several random choices comes below the condition
number asked for; the fewest is found by bisection.
"""

import numpy as np

from freefloat.excitation.procedures.interval_seeds import optimise_seeds

LEAST_GAIN = 1e-3


def fewest_by_fedorov(task, pool, largest, most, choices=2, rounds=3):
    """The number of intervals that the exchange needs for a condition number of at most `largest`.

    most: the answer if it needs so many or more.
    """
    too_few, enough = task.fewest - 1, most
    while enough - too_few > 1:
        count = (too_few + enough) // 2
        if any(_reaches(task, pool, largest, count, rounds, seed) for seed in range(choices)):
            enough = count
        else:
            too_few = count
    return enough


def _reaches(task, pool, largest, count, rounds, seed):
    chosen = np.random.default_rng([seed, count]).choice(len(pool), count, replace=False)
    seeds, _ = optimise_seeds(task, pool[chosen], seed)
    for _ in range(rounds):
        chosen = _exchanged(task, seeds, pool, chosen)
        seeds, _ = optimise_seeds(task, pool[chosen], seeds)
        if task.condition_number(seeds, pool[chosen]) <= largest:
            return True
    return False


def _exchanged(task, seeds, pool, chosen):
    """The best exchange of every interval in turn, again and again while they help."""
    best, before = task.value(seeds, pool[chosen]), np.inf
    while best < before - LEAST_GAIN:
        before = best
        for place in range(len(chosen)):
            others = [_with(chosen, place, other) for other in np.setdiff1d(np.arange(len(pool)), chosen)]
            values = [task.value(seeds, pool[other]) for other in others]
            if values and min(values) < best:
                chosen, best = others[int(np.argmin(values))], min(values)
    return chosen


def _with(chosen, place, other):
    changed = chosen.copy()
    changed[place] = other
    return changed
