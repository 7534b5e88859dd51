"""The reverse sweeps of torques, energy and first moments against central differences, which stand here only."""

from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree, relative_difference
from geared import driven
from random_trees import BASES, ROBOTS, random_robot, random_samples

from freefloat.dynamics.energy import energy_adjoint, kinetic_energy_regressor, potential_energy_regressor
from freefloat.dynamics.mass_centre import first_moment_adjoint, first_moment_regressor
from freefloat.dynamics.rotor_adjoint import rotor_adjoint
from freefloat.dynamics.rotors import rotor_columns
from freefloat.dynamics.torque import inverse_dynamics, inverse_dynamics_adjoint, torque_adjoint, torque_regressor
from freefloat.errors import ShapeError

TOLERANCE = 1e-7
STEP = 1e-5
FLOOR = 1e-3  # some gradients vanish by law: velocities of origins do not enter torques but through w x v
MOTION = ("q", "dq", "ddq", "v", "w", "dv", "dw")
STATE = ("q", "dq", "v", "w")

EXTRA = [
    random_robot(100 + index, bodies=9, base=base, gravity=True, prismatic=True, branched=True, fixed_bodies=True)
    for index, base in enumerate(BASES)
]
every_robot = pytest.mark.parametrize("robot", [*ROBOTS[::5], *EXTRA], ids=lambda robot: robot.name)


def central_differences(samples, inputs, weighted):
    """Gradients of a weighted quantity, one number per sample; samples do not act on each other."""
    found = []
    for name in inputs:
        values = getattr(samples, name)
        gradient = np.empty_like(values)
        for column in range(values.shape[1]):
            step = STEP * (np.arange(values.shape[1]) == column)
            ahead, behind = (weighted(replace(samples, **{name: values + sign * step})) for sign in (1, -1))
            gradient[:, column] = (ahead - behind) / (2.0 * STEP)
        found.append(gradient)
    return found


def inputs_of(robot, names):
    """What the robot's base lets vary."""
    return [name for name in names if robot.base != "fixed" or name in ("q", "dq", "ddq")]


def energy_rows(robot, samples):
    return kinetic_energy_regressor(robot, samples) + potential_energy_regressor(robot, samples)


def weights(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


@every_robot
def test_the_torque_adjoint_is_the_derivative_of_the_regressor(robot):
    samples = random_samples(robot, 5, 1)
    Z = weights(1, 5, 6 + len(robot.joints), robot.parameters.size)
    names = inputs_of(robot, MOTION)
    expected = central_differences(samples, names, lambda at: (Z * torque_regressor(robot, at)).sum(axis=(1, 2)))
    ours = torque_adjoint(robot, samples, Z)
    for name, theirs in zip(names, expected, strict=True):
        assert_agree(getattr(ours, name), theirs, TOLERANCE, FLOOR)


@every_robot
def test_inverse_dynamics_has_the_gradient_of_its_regressor_at_given_parameters(robot):
    samples = random_samples(robot, 5, 2)
    weight = weights(2, 5, 6 + len(robot.joints))
    dense = torque_adjoint(robot, samples, weight[:, :, None] * robot.parameters)
    for ours, theirs in zip(inverse_dynamics_adjoint(robot, samples, weight), dense, strict=True):
        assert_agree(ours, theirs, 1e-11, FLOOR)


@pytest.mark.parametrize("robot", EXTRA, ids=lambda robot: robot.name)
def test_chosen_rows_and_columns_have_the_gradient_of_zero_weights_elsewhere(robot):
    samples = random_samples(robot, 5, 8)
    rng = np.random.default_rng(8)
    rows = rng.permutation(6 + len(robot.joints))[:7]
    columns = 10 + rng.permutation(robot.parameters.size - 20)[:23]  # neither of the base nor of the last body
    Z, whole = weights(8, 5, 7, 23), np.zeros((5, 6 + len(robot.joints), robot.parameters.size))
    whole[:, rows[:, None], columns] = Z
    expected = torque_adjoint(robot, samples, whole)
    for ours, theirs in zip(torque_adjoint(robot, samples, Z, rows, columns), expected, strict=True):
        assert_agree(ours, theirs, 1e-12, FLOOR)


def test_gradients_of_torques_are_those_of_inverse_dynamics():
    robot = random_robot(7, bodies=8, base="free", prismatic=True, branched=True)
    samples = random_samples(robot, 9, 3)
    weight = weights(3, 9, 6 + len(robot.joints))
    expected = central_differences(samples, MOTION, lambda at: (weight * inverse_dynamics(robot, at)).sum(axis=1))
    for ours, theirs in zip(inverse_dynamics_adjoint(robot, samples, weight), expected, strict=True):
        assert_agree(ours, theirs, TOLERANCE, FLOOR)


@pytest.mark.parametrize("robot", EXTRA, ids=lambda robot: robot.name)
def test_gradients_of_what_rotors_ask_are_those_of_their_columns(robot):
    robot = driven(robot, 9)
    rotors, samples = np.array([joint.drive.rotor for joint in robot.joints]), random_samples(robot, 5, 9)
    weight = weights(9, 5, 6 + len(robot.joints))
    names = inputs_of(robot, MOTION)
    expected = central_differences(
        samples, names, lambda at: (weight * (rotor_columns(robot, at) @ rotors)).sum(axis=1)
    )
    ours = rotor_adjoint(robot, samples, weight)
    for name, theirs in zip(names, expected, strict=True):
        assert_agree(getattr(ours, name), theirs, TOLERANCE, FLOOR)
    with pytest.raises(ShapeError, match="weight must have shape"):
        rotor_adjoint(robot, samples, weight[:, 1:])


@every_robot
def test_the_energy_adjoint_is_the_derivative_of_the_energy_rows(robot):
    samples = random_samples(robot, 9, 4)
    Z = weights(4, 9, robot.parameters.size)
    names = inputs_of(robot, STATE)
    expected = central_differences(samples, names, lambda at: (Z * energy_rows(robot, at)).sum(axis=1))
    ours = dict(zip(STATE, energy_adjoint(robot, samples, Z), strict=True))
    for name, theirs in zip(names, expected, strict=True):
        assert_agree(ours[name], theirs, TOLERANCE, FLOOR)


@every_robot
def test_the_first_moment_adjoint_is_the_derivative_of_the_first_moment(robot):
    samples = random_samples(robot, 9, 5)
    Z = weights(5, 9, 3, robot.parameters.size)
    moment = lambda at: (Z * first_moment_regressor(robot, at)).sum(axis=(1, 2))  # noqa: E731
    (expected,) = central_differences(samples, ("q",), moment)
    assert_agree(first_moment_adjoint(robot, samples.q, Z), expected, TOLERANCE, FLOOR)


def test_weights_of_another_shape_are_refused():
    robot = random_robot(8, bodies=4, base="free")
    samples = random_samples(robot, 3, 6)
    for adjoint in (torque_adjoint, inverse_dynamics_adjoint, energy_adjoint):
        with pytest.raises(ShapeError, match="must have shape"):
            adjoint(robot, samples, np.zeros((3, 5)))


def test_a_wrong_gradient_would_be_noticed():
    robot = EXTRA[0]
    samples = random_samples(robot, 5, 7)
    Z = weights(7, 5, 6 + len(robot.joints), robot.parameters.size)
    weighted = lambda at: (Z * torque_regressor(robot, at)).sum(axis=(1, 2))  # noqa: E731
    (expected,) = central_differences(samples, ("q",), weighted)
    assert relative_difference(torque_adjoint(robot, samples, Z).q * (1.0 + 1e-6), expected, FLOOR) > TOLERANCE
