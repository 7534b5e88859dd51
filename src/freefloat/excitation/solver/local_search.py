"""One start to a minimum that keeps all limits, also between the instants at which a search looks.

A start is a random direction, as far as the linear limits allow and no other is broken by much. A local search keeps
well off all limits; from its end, another goes as near to them as pays. Both look at limits on a grid. Where the motion
then breaks one between the instants of the grid, it is mended (`between_instants.py`); where that costs too much, those
instants join the grid and the search goes on (an exchange method, as in R. Hettich, K. O. Kortanek, "Semi-infinite
programming", SIAM Review, 1993). From a good minimum others are reached by shaking it and searching again, which costs
less than a new start (monotonic basin hopping: R. H. Leary, "Global optimization on funneling landscapes", Journal of
Global Optimization, 2000).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.solver.between_instants import between, mended
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.excitation.solver.sequential_quadratic import TOLERANCE, SearchPoint, minimise

_ROUNDS = 4
_MORE = 1.2  # of what a limit was missed by, so much more of its margin is wanted next time
_COARSER = 1e-2  # tolerance of first searches, and of those after an exchange
_AWAY, _NOT_AWAY = 0.3, 0.02  # margin that first searches keep, and the least that is worth it
_RADIUS_AFTER = 0.02
_ITERATIONS_AFTER = 60
_REACH = (0.3, 0.95)  # part of the way to the nearest limit that starts go, drawn evenly
_FARTHEST = 10.0  # coordinates, where no limit is met
_TOO_FAR, _HALVINGS = -0.5, 12  # margin beyond which a start is halved towards rest, and how often
_SHAKE = (0.4, 0.8)  # of the motion's own size, drawn evenly
_RADIUS_SHAKEN = 0.1


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
    """Coordinates of starting motions; if rest keeps all limits, none breaks one by more than half its size."""
    nothing = np.zeros(task.variables.size)
    margins = task.margins(nothing)
    rows = np.flatnonzero(task.linear_rows)
    J = task.jacobian(nothing, rows)
    found = [_start(np.random.default_rng([seed, number]), margins[rows], J) for number in range(count)]
    return [_nearer(task, y) for y in found] if (margins >= 0.0).all() else found


def _start(rng: np.random.Generator, margins: Array, J: Array) -> Array:
    direction, fill = rng.normal(size=J.shape[1]), rng.uniform(*_REACH)
    change = -(J @ direction)
    closing = (change > 0.0) & (margins > 0.0)
    ahead = np.append(margins[closing] / change[closing], _FARTHEST / np.linalg.norm(direction))
    farthest = float(ahead.min())
    return np.asarray(direction * (fill * farthest))


def _nearer(task: PlannedTask, y: Array) -> Array:
    """A start, halved towards rest until it breaks no limit by much: from far beyond one, searches fail."""
    for _ in range(_HALVINGS):
        if task.margins(y).min(initial=np.inf) > _TOO_FAR:
            break
        y = 0.5 * y
    return y


@dataclass(frozen=True, slots=True, eq=False)
class Errand:
    """A search to be made: from coordinates y to a minimum, then from there by shaking it so many times.

    number: of the start. rough: whether to keep well off the limits first, as from random motions. seed: of shakes.
    """

    number: int
    y: Array
    rough: bool = True
    shakes: int = 0
    seed: int = 0


def run_errand(
    task: PlannedTask,
    errand: Errand,
    most_iterations: int,
    watch: Watch | None = None,
    tolerance: float = TOLERANCE,
) -> Found:
    """The end of a search; with shakes no worse than where they began, if that kept all limits."""
    began, number = time.perf_counter(), errand.number

    def told(point: SearchPoint) -> None:
        if watch is not None:
            watch(Progress(number, point.iterations, point.value, point.worst, point.y if point.feasible else None))

    if errand.shakes:
        return _shaken(task, errand, began, most_iterations, told, tolerance)
    first, curvature, iterations = errand.y, None, 0
    if errand.rough:
        first, curvature, iterations = _away_from_limits(task, errand.y, most_iterations // 2, told)
    point = minimise(task, first, most_iterations - iterations, tolerance, curvature=curvature, watch=told)
    return _finished(task, point, number, began, iterations + point.iterations, told, tolerance)


def _shaken(
    task: PlannedTask,
    errand: Errand,
    began: float,
    most_iterations: int,
    watch: Callable[[SearchPoint], None],
    tolerance: float,
) -> Found:
    rng = np.random.default_rng([errand.seed, errand.number, 1])
    best = minimise(task, errand.y, most_iterations, tolerance, _RADIUS_SHAKEN, watch=watch)
    iterations = best.iterations
    for _ in range(errand.shakes):
        size = rng.uniform(*_SHAKE) * np.linalg.norm(best.y) / np.sqrt(best.y.size)
        shaken = best.y + size * rng.normal(size=best.y.size)
        point = minimise(task, shaken, most_iterations, tolerance, _RADIUS_SHAKEN, watch=watch)
        iterations += point.iterations
        if point.feasible and (point.value < best.value or not best.feasible):
            best = point
    return _finished(task, best, errand.number, began, iterations, watch, tolerance)


def _finished(
    task: PlannedTask,
    point: SearchPoint,
    number: int,
    began: float,
    iterations: int,
    watch: Callable[[SearchPoint], None],
    tolerance: float,
) -> Found:
    """The motion where a search ended, mended between the instants of the grid."""
    wanted = np.zeros(len(task.limits))
    y, value, nearest = _mended(task, point)
    for exchange in range(_ROUNDS):
        if (nearest >= 0.0 and value <= point.value + tolerance) or point.finished == "infeasible":
            break
        worst, broken = between(task, point.y)
        if exchange > 0:  # those instants are in the grid; what is left is how finely it follows the attitude
            wanted += np.where(worst < 0.0, _MORE * -worst, 0.0)
        task = replace(task, t=np.union1d(task.t, broken), tightened=tuple(wanted))
        point = minimise(
            task, point.y, _ITERATIONS_AFTER, _COARSER, _RADIUS_AFTER, curvature=point.curvature, watch=watch
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
    task: PlannedTask, start: Array, most_iterations: int, watch: Callable[[SearchPoint], None]
) -> tuple[Array, Array | None, int]:
    """Where a rough search ends that keeps off the limits, its curvature and iterations: fewer poor minima are near.

    Nothing is done where the robot at rest is too near to a limit for that.
    """
    room = min(_AWAY, 0.5 * float(task.margins(np.zeros(start.size)).min(initial=np.inf)))
    if room < _NOT_AWAY or most_iterations < 1:
        return start, None, 0
    point = minimise(task, start, most_iterations, _COARSER, room=room, watch=watch)
    return point.y, point.curvature, point.iterations


def _mended(task: PlannedTask, point: SearchPoint) -> tuple[Array, float, float]:
    """Coordinates that keep all limits, if there are any near; their value and smallest margin."""
    y, nearest = mended(task, point.y)
    return y, task.value(y)[0], nearest
