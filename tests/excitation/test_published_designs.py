"""Designs for the published experiments, against their published motions, within limits that are truly kept."""

import numpy as np
import pytest
from published_plans import (
    big_clusters,
    christidi_plan,
    n1_plan,
    naveen_plan,
    naveen_printed,
    oossim_plan,
    printed_motion,
    worst_errors,
)

from freefloat.estimate.least_squares import LeastSquares
from freefloat.estimate.maximum_likelihood import MaximumLikelihood
from freefloat.excitation.find_excitation import find_excitation
from freefloat.experiment.simulate import simulate_motion
from freefloat.regressor.samples import rotations
from freefloat.studies import published

pytestmark = pytest.mark.slow


def within(excitation, plan):
    assert excitation.feasible
    assert excitation.trajectory.check(plan.robot).within


def test_n1_by_accuracy_is_known_twice_as_well():
    plan, (_, motion) = n1_plan(), printed_motion("spirolazzi_n1")
    excitation = find_excitation(plan, starts=4, seed=0, shakes=0)
    before, after = (big_clusters(plan, plan.bound(each)) for each in (motion, excitation.trajectory))
    assert before.size == 24
    assert np.median(before / after) >= 2.0
    within(excitation, plan)
    assert not motion.check(plan.robot).within  # the published motion breaks the limits that ours keeps


def test_n1_by_condition_number():
    plan = n1_plan(goal="condition-number")
    assert plan.condition_number(plan.shape) == pytest.approx(298.2, abs=0.1)
    excitation = find_excitation(plan, starts=4, seed=0, shakes=0)
    assert excitation.condition_number <= 60.0
    within(excitation, plan)


def test_oossim_by_condition_number_keeps_the_attitude_of_the_base():
    plan = oossim_plan()
    assert plan.condition_number(plan.shape) == pytest.approx(288.5, abs=0.1)
    excitation = find_excitation(plan, starts=4, seed=0, shakes=0)
    assert excitation.condition_number <= 80.0
    within(excitation, plan)
    R = rotations(simulate_motion(plan.robot, excitation.trajectory, np.linspace(0.0, 150.0, 3001)).attitude)
    angles = {
        "roll": np.arctan2(R[:, 2, 1], R[:, 2, 2]),
        "pitch": np.arcsin(-R[:, 2, 0]),
        "yaw": np.arctan2(R[:, 1, 0], R[:, 0, 0]),
    }
    for name, (low, high) in published("spirolazzi_oossim")["base_attitude_limits_deg"].items():
        reached = np.degrees(angles[name])
        assert low - 1e-3 <= reached.min() <= reached.max() <= high + 1e-3


def test_christidi_is_known_twice_as_well():
    plan = christidi_plan()
    excitation = find_excitation(plan, starts=4, seed=0, shakes=0)
    before, after = plan.bound(plan.shape), plan.bound(excitation.trajectory)
    counts = np.isfinite(before.relative)  # not those of value zero
    assert before.relative[counts].mean() / after.relative[counts].mean() >= 2.0
    assert excitation.feasible


def test_naveen_by_a_fourier_motion_knows_the_worst_four_times_as_well():
    step_s, runs = 0.01, 5
    plan, motion = naveen_plan(step_s), naveen_printed()[3]
    excitation = find_excitation(plan, starts=4, seed=0, shakes=0, most_iterations=2000, tolerance=1e-4)
    assert excitation.feasible
    theirs = worst_errors(LeastSquares(), motion, step_s, runs)
    ours = worst_errors(MaximumLikelihood(), excitation.trajectory, step_s, runs)
    assert theirs.mean() / ours.mean() >= 4.0
