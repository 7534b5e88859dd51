"""Angular momentum about the centre of mass, base velocity and total mass, on any tree."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from agreement import assert_agree, clear_rank
from random_trees import is_branched, random_robot, random_samples

from freefloat.dynamics.mass_centre import first_moment_regressor
from freefloat.dynamics.momentum_rows import momentum_regressor
from freefloat.dynamics.states import random_states
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity, MassNotVisible, total_mass, underlying
from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint
from freefloat.robot.transform import Transform

EXACT = 1e-12
BRANCHED = [
    random_robot(500 + seed, bodies=3 + seed % 6, base="free", branched=True, prismatic=seed % 4 != 0)
    for seed in range(24)
]
CHAINS = [
    random_robot(700 + joints, bodies=joints + 1, base="free", branched=False, prismatic=False)
    for joints in range(1, 7)
]
OTHERS = [
    *CHAINS,
    *(random_robot(600 + seed, bodies=2 + seed, base="planar") for seed in range(6)),
    *(random_robot(620 + seed, bodies=6, base="free", fixed_bodies=True, wheels=1) for seed in range(4)),
]
every_tree = pytest.mark.parametrize("robot", [*BRANCHED, *OTHERS], ids=lambda robot: f"{robot.name} {robot.base}")


@cache
def angular_momentum(robot):
    return AngularMomentum(robot)


@cache
def base_velocity(robot):
    return BaseVelocity(robot)


def about_the_centre_of_mass(robot, samples, parameters):
    """Angular momentum (n, 3), the momentum about the base origin carried over; wheels at rest."""
    momentum = momentum_regressor(robot, samples) @ parameters
    centre = first_moment_regressor(robot, samples) @ parameters / parameters[::10].sum()
    return momentum[:, 3:] - np.cross(centre, momentum[:, :3])


def measured(robot, values):
    """The components that count: about z alone on a planar base."""
    return values[:, 2:] if robot.base == "planar" else values


def test_the_trees_are_branched_and_most_of_them_slide():
    assert len(BRANCHED) >= 20
    assert all(is_branched(robot) for robot in BRANCHED)
    assert sum(any(joint.kind == "prismatic" for joint in robot.joints) for robot in BRANCHED) >= 15


# ---------------------------------------------------------------------- angular momentum


@every_tree
def test_rows_times_clusters_is_the_angular_momentum_about_the_centre_of_mass(robot):
    model, samples = angular_momentum(robot), random_samples(robot, 15, seed=1)
    expected = measured(robot, about_the_centre_of_mass(robot, samples, robot.parameters))
    assert_agree(model.rows(samples) @ model.values(), expected, EXACT)


@every_tree
def test_the_clusters_hold_for_any_parameters_not_only_the_robots_own(robot):
    """Each parameter anew, between half and twice what it was; the total mass changes too."""
    model, samples = angular_momentum(robot), random_samples(robot, 15, seed=2)
    phi = robot.parameters * np.random.default_rng(2).uniform(0.5, 2.0, robot.parameters.size)
    expected = measured(robot, about_the_centre_of_mass(robot, samples, phi))
    assert_agree(model.rows(samples) @ model.values(phi), expected, EXACT)


@every_tree
def test_the_base_velocity_does_not_enter(robot):
    model, samples = angular_momentum(robot), random_samples(robot, 15, seed=3)
    pushed = replace(samples, v=np.add(samples.v, [3.0, -2.0, 0.0]))
    np.testing.assert_array_equal(model.rows(pushed), model.rows(samples))
    expected = measured(robot, about_the_centre_of_mass(robot, pushed, robot.parameters))
    assert_agree(model.rows(samples) @ model.values(), expected, EXACT)


@every_tree
def test_clusters_are_functions_of_the_underlying_minimal_parameters(robot):
    model = angular_momentum(robot)
    theta = underlying(robot).minimal.values(robot.parameters)
    np.testing.assert_array_equal(model.structured(theta), model.values())
    assert float(model.underlying.mass @ theta) == pytest.approx(robot.mass, rel=1e-13)


@every_tree
def test_the_jacobian_is_the_derivative_of_the_structured_form(robot):
    """By central differences of fourth order; each step a hundredth of what is natural for its parameter."""
    model = angular_momentum(robot)
    theta = model.underlying.minimal.values(robot.parameters)
    J = model.jacobian(theta)
    steps = 0.01 * np.maximum(np.abs(theta), 0.01 * np.abs(theta).max())
    for index, step in enumerate(steps):
        there = [model.structured(theta + k * step * np.eye(theta.size)[index]) for k in (1, -1, 2, -2)]
        slope = (8.0 * (there[0] - there[1]) - (there[2] - there[3])) / (12.0 * step)
        size = np.abs(model.minimal.combine).max() * max(1.0, np.abs(J[:, index]).max())
        np.testing.assert_allclose(J[:, index], slope, rtol=0, atol=1e-8 * size)


@every_tree
def test_clusters_scale_with_the_robot(robot):
    """Homogeneous of degree one, so by Euler the Jacobian times the unknowns gives the clusters themselves."""
    model = angular_momentum(robot)
    theta = model.underlying.minimal.values(robot.parameters)
    terms = np.abs(model.jacobian(theta)) @ np.abs(theta)
    assert (np.abs(model.jacobian(theta) @ theta - model.values()) <= 1e-13 * terms.max()).all()


@pytest.mark.parametrize("branched", [False, True], ids=["chain", "branched"])
@pytest.mark.parametrize("joints", range(1, 7))
def test_a_revolute_tree_has_so_many_linear_clusters(joints, branched):
    robot = CHAINS[joints - 1]
    if branched and joints > 1:
        robot = random_robot(710 + joints, bodies=joints + 1, base="free", branched=True, prismatic=False)
    assert len(angular_momentum(robot).minimal) == (joints + 2) * (2 * joints + 3)


@pytest.mark.parametrize(("joints", "unknowns"), [(1, 14), (2, 23), (3, 31), (4, 38), (5, 45), (6, 52)])
def test_a_revolute_chain_has_far_fewer_unknowns(joints, unknowns):
    robot = CHAINS[joints - 1]
    assert len(robot.joints) == joints
    model = angular_momentum(robot)
    theta = model.underlying.minimal.values(robot.parameters)
    rows = model.rows(random_states(robot, 40 + 20 * joints, seed=4)).reshape(-1, len(model.minimal))
    assert clear_rank(rows @ model.jacobian(theta)) == unknowns
    assert theta.size == 10 + 7 * joints
    assert clear_rank(rows) == len(model.minimal)


# ---------------------------------------------------------------------- base velocity, total mass


@every_tree
def test_base_velocity_is_that_of_the_centre_of_mass_and_what_the_clusters_add(robot):
    model, samples = base_velocity(robot), random_samples(robot, 15, seed=5)
    drift = momentum_regressor(robot, samples)[:, :3] @ robot.parameters / robot.mass
    axes = [0, 1] if robot.base == "planar" else [0, 1, 2]
    found = drift[:, axes] + model.rows(samples) @ model.values()
    assert_agree(found, samples.v[:, axes], EXACT)


@every_tree
def test_total_mass_comes_from_angular_momentum_and_base_velocity_together(robot):
    angular, velocity = angular_momentum(robot), base_velocity(robot)
    found = total_mass(angular, angular.values(), velocity, velocity.values())
    assert found == pytest.approx(robot.mass, rel=EXACT)


def test_the_mass_found_has_the_scale_of_the_clusters():
    """Twice the clusters at the same first moments over mass is twice the mass."""
    robot = BRANCHED[4]
    angular, velocity = angular_momentum(robot), base_velocity(robot)
    found = total_mass(angular, 2.0 * angular.values(), velocity, velocity.values())
    assert found == pytest.approx(2.0 * robot.mass, rel=EXACT)


def test_a_robot_whose_first_moments_vanish_does_not_show_its_mass():
    """A balanced rotor on the base's centre of mass: nothing moves the centre of mass."""
    phi = parameters_from_com(5.0, np.zeros(3), np.diag([1.0, 2.0, 2.5]))
    rotor = Body("rotor", "base", Joint("spin"), Transform(), phi)
    robot = Robot("balanced", (Body("base", parameters=phi), rotor))
    zero = ("*.moments",)
    angular, velocity = AngularMomentum(robot, zero=zero), BaseVelocity(robot, zero=zero)
    with pytest.raises(MassNotVisible):
        total_mass(angular, angular.values(), velocity, velocity.values())
