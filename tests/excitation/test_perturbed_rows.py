"""Perturbed least squares: errors keep the bounds (12) and (13) of Gautier and Khalil on robots of any kind."""

import numpy as np
import pytest
from excitation.points_mission import limited, points_mission
from random_trees import random_robot

import freefloat as ff
from freefloat.dynamics.samples import Samples
from freefloat.excitation.perturbed_rows import NothingMeasured, perturbation
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.rows.energy import EnergyDesignRows
from freefloat.excitation.rows.momentum import MomentumDesignRows
from freefloat.excitation.rows.torque import TorqueDesignRows
from freefloat.mission.mission_file import InvalidMission
from freefloat.models.model import Energy, Momentum, Torque


def random_state(robot, n, seed=0):
    return Samples(*np.random.default_rng(seed).uniform(-1.0, 1.0, (3, n, len(robot.joints))))


def energy_case(seed, square):
    robot = random_robot(seed, bodies=4, base="fixed", gravity=True, branched=True)
    rows = EnergyDesignRows(Energy(robot))
    count = len(rows.names) * (1 if square else 3) + 1
    return rows, random_state(robot, count, seed), np.ones((2, len(robot.joints)))


@pytest.mark.parametrize("what", ["right", "regressor", "both"])
@pytest.mark.parametrize("seed", range(4))
def test_errors_of_as_many_rows_as_unknowns_keep_their_bound_exactly(seed, what):
    rows, state, spread = energy_case(seed, square=True)
    for level in (1e-3, 0.3):
        found = perturbation(rows, [state] * 20, spread, what, level, seed)
        assert found.kept == 1.0
        assert (found.error > 0.0).all()


@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_those_of_equations_12_and_13(seed):
    rows, state, spread = energy_case(seed, square=False)
    X = rows.values
    W = rows.fill(state).matrix
    right = perturbation(rows, [state] * 5, spread, "right", 0.01)
    np.testing.assert_allclose(right.bound, np.linalg.cond(W) * right.right)
    assert (right.regressor == 0.0).all()
    np.testing.assert_allclose(right.perturbed_condition_numbers, np.linalg.cond(W))
    state_noise = perturbation(rows, [state], spread, "regressor", 0.01, seed=3)
    rng = np.random.default_rng(3)
    rng.normal(size=len(W))  # that of the right-hand side is drawn before
    noise = 0.0025 * rng.normal(size=(2, *state.q.shape))
    seen = rows.fill(Samples(state.q + noise[0], state.dq + noise[1], state.ddq)).matrix
    found = np.linalg.lstsq(seen, W @ X)[0]
    after = np.linalg.norm(found - X) / np.linalg.norm(found)
    limit = np.linalg.cond(W) * np.linalg.norm(seen - W, 2) / np.linalg.norm(W, 2)
    assert state_noise.right[0] == 0.0
    assert state_noise.error[0] == pytest.approx(np.linalg.norm(found - X) / np.linalg.norm(X))
    assert state_noise.bound[0] / state_noise.error[0] == pytest.approx(limit / after)


def test_errors_grow_as_the_noise_of_the_right_hand_side_does():
    robot = random_robot(3, bodies=4, base="fixed", gravity=True)
    rows, state = TorqueDesignRows(Torque(robot)), random_state(robot, 40)
    small, large = (perturbation(rows, [state] * 10, np.ones((3, 3)), "right", k) for k in (1e-3, 1e-2))
    np.testing.assert_allclose(large.error, 10.0 * small.error, rtol=1e-6)


def test_accelerations_are_noisy_where_rows_read_them():
    robot = random_robot(3, bodies=4, base="fixed", gravity=True)
    rows, state = TorqueDesignRows(Torque(robot)), random_state(robot, 40)
    spread = np.zeros((3, 3))
    spread[2] = 1.0
    assert perturbation(rows, [state], spread, "regressor", 0.1).regressor[0] > 0.0
    assert perturbation(rows, [state], spread[:2], "regressor", 0.1).regressor[0] == 0.0


def test_rows_that_measure_nothing_have_no_relative_errors():
    robot = random_robot(4, bodies=4, base="free")
    rows = MomentumDesignRows(Momentum(robot), Conditions(robot))
    with pytest.raises(NothingMeasured, match="the right-hand side of these rows is zero"):
        perturbation(rows, [random_state(robot, 30)], np.ones((2, 3)), "right", 0.1)


# ---------------------------------------------------------------------- of missions


def test_a_mission_is_perturbed_with_a_motion_of_ones_choice(tmp_path):
    robot = limited(random_robot(2, bodies=3, base="fixed", gravity=True, prismatic=False))
    mission = points_mission(tmp_path, robot, excitation={"duration_s": 10.0})
    motion = ff.random_motion(mission, 4)
    found = ff.perturb(mission, motion, levels=(0.01, 0.1), draws=10)
    assert found == ff.perturb(mission, seed=0, motion=motion, levels=(0.01, 0.1), draws=10)
    assert found.model == "energy"
    assert [(each.what, each.level) for each in found.entries] == [
        (what, level) for what in ("right", "regressor", "both") for level in (0.01, 0.1)
    ]
    said = found.document()
    assert said["condition_number"] == pytest.approx(np.median(found.entries[0].condition_numbers))
    assert said["entries"][0]["error"] == np.median(found.entries[0].error)
    assert said["entries"][0]["bound"] >= said["entries"][0]["error"]
    by_torque = ff.perturb(mission, motion, levels=(0.01,), draws=5, model="torque")
    assert (by_torque.model, by_torque.rows % 2) == ("torque", 0)


def test_a_free_robot_is_perturbed_where_something_is_known(tmp_path):
    robot = limited(random_robot(2, bodies=3, base="free", prismatic=False))
    known = {robot.body_names[-1]: {}}
    free = points_mission(tmp_path, robot, sensors={}, identify={}, known=known, excitation={"duration_s": 10.0})
    found = ff.perturb(free, levels=(0.01,), draws=3)
    assert found.model == "angular-momentum"
    assert all(each.kept == 1.0 for each in found.entries)


def test_what_cannot_be_perturbed_is_said_in_a_sentence(tmp_path):
    robot = limited(random_robot(2, bodies=3, base="free", prismatic=False))
    free = points_mission(tmp_path, robot, sensors={}, identify={}, excitation={"duration_s": 10.0})
    with pytest.raises(InvalidMission, match="the momentum rows of this motion lack rank"):
        ff.perturb(free, model="momentum", draws=1)
    with pytest.raises(InvalidMission, match="a level of noise is 0; allowed: a number greater than 0"):
        ff.perturb(free, levels=(0.0,))
    with pytest.raises(InvalidMission, match="0 levels of 5 draws; allowed: at least one of each"):
        ff.perturb(free, levels=(), draws=5)
