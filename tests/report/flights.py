"""Runs of flights without a design, of robots of all kinds, in seconds."""

import copy
from dataclasses import replace

import yaml
from excitation.small_mission import MISSION, ROBOT, write_small_mission

import freefloat as ff
from freefloat.report.reporting import run_without_directory

BARE = {key: value for key, value in MISSION["excitation"].items() if key != "limits"}
TORQUES = {"kind": "torque", "noise_Nm": 0.01, "rate_Hz": 20}


def identified(folder, robot=ROBOT, method=None, **changes):
    """The run of a random motion of a robot, identified, not validated, nothing else known."""
    path = write_small_mission(folder, **{"excitation": BARE, **changes})
    (folder / "robot.yaml").write_text(yaml.safe_dump(robot))
    mission = ff.load_mission(path)
    flight = ff.simulate(mission, seed=1)
    made = run_without_directory(folder / "r.html", mission, flight, ff.identify(mission, flight, method))
    return replace(made, truth=None, advice=None, identified=None)


def fixed(robot=ROBOT):
    """The arm alone, on the ground."""
    return {**copy.deepcopy(robot), "base": {"kind": "fixed", "gravity_m_s2": [0, 0, -9.81]}}


def planar():
    """On an air-bearing table, its joints turning about the vertical."""
    robot = copy.deepcopy(ROBOT)
    robot["base"] = {**robot["base"], "kind": "planar", "wheels": []}
    for body in robot["bodies"]:
        body["joint"]["axis"] = [0, 0, 1]
    return robot


def sliding():
    """With a second joint that slides."""
    robot = copy.deepcopy(ROBOT)
    joint = {"name": "j2", "kind": "prismatic", "axis": [1, 0, 0], "position_m": [-0.1, 0.2], "rate_m_s": 0.05}
    robot["bodies"][1]["joint"] = joint
    return robot


def shapeless():
    """Without shapes."""
    robot = copy.deepcopy(ROBOT)
    for body in (robot["base"], *robot["bodies"]):
        del body["shape"]
    return robot


def chain(joints):
    """An arm of so many joints, about y and z in turn."""
    robot, links = copy.deepcopy(ROBOT), []
    for number in range(joints):
        link = copy.deepcopy(ROBOT["bodies"][number % 2])
        link["name"], link["parent"] = f"link{number + 1}", f"link{number}" if number else "base"
        link["joint"]["name"] = f"j{number + 1}"
        links.append(link)
    return {**robot, "bodies": links}
