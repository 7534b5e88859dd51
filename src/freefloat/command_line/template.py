"""A commented mission file to start from, for the demo servicer or for a robot of one's own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from freefloat.errors import FileError
from freefloat.files import write_text
from freefloat.robot.load import load_robot
from freefloat.robot.model import Robot
from freefloat.studies import study_path

_TEMPLATE = """\
format: freefloat/mission@1
mission: {name}
robot: {robot}              # a robot file (.yaml) or a URDF, from this file's folder

# Bodies, or single parameters (`link2.m`), whose values you trust, and how far.
known: {known}
prior: cad                  # cad: the robot file's values as a soft prior | none
assume_zero: []             # hard simplifications, e.g. ["*.products", "link2.my"]
momentum: zero              # zero | unknown | {{wheels_Nms: {{wx: 5}}}}

sensors:
  joints: {{kind: encoder, noise_rad: 2.5e-5, rate_Hz: 100}}
  gyro: {{kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, bias_deg_per_h: 0.1, rate_Hz: 100}}{wheels}

# The motion: a trajectory of your own (`trajectory: motion.json`), or one to be designed.
excitation:
  shape: {{kind: fourier, harmonics: 4, rest_to_rest: true}}
  duration_s: 60
  goal: accuracy            # accuracy | condition-number | d-optimal | a-optimal | e-optimal

identify: {{method: maximum-likelihood}}
"""


def write_new_mission(name: str, robot_path: Path | None) -> list[Path]:
    """Write NAME.yaml, and a robot file beside it if none is given; the files written; none is overwritten."""
    path = Path(name if name.endswith((".yaml", ".yml")) else f"{name}.yaml")
    if path.exists():
        raise FileError(path, "is there already; choose another name or remove it first")
    written = [path]
    if robot_path is None:
        robot_file = path.parent / "servicer.yaml"
        if not robot_file.exists():
            shutil.copyfile(study_path("servicer"), robot_file)
            written.append(robot_file)
        robot_path = robot_file
    robot = load_robot(robot_path)
    shown = os.path.relpath(robot_path, path.parent)
    write_text(path, _TEMPLATE.format(name=path.stem, robot=shown, known=_known(robot), wheels=_wheels(robot)))
    return written


def _known(robot: Robot) -> str:
    return "{load: {relative_sd: 0.002}}" if "load" in robot.body_names else "{}"


def _wheels(robot: Robot) -> str:
    return "\n  wheels: {kind: tachometer, noise_rad_s: 0.01, rate_Hz: 10}" if robot.wheels else ""
