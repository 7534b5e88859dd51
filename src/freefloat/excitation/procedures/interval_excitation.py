"""From a plan to a motion of intervals, as any other design gives one.

The procedure of B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space
robot", Journal of Guidance, Control, and Dynamics, 2019, section V, for any robot, its limits and its total momentum.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from freefloat.excitation.excitation import Excitation, HowFound
from freefloat.excitation.finding import Standing, Watch, described
from freefloat.excitation.goals.by_name import goal_named
from freefloat.excitation.goals.condition_number import ConditionNumber
from freefloat.excitation.goals.goal import Goal
from freefloat.excitation.limits.joint import JointAcceleration, JointPosition, JointRate
from freefloat.excitation.limits.wheels import WheelMomentum
from freefloat.excitation.plan import InvalidPlan, Plan
from freefloat.excitation.procedures.interval_design import combinations_for, design_intervals
from freefloat.excitation.procedures.interval_settings import Intervals
from freefloat.excitation.procedures.interval_task import STAGES, IntervalTask
from freefloat.motion.cycloid import Cycloid
from freefloat.motion.limits import Limits, limits_of

_SOLVER = "intervals after Naveen, Shah and Misra, {} rule"
_INSTANTS, _TURNING = 4, 8  # of an interval: usually, and with a total momentum, under which the base turns
_PER_INTERVAL = 8  # instants of what is told of the motion
_ROOM = 2e-4  # of every range and rate, left free so that rounding breaks no limit


def find_intervals(
    plan: Plan,
    intervals: Intervals | None = None,
    starts: int = 4,
    seed: int = 0,
    watch: Watch | None = None,
) -> Excitation:
    """The best motion of intervals of several seeded starts, within all limits of the plan.

    plan: its shape's channels move; the rest of the shape does not count. Its goal is one that reads the rows of a
    model, such as the condition number.
    """
    said, began = intervals or Intervals(), time.perf_counter()
    task = interval_task_of(plan, said)
    by_exchange = said.rule == "exchange"
    wanted = said.most if by_exchange and said.most else task.fewest
    pool = combinations_for(len(task.channels), said.combinations, wanted, seed)

    def told(finished: int, value: float, motion: Cycloid | None) -> None:
        if watch is not None:
            watch(Standing(finished, starts, value, None, None, motion))

    found = design_intervals(
        task,
        said.rule,
        combinations=pool,
        most=said.most if by_exchange else None,
        condition_number=said.condition_number,
        patience=said.patience,
        share=said.share,
        rounds=said.rounds,
        tries=said.tries,
        starts=starts,
        seed=seed,
        watch=told,
    )
    values = tuple(value if math.isfinite(value) else math.nan for value in found.values)
    steps, seconds = len(found.steps) * len(values), time.perf_counter() - began
    how = HowFound(_SOLVER.format(said.rule), seed, values, found.best, steps, seconds, found.interrupted)
    return described(plan_with_intervals(plan, found.trajectory), found.trajectory, how, math.inf)


def plan_with_intervals(plan: Plan, motion: Cycloid) -> Plan:
    """The plan for such a motion, at instants of every interval; refused where it asks for what they lack."""
    _refuse(plan)
    count = _PER_INTERVAL * (len(motion.coefficients) - 1) + 1
    return replace(plan, shape=motion, rest=False, goal_instants=count, limit_instants=count)


def interval_task_of(plan: Plan, intervals: Intervals) -> IntervalTask:
    """Rows, limits and goals of a plan for motions of intervals; refused where it asks for what they lack."""
    _refuse(plan)
    conditions = plan.conditions()
    bounds = (JointPosition, JointRate, JointAcceleration)
    return IntervalTask(
        plan.rows(),
        conditions,
        _bounds(plan),
        _goals(plan),
        intervals.interval_s,
        _TURNING if conditions.momentum.any() else _INSTANTS,
        intervals.signal_weight,
        tuple(limit for limit in plan.limits if not isinstance(limit, bounds)),
    )


def _refuse(plan: Plan) -> None:
    if plan.of_sensors:
        raise InvalidPlan(
            f"{plan.goal_name} is no goal of intervals, which are designed by the rows of a model; allowed: "
            "condition-number, frobenius, d-optimal, a-optimal, e-optimal"
        )
    for given, what in ((plan.guesses, "several robots"), (plan.earlier, "earlier motions")):
        if given:
            raise InvalidPlan(f"intervals are designed for one robot and one flight, found {what}; allowed: none")


def _goals(plan: Plan) -> tuple[Goal, ...]:
    """The plan's, the condition number in stages."""
    goal = plan.goal if isinstance(plan.goal, Goal) else goal_named(plan.goal)()
    return STAGES if goal == ConditionNumber() else (goal,)


def _bounds(plan: Plan) -> Limits:
    """What limits say of starts and ranges; a joint that turns without end stays within a turn."""
    robot, channels = plan.robot, plan.shape.channels
    limits = limits_of(robot, channels)
    joints, wheels = plan.conditions().places(channels)
    endless = (joints >= 0) & np.array([unit == "rad" for unit in limits.units])
    lowest = np.where(endless & ~np.isfinite(limits.lowest), -np.pi, limits.lowest)
    highest = np.where(endless & ~np.isfinite(limits.highest), np.pi, limits.highest)
    rate, inset = limits.rate.copy(), np.where(joints >= 0, 0.5 * _ROOM * (highest - lowest), 0.0)
    held = np.zeros(len(robot.wheels)) if plan.wheel_rates is None else np.abs(plan.wheel_rates)
    momenta = {limit.of: limit.highest for limit in plan.limits if isinstance(limit, WheelMomentum)}
    for channel in np.flatnonzero(wheels >= 0).tolist():
        wheel = robot.wheels[wheels[channel]]
        most = min(wheel.max_rate, momenta.get(wheel.name, np.inf) / wheel.spin_inertia)
        rate[channel] = max(most - held[wheels[channel]], 0.0)
    return replace(
        limits,
        lowest=lowest + inset,
        highest=highest - inset,
        rate=(1.0 - _ROOM) * rate,
        acceleration=(1.0 - _ROOM) * limits.acceleration,
    )
