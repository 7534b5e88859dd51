"""Optimum points of a mission, joined: from its robot and limits to an `Excitation`.

After M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
International Journal of Robotics Research, 1992. Points keep the box of the joints. What else a motion must keep,
torques, clearance or the base's attitude, is looked at on the way through them; where it is not kept, points are sought
again in a smaller box, as the article has it for positions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.excitation import Excitation, HowFound
from freefloat.excitation.finding import Standing, Watch, described_as, margins_along
from freefloat.excitation.goals.by_name import goal_named
from freefloat.excitation.goals.condition_number import NO_RANK, true_condition_number
from freefloat.excitation.goals.goal import Goal
from freefloat.excitation.limits.infeasible import Infeasible, NoMotionFound
from freefloat.excitation.margin import Margin
from freefloat.excitation.plan import InvalidPlan, Plan
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.excitation.procedures.optimum_points import (
    FrontPoint,
    OptimumPoints,
    PointsTask,
    equilibrium_front,
    optimum_points,
)
from freefloat.excitation.rows.energy import EnergyDesignRows
from freefloat.excitation.sheet import in_words
from freefloat.excitation.solver.between_instants import fine_instants
from freefloat.mission.shapes import PointsShapeSection
from freefloat.motion.limits import Limits, limits_of
from freefloat.motion.quintic_points import QuinticPoints, telling_instants
from freefloat.motion.trajectory import Trajectory

_SHARES = (1.0 - 1e-6, 0.7, 0.5, 0.35, 0.25)  # of the box; the first leaves room for rounding
_PER_S = 4.0  # acceleration over rate, where the robot has no limit of accelerations
_TURN = np.pi  # either way, of a joint that turns without end


@dataclass(frozen=True, eq=False)
class PlannedPoints:
    """What is to be designed: a plan on energy rows whose shape rests at home, and what the mission says of points."""

    plan: Plan
    said: PointsShapeSection

    def __post_init__(self) -> None:
        plan = self.plan
        if plan.of_sensors:
            raise InvalidPlan(
                f"points are sought by the rows of the energy, which {plan.goal_name} does not read; allowed: "
                "condition-number, frobenius, d-optimal, a-optimal, e-optimal"
            )
        if plan.guesses:
            raise InvalidPlan("points are sought for one robot; allowed: no excitation.robust")
        for name in plan.shape.channels:
            if name not in plan.robot.joint_names:
                raise InvalidPlan(f"points are positions and rates of joints, and {name} is a wheel; allowed: joints")
        if self.said.points is not None and self.said.points <= len(self.rows.names):
            raise InvalidPlan(
                f"excitation.shape.points is {self.said.points}; allowed: at least {len(self.rows.names) + 1}, one "
                "more than the unknowns of the energy"
            )

    @cached_property
    def rows(self) -> EnergyDesignRows:
        """Of the plan's robot, with what is known of it."""
        rows = self.plan.rows()
        if not isinstance(rows, EnergyDesignRows):
            raise InvalidPlan(f"points are sought by energy rows, found {self.plan.model}; allowed: energy")
        return rows

    @property
    def differences(self) -> int:
        """r, rows of the energy: one less than there are points."""
        return (self.said.points or 2 * len(self.rows.names) + 1) - 1

    @property
    def home(self) -> Array:
        """Where the motion begins and ends, shape (channels,)."""
        return self.plan.shape.evaluate([0.0]).position[0]

    @cached_property
    def goal(self) -> Goal | None:
        """What is made small; None for the condition number, which has its own stages."""
        wanted = self.plan.goal
        if isinstance(wanted, Goal):
            return wanted
        return None if wanted == "condition-number" else goal_named(wanted)()

    @cached_property
    def earlier(self) -> Array | None:
        """Rows of the earlier motions, shape (m, columns)."""
        if not self.plan.earlier:
            return None
        conditions, count = self.plan.conditions(), self.plan.instants
        moved = [(each.channels, each.evaluate(telling_instants(each, count))) for each in self.plan.earlier]
        return np.vstack([self.rows.fill(conditions.samples(*each)).matrix for each in moved])

    def limits(self, share: float = _SHARES[0]) -> Limits:
        """The box of the joints, drawn in about home; what the robot does not say is as usual.

        share: of distances from home, of rates and of accelerations.
        """
        given = limits_of(self.plan.robot, self.plan.shape.channels)
        turns = np.array([unit == "rad" for unit in given.units])
        lowest = np.where(turns & np.isneginf(given.lowest), self.home - _TURN, given.lowest)
        highest = np.where(turns & np.isposinf(given.highest), self.home + _TURN, given.highest)
        usual = _PER_S * given.rate if self.said.acceleration_per_s2 is None else self.said.acceleration_per_s2
        acceleration = np.where(np.isfinite(given.acceleration), given.acceleration, usual)
        return replace(
            given,
            lowest=self.home + share * (lowest - self.home),
            highest=self.home + share * (highest - self.home),
            rate=share * given.rate,
            acceleration=share * acceleration,
        )

    def refuse_home(self) -> None:
        """Refuse limits that are broken where every motion begins and ends."""
        for margin in self.margins(self.plan.shape):
            if not margin.kept:
                short = in_words(-margin.slack, margin.unit)
                raise Infeasible(f"{margin.limit} is short by {short} at rest at home, where every motion begins")

    def refuse_blind(self) -> None:
        """Refuse a robot whose energy does not show all that is asked for, however the points lie."""
        task = PointsTask(self.rows, self.limits())
        x = np.random.default_rng(0).uniform(-1.0, 1.0, (2, self.differences + 1, len(self.plan.shape.channels)))
        if not true_condition_number(task.matrix(x)) < NO_RANK:
            raise InvalidPlan(
                "the energy at such points lacks rank, so some clusters do not show in it; declare known or zero what "
                "cannot be seen"
            )

    def margins(self, path: Trajectory) -> tuple[Margin, ...]:
        """Of every limit, the nearest that the motion comes, also between samples."""
        t = fine_instants(np.linspace(0.0, path.duration_s, self.plan.instants_of_limits), path)
        motion = PlannedMotion.of(self.plan.conditions(), path, t)
        return margins_along(self.plan.limits, motion)


def find_points(points: PlannedPoints, starts: int, seed: int, watch: Watch | None = None) -> Excitation:
    """The motion through the best points of several starts that keeps all limits.

    watch: told how far the design is. An interrupt (Ctrl-C) ends the search with the best points so far.
    """
    began = time.perf_counter()
    points.refuse_home()
    points.refuse_blind()

    def told(finished: int, best: float) -> None:
        if watch is not None:
            said = f"{points.differences + 1} points   value {best:.4g}"
            watch(Standing(finished, starts, best, None, None, said=said))

    for share in _SHARES:
        found = optimum_points(
            points.rows,
            points.limits(share),
            points.differences,
            starts=starts,
            seed=seed,
            equilibrium_weight=points.said.equilibrium_weight,
            goal=points.goal,
            earlier=points.earlier,
            watch=told,
        )
        path = found.path(points.home)
        margins = points.margins(path)
        if all(margin.kept for margin in margins) or found.interrupted:
            break
    tightest = min(margins, key=lambda margin: margin.share, default=None)
    if tightest is not None and not tightest.kept:
        raise NoMotionFound(
            f"no way through optimum points was found that keeps {tightest.limit}, also in {share:.3g} of the joints' "
            "ranges"
        )
    solver = f"{len(found.positions)} optimum points, equilibrium {found.equilibrium:.4g}"
    if share < _SHARES[0]:
        solver += f", in {share:g} of the joints' ranges for the sake of other limits"
    values, best = tuple(found.values.tolist()), int(found.values.argmin())
    seconds = time.perf_counter() - began
    how = HowFound(solver, seed, values, best, found.iterations, seconds, found.interrupted)
    value = values[best] - points.said.equilibrium_weight * math.log(found.equilibrium)  # of the goal alone
    return described_as(points.plan, path, value, found.condition_number, margins, how)


def front_of(
    points: PlannedPoints, weights: Sequence[float], starts: int, seed: int, watch: Watch | None = None
) -> tuple[FrontPoint, ...]:
    """What each weight of the equilibrium costs of the condition number; limits beside those of joints do not count."""
    points.refuse_blind()

    def told(finished: int, best: float) -> None:
        if watch is not None:
            watch(Standing(finished, starts, best, None, None))

    found = equilibrium_front(
        points.rows,
        points.limits(),
        points.differences,
        weights,
        starts=starts,
        seed=seed,
        goal=points.goal,
        earlier=points.earlier,
        watch=told,
    )
    return tuple(_entry(weight, each, each.path(points.home)) for weight, each in zip(weights, found, strict=True))


def _entry(weight: float, found: OptimumPoints, path: QuinticPoints) -> FrontPoint:
    return FrontPoint(weight, found.condition_number, found.equilibrium, path.duration_s)
