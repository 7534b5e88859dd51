"""Short forms of a robot file for what swings, and the bodies on passive joints that they stand for.

- `appendages`: a panel or a boom, one body on a hinge.
- `tanks`: fuel that sloshes, as a point on a spring-held pendulum of two axes that meet; the first of them carries a
  body without mass. See H. N. Abramson, "The dynamic behavior of liquids in moving containers", NASA SP-106, 1966.
- `elastic` of a joint: a gear that gives way. What the motor turns is a body without mass; a passive joint about the
  same axis carries the link from it. See M. W. Spong, "Modeling and control of elastic joint robots", 1987.

Springs wait for the whole robot where a file says a frequency, which takes the inertia that a joint carries.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.errors import InvalidRobot
from freefloat.files import Positive, Section, Vector3
from freefloat.robot.joint_section import Name
from freefloat.robot.mass_section import MassSection
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint
from freefloat.robot.placement_section import Axis
from freefloat.robot.spring import Spring
from freefloat.robot.spring_section import ElasticSection, NotNegative, SpringSection
from freefloat.robot.transform import Transform

WAITING = Spring(0.0)  # stands where a spring will be, once the robot is there


class Swinging(NamedTuple):
    """Bodies that a short form stands for, and what the file says of the springs of their joints, by name."""

    bodies: tuple[Body, ...]
    springs: dict[str, SpringSection]


class AppendageSection(MassSection):
    """A panel or a boom: one body on a spring-held hinge `<name>_hinge`, its frame parallel to its parent's."""

    name: Name = Field(description="a name of its own")
    parent: Name | None = Field(None, description="the name of the body that carries it; the base unless given")
    xyz_m: Vector3 = Field(description="where the hinge is, three numbers in the parent's frame")
    axis: Axis = Field(description="of the hinge, three numbers in the parent's frame")
    frequency_Hz: Positive = Field(description="a number greater than zero: the frequency with the parent held")
    damping_ratio: NotNegative = Field(0.0, description="over critical damping, there")

    def swinging(self, base: str) -> Swinging:
        """The body that it stands for."""
        joint = Joint(f"{self.name}_hinge", "revolute", np.array(self.axis), passive=WAITING)
        at = Transform(p=np.array(self.xyz_m))
        body = Body(self.name, self.parent or base, joint, at, self.parameters(), self.shapes())
        return Swinging((body,), {joint.name: _by_frequency(self.frequency_Hz, self.damping_ratio)})


class TankSection(Section):
    """Fuel that sloshes: a point on a spring-held pendulum with joints `<name>_x` and `<name>_y`."""

    name: Name = Field(description="a name of its own")
    parent: Name | None = Field(None, description="the name of the body that carries it; the base unless given")
    xyz_m: Vector3 = Field(description="where the pendulum hangs, three numbers in the parent's frame")
    axis: Axis = Field((0.0, 0.0, 1.0), description="from the point to where it hangs, in the parent's frame")
    length_m: Positive = Field(description="a number greater than zero: of the pendulum")
    mass_kg: Positive = Field(description="a number greater than zero: what sloshes")
    frequency_Hz: Positive = Field(description="a number greater than zero: the frequency with the parent held")
    damping_ratio: NotNegative = Field(0.0, description="over critical damping, there")

    def swinging(self, base: str) -> Swinging:
        """The two bodies that it stands for: one without mass between both axes, and the point."""
        x, y, _ = np.eye(3)
        first = Joint(f"{self.name}_x", "revolute", x, passive=WAITING)
        second = Joint(f"{self.name}_y", "revolute", y, passive=WAITING)
        at, between = Transform(_along(np.array(self.axis)), np.array(self.xyz_m)), f"{self.name}_swing"
        point = parameters_from_com(self.mass_kg, [0.0, 0.0, -self.length_m], np.zeros((3, 3)))
        bodies = (
            Body(between, self.parent or base, first, at),
            Body(self.name, between, second, parameters=point),
        )
        spring = _by_frequency(self.frequency_Hz, self.damping_ratio)
        return Swinging(bodies, {first.name: spring, second.name: spring})


def with_elastic_joint(body: Body, section: ElasticSection) -> Swinging:
    """A body whose joint gives way: `<joint>_motor`, without mass, and from it the body on `<joint>_spring`."""
    joint = body.joint
    assert joint is not None
    rotor = section.rotor(joint.kind)
    if rotor is not None and joint.drive.rotor:
        raise InvalidRobot(f"joint {joint.name!r}", "has a rotor in drive and in elastic; allowed: in one of them")
    driven = joint if rotor is None else replace(joint, drive=replace(joint.drive, rotor=rotor))
    spring = Joint(f"{joint.name}_spring", joint.kind, joint.axis, passive=WAITING)
    motor = Body(f"{joint.name}_motor", body.parent, driven, body.placement)
    link = replace(body, parent=motor.name, joint=spring, placement=Transform())
    return Swinging((motor, link), {spring.name: section})


def _by_frequency(frequency_Hz: float, damping_ratio: float) -> SpringSection:
    return SpringSection.model_validate({"frequency_Hz": frequency_Hz, "damping_ratio": damping_ratio})


def _along(axis: Array) -> Array:
    """A rotation that takes z to this direction, and x near to the parent's x or y, shape (3, 3)."""
    z = axis / np.linalg.norm(axis)
    near = np.eye(3)[int(np.argmin(np.abs(z)))]  # the first of those that are equally far from it
    x = near - (near @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
