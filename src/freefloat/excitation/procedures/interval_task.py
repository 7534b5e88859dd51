"""Motions made of cycloidal intervals: what moves, within which limits, and how good a choice of seeds is.

After B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space robot",
Journal of Guidance, Control, and Dynamics, 2019, section V. Two seeds a channel, start and range, make a whole motion
(eqs. 30, 31). The limits become bounds on them:

    theta_min <= start + range * (where the directions have led so far) <= theta_max               (33)
    0 < range <= min(T_p / 2 * highest rate, T_p^2 / (2 pi) * highest acceleration)                (34) to (37)

Seeds of wheels are predetermined, as in the article: start at zero, range as large as their rate allows. Limits of
another kind, such as the base's rate, are no bounds on seeds: `interval_limits.py` keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.excitation.goals.condition_number import ConditionNumber, true_condition_number
from freefloat.excitation.goals.goal import Goal
from freefloat.excitation.goals.signal import WithSignal
from freefloat.excitation.limits.limit import Limit
from freefloat.excitation.planned_motion import Conditions, PlannedMotion
from freefloat.excitation.rows.rows import DesignRows
from freefloat.excitation.rows.signals import SignalRows
from freefloat.motion.cycloid import Cycloid, seed_map
from freefloat.motion.limits import Limits
from freefloat.motion.trajectory import InvalidTrajectory

_ENOUGH = 10  # instants of an interval, where its singular values are counted
_CLOSELY = 64  # instants of an interval, where further limits are looked at: as finely as by the margins of a design
_ROOM = 1e-4  # margin of further limits that must be left, for what instants miss
STAGES = (ConditionNumber(1.0), ConditionNumber(4.0), ConditionNumber(16.0))


@dataclass(frozen=True, eq=False)
class IntervalTask:
    """What is to be moved so that which matrix becomes good.

    rows: make the matrix of a motion. conditions: the robot as it is assumed to be.
    limits: of the channels; joints need position limits on both sides, every channel a rate or acceleration limit.
    goals: minimised one after the other; the last one decides.
    signal_weight: w of eq. 32, for the inverse mean square of joint rates and base twist; none unless given.
    interval_s: T_p, length of each interval. instants: how many of each interval the matrix has rows of; the
        condition number hardly depends on it, as an interval changes positions little.
    """

    rows: DesignRows
    conditions: Conditions
    limits: Limits
    goals: tuple[Goal, ...] = STAGES
    interval_s: float = 1.0
    instants: int = 1
    signal_weight: float = 0.0
    further: tuple[Limit, ...] = ()

    def __post_init__(self) -> None:
        for index, name in enumerate(self.channels):
            box = self.limits.lowest[index], self.limits.highest[index]
            if self.free[index] and not (np.isfinite(box).all() and box[0] < box[1]):
                raise InvalidTrajectory(f"{name} moves from {box[0]:g} to {box[1]:g}; intervals need a finite range")
            if not np.isfinite(self.largest_range[index]):
                raise InvalidTrajectory(f"{name} has no largest rate or acceleration; intervals need one")

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the joints and wheels that move."""
        return self.limits.channels

    @property
    def free(self) -> NDArray[np.bool_]:
        """Channels whose seeds are free: the joints, shape (channels,)."""
        joints, _ = self.conditions.places(self.channels)
        return joints >= 0

    @property
    def largest_range(self) -> Array:
        """What rate and acceleration limits allow, eq. 36, shape (channels,) [rad or m]."""
        by_rate = 0.5 * self.interval_s * self.limits.rate
        return np.minimum(by_rate, self.interval_s**2 / (2.0 * np.pi) * self.limits.acceleration)

    def trajectory(self, seeds: Array, directions: Array) -> Cycloid:
        """The motion of seeds, starts then ranges, (2, channels), and directions, (intervals, channels)."""
        return Cycloid.from_seeds(self.channels, seeds[0], seeds[1], directions, self.interval_s)

    def times(self, intervals: int) -> Array:
        """Instants that give rows, shape (intervals * instants,) [s]; from the start on if the base turns by itself."""
        count, turns = intervals * self.instants, self.conditions.momentum.any()
        return np.asarray((np.arange(count) + (0.0 if turns else 0.5)) * (self.interval_s / self.instants), np.float64)

    def matrix(self, trajectory: Cycloid) -> Array:
        """The matrix of a motion, interval after interval, shape (m, columns)."""
        return self.rows.fill(self._samples(trajectory)).matrix

    def blocks(self, trajectory: Cycloid) -> Array:
        """The matrix of each interval, shape (intervals, m, columns)."""
        matrix = self.matrix(trajectory)
        return matrix.reshape(len(trajectory.coefficients) - 1, -1, matrix.shape[1])

    def condition_number(self, seeds: Array, directions: Array) -> float:
        """Of the matrix with enough instants to show all that intervals can; infinite if they are too few."""
        matrix = self.closely.matrix(self.trajectory(seeds, directions))
        return true_condition_number(matrix) if matrix.shape[0] >= matrix.shape[1] else np.inf

    @property
    def closely(self) -> IntervalTask:
        """The same task with enough instants to show all that an interval can."""
        return replace(self, instants=max(_ENOUGH, self.instants))

    @cached_property
    def fewest(self) -> int:
        """Number of intervals whose matrix has as many rows as columns."""
        seeds, one = np.stack([np.zeros(len(self.channels)), self.largest_range]), np.ones((1, len(self.channels)))
        rows, columns = self.matrix(self.trajectory(seeds, one)).shape
        return -(-columns // rows)

    def value(self, seeds: Array, directions: Array) -> float:
        """Of the goal that decides."""
        rows, goal = self.with_signal(self.goals[-1])
        return goal(rows.fill(self._samples(self.trajectory(seeds, directions))).matrix)[0]

    def value_and_slope(self, goal: Goal, seeds: Array, directions: Array) -> tuple[float, Array]:
        """A goal's value and its derivative by the seeds, shape (2, channels)."""
        trajectory = self.trajectory(seeds, directions)
        rows, whole = self.with_signal(goal)
        filled = rows.fill(self._samples(trajectory))
        value, Z = whole(filled.matrix)
        linear = trajectory.linear_map(self.times(len(directions)))
        slope = filled.pull_back(Z).by_coefficients(self.conditions.robot, self.channels, linear)
        return value, np.einsum("ksn,kn->sn", seed_map(directions), slope)

    def within(self, seeds: Array, directions: Array) -> bool:
        """Whether the motion keeps all limits everywhere."""
        trajectory = self.trajectory(seeds, directions)
        if not self.limits.margins(trajectory.extremes()).within:
            return False
        return not self.further or bool(self.further_margins(trajectory).min() >= _ROOM)

    def further_margins(self, trajectory: Cycloid) -> Array:
        """The smallest margin of each further limit, looked at closely, shape (further,)."""
        motion = self.planned(trajectory, _CLOSELY)
        return np.array([limit.margins(motion).min(initial=np.inf) for limit in self.further])

    def planned(self, trajectory: Cycloid, per_interval: int) -> PlannedMotion:
        """The motion as limits read it, at so many instants of every interval and the end."""
        intervals = len(trajectory.coefficients) - 1
        t = np.linspace(0.0, trajectory.duration_s, intervals * per_interval + 1)
        return PlannedMotion.of(self.conditions, trajectory, t)

    def _samples(self, trajectory: Cycloid) -> Samples:
        motion = trajectory.evaluate(self.times(len(trajectory.coefficients) - 1))
        return self.conditions.samples(self.channels, motion)

    def with_signal(self, goal: Goal) -> tuple[DesignRows, Goal]:
        """Rows and goal as they are minimised, the signal's among them if it has a weight."""
        if not self.signal_weight:
            return self.rows, goal
        rows = SignalRows(self.rows, self.conditions)
        return rows, WithSignal(goal, self.signal_weight, rows.signals)
