"""The ending of a file's name says how a robot is read and written."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from robot.one_sentence import sentence

from freefloat.robot.load import load_robot
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint
from freefloat.robot.transform import Transform


@pytest.fixture
def robot() -> Robot:
    placement = Transform.from_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    link = Body(
        "link",
        "base",
        Joint("j", position=(-1, 1), rate=2, torque=3),
        placement,
        [2, 0, 0, 0, 3, 0, 3, 0, 0, 3],
    )
    return Robot("pair", (Body("base", parameters=[9, 0, 0, 0, 5, 0, 5, 0, 0, 5]), link))


@pytest.mark.parametrize("name", ["r.yaml", "r.yml", "r.json", "r.YAML", "r.Json", "a.b.yaml"])
def test_a_saved_robot_is_loaded_exactly(robot, tmp_path, name):
    robot.save(tmp_path / name)
    back = load_robot(str(tmp_path / name))
    assert back.body_names == robot.body_names
    np.testing.assert_array_equal(back.parameters, robot.parameters)
    np.testing.assert_array_equal(back.body("link").placement.R, robot.body("link").placement.R)
    assert back.joint("j").position == (-1, 1)


def test_json_files_are_json(robot, tmp_path):
    robot.save(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["robot"] == "pair"


def test_tabs_in_json_are_white_space(robot, tmp_path):
    robot.save(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text())
    (tmp_path / "tabs.json").write_text(json.dumps(data, indent="\t"))
    np.testing.assert_array_equal(load_robot(tmp_path / "tabs.json").parameters, robot.parameters)


def test_a_urdf_is_saved_and_loaded(robot, tmp_path):
    robot.save(tmp_path / "r.urdf")
    os.rename(tmp_path / "r.urdf", tmp_path / "r.xml")
    back = load_robot(tmp_path / "r.xml")
    assert back.joint_names == ("j",)
    np.testing.assert_allclose(back.parameters, robot.parameters, atol=1e-12)


@pytest.mark.parametrize("name", ["robot.txt", "robot", ".yaml", "robot.yaml.bak"])
def test_other_files_are_refused_with_those_that_are_read(robot, tmp_path, name):
    said = sentence(load_robot, tmp_path / name)
    assert said.endswith("not a robot file freefloat reads; allowed: .yaml, .yml, .json, .urdf")
    said = sentence(robot.save, tmp_path / name)
    assert said.endswith("not a robot file freefloat writes; allowed: .yaml, .yml, .json, .urdf")
    assert os.listdir(tmp_path) == []


def test_a_missing_file_a_directory_and_a_pipe_are_refused(tmp_path):
    assert "no such file" in sentence(load_robot, tmp_path / "absent.yaml")
    (tmp_path / "folder.yaml").mkdir()
    assert "is a directory" in sentence(load_robot, tmp_path / "folder.yaml")
    os.mkfifo(tmp_path / "pipe.json")
    assert "allowed: a regular file" in sentence(load_robot, tmp_path / "pipe.json")


def test_a_file_larger_than_any_robot_is_refused(tmp_path):
    with open(tmp_path / "huge.yaml", "wb") as file:
        file.truncate(16 * 2**20 + 1)
    assert "holds 16,777,217 bytes; allowed: at most 16,777,216 bytes" in sentence(load_robot, tmp_path / "huge.yaml")
