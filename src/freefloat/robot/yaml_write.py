"""From a robot to its file, `format: freefloat/robot@1`, whose fields are explained in `yaml_read.py`: exact."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.exact_json import finite_or_none
from freefloat.files import FilePath, dump_yaml, write_text
from freefloat.robot.drive_section import drive_document
from freefloat.robot.joint_section import LIMITS
from freefloat.robot.parameters import INDEX
from freefloat.robot.parts import Body, Joint, Wheel
from freefloat.robot.sections import FORMAT
from freefloat.robot.shapes import Capsule, Shape, Sphere
from freefloat.robot.spring_section import spring_document
from freefloat.robot.written import WrittenRobot


def robot_document(robot: WrittenRobot) -> dict[str, Any]:
    """The robot as plain data (also for JSON), exact; fields that have their default are left out."""
    base, *others = robot.bodies
    document: dict[str, Any] = {"format": FORMAT, "robot": robot.name, "base": _base_document(robot, base)}
    if others:
        document["bodies"] = [_body_document(body) for body in others]
    if robot.points:
        document["points"] = {point.name: {"body": point.body, "xyz_m": _numbers(point.xyz)} for point in robot.points}
    if robot.separate:
        document["separate"] = sorted(robot.separate)
    return document


def write_yaml(robot: WrittenRobot, path: FilePath) -> None:
    """Write a robot file, whole or not at all."""
    write_text(path, dump_yaml(robot_document(robot)))


def write_json(robot: WrittenRobot, path: FilePath) -> None:
    """The same as JSON."""
    text = json.dumps(robot_document(robot), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(path, text + "\n")


def _base_document(robot: WrittenRobot, base: Body) -> dict[str, Any]:
    document: dict[str, Any] = {"kind": robot.base}
    if base.name != "base":
        document["name"] = base.name
    if robot.gravity.any():
        document["gravity_m_s2"] = _numbers(robot.gravity)
    document |= _mass_document(base)
    if robot.wheels:
        document["wheels"] = [_wheel_document(wheel) for wheel in robot.wheels]
    return document


def _wheel_document(wheel: Wheel) -> dict[str, Any]:
    document = {
        "name": wheel.name,
        "axis": _numbers(wheel.axis),
        "spin_inertia_kgm2": float(wheel.spin_inertia),
    }
    if wheel.relative_sd:
        document["spin_inertia_relative_sd"] = float(wheel.relative_sd)
    if math.isfinite(wheel.max_rate):
        document["max_rate_rad_s"] = float(wheel.max_rate)
    return document


def _body_document(body: Body) -> dict[str, Any]:
    document: dict[str, Any] = {"name": body.name, "parent": body.parent}
    transform: dict[str, Any] = {}
    if body.placement.p.any():
        transform["xyz_m"] = _numbers(body.placement.p)
    transform |= _rotation_document(body.placement.R)
    if transform:
        document["transform"] = transform
    if body.joint is not None:
        document["joint"] = _joint_document(body.joint)
    return document | _mass_document(body)


def _joint_document(joint: Joint) -> dict[str, Any]:
    document: dict[str, Any] = {"name": joint.name, "kind": joint.kind}
    if joint.axis.tolist() != [0.0, 0.0, 1.0]:
        document["axis"] = _numbers(joint.axis)
    for limit, (name, *_) in LIMITS[joint.kind].items():
        value = getattr(joint, limit)
        if limit == "position" and any(map(math.isfinite, value)):
            # JSON has no infinity: an open end is empty
            document[name] = [finite_or_none(end) for end in value]
        elif limit != "position" and math.isfinite(value):
            document[name] = float(value)
    if drive := drive_document(joint.drive, joint.kind):
        document["drive"] = drive
    if joint.passive is not None:
        document["passive"] = spring_document(joint.passive, joint.kind)
    return document


def _mass_document(body: Body) -> dict[str, Any]:
    document: dict[str, Any] = {}
    phi = body.parameters
    if phi.any():
        document["mass_kg"] = float(phi[0])
        if phi[1:4].any():
            document["first_moment_kgm"] = _numbers(phi[1:4])
        document["inertia_kgm2"] = _inertia_document(phi)
    if body.shapes:
        document["shape"] = [_shape_document(shape) for shape in body.shapes]
    return document


def _inertia_document(phi: Array) -> dict[str, Any]:
    entry = {name: float(phi[INDEX[f"I{name}"]]) for name in ("xx", "yy", "zz", "xy", "xz", "yz")}
    products = {name: entry[name] for name in ("xy", "xz", "yz") if entry[name] != 0.0}
    return {name: entry[name] for name in ("xx", "yy", "zz")} | products | {"about": "frame"}


def _shape_document(shape: Shape) -> dict[str, Any]:
    if isinstance(shape, Capsule):
        ends = {"from_m": _numbers(shape.start), "to_m": _numbers(shape.end)}
        return {"capsule": {**ends, "radius_m": float(shape.radius)}}
    if isinstance(shape, Sphere):
        return {"sphere": {"centre_m": _numbers(shape.centre), "radius_m": float(shape.radius)}}
    axes = {"centre_m": _numbers(shape.centre), "semi_axes_m": _numbers(shape.semi_axes)}
    return {"ellipsoid": axes | _rotation_document(shape.rotation)}


def _rotation_document(R: Array) -> dict[str, Any]:
    return {} if np.array_equal(R, np.eye(3)) else {"rotation": R.tolist()}


def _numbers(vector: Array) -> list[float]:
    return [float(number) for number in vector]
