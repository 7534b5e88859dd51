"""Friction in URDF files: read, written, put back into the user's own; what URDF has no word for is said beside it."""

import numpy as np
import pytest
from geared import driven
from random_trees import random_robot
from robot.test_urdf_read import refusal, two_links
from robot.urdf_loaders import load_in_mujoco, load_in_pinocchio

from freefloat.robot.drive import Drive
from freefloat.robot.urdf_read import read_urdf
from freefloat.robot.urdf_update import update_urdf
from freefloat.robot.urdf_write import urdf_text, write_urdf


@pytest.fixture
def read(tmp_path):
    def read_text(text):
        (tmp_path / "robot.urdf").write_text(text)
        return read_urdf(tmp_path / "robot.urdf")

    return read_text


def friction_of(robot):
    return {joint.name: (joint.drive.viscous, joint.drive.coulomb) for joint in robot.joints}


@pytest.mark.parametrize(
    ("joint", "drive"),
    [
        ("", Drive()),
        ("<dynamics/>", Drive()),
        ('<dynamics damping="0.5"/>', Drive(viscous=0.5)),
        ('<dynamics friction=" 2 " damping="1e-3"/>', Drive(coulomb=2.0, viscous=1e-3)),
    ],
)
def test_damping_is_viscous_and_friction_is_coulombs(read, joint, drive):
    assert read(two_links(joint)).joint("shoulder").drive == drive


def test_a_joint_that_does_not_move_has_no_drive(read):
    assert read(two_links('<dynamics damping="3"/>', kind="fixed")).joint("shoulder").drive == Drive()


@pytest.mark.parametrize(
    ("joint", "said"),
    [
        ('<dynamics damping="-1"/>', "joint 'shoulder': <dynamics damping> is -1; allowed: zero or more"),
        ('<dynamics friction="-0.5"/>', "joint 'shoulder': <dynamics friction> is -0.5; allowed: zero or more"),
        ('<dynamics friction="nan"/>', "joint 'shoulder': <dynamics friction> holds 'nan'; allowed: finite numbers"),
        ('<dynamics damping="much"/>', "joint 'shoulder': <dynamics damping> holds 'much'; allowed: finite numbers"),
    ],
)
def test_friction_that_cannot_be_is_one_sentence(read, joint, said):
    assert said in refusal(read, two_links(joint))


@pytest.mark.parametrize("seed", range(4))
def test_written_friction_is_read_back_and_loads_elsewhere(tmp_path, seed):
    robot = driven(random_robot(seed, bodies=7, fixed_bodies=True), seed)
    write_urdf(robot, tmp_path / "robot.urdf")
    assert friction_of(read_urdf(tmp_path / "robot.urdf")) == friction_of(robot)
    text = urdf_text(robot)
    theirs, other = load_in_pinocchio(text), load_in_mujoco(text)
    for joint in robot.joints:
        at = theirs.joints[theirs.getJointId(joint.name)].idx_v
        assert (theirs.damping[at], theirs.friction[at]) == (joint.drive.viscous, joint.drive.coulomb)
        dof = other.joint(joint.name).dofadr[0]
        found = other.dof_damping[dof], other.dof_frictionloss[dof]
        np.testing.assert_allclose(found, (joint.drive.viscous, joint.drive.coulomb), rtol=1e-12)


def test_what_urdf_cannot_say_stands_in_a_comment():
    robot = random_robot(1, bodies=2, prismatic=False)
    text = urdf_text(robot.with_drives([Drive(viscous=1.0, offset=-0.25, rotor=0.5)]))
    assert "<!-- not in the words of URDF: offset_Nm -0.25, rotor_kgm2 0.5 -->" in text
    assert "<!--" not in urdf_text(robot.with_drives([Drive(viscous=1.0)]))


def test_friction_is_put_where_it_belongs_and_nothing_else_is_touched(tmp_path):
    source, target = tmp_path / "source.urdf", tmp_path / "target.urdf"
    source.write_text(two_links("\n    <dynamics friction = '2.0' />"))
    robot = read_urdf(source)
    update_urdf(source, robot.with_drives([Drive(viscous=0.5, coulomb=2.0)]), target)
    assert target.read_text() == source.read_text().replace("'2.0' />", "'2.0' damping=\"0.5\" />")
    update_urdf(source, robot.with_drives([Drive(coulomb=3.0)]), target)
    assert target.read_text() == source.read_text().replace("2.0", "3.0")
    for kept in (robot, robot.with_drives([Drive()])):
        update_urdf(source, kept, target)
        assert target.read_bytes() == source.read_bytes()


def test_missing_friction_is_added(tmp_path):
    source, target = tmp_path / "source.urdf", tmp_path / "target.urdf"
    source.write_text(two_links())
    update_urdf(source, read_urdf(source).with_drives([Drive(viscous=0.5, coulomb=2.0)]), target)
    added = '<dynamics damping="0.5" friction="2.0"/></joint>'
    assert target.read_text() == source.read_text().replace("</joint>", added)
    assert read_urdf(target).joint("shoulder").drive == Drive(viscous=0.5, coulomb=2.0)
