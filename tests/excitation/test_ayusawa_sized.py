"""A design with 294 variables and 48 000 margins: its gradient, its limits, and designs that complement each other."""

from functools import cache

import numpy as np
import pytest

from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.finding import find_excitation
from freefloat.studies.ayusawa.differences import differences, exact_gradient
from freefloat.studies.ayusawa.experiment import DESIGNS, GOAL_INSTANTS, ITERATIONS, STUDY, random_motion, standing_plan
from freefloat.studies.ayusawa.tables import selected_motions
from freefloat.studies.catalogue import study_robot

MOTIONS = 30
ROBOT = study_robot(STUDY)


def problem():
    plan = standing_plan(ROBOT)
    return plan.on_matrix(), random_motion(plan.task(), 0).coefficients


def test_the_problem_has_the_published_size():
    plan = standing_plan(ROBOT)
    assert plan.variables.size == 294
    assert plan.on_matrix().matrix(plan.shape.coefficients).shape[0] == 14 * GOAL_INSTANTS
    assert plan.task().starts[-1] % 400 == 0


def test_the_gradient_of_the_condition_number_is_exact():
    on_rows, coefficients = problem()
    exact, expected = exact_gradient(on_rows, coefficients), differences(on_rows, coefficients, central=True)
    assert np.linalg.norm(exact - expected) < 1e-6 * np.linalg.norm(expected)


@cache
def designs():
    """Each complements those before."""
    found = []
    for stage in range(DESIGNS):
        plan = standing_plan(ROBOT, tuple(each.trajectory for each in found))
        found.append(find_excitation(plan, starts=1, seed=stage, most_iterations=ITERATIONS, shakes=0))
    return found


@cache
def random_choices():
    """Condition numbers of one, two, three motions, selected together from random ones that fill their limits."""
    chosen = selected_motions(standing_plan(ROBOT), MOTIONS, DESIGNS)
    plans = (standing_plan(ROBOT, chosen[:stage]) for stage in range(DESIGNS))
    return [plan.condition_number(motion) for plan, motion in zip(plans, chosen, strict=True)]


@pytest.mark.slow
def test_designs_keep_all_limits():
    for found in designs():
        assert found.feasible
        assert len(found.margins) == len(standing_plan(ROBOT).limits)


@pytest.mark.slow
def test_each_design_lowers_the_condition_number_of_all_and_beats_random_selection():
    stacked = [found.condition_number for found in designs()]
    assert (np.diff(stacked) < 0.0).all()
    with one_blas_thread():
        assert (np.array(stacked) < np.array(random_choices())).all()
