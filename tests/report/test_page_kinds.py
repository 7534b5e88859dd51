"""The page of robots of all kinds, and of runs of which less is known."""

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from excitation.small_mission import MISSION, ROBOT
from report.flights import TORQUES, chain, fixed, identified, planar, shapeless, sliding

from freefloat.report.run_page import run_page
from freefloat.report.shown_motion import shown_motion

KINDS = {
    "planar": (planar, {"known": {"link2": {"relative_sd": 0.002}}}),
    "sliding": (sliding, {}),
    "shapeless": (shapeless, {}),
    "one joint": (lambda: chain(1), {"known": {"link1": {"relative_sd": 0.002}}}),
}


def on_the_ground(folder, robot):
    sensors = {"joints": MISSION["sensors"]["joints"], "torques": TORQUES}
    return identified(folder, fixed(robot), "weighted", known={}, sensors=sensors)


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return on_the_ground(tmp_path_factory.mktemp("fixed"), ROBOT)


@pytest.mark.parametrize("kind", KINDS)
def test_every_robot_has_its_page(tmp_path, kind):
    robot, changes = KINDS[kind]
    run = identified(tmp_path, robot(), **changes)
    page = run_page(run)
    figures, scene = (read(page, name) for name in ("figures", "scene"))
    drawn = {part["name"] for part in scene["parts"] if part["group"] == "bodies"}
    assert drawn == {*run.robot.tree.names, *run.robot.joint_names}
    assert {"joint-positions", "joint-rates", "base-attitude", "base-rate"} <= set(figures)
    assert len(figures["joint-positions"]["data"]) == len(run.robot.joint_names)
    assert len(figures["base-rate"]["data"]) == (1 if run.robot.base == "planar" else 3)
    assert ("are drawn as rods" in page) == (kind == "shapeless")
    assert "no design of it is known" in page
    assert "was not tested on another flight" in page


def test_a_fixed_base_has_torques_instead_of_a_reaction(arm):
    page = run_page(arm)
    figures, scene = (read(page, name) for name in ("figures", "scene"))
    assert "joint-torques" in figures
    assert not any(name.startswith("base-") for name in figures)
    assert scene["fixed"]
    assert "The pale outline" not in page


def test_linear_estimates_of_standard_parameters_have_a_truth_column(arm):
    page = run_page(replace(arm, truth=arm.robot))
    assert ">truth</th>" in page
    assert "intervals of 95 % hold the true value" in page
    assert ">truth</th>" not in run_page(arm)


def test_fourteen_joints_are_told_apart(tmp_path):
    run = on_the_ground(tmp_path, chain(14))
    page = run_page(run)
    lines = [trace["line"] for trace in read(page, "figures")["joint-torques"]["data"]]
    assert len({(line["color"], line["dash"]) for line in lines}) == 14
    assert all(f'<th scope="row">link{number}</th>' in page for number in range(1, 15))


def test_the_scene_starts_where_base_and_joints_have_moved(tmp_path):
    run = identified(tmp_path, sliding())
    scene = read(run_page(run), "scene")
    turned = np.frombuffer(base64.b64decode(scene["turned_deg"]["bdata"]), "<f4")
    away = np.linalg.norm(shown_motion(run).q - shown_motion(run).q[0], axis=1)
    shares = turned / turned.max() + away / away.max()
    assert shares[scene["start"]] == pytest.approx(shares.max())
    assert shares.max() > 1.0


def read(page, name):
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', page, re.S)[1])
