"""Agreement with Pinocchio, an independent and widely used library for rigid-body dynamics."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from agreement import assert_agree
from authorities.pinocchio_model import InPinocchio, inertia_of, with_real_wheels
from random_trees import ROBOTS, random_robot, random_samples
from scipy.linalg import eigh

from freefloat.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor, wheel_energy_regressor
from freefloat.dynamics.mass_centre import base_velocity_regressor, centre_of_mass, first_moment_regressor
from freefloat.dynamics.modes import system_modes
from freefloat.dynamics.momentum_rows import momentum, momentum_matrix, momentum_regressor
from freefloat.dynamics.torque import inverse_dynamics, torque_regressor
from freefloat.robot.parameters import (
    INDEX,
    PARAMETER_NAMES,
    inertia_matrix,
    parameters_from_com,
    parameters_from_pseudo_inertia,
    pseudo_inertia,
)

TOLERANCE = 1e-10
SAMPLES = 9
GRAVITY = np.array([1.3, -2.1, -9.4])

every_robot = pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
spinning = [robot for robot in ROBOTS if robot.wheels]
every_spinning_robot = pytest.mark.parametrize("robot", spinning, ids=lambda robot: robot.name)


def test_there_are_at_least_fifty_trees():
    assert len(ROBOTS) >= 50


# ---------------------------------------------------------------------- the order of parameters


def test_our_order_of_parameters_is_pinocchios():
    com, about_com = (
        np.array([0.1, 0.2, 0.3]),
        np.array([[1.1, 0.12, 0.13], [0.12, 1.2, 0.14], [0.13, 0.14, 1.4]]),
    )
    theirs = pin.Inertia(2.0, com, about_com).toDynamicParameters()
    assert len(np.unique(theirs)) == len(PARAMETER_NAMES) == 10
    np.testing.assert_allclose(parameters_from_com(2.0, com, about_com), theirs, rtol=1e-15)
    np.testing.assert_allclose(inertia_of(theirs).inertia, about_com, rtol=1e-14)


def test_every_parameter_stands_where_its_name_says():
    com, about_com = (
        np.array([0.1, 0.2, 0.3]),
        np.array([[1.1, 0.12, 0.13], [0.12, 1.2, 0.14], [0.13, 0.14, 1.4]]),
    )
    body = pin.Inertia(2.0, com, about_com)
    about_origin = body.matrix()[3:, 3:]  # of the 6 x 6 spatial inertia, at the frame's origin
    values = {"m": body.mass} | {f"m{axis}": 2.0 * com[i] for i, axis in enumerate("xyz")}
    values |= {f"I{a}{b}": about_origin[i, j] for i, a in enumerate("xyz") for j, b in enumerate("xyz")}
    phi = body.toDynamicParameters()
    for name, position in INDEX.items():
        assert phi[position] == pytest.approx(values[name], rel=1e-14), name
    np.testing.assert_allclose(inertia_matrix(phi), about_origin, rtol=1e-14)


def test_pseudo_inertias_are_pinocchios():
    phi = ROBOTS[0].bodies[0].parameters
    theirs = pin.PseudoInertia.FromDynamicParameters(phi).toMatrix()
    np.testing.assert_allclose(pseudo_inertia(phi), theirs, rtol=1e-13)
    np.testing.assert_allclose(parameters_from_pseudo_inertia(theirs), phi, rtol=1e-13)


# ---------------------------------------------------------------------- every tree, every quantity


def without_wheels(robot):
    return replace(robot, wheels=())


@every_robot
def test_momentum(robot):
    robot = without_wheels(robot)
    samples = random_samples(robot, SAMPLES, 1)
    theirs = InPinocchio(robot).momentum(samples)
    assert_agree(momentum_regressor(robot, samples) @ robot.parameters, theirs, TOLERANCE)
    twist = np.hstack([samples.v, samples.w, samples.dq])
    assert_agree(np.einsum("kij,kj->ki", momentum_matrix(robot, samples.q), twist), theirs, TOLERANCE)


@every_robot
def test_kinetic_energy(robot):
    robot = without_wheels(robot)
    samples = random_samples(robot, SAMPLES, 2)
    theirs = InPinocchio(robot).kinetic_energy(samples)
    assert_agree(kinetic_energy_regressor(robot, samples) @ robot.parameters, theirs, TOLERANCE)


@every_robot
def test_potential_energy(robot):
    robot = replace(robot, gravity=GRAVITY, wheels=())
    samples = random_samples(robot, SAMPLES, 3)
    theirs = InPinocchio(robot).potential_energy(samples)
    assert_agree(potential_energy_regressor(robot, samples) @ robot.parameters, theirs, TOLERANCE)


@pytest.mark.parametrize("gravity", [np.zeros(3), GRAVITY], ids=["weightless", "with gravity"])
@every_robot
def test_base_wrench_and_joint_torques(robot, gravity):
    robot = replace(robot, gravity=gravity, wheels=())
    samples = random_samples(robot, SAMPLES, 4)
    theirs = InPinocchio(robot).inverse_dynamics(samples)
    assert_agree(torque_regressor(robot, samples) @ robot.parameters, theirs, TOLERANCE)


@every_robot
def test_centre_of_mass_and_base_velocity(robot):
    robot = without_wheels(robot)
    samples = random_samples(robot, SAMPLES, 5)
    theirs = InPinocchio(robot)
    first_moment = theirs.first_moment(samples)
    mass = sum(inertia.mass for inertia in theirs.model.inertias)
    assert_agree(first_moment_regressor(robot, samples) @ robot.parameters, first_moment, TOLERANCE)
    assert_agree(centre_of_mass(robot, samples), first_moment / mass, TOLERANCE)
    v_cm = theirs.momentum(samples)[:, :3] / mass
    v0 = v_cm + base_velocity_regressor(robot, samples) @ (robot.parameters / mass)
    # v0 is what is left of much larger terms; it is measured by them
    np.testing.assert_allclose(v0, samples.v, atol=TOLERANCE * np.abs(v_cm).max())


# ---------------------------------------------------------------------- wheels as bodies that turn


@every_spinning_robot
def test_momentum_with_wheels(robot):
    real, names, samples = in_pinocchio_with_wheels(robot)
    assert_agree(momentum(robot, samples), real.momentum(samples, names), TOLERANCE)


@every_spinning_robot
def test_kinetic_energy_with_wheels(robot):
    real, names, samples = in_pinocchio_with_wheels(robot)
    ours = kinetic_energy_regressor(robot, samples) @ robot.parameters
    ours += wheel_energy_regressor(robot, samples) @ robot.wheel_inertias
    assert_agree(ours, real.kinetic_energy(samples, names), TOLERANCE)


@every_spinning_robot
def test_base_wrench_and_joint_torques_with_wheels(robot):
    real, names, samples = in_pinocchio_with_wheels(replace(robot, gravity=GRAVITY))
    ours = inverse_dynamics(replace(robot, gravity=GRAVITY), samples)
    assert_agree(ours, real.inverse_dynamics(samples, names), TOLERANCE)


def in_pinocchio_with_wheels(robot):
    """Pinocchio with the wheels as bodies, the names of their joints, and samples of the robot."""
    whole = with_real_wheels(robot, np.random.default_rng(6))
    real = InPinocchio(robot, InPinocchio(whole).model)
    return real, [wheel.name for wheel in robot.wheels], random_samples(robot, SAMPLES, 6)


# ---------------------------------------------------------------------- column by column

TREES = [
    random_robot(seed, base="free", prismatic=bool(seed % 2), branched=seed > 1, gravity=True) for seed in range(6)
]
several_trees = pytest.mark.parametrize("robot", TREES, ids=lambda robot: robot.name)


@several_trees
def test_columns_of_the_momentum_regressor(robot):
    samples, theirs = random_samples(robot, SAMPLES, 7), InPinocchio(replace(robot, gravity=np.zeros(3)))
    expected = [
        theirs.columns(pin.computeJointTorqueRegressor(theirs.model, theirs.data, q, 0.0 * v, v)[:6])
        for q, v, _ in theirs.states(samples)
    ]
    assert_agree(momentum_regressor(robot, samples), np.array(expected), TOLERANCE)


@several_trees
def test_columns_of_the_torque_regressor(robot):
    samples, theirs = random_samples(robot, SAMPLES, 8), InPinocchio(robot)
    rows = [theirs.model.joints[theirs.model.getJointId(name)].idx_v for name in robot.joint_names]
    expected = [
        theirs.columns(pin.computeJointTorqueRegressor(theirs.model, theirs.data, q, v, a)[[*range(6), *rows]])
        for q, v, a in theirs.states(samples)
    ]
    assert_agree(torque_regressor(robot, samples), np.array(expected), TOLERANCE)


@several_trees
def test_columns_of_the_energy_regressors(robot):
    samples, theirs = random_samples(robot, SAMPLES, 9), InPinocchio(robot)
    model, data, kinetic, potential = theirs.model, theirs.data, [], []
    for q, v, _ in theirs.states(samples):
        kinetic.append(theirs.columns(pin.computeKineticEnergyRegressor(model, data, q, v))[0])
        potential.append(theirs.columns(pin.computePotentialEnergyRegressor(model, data, q))[0])
    assert_agree(kinetic_energy_regressor(robot, samples), np.array(kinetic), TOLERANCE)
    assert_agree(potential_energy_regressor(robot, samples), np.array(potential), TOLERANCE)


# ---------------------------------------------------------------------- modes of robots with passive joints


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
@pytest.mark.parametrize("seed", range(7))
def test_modes_are_those_of_pinocchios_mass_matrix(seed, base):
    """The generalised eigenproblem of base and passive joints together, at zero and at a bent posture."""
    count = 1 + seed % 3
    robot = random_robot(seed, bodies=6 + seed, base=base, passive=count, gravity=base == "fixed", fixed_bodies=True)
    theirs = InPinocchio(robot)
    model, rows = theirs.model, {"free": [0, 1, 2, 3, 4, 5], "planar": [0, 1, 5], "fixed": []}[base]
    places = [model.joints[model.getJointId(robot.joint_names[k])].idx_v for k in robot.passive]
    springs = [robot.joints[k].passive.stiffness for k in robot.passive]
    for posture in (np.zeros(len(robot.joints)), np.linspace(-0.9, 1.1, len(robot.joints))):
        posture[robot.passive] *= 0.1
        q = pin.neutral(model)
        for name, value in zip(robot.joint_names, posture, strict=True):
            q[model.joints[model.getJointId(name)].idx_q] = value
        H = np.triu(pin.crba(model, theirs.data, q))
        M = (H + np.triu(H, 1).T)[np.ix_(rows + places, rows + places)]
        weight = pin.computeGeneralizedGravityDerivatives(model, theirs.data, q)[np.ix_(places, places)]
        K = np.zeros_like(M)
        K[len(rows) :, len(rows) :] = np.diag(springs) + (weight if base == "fixed" else 0.0)
        squares = eigh(K, M, eigvals_only=True)
        swinging = np.sqrt(squares[squares > 1e-9 * abs(squares).max()]) / (2.0 * np.pi)
        ours = [mode.frequency_Hz for mode in system_modes(robot, posture)]
        np.testing.assert_allclose(ours, swinging, rtol=1e-9)
        assert len(ours) == count or base == "fixed", "gravity may topple what a spring is too weak for"
