"""Shapes that a body does not reach out of, as sums of its mass distribution that must not be negative.

A body has mass inside a shape only. Where q(x) = [x, 1]^T Q [x, 1] is not negative anywhere in the shape, neither is
its sum over the mass, tr(J Q).

- Ellipsoid (x - c)^T S^-1 (x - c) <= 1: Q = [[-S^-1, S^-1 c], [(S^-1 c)^T, 1 - c^T S^-1 c]]. With J > 0 it says all:
  some distribution of mass inside the ellipsoid has these parameters (Wensing, Kim, Slotine, RA-L 2018).
- Box: the product of the distances from any two of its six sides, the three pairs of opposite ones (slabs) and twelve
  others. With J > 0 these say all in two dimensions and nearly all in three (Anstreicher, Burer, "Computable
  representations for convex hulls of low-dimensional quadratic forms", Mathematical Programming 2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from freefloat.arrays import Array, frozen_array
from freefloat.errors import InvalidRobot
from freefloat.frozen import Content
from freefloat.robot.model import Robot
from freefloat.robot.shapes import Capsule, Ellipsoid, Shape, Sphere
from freefloat.robot.transform import Transform


@dataclass(frozen=True, slots=True, eq=False)
class Box(Content):
    """A box about `centre`, shape (3,) [m], with half its sides [m] along the columns of `rotation`, shape (3, 3)."""

    centre: Array
    half_sides: Array
    rotation: Array = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", frozen_array(self.centre, (3,)))
        object.__setattr__(self, "half_sides", frozen_array(self.half_sides, (3,)))
        object.__setattr__(self, "rotation", frozen_array(self.rotation, (3, 3)))
        if not (
            np.isfinite(self.centre).all() and np.isfinite(self.half_sides).all() and (self.half_sides > 0.0).all()
        ):
            raise InvalidRobot("box", f"has half sides {self.half_sides} m; allowed: a finite place, positive numbers")


Bound = Ellipsoid | Box


def bounding_forms(bound: Bound) -> Array:
    """Q of a shape, each tr(J Q) >= 0, shape (forms, 4, 4)."""
    return _of_box(bound) if isinstance(bound, Box) else _of_ellipsoid(bound)[None]


def boxes_about_shapes(robot: Robot) -> dict[str, Box]:
    """The box, in the axes of each moving body, about the shapes of all that is fixed to it; none where it has none."""
    reach: dict[str, list[Array]] = {}
    for body in robot.bodies:
        index, placement = robot.tree.carried[body.name]
        reach.setdefault(robot.tree.names[index], []).extend(_ends(shape, placement) for shape in body.shapes)
    return {name: _box_about(ends) for name, ends in reach.items() if ends}


def _of_ellipsoid(ellipsoid: Ellipsoid) -> Array:
    S = ellipsoid.rotation @ np.diag(ellipsoid.semi_axes**-2) @ ellipsoid.rotation.T
    Q, turned = np.empty((4, 4)), S @ ellipsoid.centre
    Q[:3, :3], Q[:3, 3], Q[3, :3] = -S, turned, turned
    Q[3, 3] = 1.0 - ellipsoid.centre @ turned
    return Q


def _of_box(box: Box) -> Array:
    """Products of two sides' distances, over half the lengths of the box; (15, 4, 4)."""
    sides = []
    for axis, half in zip(box.rotation.T, box.half_sides, strict=True):
        along = np.append(axis, -axis @ box.centre) / half
        sides += [np.eye(4)[3] - along, np.eye(4)[3] + along]
    return np.array([0.5 * (np.outer(one, two) + np.outer(two, one)) for one, two in combinations(sides, 2)])


def _ends(shape: Shape, placement: Transform) -> Array:
    """Least and greatest coordinates of a placed shape, (2, 3) [m]."""
    match shape:
        case Capsule():
            centres, reach = np.stack([shape.start, shape.end]), np.full(3, shape.radius)
        case Sphere():
            centres, reach = shape.centre[None], np.full(3, shape.radius)
        case Ellipsoid():
            centres = shape.centre[None]
            reach = np.linalg.norm(placement.R @ shape.rotation * shape.semi_axes, axis=1)
    placed = centres @ placement.R.T + placement.p
    return np.stack([placed.min(axis=0) - reach, placed.max(axis=0) + reach])


def _box_about(ends: Sequence[Array]) -> Box:
    low, high = np.min([each[0] for each in ends], axis=0), np.max([each[1] for each in ends], axis=0)
    return Box(0.5 * (low + high), 0.5 * (high - low))
