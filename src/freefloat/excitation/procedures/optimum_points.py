"""Optimum points: states between which the energy of a robot differs in the most telling way.

After M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
International Journal of Robotics Research, 1992, section 4. A chain of r + 1 points (q, dq) gives r rows of energy
differences, each point but the first and last used twice (eq. 23). The points are free within a box; how the robot
gets from one to the next is another matter (`joined_points.py`). The authors varied r + 1 points without derivatives
and failed from r = 50 on. Here the derivatives are exact, and the soft condition number is sharpened in stages; where
equilibrium is wanted, it comes last, with a small shake before: on a bound, entries of the matrix are exactly zero.
How much condition number an equilibrium costs is a matter of its weight, lambda_2 / lambda_1 of eq. 18 with logarithms:
`equilibrium_front` has the best points of several weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.goals.condition_number import ConditionNumber, true_condition_number
from freefloat.excitation.goals.equilibrium import WithEquilibrium, equilibrium
from freefloat.excitation.goals.goal import Goal, Joined
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.procedures.joined_points import joined_points, stopping_distance
from freefloat.excitation.rows.energy import EnergyDesignRows
from freefloat.motion.limits import Limits
from freefloat.motion.quintic_points import QuinticPoints
from freefloat.motion.trajectory import InvalidTrajectory, Motion

_STAGES = (1.0, 4.0, 16.0, 64.0)
_EQUILIBRIUM_STAGES = (4.0, 16.0)
_FIRST_SPREAD = (0.2, 0.7)  # of the position range: from farther apart most searches end in poor places
_SHAKE = 0.02  # of the range
_MOST_STEPS = 200  # of the optimiser, in each stage


@dataclass(frozen=True, slots=True, eq=False)
class OptimumPoints:
    """Points, and how good they are.

    positions, rates: shape (r + 1, channels) [rad or m, per s].
    condition_number, equilibrium: of the r rows; the condition number with those of earlier motions above them.
    condition_numbers, equilibria, values: of all starts that ended, shape (starts,); a value is the goal's with the
        weighted equilibrium, and the points are those of the smallest.
    iterations: of the searches from all starts. interrupted: whether they were ended early.
    """

    limits: Limits
    positions: Array
    rates: Array
    condition_number: float
    equilibrium: float
    condition_numbers: Array
    equilibria: Array
    values: Array
    iterations: int = 0
    interrupted: bool = False

    def path(self, ends: Array | None = None) -> QuinticPoints:
        """From rest through all points to rest, within the limits everywhere; ends as for `joined_points`."""
        return joined_points(self.limits, self.positions, self.rates, ends)


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """Points for one weight of the equilibrium: condition number and S of their rows, and how long their motion is."""

    weight: float
    condition_number: float
    equilibrium: float
    duration_s: float


@dataclass(frozen=True, eq=False)
class PointsTask:
    """Points as numbers between -1 and 1: x of shape (2, r + 1, channels), positions then rates."""

    rows: EnergyDesignRows
    limits: Limits

    def __post_init__(self) -> None:
        limits = self.limits
        bounded = np.isfinite(limits.lowest) & np.isfinite(limits.highest) & np.isfinite(limits.rate)
        for name, known in zip(limits.channels, bounded, strict=True):
            if not known:
                raise InvalidTrajectory(f"{name} has no finite box of positions and rates to put points in")
        for name, room in zip(limits.channels, self.scale[0, 0], strict=True):
            if room <= 0.0:
                raise InvalidTrajectory(
                    f"{name} has {2.0 * room:g} of room left after what it takes to stop; allowed: more than zero"
                )

    @property
    def centre(self) -> Array:
        """Of the box, shape (2, 1, channels)."""
        middle = 0.5 * (self.limits.lowest + self.limits.highest)
        return np.stack([middle, np.zeros_like(middle)])[:, None]

    @property
    def scale(self) -> Array:
        """Half the size of the box, from which a stop is possible everywhere, shape (2, 1, channels)."""
        half = 0.5 * (self.limits.highest - self.limits.lowest) - stopping_distance(self.limits)
        return np.stack([half, self.limits.rate])[:, None]

    def points(self, x: Array) -> Array:
        """Positions and rates, shape (2, r + 1, channels)."""
        return self.centre + self.scale * x.reshape(2, -1, len(self.limits.channels))

    def matrix(self, x: Array) -> Array:
        """Energy differences, shape (r, columns)."""
        return self.rows.fill(self.samples(x)).matrix

    def value_and_slope(self, x: Array, goal: Goal) -> tuple[float, Array]:
        """A goal's value and its derivative by x, flat."""
        filled = self.rows.fill(self.samples(x))
        value, Z = goal(filled.matrix)
        slope = filled.pull_back(Z)
        joints, _ = self._conditions.places(self.limits.channels)
        return value, (self.scale * np.stack([slope.q[:, joints], slope.dq[:, joints]])).ravel()

    @property
    def _conditions(self) -> Conditions:
        return Conditions(self.rows.model.robot)

    def samples(self, x: Array) -> Samples:
        """The points as states of the robot, in their order."""
        q, dq = self.points(x)
        return self._conditions.samples(self.limits.channels, Motion(np.zeros(len(q)), q, dq, np.zeros_like(q)))


def optimum_points(
    rows: EnergyDesignRows,
    limits: Limits,
    r: int,
    *,
    starts: int = 20,
    seed: int = 0,
    equilibrium_weight: float = 0.0,
    goal: Goal | None = None,
    earlier: Array | None = None,
    watch: Callable[[int, float], None] | None = None,
) -> OptimumPoints:
    """The best of several random starts.

    limits: of the joints that move. Where accelerations are limited, points keep away from the position limits as far
        as it takes to stop.
    r: number of rows, at least that of the columns.
    equilibrium_weight: of log S beside the goal; eq. 18 with logarithms.
    goal: what is made small, such as `Frobenius()` (eq. 21); the logarithm of the condition number, sharpened in
        stages, unless given.
    earlier: rows that are there already, which these points complement, shape (m, columns).
    watch: told after each start how many have ended, and the smallest value so far. An interrupt (Ctrl-C) ends the
        search with the best points so far, if there are any.
    """
    search = _Search(PointsTask(rows, limits), r, goal, earlier, watch)
    (found,) = search.front((equilibrium_weight,), starts, seed)
    return found


def equilibrium_front(
    rows: EnergyDesignRows,
    limits: Limits,
    r: int,
    weights: Sequence[float],
    *,
    starts: int = 20,
    seed: int = 0,
    goal: Goal | None = None,
    earlier: Array | None = None,
    watch: Callable[[int, float], None] | None = None,
) -> tuple[OptimumPoints, ...]:
    """The best points for each weight of the equilibrium, as `optimum_points` finds them from the same starts.

    What weights have in common, points of small condition number, is searched once.
    """
    return _Search(PointsTask(rows, limits), r, goal, earlier, watch).front(weights, starts, seed)


@dataclass(frozen=True, eq=False)
class _Search:
    """Points of r rows for a goal; the rest is as for `optimum_points`."""

    task: PointsTask
    r: int
    goal: Goal | None
    earlier: Array | None
    watch: Callable[[int, float], None] | None

    def __post_init__(self) -> None:
        unknowns = len(self.task.rows.names)
        if self.r < unknowns:
            raise InvalidTrajectory(
                f"{self.r} energy differences; allowed: at least {unknowns}, the number of unknowns"
            )

    def front(self, weights: Sequence[float], starts: int, seed: int) -> tuple[OptimumPoints, ...]:
        if starts < 1 or not weights:
            raise InvalidTrajectory(f"{starts} starts of {len(weights)} weights; allowed: at least one of each")
        found: list[list[Array]] = []
        best, iterations, interrupted = np.inf, 0, False
        try:
            for k in range(starts):
                with one_blas_thread():
                    points, steps = self._one_start(np.random.default_rng([seed, k]), weights)
                found.append(points)
                iterations += steps
                best = min(best, self._value(found[-1][-1], weights[-1]))
                if self.watch is not None:
                    self.watch(k + 1, best)
        except KeyboardInterrupt:
            if not found:
                raise
            interrupted = True
        columns = zip(weights, zip(*found, strict=True), strict=True)
        ended = iterations, interrupted
        return tuple(self._best(points, weight, *ended) for weight, points in columns)

    def _best(self, found: Sequence[Array], weight: float, iterations: int, interrupted: bool) -> OptimumPoints:
        matrices = [self.task.matrix(x) for x in found]
        conditions = np.array([true_condition_number(self._with_earlier(matrix)) for matrix in matrices])
        equilibria = np.array([equilibrium(matrix) for matrix in matrices])
        values = np.array([self._value(x, weight) for x in found])
        best = int(np.argmin(values))
        positions, rates = self.task.points(found[best])
        of_best, of_all = (float(conditions[best]), float(equilibria[best])), (conditions, equilibria, values)
        return OptimumPoints(self.task.limits, positions, rates, *of_best, *of_all, iterations, interrupted)

    def _value(self, x: Array, weight: float) -> float:
        matrix = self.task.matrix(x)
        whole = self._with_earlier(matrix)
        value = np.log(true_condition_number(whole)) if self.goal is None else self.goal(whole)[0]
        return float(value + weight * np.log(equilibrium(matrix)))

    def _with_earlier(self, matrix: Array) -> Array:
        return matrix if self.earlier is None else np.vstack([self.earlier, matrix])

    def _one_start(self, rng: np.random.Generator, weights: Sequence[float]) -> tuple[list[Array], int]:
        """Points for each weight, and iterations of all."""
        x = rng.uniform(-1.0, 1.0, (2, self.r + 1, len(self.task.limits.channels)))
        x[0] *= rng.uniform(*_FIRST_SPREAD)
        stages: list[Goal] = [ConditionNumber(p) for p in _STAGES] if self.goal is None else [self.goal]
        x, iterations = self._minimum(x, [self._joined(goal) for goal in stages])
        shaken = (1.0 - _SHAKE) * x + rng.uniform(-_SHAKE, _SHAKE, x.shape)  # inwards, off the bounds
        last, found = self._joined(self.goal or ConditionNumber()), []
        for weight in weights:
            stages = [WithEquilibrium(last, weight, p) for p in _EQUILIBRIUM_STAGES]
            points, more = self._minimum(shaken, stages) if weight else (x, 0)
            found.append(points)
            iterations += more
        return found, iterations

    def _joined(self, goal: Goal) -> Goal:
        return goal if self.earlier is None else Joined(goal, self.earlier)

    def _minimum(self, x: Array, stages: Sequence[Goal]) -> tuple[Array, int]:
        """Points near x after one goal after the other was made small, and iterations."""
        iterations = 0
        for goal in stages:
            found = minimize(
                self.task.value_and_slope,
                x.ravel(),
                args=(goal,),
                jac=True,
                method="L-BFGS-B",
                bounds=[(-1.0, 1.0)] * x.size,
                options={"maxiter": _MOST_STEPS},
            )
            x, iterations = np.asarray(found.x).reshape(x.shape), iterations + int(found.nit)
        return x, iterations
