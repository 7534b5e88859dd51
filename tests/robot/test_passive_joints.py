"""Joints that springs hold: what a robot file says of them, and the bodies that its short forms stand for."""

import math
from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.errors import InvalidRobot
from freefloat.robot.carried import carried_inertia
from freefloat.robot.drive import Drive
from freefloat.robot.parts import Joint
from freefloat.robot.physicality import check_physicality
from freefloat.robot.spring import Spring
from freefloat.robot.standing import standing_on
from freefloat.robot.summary import robot_summary
from freefloat.robot.urdf_read import read_urdf
from freefloat.robot.urdf_update import update_urdf
from freefloat.robot.urdf_write import urdf_text
from freefloat.robot.yaml_read import json_schema, robot_from_document
from freefloat.robot.yaml_write import robot_document

BUS = {"mass_kg": 100, "inertia_kgm2": {"xx": 10, "yy": 11, "zz": 12}}
PANEL = {
    "name": "panel",
    "xyz_m": [0.5, 0, 0],
    "axis": [0, 1, 0],
    "mass_kg": 8,
    "com_m": [1, 0, 0],
    "inertia_kgm2": {"xx": 0.1, "yy": 2.0, "zz": 2.1},
    "frequency_Hz": 0.3,
    "damping_ratio": 0.01,
}
TANK = {
    "name": "fuel",
    "xyz_m": [0, 0, 0.2],
    "length_m": 0.25,
    "mass_kg": 20,
    "frequency_Hz": 0.15,
    "damping_ratio": 0.02,
}
ARM = {"name": "arm", "parent": "base", "mass_kg": 4, "com_m": [0.3, 0, 0]}


def robot_of(**lists):
    return robot_from_document({"format": "freefloat/robot@1", "robot": "r", "base": BUS, **lists}, "r.yaml")


def with_joint(kind="revolute", **said):
    return robot_of(bodies=[{**ARM, "joint": {"name": "j", "kind": kind, **said}}])


def of_frequency(frequency, ratio, carried):
    omega = 2 * math.pi * frequency
    return pytest.approx((omega**2 * carried, 2 * ratio * omega * carried), rel=1e-14)


def numbers(spring):
    return spring.stiffness, spring.damping


# ---------------------------------------------------------------------- what a joint may say


def test_a_spring_is_given_by_stiffness_and_damping():
    turning = with_joint(passive={"stiffness_Nm_rad": 30, "damping_Nms_rad": 0.5})
    assert turning.joint("j").passive == Spring(30.0, 0.5)
    sliding = with_joint("prismatic", passive={"stiffness_N_m": 30})
    assert sliding.joint("j").passive == Spring(30.0, 0.0)
    assert (turning.passive.tolist(), turning.driven.tolist()) == ([0], [])


def test_a_frequency_is_that_of_what_the_joint_carries_while_its_other_end_is_held():
    spring = {"frequency_Hz": 0.3, "damping_ratio": 0.01}
    turning = with_joint(axis=[0, 0, 1], passive=spring)
    assert numbers(turning.joint("j").passive) == of_frequency(0.3, 0.01, 4 * 0.3**2)
    sliding = with_joint("prismatic", passive=spring)
    assert numbers(sliding.joint("j").passive) == of_frequency(0.3, 0.01, 4.0)


def test_what_a_joint_carries_is_all_beyond_it_with_other_joints_at_zero():
    """Against the mass matrix, which has it on its diagonal."""
    from freefloat.dynamics.torque import mass_matrix

    for seed in range(6):
        robot = random_robot(seed, bodies=9, fixed_bodies=seed % 2 == 0, prismatic=True)
        H = mass_matrix(robot, np.zeros((1, len(robot.joints))))[0]
        carried = [carried_inertia(robot, name) for name in robot.joint_names]
        np.testing.assert_allclose(carried, np.diag(H)[6:], rtol=1e-12)


def test_a_robot_file_gives_back_the_same_springs():
    for seed in range(3):
        robot = random_robot(seed, bodies=8, passive=3, prismatic=True)
        document = robot_document(robot)
        assert robot_from_document(document, "r.yaml") == robot
        said = [body["joint"]["passive"] for body in document["bodies"] if "passive" in body["joint"]]
        assert len(said) == 3
        assert robot_summary(robot)["bodies"][int(robot.passive[0]) + 1]["joint"]["passive"] == said[0]


def test_a_passive_joint_moves_and_has_no_drive():
    with pytest.raises(InvalidRobot, match="is passive, and does not move"):
        Joint("j", "fixed", passive=Spring(1.0))
    with pytest.raises(InvalidRobot, match="is passive, and has a drive"):
        Joint("j", passive=Spring(1.0), drive=Drive(viscous=1.0))
    with pytest.raises(InvalidRobot, match="stiffness is -1"):
        Spring(-1.0)


def test_the_schema_knows_the_short_forms():
    schema = json_schema()
    assert {"appendages", "tanks"} <= set(schema["properties"])
    assert {"passive", "elastic"} <= set(schema["$defs"]["JointSection"]["properties"])
    assert "frequency_Hz" in schema["$defs"]["SpringSection"]["properties"]


# ---------------------------------------------------------------------- short forms


def test_an_appendage_is_a_body_on_a_hinge():
    robot = robot_of(appendages=[PANEL])
    assert (robot.body_names, robot.joint_names) == (("base", "panel"), ("panel_hinge",))
    assert robot.joint("panel_hinge").axis.tolist() == [0, 1, 0]
    assert robot.body("panel").placement.p.tolist() == [0.5, 0, 0]
    assert numbers(robot.joint("panel_hinge").passive) == of_frequency(0.3, 0.01, 2.0 + 8.0)
    assert robot_from_document(robot_document(robot), "r.yaml") == robot, "written as a body like any other"


def test_appendages_hang_on_any_body_and_come_after_bodies():
    joint = {"name": "j", "kind": "revolute"}
    robot = robot_of(appendages=[{**PANEL, "parent": "arm"}], bodies=[{**ARM, "joint": joint}], tanks=[TANK])
    assert robot.body("panel").parent == "arm"
    assert robot.joint_names == ("j", "panel_hinge", "fuel_x", "fuel_y")
    assert (robot.passive.tolist(), robot.driven.tolist()) == ([1, 2, 3], [0])


@pytest.mark.parametrize("axis", [[0, 0, 1], [0, -2, 0], [1, 2, 3]])
def test_a_tank_is_a_point_on_a_pendulum_of_two_axes(axis):
    robot = robot_of(tanks=[{**TANK, "axis": axis}])
    up = np.array(axis) / np.linalg.norm(axis)
    cross, fuel = robot.body("fuel_swing"), robot.body("fuel")
    assert not cross.parameters.any()
    np.testing.assert_allclose(robot.centre_of_mass(), 20 / 120 * (np.array([0, 0, 0.2]) - 0.25 * up), atol=1e-15)
    x, y = (cross.placement.R @ robot.joint(name).axis for name in ("fuel_x", "fuel_y"))
    np.testing.assert_allclose(np.column_stack([x, y, up]).T @ np.column_stack([x, y, up]), np.eye(3), atol=1e-15)
    assert np.linalg.det(np.column_stack([x, y, up])) > 0
    for name in ("fuel_x", "fuel_y"):
        assert numbers(robot.joint(name).passive) == of_frequency(0.15, 0.02, 20 * 0.25**2)
    assert fuel.parent == "fuel_swing"


def test_a_tank_along_z_has_the_axes_of_its_parent():
    assert (np.eye(3) == robot_of(tanks=[TANK]).body("fuel_swing").placement.R).all()


def test_an_elastic_joint_has_a_spring_behind_the_joint_that_is_measured():
    transform = {"xyz_m": [0.1, 0.2, 0.3], "rpy_deg": [10, 20, 30]}
    drive = {"viscous_Nms_rad": 2, "gear_ratio": 100}
    elastic = {"stiffness_Nm_rad": 1e4, "damping_Nms_rad": 3, "rotor_kgm2": 0.7}
    said = {"name": "j", "kind": "revolute", "axis": [0, 1, 0], "drive": drive, "rate_rad_s": 1}
    rigid = robot_of(bodies=[{**ARM, "transform": transform, "joint": said}])
    robot = robot_of(bodies=[{**ARM, "transform": transform, "joint": {**said, "elastic": elastic}}])
    assert (robot.joint_names, robot.body_names) == (("j", "j_spring"), ("base", "j_motor", "arm"))
    assert robot.joint("j") == replace(rigid.joint("j"), drive=Drive(viscous=2.0, rotor=0.7, gear_ratio=100.0))
    assert robot.joint("j_spring") == Joint("j_spring", axis=np.array([0, 1, 0]), passive=Spring(1e4, 3.0))
    assert robot.body("j_motor").placement == rigid.body("arm").placement
    assert not robot.body("j_motor").parameters.any()
    assert (robot.body("arm").parameters == rigid.body("arm").parameters).all()


def test_a_rotor_may_stay_in_the_drive():
    drive, elastic = {"rotor_kg": 3}, {"stiffness_N_m": 1e4}
    assert with_joint("prismatic", drive=drive, elastic=elastic).joint("j").drive.rotor == 3.0


def test_what_only_stands_between_joints_is_not_called_impossible():
    document = {"bodies": [{**ARM, "joint": {"name": "j", "kind": "revolute", "elastic": {"stiffness_Nm_rad": 9}}}]}
    assert not [found for found in check_physicality(robot_of(**document, tanks=[TANK])) if found.fault == "no mass"]


# ---------------------------------------------------------------------- elsewhere


def test_a_robot_that_stands_on_what_swings_keeps_the_spring():
    robot = robot_of(appendages=[PANEL])
    standing = standing_on(robot, "panel", [0, 0, -9.81])
    assert standing.joint("panel_hinge").passive == robot.joint("panel_hinge").passive


def test_a_urdf_has_the_damping_and_says_that_it_lacks_the_stiffness(tmp_path):
    robot = robot_of(appendages=[PANEL]).with_springs([Spring(30.0, 0.5)])
    text = urdf_text(robot)
    assert "not in the words of URDF: a passive joint of stiffness_Nm_rad 30" in text
    file, again = tmp_path / "r.urdf", tmp_path / "again.urdf"
    file.write_text(text)
    assert read_urdf(file).joint("panel_hinge").drive == Drive(viscous=0.5)
    assert update_urdf(file, robot, again) == ()
    assert again.read_text() == text
    update_urdf(file, robot.with_springs([Spring(30.0, 0.7)]), again)
    assert read_urdf(again).joint("panel_hinge").drive == Drive(viscous=0.7)


def test_springs_are_exchanged_in_the_order_of_passive_joints():
    robot = random_robot(5, bodies=7, passive=2)
    springs = [Spring(1.0, 0.1), Spring(2.0)]
    given = robot.with_springs(springs)
    assert [given.joints[k].passive for k in given.passive] == springs
