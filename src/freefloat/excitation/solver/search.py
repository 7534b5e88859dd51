"""Many seeded starts, each followed to its own minimum, over processes; feasible at the end, the same for a seed.

A start is a random direction, as far as the linear limits allow. A local search keeps well off all limits; from its
end, another goes as near to them as pays. Both look at limits on a grid. Where the motion then breaks one between the
instants of the grid, it is mended (`between_instants.py`); where that costs too much, those instants join the grid and
the search goes on (an exchange method, as in R. Hettich, K. O. Kortanek, "Semi-infinite programming", SIAM Review,
1993).
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.solver.between_instants import between, mended
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.excitation.solver.sequential_quadratic import TOLERANCE, Point, minimise
from freefloat.robot.transform import Array

_ROUNDS = 4
_MORE = 1.2  # of what a limit was missed by, so much more of its margin is wanted next time
_COARSER = 1e-2  # tolerance of first searches, and of those after an exchange
_AWAY, _NOT_AWAY = 0.3, 0.02  # margin that first searches keep, and the least that is worth it
_RADIUS_AFTER = 0.02
_ITERATIONS_AFTER = 60
_REACH = (0.3, 0.95)  # part of the way to the nearest limit that starts go, drawn evenly
_FARTHEST = 10.0  # coordinates, where no limit is met
_OFTEN_S = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The end of one local search.

    start: its number. y: coordinates. value: of the objective. worst: smallest margin, true extremes included.
    multipliers: how hard each margin of the final grid pulls, (m,). finished: why the search ended.
    """

    start: int
    y: Array
    value: float
    worst: float
    optimality: float
    iterations: int
    seconds: float
    finished: str
    t: Array
    multipliers: Array

    @property
    def feasible(self) -> bool:
        """Whether all limits are kept, also between the instants of the grid."""
        return self.worst >= 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """How far a search is: of one start after one iteration.

    y: coordinates, where all limits of the grid are kept; else None.
    """

    start: int
    iteration: int
    value: float
    worst: float
    y: Array | None


Watch = Callable[[Progress], None]


def random_starts(task: PlannedTask, count: int, seed: int) -> list[Array]:
    """Coordinates of starting motions."""
    nothing = np.zeros(task.variables.size)
    margins = task.margins(nothing)
    rows = np.flatnonzero(task.linear_rows)
    J = task.jacobian(nothing, rows)
    return [_start(np.random.default_rng([seed, number]), margins[rows], J) for number in range(count)]


def _start(rng: np.random.Generator, margins: Array, J: Array) -> Array:
    direction, fill = rng.normal(size=J.shape[1]), rng.uniform(*_REACH)
    change = -(J @ direction)
    closing = (change > 0.0) & (margins > 0.0)
    ahead = np.append(margins[closing] / change[closing], _FARTHEST / np.linalg.norm(direction))
    farthest = float(ahead.min())
    return np.asarray(direction * (fill * farthest))


def follow(
    task: PlannedTask,
    start: Array,
    number: int,
    most_iterations: int,
    watch: Watch | None = None,
    tolerance: float = TOLERANCE,
) -> Found:
    """One start to its minimum, all limits kept also between instants."""
    began = time.perf_counter()

    def told(point: Point) -> None:
        if watch is not None:
            watch(Progress(number, point.iterations, point.value, point.worst, point.y if point.feasible else None))

    first, curvature, iterations = _away_from_limits(task, start, most_iterations // 2, told)
    point = minimise(task, first, most_iterations - iterations, tolerance, curvature=curvature, watch=told)
    iterations, wanted = iterations + point.iterations, np.zeros(len(task.limits))
    y, value, nearest = _mended(task, point)
    for exchange in range(_ROUNDS):
        if (nearest >= 0.0 and value <= point.value + tolerance) or point.finished == "infeasible":
            break
        worst, broken = between(task, point.y)
        if exchange > 0:  # those instants are in the grid; what is left is how finely it follows the attitude
            wanted += np.where(worst < 0.0, _MORE * -worst, 0.0)
        task = replace(task, t=np.union1d(task.t, broken), tightened=tuple(wanted))
        point = minimise(
            task, point.y, _ITERATIONS_AFTER, _COARSER, _RADIUS_AFTER, curvature=point.curvature, watch=told
        )
        iterations, again = iterations + point.iterations, _mended(task, point)
        if again[2] >= 0.0 or nearest < 0.0:
            y, value, nearest = again
    pulls = np.zeros(point.margins.size)
    pulls[point.rows] = point.multipliers
    seconds = time.perf_counter() - began
    ended = (point.optimality, iterations, seconds, point.finished, np.asarray(task.t), pulls)
    return Found(number, y, value, nearest, *ended)


def _away_from_limits(
    task: PlannedTask, start: Array, most_iterations: int, watch: Callable[[Point], None]
) -> tuple[Array, Array | None, int]:
    """Where a rough search ends that keeps off the limits, its curvature and iterations: fewer poor minima are near.

    Nothing is done where the robot at rest is too near to a limit for that.
    """
    room = min(_AWAY, 0.5 * float(task.margins(np.zeros(start.size)).min(initial=np.inf)))
    if room < _NOT_AWAY or most_iterations < 1:
        return start, None, 0
    point = minimise(task, start, most_iterations, _COARSER, room=room, watch=watch)
    return point.y, point.curvature, point.iterations


def _mended(task: PlannedTask, point: Point) -> tuple[Array, float, float]:
    """Coordinates that keep all limits, if there are any near; their value and smallest margin."""
    y, nearest = mended(task, point.y)
    return y, task.value(y)[0], nearest


# ---------------------------------------------------------------------- over processes


def search(
    task: PlannedTask,
    starts: Sequence[Array],
    workers: int = 1,
    most_iterations: int = 300,
    watch: Watch | None = None,
    tolerance: float = TOLERANCE,
) -> Iterator[Found]:
    """The end of every start, as they come; the same for any number of workers, but for their order.

    watch: called now and then with where a start is.
    """
    if workers <= 1 or len(starts) <= 1 or not sys.platform.startswith("linux"):
        with one_blas_thread():
            for number, start in enumerate(starts):
                yield follow(task, start, number, most_iterations, watch, tolerance)
        return
    yield from _in_processes(task, starts, min(workers, len(starts)), most_iterations, watch, tolerance)


def usual_workers() -> int:
    """As many as there are processors to use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _in_processes(
    task: PlannedTask,
    starts: Sequence[Array],
    workers: int,
    most_iterations: int,
    watch: Watch | None,
    tolerance: float,
) -> Iterator[Found]:
    # Forked workers inherit the task: nothing of it need be written down, and a user's script is not run again.
    context = multiprocessing.get_context("fork")
    jobs, results = context.SimpleQueue(), context.Queue()
    for number in range(len(starts)):
        jobs.put(number)
    for _ in range(workers):
        jobs.put(None)
    crew = [
        context.Process(target=_work, args=(task, starts, most_iterations, tolerance, jobs, results), daemon=True)
        for _ in range(workers)
    ]
    for process in crew:
        process.start()
    try:
        missing = len(starts)
        while missing:
            try:
                said = results.get(timeout=1.0)
            except queue.Empty:
                if not any(process.is_alive() for process in crew):
                    raise RuntimeError("a worker of the search ended before its work did") from None
                continue
            if isinstance(said, Exception):
                raise said
            if isinstance(said, Progress):
                if watch is not None:
                    watch(said)
                continue
            missing -= 1
            yield said
    finally:
        for process in crew:
            process.terminate()
            process.join()


def _work(
    task: PlannedTask, starts: Sequence[Array], most_iterations: int, tolerance: float, jobs: Any, results: Any
) -> None:
    """A worker: takes starts until there are none; an interrupt is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    last = 0.0

    def told(progress: Progress) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last > _OFTEN_S:
            last = now
            results.put(progress)

    with one_blas_thread():
        while (number := jobs.get()) is not None:
            try:
                results.put(follow(task, starts[number], number, most_iterations, told, tolerance))
            except Exception as error:
                results.put(error)
                return
