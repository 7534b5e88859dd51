"""A design by selection: random motions, the best few of which are flown one after the other."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.excitation import Excitation, HowFound
from freefloat.excitation.finding import Standing, Watch, described
from freefloat.excitation.limits.infeasible import NoMotionFound, conflict_sentence, refuse_impossible
from freefloat.excitation.plan import InvalidPlan, Plan
from freefloat.excitation.procedures.random_selection import select_motions
from freefloat.excitation.solver.random_within import random_within
from freefloat.motion.consecutive import Consecutive

_SOLVER = "selection of random motions"
_TRIES = 4  # draws in vain for each that is wanted


def find_selection(plan: Plan, draws: int, seed: int = 0, watch: Watch | None = None) -> Excitation:
    """The best motions of so many random ones, one after the other; the same for a seed.

    plan: of a shape that is `Consecutive`: as many motions are selected as it has parts, which are alike, from rest to
    rest at one place. watch: told how far the selection is.
    """
    if not isinstance(plan.shape, Consecutive):
        raise InvalidPlan(f"the shape is {plan.shape.kind}; allowed for a selection: consecutive")
    with one_blas_thread():  # matrices are small
        return _selected(plan, plan.shape, draws, seed, watch)


def _selected(plan: Plan, shape: Consecutive, draws: int, seed: int, watch: Watch | None) -> Excitation:
    most, began = len(shape.parts), time.perf_counter()
    drawn, objective = _drawn(plan, shape, max(draws, most), seed), plan.objective()

    def value(chosen: tuple[int, ...]) -> float:
        return objective.value(np.vstack([drawn[number] for number in chosen]))[0]

    def told(looked_at: int, best: float) -> None:
        if watch is not None:
            watch(Standing(0, 1, best, None, None))

    found = select_motions(len(drawn), most, value, told)
    if not math.isfinite(found.value):
        raise InvalidPlan(
            f"{plan.goal_name} cannot be had: {most} random motions leave something "
            "that is asked for entirely open; declare known or zero what cannot be seen, or select more motions"
        )
    coefficients = np.vstack([drawn[number] for number in found.chosen])
    how = HowFound(_SOLVER, seed, (found.value,), 0, found.updates, time.perf_counter() - began, drawn=len(drawn))
    return described(plan, shape.with_coefficients(coefficients), how, math.inf)


def _drawn(plan: Plan, shape: Consecutive, draws: int, seed: int) -> list[Array]:
    """Coefficients of random motions of one part within all limits, shape (k, channels) each."""
    one = replace(plan, shape=shape.parts[0], earlier=())
    task = one.limits_task()
    nothing = np.zeros(task.variables.size)
    refuse_impossible(plan.limits, task.motion(nothing))
    found: list[Array] = []
    for number in range(_TRIES * draws):
        y = random_within(task, np.random.default_rng([seed, number]))
        if y is not None:
            found.append(task.variables.coefficients(y))
        if len(found) == draws:
            return found
        if number >= draws and not found:
            break
    if found:
        return found
    none = [np.zeros(0) for _ in plan.limits]
    raise NoMotionFound(conflict_sentence(plan.limits, none, task.motion(nothing)))
