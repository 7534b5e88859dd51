"""Exciting motions of cycloidal intervals in three steps.

    1. seeds are optimised for all combinations of directions,
    2. intervals that add little are left out,
    3. seeds are optimised again for those kept,

after B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space robot",
Journal of Guidance, Control, and Dynamics, 2019, section V and figure 2. For step 2 there are their Algorithm 1 as it
is printed, the same with its reference values updated, and an exchange search, which takes turns with step 3; the
number of intervals is then given, or is the fewest that keep the condition number below one that is given. Where
2^(channels - 1) combinations are too many, a random sample of them serves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.limits.infeasible import NoMotionFound, conflict_sentence
from freefloat.excitation.procedures.fewest_intervals import FewestIntervals
from freefloat.excitation.procedures.interval_exchange import Choice, exchange
from freefloat.excitation.procedures.interval_pruning import (
    PATIENCE,
    SHARE,
    IntervalRecord,
    interval_record,
    prune,
    prune_as_printed,
)
from freefloat.excitation.procedures.interval_seeds import optimise_seeds
from freefloat.excitation.procedures.interval_settings import Rule
from freefloat.excitation.procedures.interval_task import IntervalTask
from freefloat.motion.cycloid import Cycloid, direction_combinations
from freefloat.motion.trajectory import InvalidTrajectory

Watch = Callable[[int, float, Cycloid | None], None]
_MOST_LISTED = 12  # channels; beyond, combinations are sampled, not listed


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
    record: what each interval shows; steps: of the start that won, number `best`, among `values`, the values of all
    starts, infinite where limits were not kept. interrupted: whether starts are missing.
    """

    trajectory: Cycloid
    seeds: Array
    directions: Array
    value: float
    condition_number: float
    record: IntervalRecord
    steps: tuple[Step, ...]
    values: tuple[float, ...]
    best: int = 0
    interrupted: bool = False


def combinations_for(channels: int, count: int, intervals: int, seed: int) -> Array:
    """Combinations of directions to choose so many intervals from, shape (all, channels).

    count: how many of the 2^(channels - 1) to take at most; if there are more, a random sample. Where they are fewer
    than twice the intervals, the opposite directions join them, then all of them again: elsewhere in the motion they
    show something else.
    """
    few = channels <= _MOST_LISTED and 2 ** (channels - 1) <= count
    pool = (
        direction_combinations(channels)
        if few
        else sampled_combinations(channels, min(count, 2 ** (channels - 1)), seed)
    )
    if len(pool) < 2 * intervals:
        pool = np.vstack([pool, -pool])
    return np.tile(pool, (max(1, -(-2 * intervals // len(pool))), 1))


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
    condition_number: float | None = None,
    patience: int = PATIENCE,
    share: float = SHARE,
    rounds: int = 6,
    tries: int = 1500,
    starts: int = 4,
    seed: int = 0,
    watch: Watch | None = None,
) -> IntervalDesign:
    """The best motion of several random starts.

    combinations: of directions, shape (all, channels); every one unless given.
    most: number of intervals of an exchange search, which then begins with a random sample of so many; unless given,
        it begins with what the updated rule keeps.
    condition_number: the largest that is allowed; the search then leaves out as many intervals as it can (at most
        `most` are flown), and the best motion is that of the fewest.
    patience, share: u_max and delta of the rules of step 2.
    rounds, tries: of the exchange search, rounds of so many tries, each followed by step 3.
    watch: called with the number of starts that have ended, and value and motion of the best so far. An interrupt
        (Ctrl-C) ends the search with the best motion of the starts that have ended, if there is one.
    """
    if starts < 1:
        raise InvalidTrajectory(f"starts is {starts}; allowed: 1 or more")
    pool = direction_combinations(len(task.channels)) if combinations is None else combinations
    _refuse_odd(task, rule, len(pool), most, condition_number)
    selection = _Selection(task, rule, pool, most, condition_number, patience, share, rounds, tries)
    ends, interrupted = list[_Found](), False
    with one_blas_thread():
        try:
            for number in range(starts):
                ends.append(selection.from_start(seed + number))
                best = min(ends, key=lambda end: end.rank)
                if watch is not None:
                    kept = np.isfinite(best.value)
                    watch(number + 1, best.value, task.trajectory(best.seeds, best.directions) if kept else None)
        except KeyboardInterrupt:
            if not ends:
                raise
            interrupted = True
        best = min(ends, key=lambda end: end.rank)
        if not np.isfinite(best.value):
            raise NoMotionFound(_no_motion(task, best))
        if condition_number is not None and best.steps[-1].condition_number > condition_number:
            raise NoMotionFound(
                f"no motion of {len(best.directions)} intervals was found with a condition number of at most "
                f"{condition_number:g}, the best has {best.steps[-1].condition_number:.4g}; allow more intervals or a "
                "larger condition number"
            )
        trajectory = task.trajectory(best.seeds, best.directions)
        record = interval_record(task.closely.blocks(trajectory), share)
    return IntervalDesign(
        trajectory,
        best.seeds,
        best.directions,
        best.value,
        best.steps[-1].condition_number,
        record,
        best.steps,
        tuple(end.value for end in ends),
        ends.index(best),
        interrupted,
    )


def _refuse_odd(task: IntervalTask, rule: Rule, count: int, most: int | None, condition_number: float | None) -> None:
    if most is not None and not (rule == "exchange" and 0 < most <= count):
        raise InvalidTrajectory(f"{most} intervals by the {rule} rule; allowed: 1 to {count}, and only by exchange")
    if condition_number is not None and not (rule == "exchange" and condition_number >= 1.0):
        raise InvalidTrajectory(
            f"a condition number of {condition_number:g} by the {rule} rule; allowed: 1 or more, and only by exchange"
        )
    if (most or count) < task.fewest:
        raise InvalidTrajectory(
            f"the number of intervals is {most or count}, too few to have as many rows as the {len(task.rows.names)} "
            f"columns; allowed: at least {task.fewest}"
        )


def _no_motion(task: IntervalTask, found: _Found) -> str:
    """Which further limits seeds could not keep."""
    trajectory = task.trajectory(found.seeds, found.directions)
    motion = task.planned(trajectory, 1)
    return conflict_sentence(task.further, [np.zeros(0)] * len(task.further), motion)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """The end of one start."""

    seeds: Array
    directions: Array
    steps: tuple[Step, ...]
    few: bool

    @property
    def value(self) -> float:
        return self.steps[-1].value

    @property
    def rank(self) -> tuple[float, float]:
        """The less, the better: number of intervals if as few as possible are wanted, then the value."""
        return (len(self.directions) if self.few and np.isfinite(self.value) else np.inf), self.value


@dataclass(frozen=True, slots=True, eq=False)
class _Selection:
    """How intervals are chosen; fields as of `design_intervals`, pool being the combinations."""

    task: IntervalTask
    rule: Rule
    pool: Array
    most: int | None
    condition_number: float | None
    patience: int
    share: float
    rounds: int
    tries: int

    def from_start(self, seed: int) -> _Found:
        """Seeds, directions and steps from one random start."""
        task, pool = self.task, self.pool
        # All combinations are never flown, so that further limits do not matter yet.
        seeds, _ = optimise_seeds(replace(task, further=()), pool, seed)
        steps = [self._step("all combinations", seeds, np.arange(len(pool)))]
        seeds, chosen, name = self._first_choice(seeds, seed)
        steps.append(self._step(name, seeds, chosen))
        if self.rule == "exchange":
            rng = np.random.default_rng([seed, 1])
            if self.condition_number is None:
                seeds, chosen = self._exchanged(seeds, chosen, rng)
                steps.append(self._step("exchanged", seeds, chosen))
            else:
                search = FewestIntervals(task, pool, self.condition_number, self.tries, self.rounds, rng)
                seeds, chosen = search.found(seeds, chosen)
                steps.append(self._step("as few as possible", seeds, chosen))
        if not task.within(seeds, pool[chosen]):
            steps.append(replace(steps[-1], value=np.inf))
        few = self.condition_number is not None and steps[-1].condition_number <= self.condition_number
        return _Found(seeds, pool[chosen], tuple(steps), few)

    def _first_choice(self, seeds: Array, seed: int) -> tuple[Array, Choice, str]:
        """By a rule of step 2, or a random sample of as many as there may be; with seeds optimised for them."""
        if self.most is None:
            blocks = self.task.closely.blocks(self.task.trajectory(seeds, self.pool))
            rule = prune_as_printed if self.rule == "printed" else prune
            chosen = rule(blocks, self.patience, self.share)
            return optimise_seeds(self.task, self.pool[chosen], seeds)[0], chosen, "pruned"
        chosen = np.sort(np.random.default_rng(seed).choice(len(self.pool), self.most, replace=False))
        tried = [optimise_seeds(self.task, self.pool[chosen], first) for first in (seeds, seed)]
        return min(tried, key=lambda found: found[1])[0], chosen, "random sample"

    def _exchanged(self, seeds: Array, chosen: Choice, rng: np.random.Generator) -> tuple[Array, Choice]:
        """Rounds of exchange, each followed by step 3."""
        for _ in range(self.rounds):
            chosen = exchange(self.task, seeds, self.pool, chosen, self.tries, rng)
            seeds, _ = optimise_seeds(self.task, self.pool[chosen], seeds)
        return seeds, chosen

    def _step(self, name: str, seeds: Array, chosen: Choice) -> Step:
        directions = self.pool[chosen]
        value, condition_number = self.task.value(seeds, directions), self.task.condition_number(seeds, directions)
        return Step(name, len(directions), value, condition_number)
