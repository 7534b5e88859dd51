"""The robot file: `format: freefloat/robot@1`, YAML or JSON, units in the names of the fields.

A body's frame is placed in its parent's by `transform`, then `dh` (a modified Denavit-Hartenberg row,
Khalil and Kleinfinger), then the motion of its joint about or along `axis`:

    T_parent_body(q) = transform * dh * motion(axis, q)

What is written is exact: `rotation` matrices, `first_moment_kgm` (mass times centre of mass) and the
inertia about the frame, which are the numbers a `Robot` stores. Reading them back gives the same robot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import FileError, InvalidRobot
from freefloat.exact_json import finite_or_none
from freefloat.files import (
    FilePath,
    YamlDocument,
    check_format,
    did_you_mean,
    dump_yaml,
    load_yaml,
    shown,
    validate,
    write_text,
)
from freefloat.robot.model import Robot
from freefloat.robot.parameters import INDEX
from freefloat.robot.parts import Body, Joint, Point, Wheel
from freefloat.robot.sections import FORMAT, LIMITS, BodySection, JointSection, RobotSection, WheelSection
from freefloat.robot.shapes import Capsule, Shape, Sphere

# ---------------------------------------------------------------------- from the file to the robot


def read_yaml(path: FilePath) -> Robot:
    """The robot that a YAML or JSON robot file describes."""
    return _robot(load_yaml(path))


def robot_from_document(mapping: Mapping[str, Any], path: FilePath) -> Robot:
    """The robot of a `robot_document`, which may be part of another file; `path` is for messages."""
    return _robot(YamlDocument(path, mapping))


def _robot(document: YamlDocument) -> Robot:
    check_format(document, "robot")
    section = validate(RobotSection, document)
    _refuse_unknown_names(section, document)
    base = section.base
    with _telling(document, "base"):
        bodies = [Body(base.name, parameters=base.parameters(), shapes=base.shapes())]
        wheels = tuple(_wheel(wheel) for wheel in base.wheels)
    for index, body in enumerate(section.bodies):
        with _telling(document, "bodies", index):
            bodies.append(_body(body))
    with _telling(document):
        return Robot(
            name=section.robot,
            bodies=tuple(bodies),
            base=base.kind,
            gravity=np.array(base.gravity_m_s2),
            wheels=wheels,
            points=tuple(Point(name, point.body, np.array(point.xyz_m)) for name, point in section.points.items()),
            separate=frozenset(section.separate),
        )


@contextmanager
def _telling(document: YamlDocument, *where: str | int) -> Iterator[None]:
    """Add the file, and the line where there is one, to what the robot's own checks say."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused as not finite
            yield
    except InvalidRobot as error:
        line = document.line_of(where) if where else None
        raise FileError(document.path, f"{f'line {line}: ' if line else ''}{error}") from error


def _refuse_unknown_names(section: RobotSection, document: YamlDocument) -> None:
    known = [section.base.name, *(body.name for body in section.bodies)]
    named: list[tuple[tuple[str | int, ...], str]] = [
        *((("bodies", index, "parent"), body.parent) for index, body in enumerate(section.bodies)),
        *((("points", name, "body"), point.body) for name, point in section.points.items()),
        *((("separate", index), name) for index, name in enumerate(section.separate)),
    ]
    for where, name in named:
        if name not in known:
            problem = f"is {shown(name)}{did_you_mean(name, known)}; allowed: {', '.join(known)}"
            raise document.fault(where, problem)


def _body(section: BodySection) -> Body:
    return Body(
        name=section.name,
        parent=section.parent,
        joint=_joint(section.joint),
        placement=section.placement(),
        parameters=section.parameters(),
        shapes=section.shapes(),
    )


def _joint(section: JointSection) -> Joint:
    return Joint(section.name, section.kind, np.array(section.axis), **section.limits())


def _wheel(section: WheelSection) -> Wheel:
    rate = math.inf if section.max_rate_rad_s is None else section.max_rate_rad_s
    return Wheel(section.name, np.array(section.axis), section.spin_inertia_kgm2, rate)


# ---------------------------------------------------------------------- from the robot to the file


def robot_document(robot: Robot) -> dict[str, Any]:
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


def write_yaml(robot: Robot, path: FilePath) -> None:
    """Write a robot file, whole or not at all."""
    write_text(path, dump_yaml(robot_document(robot)))


def json_schema() -> dict[str, Any]:
    """The JSON schema of robot files, for editors that check and complete them."""
    schema = RobotSection.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "freefloat robot"}


def _base_document(robot: Robot, base: Body) -> dict[str, Any]:
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
