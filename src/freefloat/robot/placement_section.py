"""What a robot file may say of where something is and how it points, and what that means.

Angles in `_deg` turn into clean rotations (the cosine of 90 degrees is zero, not 6e-17), so that what is
exact on paper, such as the integer coefficients of a cluster of parameters, stays exact.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from freefloat.arrays import Array
from freefloat.files import Number, Section, Vector3, entries, shown
from freefloat.robot.transform import Transform, cos_sin, turn_about

ORIGIN = (0.0, 0.0, 0.0)


def _proper(rotation: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    R = np.array(rotation)
    if abs(R).max() > 1.1 or abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0.0:
        raise ValueError(f"is {shown(rotation)}; allowed: a rotation matrix (orthonormal rows, determinant 1)")
    return rotation


def _not_zero(axis: tuple[float, ...]) -> tuple[float, ...]:
    if max(map(abs, axis)) < 1e-9:
        raise ValueError(f"is {shown(axis)}; allowed: three numbers, not all zero")
    return axis


Rotation = Annotated[tuple[Vector3, Vector3, Vector3], entries(3, "rows of 3 numbers"), AfterValidator(_proper)]
Axis = Annotated[Vector3, AfterValidator(_not_zero)]


class Oriented(Section):
    """One of three ways to give a rotation."""

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
            roll, pitch, yaw = (cos_sin(angle, "rad") for angle in self.rpy_rad or ORIGIN)
        return turn_about(2, *yaw) @ turn_about(1, *pitch) @ turn_about(0, *roll)


class TransformSection(Oriented):
    """A placement: a position and one of three ways to give a rotation."""

    xyz_m: Vector3 = Field(ORIGIN, description="position in the parent's frame")

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
