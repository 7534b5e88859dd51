"""Exact gradients of the designs against forward differences, with our kernels and with a loop over Pinocchio."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from measure import Row, shortest_times
from pinocchio_rows import PinocchioRows

from freefloat.dynamics.samples import Samples
from freefloat.excitation.goals.condition_number import ConditionNumber
from freefloat.excitation.procedures.optimum_points import PointsTask
from freefloat.excitation.solver.objective import GoalOnRows
from freefloat.motion.cycloid import direction_combinations
from freefloat.studies.ayusawa.differences import condition_number, exact_gradient
from freefloat.studies.ayusawa.experiment import random_motion, standing_plan
from freefloat.studies.catalogue import study_robot
from freefloat.studies.christidi.plan import christidi_plan
from freefloat.studies.gautier.experiment import points_problem
from freefloat.studies.naveen.experiment import published_seeds
from freefloat.studies.naveen.plans import interval_task
from freefloat.studies.spirolazzi.plans import n1_plan, oossim_plan


def gradients(rounds: int) -> list[Row]:
    """An exact gradient against forward differences, with our kernels and with a loop over Pinocchio."""
    rows, n1 = [], study_robot("spirolazzi_n1")
    for name, plan in (
        ("N1 by accuracy", n1_plan(n1)),
        ("N1 by condition number", n1_plan(n1, goal="condition-number")),
        ("OOS-SIM by condition number", oossim_plan(study_robot("spirolazzi_oossim"))),
        ("Christidi by accuracy", christidi_plan(study_robot("christidi_servicer"))),
    ):
        objective, coefficients = plan.objective(), plan.shape.coefficients
        assert isinstance(objective, GoalOnRows)
        size, samples = plan.variables.size, _samples(objective, coefficients)
        calls = {"exact": partial(_gradient, objective, coefficients), "value": partial(objective.value, coefficients)}
        calls |= _by_pinocchio(plan.robot, "momentum", samples, objective, coefficients)
        rows += _against_differences(name, size, calls, size / 4.0, rounds)
    return [*rows, *_naveen_gradient(rounds), *_points_gradient(rounds), *_standing_gradient(rounds)]


def _standing_gradient(rounds: int) -> list[Row]:
    """The condition number itself, singular values by numpy in both."""
    plan = standing_plan(study_robot("standing_two_arms"))
    objective, coefficients = plan.on_matrix(), random_motion(plan.task(), 0).coefficients

    calls: dict[str, Callable[[], object]] = {
        "exact": partial(exact_gradient, objective, coefficients),
        "value": partial(condition_number, objective, coefficients),
    }
    calls |= _by_pinocchio(plan.robot, "torque", _samples(objective, coefficients), objective, coefficients)
    return _against_differences("Ayusawa-sized", plan.variables.size, calls, 89.0, rounds)


def _naveen_gradient(rounds: int) -> list[Row]:
    task = interval_task(study_robot("naveen_dual_arm_offset"))
    seeds, directions = published_seeds(), direction_combinations(9)[:67]
    goal = ConditionNumber()
    calls = {
        "exact": lambda: task.value_and_slope(goal, seeds, directions),
        "value": lambda: task.value(seeds, directions),
    }
    return _against_differences("Naveen, 67 intervals", 12, calls, 3.0, rounds)


def _points_gradient(rounds: int) -> list[Row]:
    rows, limits = points_problem(study_robot("gautier_khalil_arm"))
    task, goal = PointsTask(rows, limits), ConditionNumber()
    x = np.random.default_rng(0).uniform(-0.5, 0.5, 6 * 31)
    samples = task.samples(x)
    calls = {"exact": lambda: task.value_and_slope(x, goal), "value": lambda: goal(task.matrix(x))[0]}
    pinocchio, matrix = PinocchioRows(rows.model.robot), task.matrix(x)
    calls["pinocchio"] = lambda: (pinocchio.energy(samples), goal(matrix))
    return _against_differences("Gautier-Khalil, r = 30", x.size, calls, x.size / 4.0, rounds)


def _gradient(objective: GoalOnRows, coefficients: np.ndarray) -> np.ndarray:
    return objective.value(coefficients)[1]()


def _samples(objective: GoalOnRows, coefficients: np.ndarray) -> Samples:
    return objective.conditions.samples(objective.channels, objective.linear.motion(coefficients))


def _by_pinocchio(
    robot: object, rows: str, samples: Samples, objective: GoalOnRows, coefficients: np.ndarray
) -> dict[str, Callable[[], object]]:
    """A value with rows by Pinocchio, and the same goal on as large a matrix as ours."""
    fill, matrix = getattr(PinocchioRows(robot), rows), objective.matrix(coefficients)
    return {"pinocchio": lambda: (fill(samples), objective.goal(matrix))}


def _against_differences(
    name: str, size: int, calls: dict[str, Callable[[], object]], target: float, rounds: int
) -> list[Row]:
    times = shortest_times(calls, rounds)
    rows = []
    for other, said in (("value", "our kernels"), ("pinocchio", "a loop over Pinocchio")):
        if other in times:
            what = f"{name}: exact gradient, forward differences by {size} variables with {said}"
            rows.append(Row(what, times["exact"], (size + 1) * times[other], "gradient", target, True))
    return rows
