"""The yardstick for choices of intervals: V. V. Fedorov's exchange, written without the product's search.

Every interval of a choice is tried against every combination that is not in it, and the exchange that makes the
condition number least is made, until none makes it less ("Theory of optimal experiments", 1972, chapter 3, with the
condition number as criterion). Seeds are then optimised, and so on. A number of intervals will do if one of several
random choices comes below the condition number asked for; the fewest is found by bisection.
"""

import numpy as np

from freefloat.excitation.procedures.interval_seeds import optimise_seeds


def fewest_by_fedorov(task, pool, largest, most, choices=2, rounds=3):
    """The number of intervals that Fedorov's exchange needs for a condition number of at most `largest`."""
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
    """Exchanges of one interval for one that is not flown, the best of all pairs each time, while they help."""
    best = task.value(seeds, pool[chosen])
    while True:
        outside = np.setdiff1d(np.arange(len(pool)), chosen)
        pairs = [(place, other) for place in range(len(chosen)) for other in outside]
        values = [task.value(seeds, pool[_with(chosen, *pair)]) for pair in pairs]
        if not values or min(values) >= best - 1e-3:
            return chosen
        best = min(values)
        chosen = _with(chosen, *pairs[int(np.argmin(values))])


def _with(chosen, place, other):
    changed = chosen.copy()
    changed[place] = other
    return changed
