"""A robot from a file, and a robot to a file: the ending of the name says which format."""

from __future__ import annotations

import json
import os
from pathlib import PurePath

from freefloat.errors import FileError
from freefloat.files import FilePath, write_text
from freefloat.robot.model import Robot
from freefloat.robot.parts import BaseKind
from freefloat.robot.yaml_file import read_yaml, robot_document, write_yaml


def load_robot(path: FilePath, base: BaseKind | None = None) -> Robot:
    """The robot described by a .yaml, .yml, .json or .urdf (also .xml) file.

    base: how the base moves, for a URDF, which cannot say it; a robot file says it itself.
    """
    match _ending(path):
        case ".yaml" | ".yml" | ".json":  # JSON is YAML
            if base is not None:
                raise FileError(path, "a robot file says itself how its base moves (base.kind); give no --base")
            return read_yaml(path)
        case ".urdf" | ".xml":
            from freefloat.robot.urdf_read import read_urdf

            return read_urdf(path, base)
    raise FileError(path, "not a robot file freefloat reads; allowed: .yaml, .yml, .json, .urdf")


def save_robot(robot: Robot, path: FilePath) -> None:
    """Write the robot as .yaml, .yml, .json (all exact) or .urdf, whole or not at all."""
    match _ending(path):
        case ".yaml" | ".yml":
            write_yaml(robot, path)
        case ".json":
            text = json.dumps(robot_document(robot), indent=2, ensure_ascii=False, allow_nan=False)
            write_text(path, text + "\n")
        case ".urdf":
            from freefloat.robot.urdf_write import write_urdf

            write_urdf(robot, path)
        case _:
            raise FileError(path, "not a robot file freefloat writes; allowed: .yaml, .yml, .json, .urdf")


def _ending(path: FilePath) -> str:
    return PurePath(os.fspath(path)).suffix.lower()
