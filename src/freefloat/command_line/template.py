"""A commented mission file to start from, for the demo servicer or for a robot of one's own."""

from __future__ import annotations

import json
import os
from pathlib import Path

from freefloat.command_line.options import GoalChoice
from freefloat.errors import FileError
from freefloat.estimate.methods import default_method
from freefloat.files import read_bytes, write_bytes, write_text
from freefloat.robot.load import load_robot
from freefloat.robot.model import Robot
from freefloat.studies import study_path

_TEMPLATE = """\
format: freefloat/mission@1
mission: {name}
robot: {robot}              # a robot file (.yaml) or a URDF, from this file's folder

# Bodies, or single parameters (`link2.m`), whose values you trust, and how far.
known: {known}
prior: cad                  # cad: the robot file's values as a soft prior | {{mass: 0.1, com: 0.1}} | none
assume_zero: []             # hard simplifications, e.g. ["*.products", "link2.my"]
momentum: zero              # zero | unknown | {{wheels_Nms: {{wx: 5}}}}

sensors:
{sensors}

# The motion: a trajectory of your own (`trajectory: motion.json`), or one to be designed.
excitation:
  shape: {{kind: fourier, harmonics: 4, rest_to_rest: true}}
  duration_s: 60
  goal: accuracy            # {goals}

identify: {{method: {method}}}
"""


def write_new_mission(name: str, robot_path: Path | None) -> list[Path]:
    """Write NAME.yaml, and a robot file beside it if none is given; the files written; none is overwritten."""
    path = Path(name if name.endswith((".yaml", ".yml")) else f"{name}.yaml")
    if path.exists():
        raise FileError(path, "is there already; choose another name or remove it first")
    written = [path]
    if robot_path is None:
        robot_path = path.with_name("servicer.yaml" if path.name != "servicer.yaml" else "servicer_robot.yaml")
        if not robot_path.exists():
            write_bytes(robot_path, read_bytes(study_path("servicer")))
            written.append(robot_path)
    robot = load_robot(robot_path)
    shown = os.path.relpath(robot_path, path.parent)
    text = _TEMPLATE.format(
        name=json.dumps(path.stem, ensure_ascii=False),  # JSON's quotes are YAML's
        robot=json.dumps(shown, ensure_ascii=False),
        known="{load: {relative_sd: 0.002}}" if "load" in robot.body_names else "{}",
        goals=" | ".join(GoalChoice),
        method=default_method(robot.base),
        sensors="\n".join(f"  {line}" for line in _sensors(robot)),
    )
    write_text(path, text)
    return written


def _sensors(robot: Robot) -> list[str]:
    """Sensors that suit the robot: sliding joints have noise in metres, a fixed base has torques, no gyro."""
    slides = any(joint.kind == "prismatic" for joint in robot.joints)
    turns = any(joint.kind != "prismatic" for joint in robot.joints)
    noise = ", ".join(part for part, there in (("noise_rad: 2.5e-5", turns), ("noise_m: 1.0e-5", slides)) if there)
    lines = [f"joints: {{kind: encoder, {noise}, rate_Hz: 100}}"] if noise else []
    if robot.base == "fixed":
        return [*lines, "torques: {kind: torque, noise_Nm: 0.01, rate_Hz: 100}"]
    lines.append("gyro: {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, bias_deg_per_h: 0.1, rate_Hz: 100}")
    if robot.wheels:
        lines.append("wheels: {kind: tachometer, noise_rad_s: 0.01, rate_Hz: 10}")
    return lines
