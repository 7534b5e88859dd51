"""What a robot file may say, and what each section of it means; parts of it in files of their own."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from freefloat.files import Number, Positive, Section, Vector3
from freefloat.robot.appendages import AppendageSection, TankSection
from freefloat.robot.joint_section import JointSection, Limit, Name
from freefloat.robot.mass_section import MassSection
from freefloat.robot.parts import BaseKind
from freefloat.robot.placement_section import ORIGIN, Axis, DhSection, TransformSection
from freefloat.robot.transform import Transform

FORMAT = "freefloat/robot@1"


class WheelSection(Section):
    """A reaction wheel of the base; its mass and its inertia at rest belong to the base."""

    name: Name = Field(description="a name of its own")
    axis: Axis = Field(description="three numbers, in the base frame")
    spin_inertia_kgm2: Positive = Field(description="a number greater than zero: the inertia about the axis")
    spin_inertia_relative_sd: Annotated[Number, Field(ge=0.0)] = Field(
        0.0, description="standard deviation of the spin inertia over itself; it is then estimated along"
    )
    max_rate_rad_s: Limit | None = Field(None, description="largest rate relative to the base")


class BaseSection(MassSection):
    """The base: how it moves, what it weighs, its wheels."""

    name: Name = Field("base", description="name of the base")
    kind: BaseKind = Field("free", description="free, planar (x, y and a turn about z) or fixed")
    gravity_m_s2: Vector3 = Field(ORIGIN, description="in the inertial frame")
    wheels: list[WheelSection] = Field(default_factory=list, description="reaction wheels")


class BodySection(MassSection):
    """One body: its parent, its placement (transform, then dh), its joint, what it weighs."""

    name: Name = Field(description="a name of its own")
    parent: Name = Field(description="the name of the body that carries it")
    transform: TransformSection | None = Field(None, description="placement, first")
    dh: DhSection | None = Field(None, description="placement, then")
    joint: JointSection = Field(description="a mapping with name, kind, axis, limits and drive")

    def placement(self) -> Transform:
        """Its frame in the parent's, joint at zero: transform, then dh."""
        if self.transform is None:
            return self.dh.placement() if self.dh else Transform()
        return self.transform.placement() @ self.dh.placement() if self.dh else self.transform.placement()


class PointSection(Section):
    """A point fixed in a body."""

    body: Name = Field(description="the name of a body")
    xyz_m: Vector3 = Field(description="three numbers, in the body's frame")


class RobotSection(Section):
    """A robot: a base, bodies on joints, named points."""

    format: Literal["freefloat/robot@1"] = Field(description=FORMAT)
    robot: Name = Field(description="a name for the robot")
    base: BaseSection = Field(description="a mapping with kind, mass_kg, com_m, inertia_kgm2, wheels")
    bodies: list[BodySection] = Field(default_factory=list, description="in any order")
    appendages: list[AppendageSection] = Field(default_factory=list, description="panels and booms, on hinges")
    tanks: list[TankSection] = Field(default_factory=list, description="fuel that sloshes, as pendulums")
    points: dict[Name, PointSection] = Field(default_factory=dict, description="by name")
    separate: list[Name] = Field(
        default_factory=list, description="bodies on fixed joints that keep parameters of their own"
    )
