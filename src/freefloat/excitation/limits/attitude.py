"""Attitude of the base: boxes for roll, pitch and yaw, and cones.

Roll, pitch and yaw are those of R_IB = Rz(yaw) Ry(pitch) Rx(roll). A small rotation alpha in base axes,
R -> R exp(alpha), changes them by

    droll  = alpha_x + tan(pitch) (sin(roll) alpha_y + cos(roll) alpha_z)
    dpitch = cos(roll) alpha_y - sin(roll) alpha_z
    dyaw   = (sin(roll) alpha_y + cos(roll) alpha_z) / cos(pitch).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from freefloat.arrays import Array
from freefloat.excitation.limits.box import BoxLimit
from freefloat.excitation.limits.limit import Limit, LimitFields
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.files import Number, Positive, Section, Vector3, entries
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.robot.model import Robot

Angle = Literal["roll", "pitch", "yaw"]
_UPRIGHT = 1e-12  # squared cosine of a pitch where roll and yaw are no longer told apart


@dataclass(frozen=True, eq=False)
class BaseAttitude(BoxLimit):
    """lowest <= roll, pitch or yaw of the base <= highest [rad]; of: which of the three.

    Roll and yaw are counted from the middle of their box, half a turn either way.
    """

    title = "base {}"
    of: Angle

    def __post_init__(self) -> None:
        if self.of not in ("roll", "pitch", "yaw"):
            raise InvalidTrajectory(f"base angle is {self.of!r}; allowed: roll, pitch, yaw")
        super().__post_init__()

    def values(self, motion: PlannedMotion) -> Array:
        """The angle at every instant, shape (n,) [rad]."""
        R = motion.attitude
        if self.of == "pitch":
            return np.arctan2(-R[:, 2, 0], np.hypot(R[:, 0, 0], R[:, 1, 0]))
        angle = np.arctan2(R[:, 2, 1], R[:, 2, 2]) if self.of == "roll" else np.arctan2(R[:, 1, 0], R[:, 0, 0])
        bounded = np.isfinite([self.lowest, self.highest]).all()
        middle = 0.5 * (self.lowest + self.highest) if bounded else 0.0
        return middle + np.remainder(angle - middle + np.pi, 2.0 * np.pi) - np.pi

    def slopes(self, motion: PlannedMotion, at: NDArray[np.int64]) -> Array:
        """Of the angle, shape (len(at), k * channels)."""
        sine, across, upright = motion.attitude[at, 2].T  # -sin(p), sin(r) cos(p), cos(r) cos(p)
        square = np.maximum(across**2 + upright**2, _UPRIGHT)
        zero = np.zeros(at.size)
        by_turn = {
            "roll": (zero + 1.0, -sine * across / square, -sine * upright / square),
            "pitch": (zero, upright / np.sqrt(square), -across / np.sqrt(square)),
            "yaw": (zero, across / square, upright / square),
        }[self.of]
        return np.einsum("in,nij->nj", by_turn, motion.turn[at])


@dataclass(frozen=True, eq=False)
class BaseCone(Limit):
    """An axis of the base within a cone about an axis of the inertial frame.

    axis, about: in the base and in the inertial frame, shape (3,), of any length. half_angle: [rad], below pi.
    The margin is (cos(angle) - cos(half_angle)) / (half_angle sin(half_angle)), smooth at the cone's axis too.
    """

    axis: Array
    about: Array
    half_angle: float
    name: str = "base cone"
    size: float = field(init=False)
    unit = "rad"

    def __post_init__(self) -> None:
        if not 0.0 < self.half_angle < np.pi:
            raise InvalidTrajectory(f"half angle of {self.name} is {self.half_angle:g} rad; allowed: between 0 and pi")
        for which in ("axis", "about"):
            vector = np.array(getattr(self, which), dtype=np.float64)
            if vector.shape != (3,) or not np.isfinite(vector).all() or not vector.any():
                raise InvalidTrajectory(f"{which} of {self.name} is {vector}; allowed: three numbers, not all zero")
            object.__setattr__(self, which, vector / np.linalg.norm(vector))
        object.__setattr__(self, "size", float(self.half_angle))

    def margins(self, motion: PlannedMotion) -> Array:
        """One at every instant, shape (n,)."""
        cosine = self._seen(motion.attitude) @ self.axis
        return (cosine - np.cos(self.half_angle)) / (self.half_angle * np.sin(self.half_angle))

    def jacobian(self, motion: PlannedMotion, rows: NDArray[np.int64]) -> Array:
        """Derivative of the chosen margins, shape (len(rows), k * channels)."""
        by_turn = np.cross(self.axis, self._seen(motion.attitude[rows]))  # b . (alpha x a) = alpha . (a x b)
        scale = self.half_angle * np.sin(self.half_angle)
        return np.einsum("ni,nij->nj", by_turn / scale, motion.turn[rows])

    def instants(self, motion: PlannedMotion) -> Array:
        """All instants of the grid, shape (n,) [s]."""
        return motion.t

    def slack(self, motion: PlannedMotion) -> float:
        """Half angle less the largest angle [rad]."""
        seen = self._seen(motion.attitude)
        angle = np.arctan2(np.linalg.norm(np.cross(self.axis, seen), axis=1), seen @ self.axis)
        return self.half_angle - float(angle.max(initial=-np.inf))

    def _seen(self, attitude: Array) -> Array:
        """The inertial axis in base axes, shape (n, 3)."""
        return np.einsum("nij,i->nj", attitude, self.about)


class AttitudeBoxes(Section):
    """Roll, pitch and yaw that the base may reach."""

    roll: Annotated[tuple[Number, Number], entries(2)] | None = Field(
        default=None, description="least and largest about x; any unless given"
    )
    pitch: Annotated[tuple[Number, Number], entries(2)] | None = Field(
        default=None, description="least and largest about y; any unless given"
    )
    yaw: Annotated[tuple[Number, Number], entries(2)] | None = Field(
        default=None, description="least and largest about z; any unless given"
    )


class AttitudeCone(Section):
    """How far an axis of the base, an antenna's for instance, may turn from a direction."""

    base_axis: Vector3 = Field(description="the axis, in base axes")
    inertial_axis: Vector3 = Field(description="the direction that it stays near, in inertial axes")
    half_angle_deg: Positive = Field(description="the largest angle between the two")


class AttitudeFields(LimitFields):
    """Boxes of roll, pitch and yaw, and a cone."""

    base_attitude_deg: AttitudeBoxes | None = Field(default=None, description="roll, pitch and yaw that are allowed")
    base_cone: AttitudeCone | None = Field(default=None, description="an axis of the base that stays near a direction")

    def limits(self, robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
        """Of the base's attitude."""
        found: list[Limit] = []
        for angle in ("roll", "pitch", "yaw") if self.base_attitude_deg is not None else ():
            box = getattr(self.base_attitude_deg, angle)
            if box is not None:
                low, high = np.radians(box).tolist()
                found.append(BaseAttitude(angle, low, high))
        if self.base_cone is not None:
            axes = (np.array(self.base_cone.base_axis), np.array(self.base_cone.inertial_axis))
            found.append(BaseCone(*axes, float(np.radians(self.base_cone.half_angle_deg))))
        return tuple(found)
