"""Optimum points: states between which the energy of a robot differs in the most telling way.

After M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
International Journal of Robotics Research, 1992, section 4. A chain of r + 1 points (q, dq) gives r rows of energy
differences, each point but the first and last used twice (eq. 23). The points are free within a box; how the robot
gets from one to the next is another matter (`joined_points.py`). The authors varied r + 1 points without derivatives
and failed from r = 50 on. Here the derivatives are exact, and the soft condition number is sharpened in stages; where
equilibrium is wanted, it comes last, with a small shake before: on a bound, entries of the matrix are exactly zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.excitation.goals.condition_number import ConditionNumber, true_condition_number
from freefloat.excitation.goals.equilibrium import WithEquilibrium, equilibrium
from freefloat.excitation.goals.goal import Goal
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

    positions, rates: shape (r + 1, channels) [rad or m, per s]. condition_number, equilibrium: of the r rows.
    condition_numbers, equilibria: of all starts, shape (starts,).
    """

    limits: Limits
    positions: Array
    rates: Array
    condition_number: float
    equilibrium: float
    condition_numbers: Array
    equilibria: Array

    def path(self, ends: Array | None = None) -> QuinticPoints:
        """From rest through all points to rest, within the limits everywhere; ends as for `joined_points`."""
        return joined_points(self.limits, self.positions, self.rates, ends)


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
        return self.rows.fill(self._samples(x)).matrix

    def value_and_slope(self, x: Array, goal: Goal) -> tuple[float, Array]:
        """A goal's value and its derivative by x, flat."""
        filled = self.rows.fill(self._samples(x))
        value, Z = goal(filled.matrix)
        slope = filled.pull_back(Z)
        joints, _ = self._conditions.places(self.limits.channels)
        pairs = np.stack([slope.q[:, joints], slope.dq[:, joints]])
        initial, final = np.split(pairs, 2, axis=1)
        points = np.zeros((2, initial.shape[1] + 1, joints.size))
        points[:, :-1] += initial
        points[:, 1:] += final
        return value, (self.scale * points).ravel()

    @property
    def _conditions(self) -> Conditions:
        return Conditions(self.rows.model.robot)

    def _samples(self, x: Array) -> Samples:
        q, dq = (np.vstack([each[:-1], each[1:]]) for each in self.points(x))
        still = Motion(np.zeros(len(q)), q, dq, np.zeros_like(q))
        return self._conditions.samples(self.limits.channels, still)


def optimum_points(
    rows: EnergyDesignRows, limits: Limits, r: int, *, starts: int = 20, seed: int = 0, equilibrium_weight: float = 0.0
) -> OptimumPoints:
    """The best of several random starts.

    limits: of the joints that move. Where accelerations are limited, points keep away from the position limits as far
        as it takes to stop.
    r: number of rows, at least that of the columns.
    equilibrium_weight: of log S beside the logarithm of the condition number; eq. 18 with logarithms.
    """
    if r < len(rows.names):
        raise InvalidTrajectory(f"{r} energy differences; allowed: at least {len(rows.names)}, the number of unknowns")
    task = PointsTask(rows, limits)
    found = [_one_start(task, r, np.random.default_rng([seed, k]), equilibrium_weight) for k in range(starts)]
    matrices = [task.matrix(x) for x in found]
    conditions = np.array([true_condition_number(matrix) for matrix in matrices])
    equilibria = np.array([equilibrium(matrix) for matrix in matrices])
    best = int(np.argmin(np.log(conditions) + equilibrium_weight * np.log(equilibria)))
    positions, rates = task.points(found[best])
    return OptimumPoints(
        limits, positions, rates, float(conditions[best]), float(equilibria[best]), conditions, equilibria
    )


def _one_start(task: PointsTask, r: int, rng: np.random.Generator, weight: float) -> Array:
    x = rng.uniform(-1.0, 1.0, (2, r + 1, len(task.limits.channels)))
    x[0] *= rng.uniform(*_FIRST_SPREAD)
    for p in _STAGES:
        x = _minimum(task, x, ConditionNumber(p))
    if weight:
        x = (1.0 - _SHAKE) * x + rng.uniform(-_SHAKE, _SHAKE, x.shape)  # inwards, off the bounds
        for p in _EQUILIBRIUM_STAGES:
            x = _minimum(task, x, WithEquilibrium(ConditionNumber(), weight, p))
    return x


def _minimum(task: PointsTask, x: Array, goal: Goal) -> Array:
    found = minimize(
        task.value_and_slope,
        x.ravel(),
        args=(goal,),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1.0, 1.0)] * x.size,
        options={"maxiter": _MOST_STEPS},
    )
    return np.asarray(found.x).reshape(x.shape)
