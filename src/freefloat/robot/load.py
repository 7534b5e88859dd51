"""A robot from a file: the ending of the name says which format."""

from __future__ import annotations

import os
from pathlib import PurePath

from freefloat.errors import FileError
from freefloat.files import FilePath
from freefloat.robot.model import Robot
from freefloat.robot.parts import BaseKind
from freefloat.robot.yaml_read import read_yaml


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


def _ending(path: FilePath) -> str:
    return PurePath(os.fspath(path)).suffix.lower()
