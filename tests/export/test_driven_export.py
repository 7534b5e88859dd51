"""Drives in what is exported: matrices and code hold rotors and friction, files hold what they have words for."""

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from estimate.estimates_made import estimate_of
from estimate.in_pinocchio import FullRobot
from export.test_floating_model import called, compiled, reacting, without_wheels
from geared import driven, geared_samples, with_rotors_as_bodies
from random_trees import random_robot, random_samples

from freefloat.dynamics.drive_torques import drive_loads
from freefloat.estimate.estimate_parts import Quantity
from freefloat.export.casadi_code import controller_casadi
from freefloat.export.export import export_robot, export_urdf, left_out
from freefloat.export.floating_model import FloatingModel
from freefloat.export.mjcf import IN_MJCF
from freefloat.robot.drive import Drive, drive_name
from freefloat.robot.load import load_robot
from freefloat.robot.urdf_write import IN_URDF, write_urdf


def geared(seed, base="free"):
    """A robot whose rotors all spin."""
    robot = random_robot(seed, bodies=6, base=base, prismatic=True)
    drives = [replace(joint.drive, gear_ratio=3.0 + index) for index, joint in enumerate(driven(robot, seed).joints)]
    return robot.with_drives(drives)


def full_matrices(robot, samples):
    """Mass matrix and bias by Pinocchio, rotors being bodies that gears hold to their joints."""
    whole = with_rotors_as_bodies(robot)
    of_joint = np.zeros((6 + len(whole.joints), 6 + len(robot.joints)))
    of_joint[:6, :6] = np.eye(6)
    for row, name in enumerate(whole.joint_names):
        joint = robot.joint_names.index(name.removesuffix(" rotor"))
        gear = robot.joints[joint].drive.gear_ratio
        of_joint[6 + row, 6 + joint] = gear if name.endswith(" rotor") else 1.0
    moved, full = geared_samples(robot, whole, samples), FullRobot(whole)
    return of_joint.T @ full.mass_matrix(moved.q) @ of_joint, full.bias(moved) @ of_joint


@pytest.mark.parametrize("seed", range(4))
def test_matrices_hold_spinning_rotors(seed):
    robot = geared(seed)
    samples, model = random_samples(robot, 4, seed), FloatingModel(estimate_of(robot))
    H, c = full_matrices(robot, samples)
    assert_agree(model.mass_matrix(samples.q).value, H, 1e-9, floor=1e-6)
    assert_agree(model.bias(samples).value, c, 1e-9, floor=1e-6)
    T = reacting(H)
    assert_agree(model.reaction_jacobian(samples.q).value, T[:, :6], 1e-9, floor=1e-6)
    assert_agree(model.reduced_inertia(samples.q).value, T.transpose(0, 2, 1) @ H @ T, 1e-9, floor=1e-6)


def test_code_holds_rotors_and_friction(tmp_path):
    robot = geared(5)
    samples, estimate, size = without_wheels(random_samples(robot, 4, 5)), estimate_of(robot), 6 + len(robot.joints)
    mass, bias, _, friction = compiled(estimate, tmp_path)
    H, c = full_matrices(robot, samples)
    twist = np.hstack([samples.v, samples.w])
    assert_agree(called(mass, (size, size), samples.q), H, 1e-9, floor=1e-6)
    assert_agree(called(bias, (size,), samples.q, samples.dq, twist), c, 1e-9, floor=1e-6)
    rubbing = robot.with_drives([replace(joint.drive, rotor=0.0) for joint in robot.joints])
    casadi = controller_casadi(estimate)
    found = [casadi.both(*state) for state in zip(samples.q, samples.dq, twist, strict=True)]
    assert_agree(np.array([matrix.full() for matrix, _ in found]), H, 1e-9, floor=1e-6)
    assert_agree(np.array([each.full()[:, 0] for _, each in found]), c, 1e-9, floor=1e-6)
    for slow in (0.0, 0.3):
        expected = drive_loads(rubbing, samples, slow)[:, 6:]
        found = called(friction, (size - 6,), samples.dq, ctypes.c_double(slow))
        np.testing.assert_allclose(found, expected, atol=1e-13)
    symbols = [casadi.friction(dq, 0.3).full()[:, 0] for dq in samples.dq]
    np.testing.assert_allclose(symbols, expected, atol=1e-13)


def found_drives(robot):
    """An estimate that found the friction of the first joint; noise made it negative in the second."""
    values = {("viscous", 0): 3.5, ("coulomb", 0): 1.25, ("coulomb", 1): -0.01, ("offset", 1): -0.5, ("rotor", 0): 0.75}
    quantities = [
        Quantity(drive_name(term, robot.joint_names[joint]), value, 0.1, "SI")
        for (term, joint), value in values.items()
    ]
    return estimate_of(robot, nuisances=tuple(quantities))


def test_files_hold_the_drives_that_were_found(tmp_path):
    robot = replace(random_robot(3, bodies=4, base="free"), points=()).with_drives(
        [Drive(rotor=0.25), Drive(viscous=2.0, gear_ratio=50.0), Drive()]
    )
    estimate = found_drives(robot)
    expected = [
        Drive(coulomb=1.25, viscous=3.5, rotor=0.75),
        Drive(viscous=2.0, offset=-0.5, gear_ratio=50.0),
        Drive(),
    ]
    said = export_robot(estimate, tmp_path / "robot.yaml")
    assert [joint.drive for joint in load_robot(tmp_path / "robot.yaml").joints] == expected
    assert not [note for note in said.notes if "no word" in note]
    write_urdf(robot, tmp_path / "template.urdf")
    for said in (
        export_robot(estimate, tmp_path / "new.urdf"),
        export_urdf(estimate, tmp_path / "template.urdf", tmp_path / "own.urdf"),
    ):
        first, second, _ = robot.joint_names
        note = f"a URDF has no word for offset of the torque of {second}; rotor inertia of {first}, which is left out"
        assert note in said.notes
        held = [Drive(coulomb=each.coulomb, viscous=each.viscous) for each in expected]
        assert [joint.drive for joint in load_robot(said.paths[0]).joints] == held


def test_what_a_urdf_lacks_of_passive_joints_is_said():
    robot = random_robot(3, bodies=5, passive=2, prismatic=True)
    first, second = (robot.joint_names[k] for k in robot.passive)
    [said] = left_out(robot, "a URDF", IN_URDF, springs=False)
    assert said == f"a URDF has no word for stiffness of {first}, {second}, which is left out"
    assert left_out(robot, "MJCF", IN_MJCF) == ()
