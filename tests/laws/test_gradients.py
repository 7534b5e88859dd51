"""The reverse sweep against central differences, which stand here and nowhere in the package."""

import numpy as np
import pytest
from agreement import assert_agree, relative_difference
from random_trees import BASES, ROBOTS, random_robot, random_samples

from freefloat.dynamics import kernels
from freefloat.dynamics.momentum_rows import momentum_adjoint

TOLERANCE = 1e-7
STEP = 1e-5
FLOOR = 1e-3  # some gradients vanish by law: a body that slides on a fixed base turns nothing
INPUTS = ("q", "dq", "v", "w")

every_robot = pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)


def regressor(robot, state):
    """K of a state (q, dq, v, w), whatever the kind of base."""
    K = np.empty((len(state[0]), 6, robot.parameters.size))
    kernels.forward(robot.tree.arrays, *state, K)
    return K


def state_of(samples):
    return [np.array(getattr(samples, name)) for name in INPUTS]


def central_differences(robot, samples, Z):
    """Gradients of sum(Z * K) with respect to q, dq, v, w; samples do not act on each other."""
    found = [np.empty_like(array) for array in state_of(samples)]
    for which, gradient in enumerate(found):
        for column in range(gradient.shape[1]):
            ahead, behind = state_of(samples), state_of(samples)
            ahead[which][:, column] += STEP
            behind[which][:, column] -= STEP
            change = regressor(robot, ahead) - regressor(robot, behind)
            gradient[:, column] = (Z * change).sum(axis=(1, 2)) / (2.0 * STEP)
    return found


def random_weights(robot, samples, seed):
    return np.random.default_rng(seed).normal(size=(len(samples), 6, robot.parameters.size))


@every_robot
def test_the_adjoint_is_the_derivative_of_the_regressor(robot):
    samples = random_samples(robot, 9, 1)
    Z = random_weights(robot, samples, 1)
    expected = central_differences(robot, samples, Z)
    for ours, theirs in zip(momentum_adjoint(robot, samples, Z), expected, strict=True):
        assert_agree(ours, theirs, TOLERANCE, FLOOR)


@every_robot
def test_the_adjoint_of_one_momentum_row_is_the_derivative_of_that_momentum(robot):
    samples = random_samples(robot, 9, 2)
    for row in range(6):
        Z = np.zeros((len(samples), 6, robot.parameters.size))
        Z[:, row] = robot.parameters
        expected = central_differences(robot, samples, Z)
        for ours, theirs in zip(momentum_adjoint(robot, samples, Z), expected, strict=True):
            assert_agree(ours, theirs, TOLERANCE, FLOOR)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("count", [1, 7, 8, 9, 451])
def test_any_number_of_samples_has_the_gradients_of_its_samples(count, base):
    robot = random_robot(count, bodies=11, base=base, prismatic=True, branched=True, fixed_bodies=True)
    samples = random_samples(robot, count, 3)
    Z = random_weights(robot, samples, 3)
    whole = momentum_adjoint(robot, samples, Z)
    expected = central_differences(robot, samples, Z)
    for ours, theirs in zip(whole, expected, strict=True):
        assert_agree(ours, theirs, TOLERANCE, FLOOR)
    alone = [momentum_adjoint(robot, samples[[k]], Z[[k]]) for k in range(count)]
    for ours, theirs in zip(whole, zip(*alone, strict=True), strict=True):
        assert_agree(ours, np.concatenate(theirs), 1e-14, FLOOR)


@pytest.mark.parametrize("count", [1, 7, 8, 9])
def test_gradients_are_written_for_the_samples_given_and_nowhere_else(count):
    robot = ROBOTS[0]
    state, guard = state_of(random_samples(robot, count, 4)), 123.0
    Z = np.ones((count, 6, robot.parameters.size))
    gradients = [np.full((count + 8, array.shape[1]), guard) for array in state]
    kernels.adjoint(robot.tree.arrays, *state, Z, *(gradient[:count] for gradient in gradients))
    for gradient in gradients:
        assert (gradient[:count] != guard).all()
        assert (gradient[count:] == guard).all()


def test_a_wrong_gradient_would_be_noticed():
    robot = ROBOTS[0]
    samples = random_samples(robot, 9, 5)
    Z = random_weights(robot, samples, 5)
    expected = central_differences(robot, samples, Z)[0]
    wrong = momentum_adjoint(robot, samples, Z)[0] * (1.0 + 1e-6)
    assert relative_difference(wrong, expected, FLOOR) > TOLERANCE
