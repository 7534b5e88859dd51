"""From a plan to a motion: many starts, the best of those that keep all limits, and what it will tell."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.effort import SHAKES, STARTS
from freefloat.excitation.excitation import Excitation, HowFound
from freefloat.excitation.goals.condition_number import NO_RANK
from freefloat.excitation.limits.box import BoxLimit
from freefloat.excitation.limits.clearance import collision_check
from freefloat.excitation.limits.infeasible import NoMotionFound, conflict_sentence, refuse_impossible
from freefloat.excitation.limits.limit import Limit
from freefloat.excitation.margin import Margin
from freefloat.excitation.plan import InvalidPlan, Plan
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.excitation.solver.between_instants import fine_instants, mended
from freefloat.excitation.solver.local_search import Errand, Found, Progress, random_starts
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.excitation.solver.random_within import random_within
from freefloat.excitation.solver.search import search, usual_workers
from freefloat.excitation.solver.sequential_quadratic import TOLERANCE
from freefloat.motion.trajectory import Trajectory

_SOLVER = "sequential quadratic programming from random motions"
_SHAKEN = 2  # of the best
_HARDLY = 1e7  # one from which searches hardly find anything


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a design is: for a progress display.

    finished, starts: searches that ended, and all. best: smallest value so far of motions that keep the limits.
    y: coordinates of that motion, or `motion`: itself, where a design does not search by coordinates. said: of the best
    so far, in a few words, where it has neither.
    """

    finished: int
    starts: int
    best: float
    progress: Progress | None
    y: Array | None
    motion: Trajectory | None = None
    said: str = ""


Watch = Callable[[Standing], None]
_End = tuple[float, int, Array, float]  # of a search: its value, number, coordinates and optimality


def find_excitation(
    plan: Plan,
    starts: int = STARTS,
    seed: int = 0,
    workers: int | None = None,
    most_iterations: int = 300,
    watch: Watch | None = None,
    tolerance: float = TOLERANCE,
    shakes: int = SHAKES,
) -> Excitation:
    """The best motion of several seeded starts; the same for a seed, whatever the number of workers.

    An earlier motion of the same shape is one more start. shakes: how often the best two are shaken, in search of
    better ones nearby. workers: processes; as many as there are processors unless given. watch: told how far the
    design is. An interrupt (Ctrl-C) ends the search with the best motion so far, if there is one. tolerance: on the
    goal.
    """
    if starts < 1:
        raise InvalidPlan(f"starts is {starts}; allowed: 1 or more")
    task = plan.task()
    nothing = np.zeros(task.variables.size)
    refuse_impossible(plan.limits, task.motion(nothing))
    begun = _starting(plan, task, starts, seed)
    _refuse_blind(plan, task, begun[0])
    errands = [Errand(number, y) for number, y in enumerate(begun)]
    errands += [Errand(starts, y, rough=False) for y in _earlier_start(plan)]
    run = _Run(task, len(errands), min(_SHAKEN, len(errands)) if shakes else 0, watch)
    crew, began = workers or usual_workers(), time.perf_counter()
    try:
        run.all_of(search(task, errands, crew, most_iterations, run.told, tolerance))
        best = sorted(run.kept, key=lambda found: (found.value, found.start))[:_SHAKEN] if shakes else []
        again = [Errand(found.start, found.y, rough=False, shakes=shakes, seed=seed) for found in best]
        run.all_of(search(task, again, crew, most_iterations, run.told, tolerance))
    except KeyboardInterrupt:
        run.interrupted = True
    return _result(plan, task, run, seed, shakes, time.perf_counter() - began)


def _starting(plan: Plan, task: PlannedTask, starts: int, seed: int) -> list[Array]:
    """Random motions; where rows of these nearly lack rank, as with many channels, others that fill their limits."""
    found = random_starts(task, starts, seed)
    if plan.of_sensors or plan.condition_number(plan.variables.trajectory(found[0])) < _HARDLY:
        return found
    with one_blas_thread():
        filling = [random_within(task, np.random.default_rng([seed, number])) for number in range(starts)]
    return [one if other is None else other for one, other in zip(found, filling, strict=True)]


def _refuse_blind(plan: Plan, task: PlannedTask, y: Array) -> None:
    """Refuse a goal that no motion can change: what it asks for is not in the rows."""
    if not np.isfinite(task.value(y)[0]):
        raise InvalidPlan(
            f"{plan.goal_name} cannot be had: this motion leaves something that is asked for entirely open; declare "
            "known or zero what cannot be seen, or give inertias that the robot file leaves at zero"
        )
    if not plan.of_sensors and not plan.condition_number(plan.variables.trajectory(y)) < NO_RANK:
        raise InvalidPlan(
            f"{plan.goal_name} cannot be had: the {plan.model} rows of such a motion lack rank, so some clusters do "
            "not show in them; declare known or zero what cannot be seen, or design for accuracy"
        )


def _earlier_start(plan: Plan) -> list[Array]:
    """Coordinates of the last earlier motion, if it has the same shape: flown again, it would make nothing worse."""
    same = [
        motion
        for motion in plan.earlier
        if motion.channels == plan.shape.channels and motion.coefficients.shape == plan.shape.coefficients.shape
    ]
    return [plan.variables.coordinates(motion.coefficients) for motion in same[-1:]]


class _Run:
    """What the searches have found so far."""

    def __init__(self, task: PlannedTask, starts: int, shaken: int, watch: Watch | None) -> None:
        self.task, self.starts, self.watch = task, starts, watch
        self.errands, self.finished, self.iterations = starts + shaken, 0, 0
        self.found: dict[int, Found] = {}
        self.best, self.interrupted = math.inf, False
        self.y: Array | None = None
        self.progress: Progress | None = None

    def told(self, progress: Progress) -> None:
        """A start made an iteration."""
        self.progress = progress
        if progress.y is not None and progress.value < self.best:
            self.best, self.y = progress.value, progress.y
        self._show()

    @property
    def kept(self) -> list[Found]:
        """Ends that keep all limits."""
        return [found for found in self.found.values() if found.feasible]

    def all_of(self, ends: Iterable[Found]) -> None:
        """Take in searches as they end."""
        for found in ends:
            self._ended(found)

    def _ended(self, found: Found) -> None:
        before = self.found.get(found.start)
        self.finished, self.iterations = self.finished + 1, self.iterations + found.iterations
        if before is None or (found.feasible and not (before.feasible and before.value <= found.value)):
            self.found[found.start] = found
        if found.feasible and found.value < self.best:
            self.best, self.y = found.value, found.y
        self._show()

    def _show(self) -> None:
        if self.watch is not None:
            self.watch(Standing(self.finished, self.errands, self.best, self.progress, self.y))


def _result(plan: Plan, task: PlannedTask, run: _Run, seed: int, shakes: int, seconds: float) -> Excitation:
    kept = {found.start: found for found in run.kept}
    ends = [(found.value, found.start, found.y, found.optimality) for found in kept.values()]
    if run.interrupted and run.y is not None:
        # What an unfinished search had may break a limit between instants.
        y, worst = mended(task, run.y)
        if worst >= 0.0:
            ends.append((task.value(y)[0], run.starts, y, math.inf))
    if not ends:
        raise _no_motion(plan, task, run)
    _, number, y, optimality = min(_with_swing(plan, ends), key=lambda end: end[:2])
    values = tuple(kept[start].value if start in kept else math.nan for start in range(run.starts))
    how = HowFound(_SOLVER, seed, values, number, run.iterations, seconds, run.interrupted, shakes)
    return described(plan, plan.variables.trajectory(y), how, optimality)


def _with_swing(plan: Plan, ends: list[_End]) -> list[_End]:
    """The same ends; of several where something swings, which searches leave out, with the value that it has then."""
    if len(ends) == 1:
        return ends
    values = [plan.value_with_swing(plan.variables.trajectory(y)) for _, _, y, _ in ends]
    return [end if value is None else (value, *end[1:]) for value, end in zip(values, ends, strict=True)]


def described(plan: Plan, trajectory: Trajectory, how: HowFound, optimality: float) -> Excitation:
    """A motion of the plan's shape with all that is to be said of it."""
    value, _ = plan.objective().value(trajectory.coefficients)
    margins, condition_number = margins_of(plan, trajectory), plan.condition_number(trajectory)
    return described_as(plan, trajectory, value, condition_number, margins, how, optimality)


def described_as(
    plan: Plan,
    trajectory: Trajectory,
    value: float,
    condition_number: float,
    margins: tuple[Margin, ...],
    how: HowFound,
    optimality: float = math.inf,
) -> Excitation:
    """A motion whose goal, condition number and margins are known, with all else that is to be said of it."""
    told = plan.forecast(trajectory)
    predictions, swings = ((), ()) if told is None else (told.clusters, told.swings)
    result = (trajectory, plan.goal_name, value, condition_number, predictions, margins, how, optimality)
    collisions, said = collision_check(plan.robot, plan.limits), _warnings(plan, how)
    return Excitation(*result, warnings=said, collisions=collisions, locked=plan.locked, swings=swings)


def _warnings(plan: Plan, how: HowFound) -> tuple[str, ...]:
    """What a reader of the design should know."""
    said = []
    bounded = {limit.of for limit in plan.limits if isinstance(limit, BoxLimit)}
    free = [name for name in plan.shape.channels if name not in bounded]
    if free:
        said.append(
            f"nothing limits {', '.join(free)}: how far and how fast it may move is not known; give a range and a rate "
            "in the robot file"
        )
    ended = [value for value in how.values if math.isfinite(value)]
    if len(ended) < len(how.values) and not how.interrupted:
        said.append(f"{len(how.values) - len(ended)} of {len(how.values)} starts found no motion within the limits")
    return tuple(said)


def margins_of(plan: Plan, trajectory: Trajectory) -> tuple[Margin, ...]:
    """Of every limit, the nearest that the motion comes, also between samples."""
    t = fine_instants(np.linspace(0.0, trajectory.duration_s, plan.instants_of_limits), trajectory)
    motion = PlannedMotion.of(plan.conditions(), trajectory, t)
    return margins_along(plan.limits, motion)


def margins_along(limits: Sequence[Limit], motion: PlannedMotion) -> tuple[Margin, ...]:
    """Of every limit, the nearest that the motion comes at its instants."""
    found = []
    for limit in limits:
        margins = limit.margins(motion)
        if margins.size:
            at = int(np.argmin(margins))
            when = float(limit.instants(motion)[at])
            slack, kind = limit.slack(motion), limit.kind or limit.name
            found.append(Margin(limit.name, slack, limit.unit, float(margins[at]), when, kind))
    return tuple(found)


def _no_motion(plan: Plan, task: PlannedTask, run: _Run) -> BaseException:
    if not run.found:
        return KeyboardInterrupt("the search was interrupted before a motion within all limits was found")
    nearest = max(run.found.values(), key=lambda found: found.worst)
    last = replace(task, t=nearest.t)
    pulls = [nearest.multipliers[last.starts[k] : last.starts[k + 1]] for k in range(len(plan.limits))]
    return NoMotionFound(conflict_sentence(plan.limits, pulls, last.motion(nearest.y)))
