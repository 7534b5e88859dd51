"""A robot as an MJCF file, which MuJoCo loads.

- The base is a body on a free joint, on three joints in its plane, or fixed in the world.
- Of a joint's drive, `damping` is viscous friction, `armature` the rotor and `frictionloss` Coulomb friction, which
  MuJoCo treats as a soft constraint: a joint that should stick creeps, and one that moves is braked a little less.
- `armature` acts on its own joint only: what the spin of a rotor does to bodies that turn is left out.
- Of a passive joint `stiffness` and `damping` are the spring's.
- MuJoCo takes no moving body without mass or without inertia. One that only stands between two joints is none of its
  own: the body beyond has both joints. Points and rods get the least moments that it takes, far below what counts.
- A reaction wheel is a body on a hinge (`robot/mounted_wheels.py`), a named point a site. Shapes are left out.

Lengths are metres, angles radians; inertias are about the centre of mass, in axes of their own.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import InvalidRobot
from freefloat.files import FilePath, write_text
from freefloat.robot.drive import DriveTerm
from freefloat.robot.model import Robot
from freefloat.robot.mounted_wheels import MountedWheel, housing_of, mounted_wheels, without_wheels
from freefloat.robot.parameters import com_of, inertia_about_com
from freefloat.robot.parts import Body, Joint
from freefloat.robot.transform import Transform
from freefloat.robot.urdf_elements import NO_LIMIT
from freefloat.robot.urdf_write import free_name, full_precision

IN_MJCF: tuple[DriveTerm, ...] = ("coulomb", "viscous", "rotor")  # terms of a drive that a joint's attributes hold
LEAST_MOMENT = 1e-12  # [kg m^2]; MuJoCo refuses what is below 1e-15
_PLANAR = (("slide", "1 0 0"), ("slide", "0 1 0"), ("hinge", "0 0 1"))


def write_mjcf(robot: Robot, path: FilePath) -> None:
    """Write the robot as an MJCF file."""
    write_text(path, mjcf_text(robot))


def mjcf_text(robot: Robot) -> str:
    """The robot as MJCF, numbers in full precision.

    Raises InvalidRobot where a body has first moments but no mass, or a base that can exist no room for its wheels.
    """
    root = Element("mujoco", model=robot.name)
    SubElement(root, "compiler", angle="radian", autolimits="true")
    SubElement(root, "option", gravity=full_precision(robot.gravity))
    world, housing = SubElement(root, "worldbody"), housing_of(robot)
    wheels = mounted_wheels(robot, housing)
    bodies, joints = {"world"}, {body.joint.name for body in robot.bodies if body.joint is not None}
    placed: dict[str, Element] = {}
    between = {body.name: body for body in robot.bodies if _only_joins(robot, body)}
    for body in robot.bodies:
        if body.name in between:
            continue
        chain, at = [(body, Transform())], body.placement  # bodies from what carries it, and this one seen from each
        while (parent := chain[0][0].parent) in between:
            chain.insert(0, (between[parent], at))
            at = between[parent].placement @ at
        element = _body(world if parent is None else placed[parent], body.name, bodies, at)
        placed[body.name] = element
        if body.parent is None:
            _add_base(element, robot, joints)
        for member, seen in chain:
            if member.joint is not None and member.joint.moves:
                _add_joint(element, member.joint, seen.inverse())
        _add_inertial(element, body.name, without_wheels(housing, wheels) if body is housing else body.parameters)
    for wheel in wheels:
        _add_wheel(placed[housing.name], wheel, bodies, joints)
    for point in robot.points:
        SubElement(placed[point.body], "site", name=point.name, pos=full_precision(point.xyz))
    indent(root)
    return f"{tostring(root, encoding='unicode')}\n"


def _body(parent: Element, name: str, taken: set[str], placement: Transform) -> Element:
    return SubElement(parent, "body", {"name": free_name(name, taken)} | _frame(placement.p, placement.R))


def _frame(p: Array, R: Array) -> dict[str, str]:
    """Position, and the directions of x and y."""
    return {"pos": full_precision(p), "xyaxes": full_precision(R[:, :2].T.ravel())}


def _add_base(element: Element, robot: Robot, taken: set[str]) -> None:
    """How the base moves in the world."""
    if robot.base == "free":
        SubElement(element, "freejoint", name=free_name("base_joint", taken))
    for kind, axis in _PLANAR if robot.base == "planar" else ():
        SubElement(element, "joint", name=free_name("base_joint", taken), type=kind, axis=axis)


def _only_joins(robot: Robot, body: Body) -> bool:
    """Whether a body is nothing but what stands between its joint and that of the one body it carries."""
    carried = [other for other in robot.bodies if other.parent == body.name]
    joints = [each.joint for each in (body, *carried)]
    joins = len(carried) == 1 and all(joint is not None and joint.moves for joint in joints)
    return joins and not body.parameters.any() and all(point.body != body.name for point in robot.points)


def _add_joint(element: Element, joint: Joint, frame: Transform) -> None:
    """A joint; frame: of the body that is said to have it, seen from the one that has it here."""
    drive, spring = joint.drive, joint.passive
    kind = "slide" if joint.kind == "prismatic" else "hinge"
    given = SubElement(element, "joint", name=joint.name, type=kind, axis=full_precision(frame.R @ joint.axis))
    if frame.p.any():
        given.set("pos", full_precision(frame.p))
    if np.isfinite(joint.position).any():
        given.set("range", full_precision(np.clip(joint.position, -NO_LIMIT, NO_LIMIT)))
    values = {"damping": drive.viscous, "frictionloss": drive.coulomb, "armature": drive.rotor}
    if spring is not None:
        values = {"stiffness": spring.stiffness, "damping": spring.damping}
    for attribute, value in values.items():
        if value:
            given.set(attribute, full_precision(value))


def _add_inertial(element: Element, name: str, phi: Array) -> None:
    if phi[0] == 0.0 and phi[1:4].any():
        raise InvalidRobot(f"body {name!r}", "has first moments but no mass, which MJCF cannot say")
    if not phi.any():
        return
    moments, axes = np.linalg.eigh(inertia_about_com(phi))
    axes[:, 2] *= np.linalg.det(axes)  # a rotation, not a reflection
    moments = np.maximum(moments, LEAST_MOMENT)
    sizes = {"mass": full_precision(phi[0]), "diaginertia": full_precision(moments)}
    SubElement(element, "inertial", sizes | _frame(com_of(phi), axes))


def _add_wheel(housing: Element, mounted: MountedWheel, bodies: set[str], joints: set[str]) -> None:
    wheel, placement, phi = mounted
    body = _body(housing, wheel.name, bodies, placement)
    SubElement(body, "joint", name=free_name(f"{wheel.name}_joint", joints), type="hinge", axis="0 0 1")
    _add_inertial(body, wheel.name, phi)
