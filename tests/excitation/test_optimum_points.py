"""Optimum points of Gautier and Khalil: their derivatives, what they reach, and the path through them."""

from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from random_trees import random_robot

from freefloat.excitation.goals.condition_number import ConditionNumber, true_condition_number
from freefloat.excitation.goals.equilibrium import WithEquilibrium, equilibrium
from freefloat.excitation.procedures.joined_points import joined_points, stopping_distance
from freefloat.excitation.procedures.optimum_points import PointsTask, optimum_points
from freefloat.excitation.rows.energy import EnergyDesignRows
from freefloat.models.model import Energy
from freefloat.motion.limits import limits_of
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.studies.catalogue import published, study_robot
from freefloat.studies.gautier.experiment import arm_limits

STEP = 1e-6
ARM = study_robot("gautier_khalil_arm")
ROWS = EnergyDesignRows(Energy(ARM))
PUBLISHED = published("gautier_khalil_arm")


def box(robot, position, rate, acceleration):
    limits = limits_of(robot, robot.joint_names)
    ones = np.ones(len(robot.joint_names))
    return replace(
        limits, lowest=-position * ones, highest=position * ones, rate=rate * ones, acceleration=acceleration * ones
    )


ARM_LIMITS = arm_limits(ARM)


def random_points(limits, count, seed):
    """Anywhere where a stop is possible, at any rate."""
    rng = np.random.default_rng(seed)
    shape = (count, len(limits.channels))
    room = limits.highest - stopping_distance(limits)
    return rng.uniform(-1, 1, shape) * room, rng.uniform(-1, 1, shape) * limits.rate


def fourth_order_difference(function, x, direction):
    """Central differences of two steps; one is not enough where a small entry's logarithm bends."""
    near, far = (function(x + k * STEP * direction) - function(x - k * STEP * direction) for k in (1, 2))
    return (8 * near - far) / (12 * STEP)


@pytest.mark.parametrize("goal", [ConditionNumber(4.0), WithEquilibrium(ConditionNumber(), 0.3)], ids=lambda g: g.name)
@pytest.mark.parametrize("seed", range(3))
def test_the_derivative_by_the_points_is_that_of_the_value(seed, goal):
    robot = random_robot(seed, bodies=4, base="fixed", gravity=True, branched=True)
    rows = EnergyDesignRows(Energy(robot))
    task = PointsTask(rows, box(robot, 1.0, 1.5, 30.0))
    r = len(rows.names) + 3
    x = np.random.default_rng(seed).uniform(-1, 1, 2 * (r + 1) * len(robot.joint_names))
    _, slope = task.value_and_slope(x, goal)
    expected = [fourth_order_difference(lambda y: task.value_and_slope(y, goal)[0], x, e) for e in np.eye(x.size)]
    assert_agree(slope[None], np.array(expected)[None], 1e-6, 1.0)


def test_a_published_design_has_the_numbers_printed_with_it():
    printed = PUBLISHED["computed"]
    task = PointsTask(ROWS, arm_limits(ARM, np.inf))
    points = np.array(printed["points"])
    x = np.zeros((2, len(points), 3))
    x[0, :, 1:], x[1] = points[:, :2], points[:, 2:]
    matrix = task.matrix(x / task.scale)
    assert true_condition_number(matrix) == pytest.approx(printed["condition_number"], rel=1e-4)
    assert equilibrium(matrix) == pytest.approx(printed["scaling"], rel=1e-4)


def test_a_few_starts_beat_the_published_optimum_of_15_rows():
    found = optimum_points(ROWS, ARM_LIMITS, 15, starts=3)
    printed = dict(PUBLISHED["results"]["optimum_condition_numbers"])
    assert found.condition_number == found.condition_numbers.min() < printed[15]
    task = PointsTask(ROWS, ARM_LIMITS)
    x = (np.stack([found.positions, found.rates]) - task.centre) / task.scale
    assert np.abs(x).max() <= 1.0 + 1e-12
    assert true_condition_number(task.matrix(x)) == pytest.approx(found.condition_number)
    assert found.path(np.zeros(3)).extremes().rate.max() <= 0.88 * (1 + 1e-9)


def test_a_seed_gives_the_same_points_again():
    first, second = (optimum_points(ROWS, ARM_LIMITS, 15, starts=1, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.positions, second.positions)


@pytest.mark.parametrize("acceleration", [2.0, 20.0])
@pytest.mark.parametrize("seed", range(4))
def test_a_path_through_any_points_keeps_all_limits_everywhere(seed, acceleration):
    limits = arm_limits(ARM, acceleration)
    positions, rates = random_points(limits, 12, seed)
    path = joined_points(limits, positions, rates, np.zeros(3))
    assert limits.margins(path.extremes()).within
    t = np.linspace(0.0, path.duration_s, 5001)
    motion = path.evaluate(t)
    assert np.abs(motion.position).max() <= np.deg2rad(45.0) * (1 + 1e-9)
    assert np.abs(motion.rate).max() <= 0.88 * (1 + 1e-9)
    assert np.abs(motion.acceleration).max() <= acceleration * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_path_through_points_as_near_to_the_walls_as_can_be_keeps_all_limits(seed):
    sides = np.where(np.random.default_rng(seed).random((2, 10, 3)) < 0.5, -1.0, 1.0)
    room = ARM_LIMITS.highest - stopping_distance(ARM_LIMITS)
    path = joined_points(ARM_LIMITS, sides[0] * room, sides[1] * ARM_LIMITS.rate)
    assert ARM_LIMITS.margins(path.extremes()).within
    assert ARM_LIMITS.margins(path.extremes()).position.max() < 1e-6


@pytest.mark.parametrize("ends", [None, np.zeros(3)], ids=["anywhere", "zero"])
def test_a_path_passes_every_point_in_order_from_rest_to_rest(ends):
    positions, rates = random_points(ARM_LIMITS, 12, 9)
    path = joined_points(ARM_LIMITS, positions, rates, ends)
    motion = path.evaluate(path.t)
    passed = [
        int(np.argmin(np.abs(motion.position - q).max(axis=1) + np.abs(motion.rate - dq).max(axis=1)))
        for q, dq in zip(positions, rates, strict=True)
    ]
    assert (np.diff(passed) > 0).all()
    np.testing.assert_allclose(motion.position[passed], positions, atol=1e-12)
    np.testing.assert_allclose(motion.rate[passed], rates, atol=1e-12)
    assert np.abs(motion.rate[[0, -1]]).max() == 0.0
    if ends is not None:
        np.testing.assert_array_equal(motion.position[[0, -1]], np.zeros((2, 3)))


def test_from_the_stopping_distance_any_rate_can_be_stopped_before_the_wall():
    limits = ARM_LIMITS
    wall = (limits.highest - stopping_distance(limits))[None]
    assert limits.margins(joined_points(limits, wall, limits.rate[None]).extremes()).within
    with pytest.raises(InvalidTrajectory, match="position limit"):
        joined_points(limits, wall + 1e-3, limits.rate[None])


def test_too_few_rows_and_missing_limits_are_refused():
    with pytest.raises(InvalidTrajectory, match="14 energy differences; allowed: at least 15"):
        optimum_points(ROWS, ARM_LIMITS, 14)
    with pytest.raises(InvalidTrajectory, match="j1 has no finite box"):
        optimum_points(ROWS, limits_of(ARM, ARM.joint_names), 15)
    with pytest.raises(InvalidTrajectory, match=r"j1 has .* of room left"):
        optimum_points(ROWS, box(ARM, 0.1, 1.0, 1.0), 15)
    with pytest.raises(InvalidTrajectory, match="no acceleration limit"):
        joined_points(box(ARM, 1.0, 1.0, np.inf), np.zeros((2, 3)), np.zeros((2, 3)))


@pytest.mark.slow
@pytest.mark.parametrize(("r", "highest"), [(15, 20.0), (20, 16.0), (30, 10.5), (50, 7.0), (100, 5.5)])
def test_optimum_points_are_better_than_those_of_1992_and_the_path_keeps_its_limits(r, highest):
    found = optimum_points(ROWS, ARM_LIMITS, r, starts=32)
    assert found.condition_number <= highest
    assert ARM_LIMITS.margins(found.path(np.zeros(3)).extremes()).within


@pytest.mark.slow
def test_equilibrium_costs_little_of_the_condition_number():
    found = optimum_points(ROWS, ARM_LIMITS, 15, starts=24, equilibrium_weight=0.3)
    assert found.condition_number <= 27.0
    assert found.equilibrium <= 180.0
