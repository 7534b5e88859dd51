"""A robot in plain numbers: what `freefloat inspect` shows, as a document any program can read."""

from __future__ import annotations

from typing import Any

from freefloat.exact_json import finite_or_none
from freefloat.robot.drive_section import drive_document
from freefloat.robot.model import Robot
from freefloat.robot.parameters import com_of
from freefloat.robot.parts import Body, Joint
from freefloat.robot.physicality import check_physicality
from freefloat.robot.spring_section import spring_document


def robot_summary(robot: Robot) -> dict[str, Any]:
    """Tree, masses, centre of mass, wheels, limits, drives, and what is unphysical; SI units, radians."""
    return {
        "robot": robot.name,
        "base": robot.base,
        "gravity_m_s2": robot.gravity.tolist(),
        "mass_kg": robot.mass,
        "centre_of_mass_m": robot.centre_of_mass().tolist(),
        "moving_bodies": list(robot.body_names),
        "joints": list(robot.joint_names),
        "bodies": [_body(robot, body) for body in robot.bodies],
        "wheels": [
            {
                "name": wheel.name,
                "axis": wheel.axis.tolist(),
                "spin_inertia_kgm2": wheel.spin_inertia,
                "max_rate_rad_s": finite_or_none(wheel.max_rate),
            }
            for wheel in robot.wheels
        ],
        "points": [{"name": point.name, "body": point.body, "xyz_m": point.xyz.tolist()} for point in robot.points],
        "unphysical": [str(finding) for finding in check_physicality(robot)],
    }


def _body(robot: Robot, body: Body) -> dict[str, Any]:
    carrier, _ = robot.tree.carried[body.name]
    moves_as = robot.tree.names[carrier]
    return {
        "name": body.name,
        "parent": body.parent,
        "part_of": None if moves_as == body.name else moves_as,
        "joint": None if body.joint is None else _joint(body.joint),
        "mass_kg": float(body.parameters[0]),
        "com_m": com_of(body.parameters).tolist(),
    }


def _joint(joint: Joint) -> dict[str, Any]:
    low, high = joint.position
    return {
        "name": joint.name,
        "kind": joint.kind,
        "axis": joint.axis.tolist(),
        "position": [finite_or_none(low), finite_or_none(high)],
        "rate": finite_or_none(joint.rate),
        "acceleration": finite_or_none(joint.acceleration),
        "torque": finite_or_none(joint.torque),
        "drive": drive_document(joint.drive, joint.kind),
        "passive": None if joint.passive is None else spring_document(joint.passive, joint.kind),
    }
