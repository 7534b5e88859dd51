"""Laws of geometry that is slightly off: its derivatives on random trees, against central differences."""

import numpy as np
import pytest
from random_trees import random_robot, random_samples

from freefloat.dynamics.mass_centre import first_moment_regressor
from freefloat.dynamics.momentum_rows import momentum_regressor
from freefloat.dynamics.reaction import geometry_slopes
from freefloat.robot.geometry import PER_JOINT, across, built_with, tilting, with_geometry

STEP = 1e-5


def momentum_and_first_moment(robot, samples, errors):
    moved = with_geometry(robot, errors)
    momentum = momentum_regressor(moved, samples) @ robot.parameters
    return np.hstack([momentum, first_moment_regressor(moved, samples) @ robot.parameters])


@pytest.mark.parametrize("seed", range(12))
def test_slopes_by_geometry_are_those_of_robots_with_that_geometry(seed):
    robot = random_robot(seed, bodies=3 + seed % 4)
    samples, joints = random_samples(robot, 4, seed), len(robot.joints)
    errors = 0.1 * np.random.default_rng(seed).normal(size=(joints, PER_JOINT))
    moved = with_geometry(robot, errors)
    D, S = geometry_slopes(moved, tilting(robot, errors), robot.parameters, samples.q, samples.dq, samples.v, samples.w)
    found = np.concatenate([D, S], axis=1)
    for column in range(PER_JOINT * joints):
        step = STEP * np.eye(errors.size)[column].reshape(errors.shape)
        ahead, behind = (momentum_and_first_moment(robot, samples, errors + s) for s in (step, -step))
        slope = (ahead - behind) / (2.0 * STEP)
        np.testing.assert_allclose(found[:, :, column], slope, rtol=0, atol=1e-7 * max(np.abs(found).max(), 1.0))


@pytest.mark.parametrize("seed", range(6))
def test_a_robot_that_is_built_so_has_the_geometry_that_is_predicted_with(seed):
    robot = random_robot(seed, bodies=5, prismatic=None)
    errors = 0.1 * np.random.default_rng(seed).normal(size=(len(robot.joints), PER_JOINT))
    built, predicted = built_with(robot, errors).tree.arrays, with_geometry(robot, errors).tree.arrays
    np.testing.assert_allclose(built.geometry, predicted.geometry, rtol=0, atol=1e-14)
    assert np.array_equal(built.parent, predicted.parent)
    assert built_with(robot, 0.0 * errors) is robot


def test_a_turn_about_the_axis_is_no_tilt():
    arrays = random_robot(5, bodies=6).tree.arrays
    tilts, moving = across(arrays), arrays.dof >= 0
    np.testing.assert_allclose(np.einsum("bij,bj->bi", tilts, arrays.geometry[:, 27:30]), 0.0, atol=1e-15)
    np.testing.assert_allclose(
        (tilts @ tilts.swapaxes(1, 2))[moving], np.broadcast_to(np.eye(2), (moving.sum(), 2, 2)), atol=1e-15
    )
