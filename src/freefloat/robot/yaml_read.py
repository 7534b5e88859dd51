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

from freefloat.errors import FileError, InvalidRobot
from freefloat.files import (
    FilePath,
    YamlDocument,
    check_format,
    did_you_mean,
    load_yaml,
    shown,
    validate,
)
from freefloat.robot.joint_section import JointSection
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint, Point, Wheel
from freefloat.robot.sections import BodySection, RobotSection, WheelSection


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
    return Joint(section.name, section.kind, np.array(section.axis), **section.limits(), drive=section.driven())


def _wheel(section: WheelSection) -> Wheel:
    rate = math.inf if section.max_rate_rad_s is None else section.max_rate_rad_s
    inertia, spread = section.spin_inertia_kgm2, section.spin_inertia_relative_sd
    return Wheel(section.name, np.array(section.axis), inertia, rate, spread)


def json_schema() -> dict[str, Any]:
    """The JSON schema of robot files, for editors that check and complete them."""
    schema = RobotSection.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "freefloat robot"}
