"""What a robot file may say, field by field, and what each section of it means.

Angles in `_deg` turn into clean rotations (the cosine of 90 degrees is zero, not 6e-17), so that what is
exact on paper, such as the integer coefficients of a cluster of parameters, stays exact.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from freefloat.arrays import Array
from freefloat.files import AnyNumber, Number, Positive, Section, Vector3, entries, shown
from freefloat.robot.drive import Drive
from freefloat.robot.drive_section import DriveSection
from freefloat.robot.parameters import com_of, inertia_entries, parameters_from_com
from freefloat.robot.parts import BaseKind, JointKind
from freefloat.robot.shapes import Capsule, Ellipsoid, Shape, Sphere
from freefloat.robot.transform import Transform, cos_sin, turn_about

FORMAT = "freefloat/robot@1"

# ---------------------------------------------------------------------- angles and rotations


def _proper(rotation: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    R = np.array(rotation)
    if abs(R).max() > 1.1 or abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0.0:
        raise ValueError(f"is {shown(rotation)}; allowed: a rotation matrix (orthonormal rows, determinant 1)")
    return rotation


def _not_zero(axis: tuple[float, ...]) -> tuple[float, ...]:
    if max(map(abs, axis)) < 1e-9:
        raise ValueError(f"is {shown(axis)}; allowed: three numbers, not all zero")
    return axis


def _ordered(ends: tuple[float | None, float | None]) -> tuple[float, float]:
    low = -math.inf if ends[0] is None else ends[0]
    high = math.inf if ends[1] is None else ends[1]
    if not low <= high:  # also where one of them is not a number
        raise ValueError(f"is {shown(ends)}; allowed: the lower limit, then the upper")
    return low, high


Name = Annotated[str, Field(min_length=1)]
Limit = Annotated[AnyNumber, Field(gt=0.0)]
Range = Annotated[tuple[AnyNumber | None, AnyNumber | None], entries(2), AfterValidator(_ordered)]
Rotation = Annotated[tuple[Vector3, Vector3, Vector3], entries(3, "rows of 3 numbers"), AfterValidator(_proper)]
Axis = Annotated[Vector3, AfterValidator(_not_zero)]
SemiAxes = Annotated[tuple[Positive, Positive, Positive], entries(3)]

_ORIGIN = (0.0, 0.0, 0.0)


class _Oriented(Section):
    rotation: Rotation | None = Field(None, description="rotation matrix, three rows")
    rpy_deg: Vector3 | None = Field(None, description="roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll)")
    rpy_rad: Vector3 | None = Field(None, description="roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll)")
    one_of = (("rotation", "rpy_deg", "rpy_rad"),)

    def turn(self) -> Array:
        """The rotation given in whichever way, shape (3, 3)."""
        if self.rotation is not None:
            return np.array(self.rotation)
        if self.rpy_deg is not None:
            roll, pitch, yaw = (cos_sin(angle, "deg") for angle in self.rpy_deg)
        else:
            roll, pitch, yaw = (cos_sin(angle, "rad") for angle in self.rpy_rad or _ORIGIN)
        return turn_about(2, *yaw) @ turn_about(1, *pitch) @ turn_about(0, *roll)


class TransformSection(_Oriented):
    """A placement: a position and one of three ways to give a rotation."""

    xyz_m: Vector3 = Field(_ORIGIN, description="position in the parent's frame")

    def placement(self) -> Transform:
        """The transform it stands for."""
        return Transform(self.turn(), np.array(self.xyz_m))


class DhSection(Section):
    """One modified Denavit-Hartenberg row: Rotx(alpha) Transx(a) Rotz(theta) Transz(d)."""

    a_m: Number = Field(0.0, description="distance along x")
    alpha_deg: Number | None = Field(None, description="angle about x")
    alpha_rad: Number | None = Field(None, description="angle about x")
    d_m: Number = Field(0.0, description="distance along z")
    theta_deg: Number | None = Field(None, description="angle about z where the joint is at zero")
    theta_rad: Number | None = Field(None, description="angle about z where the joint is at zero")
    one_of = (("alpha_deg", "alpha_rad"), ("theta_deg", "theta_rad"))

    def placement(self) -> Transform:
        """The transform it stands for, at joint position zero."""
        alpha = self._cos_sin(self.alpha_deg, self.alpha_rad)
        theta = self._cos_sin(self.theta_deg, self.theta_rad)
        about_x = Transform(turn_about(0, *alpha), np.array([self.a_m, 0.0, 0.0]))
        return about_x @ Transform(turn_about(2, *theta), np.array([0.0, 0.0, self.d_m]))

    @staticmethod
    def _cos_sin(degrees: float | None, radians: float | None) -> tuple[float, float]:
        return cos_sin(degrees, "deg") if degrees is not None else cos_sin(radians or 0.0, "rad")


# The fields that may give each limit of a Joint; the first is the one that is written.
_Fields = dict[str, tuple[str, ...]]
_ANGULAR: _Fields = {
    "position": ("position_rad", "position_deg"),
    "rate": ("rate_rad_s", "rate_deg_s"),
    "acceleration": ("acceleration_rad_s2", "acceleration_deg_s2"),
    "torque": ("torque_Nm",),
}
_LINEAR: _Fields = {
    "position": ("position_m",),
    "rate": ("rate_m_s",),
    "acceleration": ("acceleration_m_s2",),
    "torque": ("force_N",),
}
LIMITS: dict[str, _Fields] = {
    "revolute": _ANGULAR,
    "continuous": {limit: names for limit, names in _ANGULAR.items() if limit != "position"},
    "prismatic": _LINEAR,
    "fixed": {},
}
_LIMIT_FIELDS = [name for table in (_ANGULAR, _LINEAR) for names in table.values() for name in names]


class JointSection(Section):
    """How a body moves on its parent. Limits that are not given do not exist."""

    name: Name = Field(description="a name of its own")
    kind: JointKind = Field(description="revolute, continuous, prismatic or fixed")
    axis: Axis = Field((0.0, 0.0, 1.0), description="in the body's frame")
    position_deg: Range | None = Field(None, description="lowest and highest; empty for no limit")
    position_rad: Range | None = Field(None, description="lowest and highest; empty for no limit")
    position_m: Range | None = Field(None, description="lowest and highest; empty for no limit")
    rate_deg_s: Limit | None = Field(None, description="largest rate")
    rate_rad_s: Limit | None = Field(None, description="largest rate")
    rate_m_s: Limit | None = Field(None, description="largest rate")
    acceleration_deg_s2: Limit | None = Field(None, description="largest acceleration")
    acceleration_rad_s2: Limit | None = Field(None, description="largest acceleration")
    acceleration_m_s2: Limit | None = Field(None, description="largest acceleration")
    torque_Nm: Limit | None = Field(None, description="largest torque")
    force_N: Limit | None = Field(None, description="largest force")
    drive: DriveSection | None = Field(None, description="friction, and the rotor behind the gear")
    one_of = tuple(names for names in _ANGULAR.values() if len(names) > 1)

    @field_validator(*_LIMIT_FIELDS)
    @classmethod
    def _fits_the_kind(cls, value: object, info: ValidationInfo) -> object:
        fitting = LIMITS.get(info.data.get("kind", ""))
        allowed = [name for names in (fitting or {}).values() for name in names]
        if value is not None and fitting is not None and info.field_name not in allowed:
            listed = ", ".join(allowed) or "no limits"
            raise ValueError(f"does not fit a {info.data['kind']} joint; allowed: {listed}")
        return value

    @field_validator("drive")
    @classmethod
    def _drives_the_kind(cls, value: DriveSection | None, info: ValidationInfo) -> DriveSection | None:
        if value is not None and "kind" in info.data:
            value.check(info.data["kind"])
        return value

    def driven(self) -> Drive:
        """Its drive; none given is one without friction and rotor."""
        return Drive() if self.drive is None else self.drive.drive(self.kind)

    def limits(self) -> dict[str, Any]:
        """The limits that are given, by their names in `Joint` (radians or metres)."""
        given: dict[str, Any] = {}
        for limit, names in LIMITS[self.kind].items():
            for name in names:
                value = getattr(self, name)
                if value is not None and "_deg" in name:
                    value = tuple(map(math.radians, value)) if limit == "position" else math.radians(value)
                if value is not None:
                    given[limit] = value
        return given


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

    centre_m: Vector3 = Field(_ORIGIN, description="in the body's frame")
    radius_m: Positive = Field(description="a number greater than zero")

    def solid(self) -> Sphere:
        """The solid it stands for."""
        return Sphere(np.array(self.centre_m), self.radius_m)


class EllipsoidSection(_Oriented):
    """An ellipsoid, its axes along the columns of its rotation."""

    centre_m: Vector3 = Field(_ORIGIN, description="in the body's frame")
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
        mass, moment = self.mass_kg, np.array(self.first_moment_kgm or _ORIGIN)
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
    gravity_m_s2: Vector3 = Field(_ORIGIN, description="in the inertial frame")
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
    points: dict[Name, PointSection] = Field(default_factory=dict, description="by name")
    separate: list[Name] = Field(
        default_factory=list, description="bodies on fixed joints that keep parameters of their own"
    )
