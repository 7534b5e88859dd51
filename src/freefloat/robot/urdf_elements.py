"""What single elements of a URDF say: inertia, joints with their limits and friction, shapes, placements, numbers.

The inertia is about the centre of mass, in axes turned by the rpy of the inertial origin. Units are SI throughout.
"""

from __future__ import annotations

import math
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import InvalidRobot
from freefloat.robot.drive import Drive
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Joint, JointKind
from freefloat.robot.shapes import Capsule, Ellipsoid, Shape, Sphere
from freefloat.robot.transform import Transform

NO_LIMIT = 1e9  # URDF cannot write infinity; a limit this large, in any SI unit, is none


class Inertial(NamedTuple):
    """What <inertial> says: mass [kg], centre of mass (3,) [m], axes (3, 3), inertia (3, 3) [kg m^2].

    The inertia is about the centre of mass, along the columns of `axes`, which is given in the link frame.
    """

    mass: float
    com: Array
    axes: Array
    inertia: Array


def inertial_of(link: Element) -> Inertial:
    """What a <link> element says of its inertia; all zero without <inertial>."""
    where = f"link {link.get('name')!r}"
    inertial = link.find("inertial")
    if inertial is None:
        return Inertial(0.0, np.zeros(3), np.eye(3), np.zeros((3, 3)))
    placement = placement_of(where, inertial)
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    return Inertial(
        0.0 if mass is None else _number(where, mass, "value"),
        placement.p,
        placement.R,
        np.zeros((3, 3)) if inertia is None else _inertia(where, inertia),
    )


def parameters_of(link: Element) -> Array:
    """Standard parameters of a <link> element, shape (10,)."""
    mass, com, axes, inertia = inertial_of(link)
    return parameters_from_com(mass, com, axes @ inertia @ axes.T)


def joint_of(joint: Element, name: str, kind: JointKind) -> Joint:
    """The joint of a <joint> element."""
    where = f"joint {name!r}"
    if kind == "fixed":
        return Joint(name, kind)
    axis, limit = joint.find("axis"), joint.find("limit")
    direction = (1.0, 0.0, 0.0) if axis is None else three_numbers(where, axis, "xyz", (1.0, 0.0, 0.0))
    position, rate, acceleration, torque = _limits(where, limit)
    if kind == "continuous":
        position = (-math.inf, math.inf)
    return Joint(name, kind, np.array(direction), position, rate, acceleration, torque, _drive(where, joint))


def _drive(where: str, joint: Element) -> Drive:
    """Friction of a joint: Coulomb's is `friction`, viscous is `damping`; URDF knows no more."""
    dynamics = joint.find("dynamics")
    if dynamics is None:
        return Drive()
    given = {name: _number(where, dynamics, name, 0.0) for name in ("friction", "damping")}
    for name, value in given.items():
        if value < 0.0:
            raise InvalidRobot(where, f"<dynamics {name}> is {value:g}; allowed: zero or more")
    return Drive(coulomb=given["friction"], viscous=given["damping"])


def _limits(where: str, limit: Element | None) -> tuple[tuple[float, float], float, float, float]:
    """Position range, then the largest rate, acceleration and torque; infinite where there is none.

    A zero rate or torque is none given: URDF demands the attributes, so many files fill them with zeros.
    So it is with the range where every value is zero; taken at its word, such a joint could do nothing.
    """
    names = ("lower", "upper", "velocity", "acceleration", "effort")
    given = {name: 0.0 if limit is None else _number(where, limit, name, 0.0) for name in names}
    low, high = given["lower"], given["upper"]
    ranged = limit is not None and ("lower" in limit.attrib or "upper" in limit.attrib)
    if not ranged or not any(given.values()):
        low, high = -math.inf, math.inf
    position = (-math.inf if low <= -NO_LIMIT else low, math.inf if high >= NO_LIMIT else high)
    rate, acceleration, torque = (
        math.inf if given[name] == 0.0 or given[name] >= NO_LIMIT else given[name] for name in names[2:]
    )
    return position, rate, acceleration, torque


# ---------------------------------------------------------------------- shapes


def shapes_of(link: Element) -> tuple[Shape, ...]:
    """The shapes that stand for the <collision> of a <link> element."""
    where = f"link {link.get('name')!r}"
    shapes: list[Shape] = []
    for collision in link.findall("collision"):
        placement = placement_of(where, collision)
        for solid in collision.findall("geometry/*"):
            try:
                shape = _shape(where, solid, placement)
            except InvalidRobot as error:
                raise InvalidRobot(where, f"collision <{solid.tag}>: {error.problem}") from error
            if shape is not None:
                shapes.append(shape)
    return tuple(shapes)


def _shape(where: str, solid: Element, placement: Transform) -> Shape | None:
    """The shape that stands for a solid; None for meshes and for what URDF does not know."""
    if solid.tag == "sphere":
        return Sphere(placement.p, _number(where, solid, "radius"))
    if solid.tag in ("cylinder", "capsule"):
        # A capsule on the cylinder's axis reaches one radius past either end: it covers slightly too much.
        half = placement.R[:, 2] * _number(where, solid, "length") / 2.0
        return Capsule(placement.p - half, placement.p + half, _number(where, solid, "radius"))
    if solid.tag == "box":
        # The smallest ellipsoid around a box has semi-axes of sqrt(3) times its half sizes.
        semi_axes = math.sqrt(3.0) / 2.0 * np.array(three_numbers(where, solid, "size"))
        return Ellipsoid(placement.p, semi_axes, placement.R)
    return None


# ---------------------------------------------------------------------- numbers


def placement_of(where: str, element: Element) -> Transform:
    """The <origin> in an element; the identity without one."""
    origin = element.find("origin")
    if origin is None:
        return Transform()
    if "quat_xyzw" in origin.attrib:
        raise InvalidRobot(where, "<origin quat_xyzw> is not supported; give rpy instead")
    zero = (0.0, 0.0, 0.0)
    return Transform.from_rpy(three_numbers(where, origin, "xyz", zero), three_numbers(where, origin, "rpy", zero))


def _inertia(where: str, element: Element) -> Array:
    xx, yy, zz = (_number(where, element, name) for name in ("ixx", "iyy", "izz"))
    xy, xz, yz = (_number(where, element, name, 0.0) for name in ("ixy", "ixz", "iyz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _number(where: str, element: Element, attribute: str, default: float | None = None) -> float:
    text = element.get(attribute)
    if text is None and default is not None:
        return default
    if text is None:
        raise InvalidRobot(where, f"<{element.tag}> has no {attribute}; a number is needed")
    return _finite(where, f"<{element.tag} {attribute}>", text)


def three_numbers(
    where: str, element: Element, attribute: str, default: tuple[float, ...] | None = None
) -> tuple[float, ...]:
    """The three numbers of an attribute."""
    text = element.get(attribute)
    if text is None and default is not None:
        return default
    words = (text or "").split()
    if len(words) != 3:
        raise InvalidRobot(where, f"<{element.tag} {attribute}> is {text!r}; three numbers are needed")
    return tuple(_finite(where, f"<{element.tag} {attribute}>", word) for word in words)


def _finite(where: str, what: str, text: str) -> float:
    try:
        # Python reads 1_000 as a thousand; no other URDF reader does.
        value = math.nan if "_" in text else float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidRobot(where, f"{what} holds {text.strip()!r}; allowed: finite numbers")
    return value
