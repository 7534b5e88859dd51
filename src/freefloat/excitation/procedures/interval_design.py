"""Exciting motions of cycloidal intervals in three steps.

    1. seeds are optimised for all combinations of directions,
    2. intervals that add little are left out,
    3. seeds are optimised again for those kept,

after B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space robot",
Journal of Guidance, Control, and Dynamics, 2019, section V and figure 2. For step 2 there are their Algorithm 1 as it
is printed, the same with its reference values updated, and an exchange search, which takes turns with step 3. Where
2^(channels - 1) combinations are too many, a random sample of them serves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.condition_number import true_condition_number
from freefloat.excitation.procedures.interval_exchange import Choice, exchange
from freefloat.excitation.procedures.interval_pruning import IntervalRecord, interval_record, prune, prune_as_printed
from freefloat.excitation.procedures.interval_seeds import optimise_seeds
from freefloat.excitation.procedures.interval_task import IntervalTask
from freefloat.motion.cycloid import Cycloid, direction_combinations
from freefloat.motion.trajectory import InvalidTrajectory

Rule = Literal["printed", "updated", "exchange"]
_MOST_LISTED = 12  # channels; beyond, combinations are sampled, not listed
_FINE = 10  # instants of an interval, where its singular values are counted


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """How good a motion was after one step: value of the goal, condition number, number of intervals."""

    name: str
    intervals: int
    value: float
    condition_number: float


@dataclass(frozen=True, slots=True, eq=False)
class IntervalDesign:
    """A motion, and how it was found.

    seeds: starts and ranges, shape (2, channels). directions: of the intervals flown, (intervals, channels).
    record: what each interval shows; steps: of the start that won, among `values`, the values of all starts.
    """

    trajectory: Cycloid
    seeds: Array
    directions: Array
    value: float
    condition_number: float
    record: IntervalRecord
    steps: tuple[Step, ...]
    values: tuple[float, ...]


def sampled_combinations(channels: int, count: int, seed: int) -> Array:
    """So many different combinations of directions, +1 or -1, the first channel forwards, (count, channels)."""
    if not 0 < count <= 2.0 ** (channels - 1):
        raise InvalidTrajectory(f"{count} combinations of {channels} channels; allowed: 1 to 2^{channels - 1}")
    if channels <= _MOST_LISTED:
        listed = direction_combinations(channels)
        return listed[np.sort(np.random.default_rng(seed).choice(len(listed), count, replace=False))]
    rng, found = np.random.default_rng(seed), np.empty((0, channels))
    while len(found) < count:
        drawn = np.where(rng.random((count, channels)) < 0.5, -1.0, 1.0)
        drawn[:, 0] = 1.0
        found = np.unique(np.vstack([found, drawn]), axis=0)
    return rng.permutation(found)[:count]


def design_intervals(
    task: IntervalTask,
    rule: Rule = "exchange",
    *,
    combinations: Array | None = None,
    most: int | None = None,
    rounds: int = 6,
    tries: int = 1500,
    starts: int = 4,
    seed: int = 0,
) -> IntervalDesign:
    """The best motion of several random starts.

    combinations: of directions, shape (all, channels); every one unless given.
    most: number of intervals of an exchange search, which then begins with a random sample of so many; unless given,
        it begins with what the updated rule keeps.
    rounds, tries: of the exchange search, rounds of so many tries, each followed by step 3.
    """
    pool = direction_combinations(len(task.channels)) if combinations is None else combinations
    if most is not None and not (rule == "exchange" and 0 < most <= len(pool)):
        raise InvalidTrajectory(f"{most} intervals by the {rule} rule; allowed: 1 to {len(pool)}, and only by exchange")
    found = [_one_start(task, rule, pool, most, (rounds, tries), seed + number) for number in range(starts)]
    seeds, directions, steps = min(found, key=lambda each: each[2][-1].value)
    trajectory = task.trajectory(seeds, directions)
    return IntervalDesign(
        trajectory,
        seeds,
        directions,
        steps[-1].value,
        steps[-1].condition_number,
        interval_record(_fine(task).blocks(trajectory)),
        tuple(steps),
        tuple(each[2][-1].value for each in found),
    )


def _one_start(
    task: IntervalTask, rule: Rule, pool: Array, most: int | None, effort: tuple[int, int], seed: int
) -> tuple[Array, Array, list[Step]]:
    """Seeds, directions and steps from one random start."""
    seeds, _ = optimise_seeds(task, pool, seed)
    steps = [_step(task, "all combinations", seeds, pool)]
    if most is not None:
        chosen = np.sort(np.random.default_rng(seed).choice(len(pool), most, replace=False))
        tried = [optimise_seeds(task, pool[chosen], first) for first in (seeds, seed)]
        seeds, _ = min(tried, key=lambda found: found[1])
        steps.append(_step(task, "random sample", seeds, pool[chosen]))
    else:
        blocks = _fine(task).blocks(task.trajectory(seeds, pool))
        chosen = prune_as_printed(blocks) if rule == "printed" else prune(blocks)
        seeds, _ = optimise_seeds(task, pool[chosen], seeds)
        steps.append(_step(task, "pruned", seeds, pool[chosen]))
    if rule == "exchange":
        seeds, chosen = _exchanged(task, seeds, pool, chosen, effort, seed)
        steps.append(_step(task, "exchanged", seeds, pool[chosen]))
    return seeds, pool[chosen], steps


def _exchanged(
    task: IntervalTask, seeds: Array, pool: Array, chosen: Choice, effort: tuple[int, int], seed: int
) -> tuple[Array, Choice]:
    """Rounds of exchange, each followed by step 3."""
    rng, (rounds, tries) = np.random.default_rng([seed, 1]), effort
    for _ in range(rounds):
        chosen = exchange(task, seeds, pool, chosen, tries, rng)
        seeds, _ = optimise_seeds(task, pool[chosen], seeds)
    return seeds, chosen


def _step(task: IntervalTask, name: str, seeds: Array, directions: Array) -> Step:
    matrix = _fine(task).matrix(task.trajectory(seeds, directions))
    return Step(name, len(directions), task.value(seeds, directions), true_condition_number(matrix))


def _fine(task: IntervalTask) -> IntervalTask:
    """The same task with enough instants to show all that an interval can."""
    return replace(task, instants=_FINE)
