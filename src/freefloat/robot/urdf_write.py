"""Any robot as a new URDF that Pinocchio, MuJoCo and urdfdom load.

URDF knows less than a `Robot`; this is how the rest is written:

- How the base moves, gravity and `separate` are not URDF's to say: the base is the root link.
- A named point is a massless link on a fixed joint.
- A missing limit is a large number (`NO_LIMIT`), which `read_urdf` takes for none; a revolute joint with
  no range at all is `continuous`.
- A capsule is the cylinder of its segment, an ellipsoid the largest box inside it: the shapes that
  `read_urdf` turns into that capsule and that ellipsoid again.
- Of a joint's drive, <dynamics> holds Coulomb and viscous friction; a comment beside it says what else there is.
- Of a passive joint it holds the damping; the comment has the stiffness, for which URDF has no word.
- A reaction wheel is a link on a `continuous` joint (`mounted_wheels.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Comment, Element, SubElement, indent, tostring

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.errors import InvalidRobot
from freefloat.files import FilePath, write_text
from freefloat.robot.drive import DRIVE_TERMS, DriveTerm
from freefloat.robot.drive_section import DRIVE_FIELDS
from freefloat.robot.mounted_wheels import MountedWheel, housing_of, mounted_wheels, without_wheels
from freefloat.robot.parameters import PER_BODY, com_of, inertia_about_com
from freefloat.robot.parts import Body, Joint, Point
from freefloat.robot.shapes import Capsule, Ellipsoid, Shape, Sphere
from freefloat.robot.spring_section import spring_document
from freefloat.robot.transform import Transform, rotation_to, rpy_from_rotation
from freefloat.robot.urdf_elements import NO_LIMIT
from freefloat.robot.written import WrittenRobot

IN_URDF: tuple[DriveTerm, ...] = ("coulomb", "viscous")  # terms of a drive that <dynamics> holds


def write_urdf(robot: WrittenRobot, path: FilePath) -> None:
    """Write the robot as a URDF file of its own."""
    write_text(path, urdf_text(robot))


def urdf_text(robot: WrittenRobot) -> str:
    """The robot as a URDF, SI units, numbers in full precision.

    Raises InvalidRobot where a base that can exist has no room for its wheels, or where a body has first
    moments but no mass, which URDF cannot say. Other bodies that cannot exist are written as they are.
    """
    root, names = Element("robot", name=robot.name), _Names(robot)
    housing = housing_of(robot)
    wheels = mounted_wheels(robot, housing)
    for body in robot.bodies:
        phi = without_wheels(housing, wheels) if body is housing else body.parameters
        _add_link(root, body.name, phi, body.shapes)
    for body in robot.bodies:
        if body.parent is not None and body.joint is not None:
            _add_joint(root, body.joint, body.parent, body.name, body.placement)
    for mounted in wheels:
        _add_wheel(root, names, housing, mounted)
    for point in robot.points:
        _add_point(root, names, point)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def body_elements(body: Body) -> list[str]:
    """The <link> and the <joint> of a body that hangs on another, each as the lines of a file."""
    root = Element("robot")
    _add_link(root, body.name, body.parameters, body.shapes)
    if body.joint is not None and body.parent is not None:
        _add_joint(root, body.joint, body.parent, body.name, body.placement)
    indent(root)
    return [line for each in root for line in tostring(each, encoding="unicode").rstrip().splitlines()]


def full_precision(values: ArrayLike) -> str:
    """Numbers, shape () or (n,), as URDF text that reads back to the same bits."""
    # Adding zero turns -0.0, which only looks odd in a file, into 0.0.
    return " ".join(repr(float(value) + 0.0) for value in np.atleast_1d(np.asarray(values, float)))


class _Names:
    """Names for links and joints that a robot does not have; URDF wants each kind unique."""

    def __init__(self, robot: WrittenRobot) -> None:
        self._links = {body.name for body in robot.bodies}
        self._joints = {body.joint.name for body in robot.bodies if body.joint is not None}

    def link(self, wanted: str) -> str:
        return free_name(wanted, self._links)

    def joint(self, wanted: str) -> str:
        return free_name(f"{wanted}_joint", self._joints)


def free_name(name: str, taken: set[str]) -> str:
    """The name, with as much behind it as makes it differ from those that are taken; it then is taken too."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


# ---------------------------------------------------------------------- links


def _add_link(root: Element, name: str, phi: Array, shapes: Sequence[Shape]) -> None:
    link = SubElement(root, "link", name=name)
    if phi.any() or shapes:  # MuJoCo gives a link with shapes and no <inertial> a mass of its own
        _add_inertial(link, name, phi)
    for shape in shapes:
        collision = SubElement(link, "collision")
        placement, tag, sizes = _solid(shape)
        _add_origin(collision, placement)
        SubElement(SubElement(collision, "geometry"), tag, sizes)


def _add_inertial(link: Element, name: str, phi: Array) -> None:
    if phi[0] == 0.0 and phi[1:4].any():
        raise InvalidRobot(f"body {name!r}", "has first moments but no mass, which a URDF cannot say")
    inertial, inertia = SubElement(link, "inertial"), inertia_about_com(phi)
    SubElement(inertial, "origin", xyz=full_precision(com_of(phi)), rpy=full_precision(np.zeros(3)))
    SubElement(inertial, "mass", value=full_precision(phi[0]))
    entries = {f"i{'xyz'[i]}{'xyz'[j]}": full_precision(inertia[i, j]) for i in range(3) for j in range(i, 3)}
    SubElement(inertial, "inertia", entries)


def _solid(shape: Shape) -> tuple[Transform, str, dict[str, str]]:
    """Where a URDF solid stands, what it is, and its sizes."""
    if isinstance(shape, Ellipsoid):
        size = full_precision(2.0 / math.sqrt(3.0) * shape.semi_axes)
        return Transform(shape.rotation, shape.centre), "box", {"size": size}
    if isinstance(shape, Sphere):
        return Transform(p=shape.centre), "sphere", {"radius": full_precision(shape.radius)}
    return _cylinder(shape)


def _cylinder(capsule: Capsule) -> tuple[Transform, str, dict[str, str]]:
    segment, middle = capsule.end - capsule.start, (capsule.start + capsule.end) / 2.0
    length, radius = float(np.linalg.norm(segment)), full_precision(capsule.radius)
    if length == 0.0:
        return Transform(p=middle), "sphere", {"radius": radius}
    sizes = {"radius": radius, "length": full_precision(length)}
    return Transform(rotation_to(segment / length), middle), "cylinder", sizes


# ---------------------------------------------------------------------- joints


def _add_joint(root: Element, joint: Joint, parent: str, child: str, placement: Transform) -> None:
    turning = "revolute" if np.isfinite(joint.position).any() else "continuous"
    kind = joint.kind if joint.kind in ("prismatic", "fixed") else turning
    element = SubElement(root, "joint", name=joint.name, type=kind)
    _add_origin(element, placement)
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    if joint.moves:
        SubElement(element, "axis", xyz=full_precision(joint.axis))
        _add_limit(element, joint, kind)
        _add_dynamics(element, joint)


def _add_limit(element: Element, joint: Joint, kind: str) -> None:
    """The <limit>, which revolute and prismatic joints must have."""
    limits = {"velocity": joint.rate, "effort": joint.torque}
    if kind != "continuous":
        limits |= {"lower": joint.position[0], "upper": joint.position[1]}
    if math.isfinite(joint.acceleration):
        limits["acceleration"] = joint.acceleration  # younger than most readers, which pass over it
    if kind != "continuous" or np.isfinite(list(limits.values())).any():
        clipped = {name: full_precision(np.clip(value, -NO_LIMIT, NO_LIMIT)) for name, value in limits.items()}
        SubElement(element, "limit", clipped)


def _add_dynamics(element: Element, joint: Joint) -> None:
    """Friction, where there is any, and a comment on what <dynamics> has no word for."""
    drive, (viscous, coulomb) = joint.drive, rubbing(joint)
    others = [term for term in DRIVE_TERMS if term not in IN_URDF and getattr(drive, term)]
    said = [f"{DRIVE_FIELDS[joint.kind][term]} {getattr(drive, term):g}" for term in others]
    if joint.passive is not None:
        name, value = next(iter(spring_document(joint.passive, joint.kind).items()))
        said.append(f"a passive joint of {name} {value:g}")
    if viscous or coulomb:
        SubElement(element, "dynamics", {"damping": full_precision(viscous), "friction": full_precision(coulomb)})
    if said:
        element.append(Comment(f" not in the words of URDF: {', '.join(said)} "))


def rubbing(joint: Joint) -> tuple[float, float]:
    """Viscous friction, which of a passive joint is the damper's, and Coulomb friction: what <dynamics> holds."""
    return (joint.drive.viscous if joint.passive is None else joint.passive.damping), joint.drive.coulomb


def _add_point(root: Element, names: _Names, point: Point) -> None:
    name = names.link(point.name)
    _add_link(root, name, np.zeros(PER_BODY), ())
    _add_joint(root, Joint(names.joint(point.name), "fixed"), point.body, name, Transform(p=point.xyz))


def _add_origin(element: Element, placement: Transform) -> None:
    SubElement(element, "origin", xyz=full_precision(placement.p), rpy=full_precision(rpy_from_rotation(placement.R)))


def _add_wheel(root: Element, names: _Names, housing: Body, mounted: MountedWheel) -> None:
    wheel, placement, phi = mounted
    name = names.link(wheel.name)
    _add_link(root, name, phi, ())
    joint = Joint(names.joint(wheel.name), "continuous", np.array([0.0, 0.0, 1.0]), rate=wheel.max_rate)
    _add_joint(root, joint, housing.name, name, placement)
