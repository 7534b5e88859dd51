"""Simple solids that stand for a body where clearance matters, in the body's frame, metres."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from freefloat.arrays import Array, frozen_array
from freefloat.errors import InvalidRobot
from freefloat.frozen import Content


def _position(shape: str, what: str, values: Array) -> Array:
    if not np.isfinite(values).all():
        raise InvalidRobot(shape, f"{what} is {values}; allowed: three finite numbers")
    return frozen_array(values, (3,))


def _positive(shape: str, what: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0.0):
        raise InvalidRobot(shape, f"{what} is {value} m; allowed: a positive number")


@dataclass(frozen=True, slots=True, eq=False)
class Capsule(Content):
    """All points within `radius` [m] of the segment from `start` to `end`, each of shape (3,)."""

    start: Array
    end: Array
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", _position("capsule", "start", self.start))
        object.__setattr__(self, "end", _position("capsule", "end", self.end))
        _positive("capsule", "radius", self.radius)


@dataclass(frozen=True, slots=True, eq=False)
class Sphere(Content):
    """A ball about `centre`, shape (3,), of this `radius` [m]."""

    centre: Array
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", _position("sphere", "centre", self.centre))
        _positive("sphere", "radius", self.radius)


@dataclass(frozen=True, slots=True, eq=False)
class Ellipsoid(Content):
    """An ellipsoid about `centre` with `semi_axes` [m] along the columns of `rotation`, shape (3, 3)."""

    centre: Array
    semi_axes: Array
    rotation: Array = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", _position("ellipsoid", "centre", self.centre))
        object.__setattr__(self, "semi_axes", frozen_array(self.semi_axes, (3,)))
        object.__setattr__(self, "rotation", frozen_array(self.rotation, (3, 3)))
        for length in self.semi_axes:
            _positive("ellipsoid", "semi-axis", float(length))


Shape = Capsule | Sphere | Ellipsoid
