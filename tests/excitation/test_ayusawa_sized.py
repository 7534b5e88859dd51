"""A design with 294 variables and 48 000 margins: its gradient, its limits, and designs that complement each other."""

from functools import cache

import numpy as np
import pytest
from ayusawa_sized import GOAL_INSTANTS, ITERATIONS, random_motion, standing_plan

from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.find_excitation import find_excitation
from freefloat.excitation.goals.condition_number import ConditionNumber, ayusawa_gradient
from freefloat.excitation.procedures.random_selection import best_of_random

MOTIONS = 100


def condition_number(on_rows, coefficients):
    sigma = np.linalg.svd(on_rows.matrix(coefficients), compute_uv=False)
    return sigma[0] / sigma[-1]


def exact_gradient(on_rows, coefficients):
    """Equation 17, and all of the way back."""
    samples = on_rows.conditions.samples(on_rows.channels, on_rows.linear.motion(coefficients))
    filled = on_rows.rows.fill(samples)
    sigma = np.linalg.svd(filled.matrix, compute_uv=False)
    slope = filled.pull_back(ayusawa_gradient(filled.matrix, sigma))
    return slope.by_coefficients(on_rows.conditions.robot, on_rows.channels, on_rows.linear)


def differences(on_rows, coefficients, step, central):
    """Of the condition number by all coefficients, in their shape."""
    found = np.empty(coefficients.size)
    here = 0.0 if central else condition_number(on_rows, coefficients)
    for index, direction in enumerate(np.eye(coefficients.size).reshape(-1, *coefficients.shape)):
        ahead = condition_number(on_rows, coefficients + step * direction)
        behind = condition_number(on_rows, coefficients - step * direction) if central else here
        found[index] = (ahead - behind) / (2.0 * step if central else step)
    return found.reshape(coefficients.shape)


def problem():
    plan = standing_plan()
    return plan.on_matrix(), random_motion(plan.task(), 0).coefficients


def test_the_problem_has_the_published_size():
    plan = standing_plan()
    assert plan.variables.size == 294
    assert plan.on_matrix().matrix(plan.shape.coefficients).shape[0] == 14 * GOAL_INSTANTS
    assert plan.task().starts[-1] % 400 == 0


def test_the_gradient_of_the_condition_number_is_exact():
    on_rows, coefficients = problem()
    exact, expected = exact_gradient(on_rows, coefficients), differences(on_rows, coefficients, 1e-6, central=True)
    assert np.linalg.norm(exact - expected) < 1e-6 * np.linalg.norm(expected)


@cache
def designs():
    """Each complements those before."""
    found = []
    for stage, most in enumerate(ITERATIONS):
        plan = standing_plan(tuple(each.trajectory for each in found))
        found.append(find_excitation(plan, starts=1, seed=stage, most_iterations=most, shakes=0))
    return found


@cache
def random_choices():
    """Condition numbers of the stack, when each stage takes the best of as many random motions of its own."""
    task, chosen, values = standing_plan().task(), [], []
    for stage in range(len(ITERATIONS)):
        plan = standing_plan(tuple(chosen))
        found = best_of_random(
            lambda number, stage=stage: random_motion(task, stage * MOTIONS + number),
            plan.conditions(),
            plan.rows(),
            plan.on_matrix(goal=ConditionNumber(64.0)).goal,
            np.linspace(0.0, plan.shape.duration_s, GOAL_INSTANTS),
            MOTIONS,
        )
        values.append(plan.condition_number(found.trajectory))
        chosen.append(found.trajectory)
    return values


@pytest.mark.slow
def test_designs_keep_all_limits():
    for found in designs():
        assert found.feasible
        assert len(found.margins) == len(standing_plan().limits)


@pytest.mark.slow
def test_each_design_lowers_the_condition_number_of_all_and_beats_random_selection():
    stacked = [found.condition_number for found in designs()]
    assert (np.diff(stacked) < 0.0).all()
    with one_blas_thread():
        assert (np.array(stacked) < np.array(random_choices())).all()
