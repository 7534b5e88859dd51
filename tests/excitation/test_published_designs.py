"""Designs for the published experiments, against their published motions, within limits that are truly kept."""

import numpy as np
import pytest

from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.excitation.finding import find_excitation
from freefloat.robot.rotations import rotations
from freefloat.simulation.simulate import simulate_motion
from freefloat.studies.catalogue import published, study_robot
from freefloat.studies.christidi.plan import christidi_plan
from freefloat.studies.naveen.experiment import GUESS, STEP_S, STUDY, Recordings, intervals_motion
from freefloat.studies.naveen.plans import fourier_plan
from freefloat.studies.spirolazzi.plans import big_deviations, n1_plan, oossim_plan

pytestmark = pytest.mark.slow


def within(excitation, plan):
    assert excitation.feasible
    assert excitation.trajectory.check(plan.robot).within


def test_n1_by_accuracy_is_known_twice_as_well():
    plan = n1_plan(study_robot("spirolazzi_n1"))
    motion = plan.shape
    excitation = find_excitation(plan, starts=4, seed=0, shakes=0)
    before, after = (big_deviations(plan, plan.bound(each)) for each in (motion, excitation.trajectory))
    assert before.size == 24
    assert np.median(before / after) >= 2.0
    within(excitation, plan)
    assert not motion.check(plan.robot).within  # the published motion breaks the limits that ours keeps


def test_n1_by_condition_number():
    plan = n1_plan(study_robot("spirolazzi_n1"), goal="condition-number")
    assert plan.condition_number(plan.shape) == pytest.approx(298.2, abs=0.1)
    excitation = find_excitation(plan, starts=4, seed=0, shakes=0)
    assert excitation.condition_number <= 60.0
    within(excitation, plan)


def test_oossim_by_condition_number_keeps_the_attitude_of_the_base():
    plan = oossim_plan(study_robot("spirolazzi_oossim"))
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
    plan = christidi_plan(study_robot("christidi_servicer"))
    excitation = find_excitation(plan, starts=4, seed=0, shakes=0)
    before, after = plan.bound(plan.shape), plan.bound(excitation.trajectory)
    counts = np.isfinite(before.relative)  # not those of value zero
    assert before.relative[counts].mean() / after.relative[counts].mean() >= 2.0
    assert excitation.feasible


def test_naveen_by_a_fourier_motion_knows_the_worst_four_times_as_well():
    runs, truth, guess = 5, study_robot(STUDY), study_robot(GUESS)
    plan, motion = fourier_plan(guess, STEP_S), intervals_motion(truth)
    excitation = find_excitation(plan, starts=4, seed=0, shakes=4, most_iterations=2000, tolerance=1e-4)
    assert excitation.feasible
    theirs = Recordings(truth, guess, motion).worst_errors(LeastSquares(), runs)
    ours = Recordings(truth, guess, excitation.trajectory).worst_errors(MaximumLikelihood(), runs)
    assert theirs.mean() / ours.mean() >= 4.0
