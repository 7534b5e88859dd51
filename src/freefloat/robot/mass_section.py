"""What a robot file may say of a body's mass, of its inertia, and of solids that stand for it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from freefloat.arrays import Array
from freefloat.files import Number, Positive, Section, Vector3, entries
from freefloat.robot.parameters import com_of, inertia_entries, parameters_from_com
from freefloat.robot.placement_section import ORIGIN, Oriented
from freefloat.robot.shapes import Capsule, Ellipsoid, Shape, Sphere

SemiAxes = Annotated[tuple[Positive, Positive, Positive], entries(3)]


class InertiaSection(Section):
    """An inertia matrix by its entries (xy is the matrix entry, minus the integral of x y)."""

    xx: Number = Field(description="a number, in kg m^2")
    yy: Number = Field(description="a number, in kg m^2")
    zz: Number = Field(description="a number, in kg m^2")
    xy: Number = Field(0.0, description="matrix entry")
    xz: Number = Field(0.0, description="matrix entry")
    yz: Number = Field(0.0, description="matrix entry")
    about: Literal["com", "frame"] = Field("com", description="centre of mass, or origin of the body's frame")

    def matrix(self) -> Array:
        """The inertia matrix, shape (3, 3) [kg m^2]."""
        return np.array([[self.xx, self.xy, self.xz], [self.xy, self.yy, self.yz], [self.xz, self.yz, self.zz]])


class CapsuleSection(Section):
    """All points within the radius of a segment."""

    from_m: Vector3 = Field(description="one end of the segment, three numbers")
    to_m: Vector3 = Field(description="the other end, three numbers")
    radius_m: Positive = Field(description="a number greater than zero")

    def solid(self) -> Capsule:
        """The solid it stands for."""
        return Capsule(np.array(self.from_m), np.array(self.to_m), self.radius_m)


class SphereSection(Section):
    """A ball."""

    centre_m: Vector3 = Field(ORIGIN, description="in the body's frame")
    radius_m: Positive = Field(description="a number greater than zero")

    def solid(self) -> Sphere:
        """The solid it stands for."""
        return Sphere(np.array(self.centre_m), self.radius_m)


class EllipsoidSection(Oriented):
    """An ellipsoid, its axes along the columns of its rotation."""

    centre_m: Vector3 = Field(ORIGIN, description="in the body's frame")
    semi_axes_m: SemiAxes = Field(description="three numbers greater than zero")

    def solid(self) -> Ellipsoid:
        """The solid it stands for."""
        return Ellipsoid(np.array(self.centre_m), np.array(self.semi_axes_m), self.turn())


class ShapeSection(Section):
    """One solid for clearance, in the body's frame."""

    capsule: CapsuleSection | None = None
    sphere: SphereSection | None = None
    ellipsoid: EllipsoidSection | None = None
    one_of = (("capsule", "sphere", "ellipsoid"),)

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self._given():
            raise ValueError("names no solid; allowed: one of capsule, sphere, ellipsoid")
        return self

    def _given(self) -> list[CapsuleSection | SphereSection | EllipsoidSection]:
        return [solid for solid in (self.capsule, self.sphere, self.ellipsoid) if solid is not None]

    def solid(self) -> Shape:
        """The one solid it stands for."""
        return self._given()[0].solid()


class MassSection(Section):
    """What the base and every other body have: mass, its distribution, and solids for clearance.

    Without `inertia_kgm2` the mass is a point at its centre.
    """

    mass_kg: Annotated[Number, Field(ge=0.0)] = Field(0.0, description="zero or more")
    com_m: Vector3 | None = Field(None, description="centre of mass in the body's frame")
    first_moment_kgm: Vector3 | None = Field(None, description="mass times centre of mass, instead of com_m")
    inertia_kgm2: InertiaSection | None = Field(None, description="inertia matrix")
    shape: list[ShapeSection] = Field(default_factory=list, description="solids for clearance")
    one_of = (("com_m", "first_moment_kgm"),)

    def parameters(self) -> Array:
        """The ten standard parameters about the body's frame, shape (10,)."""
        mass, moment = self.mass_kg, np.array(self.first_moment_kgm or ORIGIN)
        com = np.array(self.com_m) if self.com_m is not None else com_of([mass, *moment])
        if self.com_m is not None:
            moment = mass * com
        inertia = self.inertia_kgm2.matrix() if self.inertia_kgm2 else np.zeros((3, 3))
        if self.inertia_kgm2 is not None and self.inertia_kgm2.about == "frame":
            about_frame = inertia_entries(inertia)
        else:
            about_frame = parameters_from_com(mass, com, inertia)[4:]
        return np.concatenate([[mass], moment, about_frame])

    def shapes(self) -> tuple[Shape, ...]:
        """Its solids for clearance."""
        return tuple(each.solid() for each in self.shape)
