"""A mission of a random arm on a fixed base, whose joints have torque sensors: designed in a fraction of a second."""

from dataclasses import replace

import numpy as np
import yaml
from random_trees import random_robot

import freefloat as ff

SENSORS = {
    "joints": {"kind": "encoder", "noise_rad": 1e-5, "rate_Hz": 100},
    "torques": {"kind": "torque", "noise_Nm": 0.01, "rate_Hz": 100},
}


def limited(robot, reach=1.0, rate=0.8, torque=np.inf):
    """The robot with the same limits for all its joints, none of accelerations."""

    def of(body):
        if body.joint is None or not body.joint.moves:
            return body
        limits = {"position": (-reach, reach), "rate": rate, "torque": torque, "acceleration": np.inf}
        return replace(body, joint=replace(body.joint, **limits))

    return replace(robot, bodies=tuple(of(body) for body in robot.bodies))


def random_arm(seed=5, bodies=3, **limits):
    """An arm that hangs in gravity."""
    return limited(random_robot(seed, bodies=bodies, base="fixed", gravity=True, prismatic=False), **limits)


def write_points_mission(folder, robot=None, **changes):
    """The mission file in a folder, with other sections where given; its path."""
    (robot or random_arm()).save(folder / "arm_robot.yaml")
    mission = {
        "format": "freefloat/mission@1",
        "mission": "arm",
        "robot": "arm_robot.yaml",
        "sensors": SENSORS,
        "excitation": {"shape": {"kind": "points"}, "duration_s": 10.0},
        "identify": {"models": ["energy"]},
    }
    (folder / "arm.yaml").write_text(yaml.safe_dump({**mission, **changes}))
    return folder / "arm.yaml"


def points_mission(folder, robot=None, **changes):
    """The mission itself."""
    return ff.load_mission(write_points_mission(folder, robot, **changes))
