"""What drives give: rotors against the same robots with their rotors as bodies, friction against its terms on paper."""

import numpy as np
import pytest
from agreement import assert_agree
from geared import at_the_joints, driven, geared_samples, with_rotors_as_bodies
from random_trees import random_robot, random_samples

from freefloat.dynamics.drive_torques import drive_column, drive_loads, driven_dynamics
from freefloat.dynamics.momentum_rows import momentum
from freefloat.dynamics.rotors import rotor_columns, rotor_momentum
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.robot.drive import DRIVE_TERMS, Drive


def spinning(seed):
    """A random robot that has nothing of its drives but rotors, and a motion of it."""
    robot = driven(random_robot(seed, bodies=8, wheels=1, fixed_bodies=seed % 2 == 1, prismatic=True), seed)
    drives = [Drive(rotor=joint.drive.rotor, gear_ratio=joint.drive.gear_ratio) for joint in robot.joints]
    robot = robot.with_drives(drives)
    return robot, random_samples(robot, 9, seed)


@pytest.mark.parametrize("seed", range(8))
def test_rotors_ask_what_they_do_as_geared_bodies(seed):
    robot, samples = spinning(seed)
    whole = with_rotors_as_bodies(robot)
    theirs = at_the_joints(robot, whole, inverse_dynamics(whole, geared_samples(robot, whole, samples)))
    reflected = np.zeros_like(theirs)  # rotors whose gears have no ratio are no bodies
    for index, joint in enumerate(robot.joints):
        if not np.isfinite(joint.drive.gear_ratio):
            reflected[:, 6 + index] = joint.drive.rotor * samples.ddq[:, index]
    assert_agree(driven_dynamics(robot, samples), theirs + reflected, 1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_momentum_of_rotors_is_that_of_geared_bodies(seed):
    robot, samples = spinning(seed)
    whole = with_rotors_as_bodies(robot)
    theirs = momentum(whole, geared_samples(robot, whole, samples)) - momentum(robot, samples)
    assert_agree(rotor_momentum(robot, samples.q, samples.dq), theirs[:, 3:], 1e-10)
    assert np.abs(theirs[:, :3]).max() < 1e-10


def test_a_gear_without_a_ratio_leaves_what_the_joint_itself_feels():
    robot = random_robot(3, bodies=6)
    samples = random_samples(robot, 5, 3)
    expected = np.zeros((5, 6 + len(robot.joints), len(robot.joints)))
    expected[:, 6:] = np.einsum("kj,ij->kij", samples.ddq, np.eye(len(robot.joints)))
    np.testing.assert_array_equal(rotor_columns(robot, samples), expected)


def test_friction_is_what_its_terms_say():
    rate = np.array([[-0.7], [-0.05], [0.0], [0.02], [1.3]])
    drive = Drive(coulomb=1.2, viscous=3.0, offset=-0.4, asymmetric=0.3, stribeck=0.6, stribeck_rate=0.2)
    slow = np.exp(-((rate / 0.2) ** 2))
    expected = 1.2 * np.sign(rate) + 3.0 * rate - 0.4 + 0.3 * np.abs(rate) + 0.6 * np.sign(rate) * slow
    robot = random_robot(1, bodies=2, base="fixed").with_drives([drive])
    samples = random_samples(robot, 5, 1)
    moved = type(samples)(samples.q, dq=rate)
    np.testing.assert_allclose(drive_loads(robot, moved)[:, 6:], expected, atol=1e-15)
    assert not drive_loads(robot, moved)[:, :6].any()


@pytest.mark.parametrize("term", DRIVE_TERMS)
def test_columns_have_the_derivatives_they_say(term):
    rng = np.random.default_rng(5)
    dq, ddq = rng.normal(size=(2, 40, 3)) * 0.3
    step, smooth, slow = 1e-6, [0.05, 0.1, 0.2], [0.1, 0.3, 0.5]
    ahead, behind = (drive_column(term, dq + s, ddq, slow, smooth).value for s in (step, -step))
    found = drive_column(term, dq, ddq, slow, smooth)
    np.testing.assert_allclose(found.by_rate, (ahead - behind) / (2.0 * step), atol=1e-7)
    ahead, behind = (drive_column(term, dq, ddq + s, slow, smooth).value for s in (step, -step))
    np.testing.assert_allclose(found.by_acceleration, (ahead - behind) / (2.0 * step), atol=1e-7)
    assert found.value.any()
