"""Rotations and rigid transforms, as used to place bodies.

Notation: `R_AB` and `p_AB` take coordinates in B to coordinates in A. Roll-pitch-yaw is the URDF
convention, `R = Rz(yaw) Ry(pitch) Rx(roll)`. Right angles give exact zeros and ones, so that whatever is
a whole number on paper stays one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, frozen_array
from freefloat.frozen import Content


def skew(v: ArrayLike) -> Array:
    """The matrix [v x], shape (3, 3), of the cross product with v."""
    x, y, z = np.asarray(v, dtype=np.float64)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation_about(axis: ArrayLike, angle: float) -> Array:
    """Rotation by `angle` [rad] about the unit vector `axis` (Rodrigues)."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def cos_sin(angle: float, unit: Literal["deg", "rad"]) -> tuple[float, float]:
    """Cosine and sine, exact where they are 0, 1/2 or 1 on paper."""
    if unit == "rad":
        # 1e-15 is the rounding of pi itself, and no angle that anybody has measured
        cosine, sine = (0.0 if abs(x) < 1e-15 else x for x in (math.cos(angle), math.sin(angle)))
        return cosine, sine
    rest = math.remainder(angle, 90.0)  # exact, within 45 degrees of zero
    c, s = math.cos(math.radians(rest)), math.sin(math.radians(rest))
    if abs(rest) == 30.0:
        s = math.copysign(0.5, rest)
    if abs(rest) == 45.0:
        c, s = math.sqrt(0.5), math.copysign(math.sqrt(0.5), rest)
    quarters = round((angle - rest) / 90.0) % 4
    return ((c, s), (-s, c), (-c, -s), (s, -c))[quarters]


def turn_about(axis: int, cosine: float, sine: float) -> Array:
    """Rotation about the coordinate axis 0, 1 or 2, shape (3, 3)."""
    R = np.eye(3)
    after, last = (axis + 1) % 3, (axis + 2) % 3
    R[after, after] = R[last, last] = cosine
    R[last, after], R[after, last] = sine, -sine
    return R


def rotation_from_rpy(rpy: ArrayLike) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll) from (roll, pitch, yaw) [rad]."""
    roll, pitch, yaw = (cos_sin(float(angle), "rad") for angle in np.asarray(rpy, float))
    return turn_about(2, *yaw) @ turn_about(1, *pitch) @ turn_about(0, *roll)


def rpy_from_rotation(R: Array) -> Array:
    """(roll, pitch, yaw) [rad] of a rotation matrix; at the singularity roll is zero."""
    cp = float(np.hypot(R[0, 0], R[1, 0]))
    pitch = float(np.arctan2(-R[2, 0], cp))
    if cp < 1e-12:
        return np.array([0.0, pitch, float(np.arctan2(-R[0, 1], R[1, 1]))])
    # Taking roll from what yaw and pitch leave over keeps full precision near the singularity.
    yaw = float(np.arctan2(R[1, 0], R[0, 0]))
    sy, cy = np.sin(yaw), np.cos(yaw)
    roll = float(np.arctan2(sy * R[0, 2] - cy * R[1, 2], cy * R[1, 1] - sy * R[0, 1]))
    return np.array([roll, pitch, yaw])


@dataclass(frozen=True, slots=True, eq=False)
class Transform(Content):
    """A rigid placement of frame B in frame A.

    R: rotation R_AB, shape (3, 3).
    p: origin of B in A [m], shape (3,).
    """

    R: Array = field(default_factory=lambda: np.eye(3))
    p: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        object.__setattr__(self, "R", frozen_array(self.R, (3, 3)))
        object.__setattr__(self, "p", frozen_array(self.p, (3,)))

    def __matmul__(self, other: Transform) -> Transform:
        """The placement of C in A from that of B in A and of C in B."""
        return Transform(self.R @ other.R, self.p + self.R @ other.p)

    def inverse(self) -> Transform:
        """The placement of A in B."""
        return Transform(self.R.T, -self.R.T @ self.p)

    @classmethod
    def from_rpy(cls, xyz: ArrayLike, rpy: ArrayLike) -> Transform:
        """Placement from a position [m] and roll-pitch-yaw angles [rad]."""
        return cls(rotation_from_rpy(rpy), np.asarray(xyz, float))


def rotation_to(axis: Array) -> Array:
    """A rotation that takes z to this unit vector, shape (3, 3)."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(helper, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])
