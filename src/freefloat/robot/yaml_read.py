"""The robot file: `format: freefloat/robot@1`, YAML or JSON, units in the names of the fields.

A body's frame is placed in its parent's by `transform`, then `dh` (a modified Denavit-Hartenberg row,
Khalil and Kleinfinger), then the motion of its joint about or along `axis`:

    T_parent_body(q) = transform * dh * motion(axis, q)

What is written is exact: `rotation` matrices, `first_moment_kgm` (mass times centre of mass) and the
inertia about the frame, which are the numbers a `Robot` stores. Reading them back gives the same robot. Short forms
(`appendages.py`) are bodies and joints by then, and springs stiffness and damping.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
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
from freefloat.plain_yaml import FieldPath
from freefloat.robot.appendages import WAITING, Swinging, with_elastic_joint
from freefloat.robot.carried import carried_inertia
from freefloat.robot.joint_section import JointSection
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint, Point, Wheel
from freefloat.robot.sections import BodySection, RobotSection, WheelSection
from freefloat.robot.spring_section import SpringSection

_Springs = dict[str, tuple[FieldPath, SpringSection]]  # by joint: where the file speaks of it, and what it says


def read_yaml(path: FilePath) -> Robot:
    """The robot that a YAML or JSON robot file describes."""
    return _robot(load_yaml(path))


def robot_from_document(mapping: Mapping[str, Any], path: FilePath) -> Robot:
    """The robot of a `robot_document`, which may be part of another file; `path` is for messages."""
    return _robot(YamlDocument(path, mapping))


def _robot(document: YamlDocument) -> Robot:
    check_format(document, "robot")
    section = validate(RobotSection, document)
    base = section.base
    with _telling(document, "base"):
        bodies = [Body(base.name, parameters=base.parameters(), shapes=base.shapes())]
        wheels = tuple(_wheel(wheel) for wheel in base.wheels)
    springs: _Springs = {}
    for where, expand in _listed(section):
        with _telling(document, *where):
            swinging = expand()
        bodies += swinging.bodies
        springs |= {joint: (where, spring) for joint, spring in swinging.springs.items()}
    _refuse_unknown_names(section, [body.name for body in bodies], document)
    with _telling(document):
        robot = Robot(
            name=section.robot,
            bodies=tuple(bodies),
            base=base.kind,
            gravity=np.array(base.gravity_m_s2),
            wheels=wheels,
            points=tuple(Point(name, point.body, np.array(point.xyz_m)) for name, point in section.points.items()),
            separate=frozenset(section.separate),
        )
        return _with_springs(robot, springs, document) if springs else robot


def _listed(section: RobotSection) -> Iterator[tuple[FieldPath, Callable[[], Swinging]]]:
    """Where the file lists what hangs on the base, and what makes bodies of it."""
    for index, body in enumerate(section.bodies):
        yield ("bodies", index), partial(_bodies, body)
    for index, appendage in enumerate(section.appendages):
        yield ("appendages", index), partial(appendage.swinging, section.base.name)
    for index, tank in enumerate(section.tanks):
        yield ("tanks", index), partial(tank.swinging, section.base.name)


def _with_springs(robot: Robot, springs: _Springs, document: YamlDocument) -> Robot:
    """The robot with the springs of the file; where that says a frequency, by the inertia that the joint carries."""
    found = []
    for joint in (robot.joints[k] for k in robot.passive):
        where, section = springs[joint.name]
        carried = carried_inertia(robot, joint.name)
        if section.frequency_Hz is not None and not carried > 0.0:
            what = "mass" if joint.kind == "prismatic" else "inertia about its axis"
            problem = f"gives frequency_Hz of joint {joint.name!r}, which carries no {what}"
            raise document.fault(where, f"{problem}; allowed: a stiffness, or bodies that have some")
        found.append(section.spring(joint.kind, carried))
    return robot.with_springs(found)


@contextmanager
def _telling(document: YamlDocument, *where: str | int) -> Iterator[None]:
    """Add the file, and the line where there is one, to what the robot's own checks say."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused as not finite
            yield
    except InvalidRobot as error:
        line = document.line_of(where) if where else None
        raise FileError(document.path, f"{f'line {line}: ' if line else ''}{error}") from error


def _refuse_unknown_names(section: RobotSection, known: Sequence[str], document: YamlDocument) -> None:
    named: list[tuple[tuple[str | int, ...], str]] = [
        *((("bodies", index, "parent"), body.parent) for index, body in enumerate(section.bodies)),
        *(
            (("appendages", index, "parent"), short.parent)
            for index, short in enumerate(section.appendages)
            if short.parent
        ),
        *((("tanks", index, "parent"), short.parent) for index, short in enumerate(section.tanks) if short.parent),
        *((("points", name, "body"), point.body) for name, point in section.points.items()),
        *((("separate", index), name) for index, name in enumerate(section.separate)),
    ]
    for where, name in named:
        if name not in known:
            problem = f"is {shown(name)}{did_you_mean(name, known)}; allowed: {', '.join(known)}"
            raise document.fault(where, problem)


def _bodies(section: BodySection) -> Swinging:
    """The body, or the two that an elastic joint stands for."""
    said, joint = section.joint, _joint(section.joint)
    body = Body(section.name, section.parent, joint, section.placement(), section.parameters(), section.shapes())
    if said.elastic is not None:
        return with_elastic_joint(body, said.elastic)
    return Swinging((body,), {} if said.passive is None else {said.name: said.passive})


def _joint(section: JointSection) -> Joint:
    passive = None if section.passive is None else WAITING
    axis, drive = np.array(section.axis), section.driven()
    return Joint(section.name, section.kind, axis, **section.limits(), drive=drive, passive=passive)


def _wheel(section: WheelSection) -> Wheel:
    rate = math.inf if section.max_rate_rad_s is None else section.max_rate_rad_s
    inertia, spread = section.spin_inertia_kgm2, section.spin_inertia_relative_sd
    return Wheel(section.name, np.array(section.axis), inertia, rate, spread)


def json_schema() -> dict[str, Any]:
    """The JSON schema of robot files, for editors that check and complete them."""
    schema = RobotSection.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "freefloat robot"}
