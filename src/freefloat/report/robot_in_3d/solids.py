"""Surfaces of simple solids as triangles with normals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from freefloat.arrays import Array
from freefloat.robot.shapes import Capsule, Ellipsoid, Shape, Sphere
from freefloat.robot.transform import Transform

_AROUND, _UP = 36, 20  # points around an axis, and from pole to pole
_COARSE = 16, 10  # the same of what is small in the picture


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """points: shape (n, 3) [m]. normals: outward, of length one, shape (n, 3). triangles: of points, shape (k, 3)."""

    points: Array
    normals: Array
    triangles: NDArray[np.int64]

    def placed(self, placement: Transform) -> Surface:
        """Seen from the frame that the placement is in."""
        R = placement.R
        return Surface(self.points @ R.T + placement.p, self.normals @ R.T, self.triangles)

    def thinner(self, by: float) -> Surface:
        """With every point a little further in [m]."""
        return Surface(self.points - by * self.normals, self.normals, self.triangles)

    def pieces(self, most: int) -> list[Surface]:
        """Parts of it with no more than so many points."""
        if len(self.points) <= most:
            return [self]
        parts = np.array_split(self.triangles, -(-3 * len(self.triangles) // most))
        return [self.some(triangles) for triangles in parts]

    def some(self, triangles: NDArray[np.int64]) -> Surface:
        """Some of its triangles, with no other points than theirs."""
        kept, places = np.unique(triangles, return_inverse=True)
        return Surface(self.points[kept], self.normals[kept], places.reshape(-1, 3).astype(np.int64))


def joined(surfaces: Sequence[Surface]) -> Surface:
    """Several as one."""
    first = np.cumsum([0, *(len(each.points) for each in surfaces)])
    return Surface(
        np.vstack([each.points for each in surfaces]),
        np.vstack([each.normals for each in surfaces]),
        np.vstack([each.triangles + start for each, start in zip(surfaces, first, strict=False)]),
    )


def hull(surfaces: Sequence[Surface]) -> Surface:
    """The smallest convex solid that holds several. Where it touches one of them it has its normals."""
    whole = joined(surfaces)
    found = ConvexHull(whole.points)
    corners = whole.points[found.simplices]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ij,ij->i", across, found.equations[:, :3]) < 0.0
    triangles = np.where(inward[:, None], found.simplices[:, ::-1], found.simplices)
    return whole.some(triangles)


def surface_of(shape: Shape) -> Surface:
    """Of a capsule, sphere or ellipsoid, in the frame of its body."""
    match shape:
        case Capsule():
            return capsule(shape.start, shape.end, shape.radius)
        case Sphere():
            return ellipsoid(shape.centre, np.eye(3) * shape.radius)
        case Ellipsoid():
            return ellipsoid(shape.centre, shape.rotation * shape.semi_axes)


def ellipsoid(centre: Array, axes: Array, small: bool = False) -> Surface:
    """axes: semi-axes as columns, shape (3, 3). small: in the picture, so that a few points will do."""
    unit, triangles = _unit_sphere(*_COARSE) if small else _unit_sphere()
    a, b, c = axes.T
    cofactors = np.column_stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)])
    mirrored = float(np.linalg.det(axes)) < 0.0
    normals = _unit(unit @ cofactors.T) * (-1.0 if mirrored else 1.0)
    return Surface(unit @ axes.T + centre, normals, triangles[:, ::-1] if mirrored else triangles)


def capsule(start: Array, end: Array, radius: float) -> Surface:
    """All points within the radius of a segment."""
    unit, triangles = _unit_sphere()
    normals = unit @ _frame(end - start).T
    upper = (unit[:, 2] > 0.0)[:, None]
    return Surface(radius * normals + np.where(upper, end, start), normals, triangles)


def cylinder(centre: Array, axis: Array, radius: float, half: float) -> Surface:
    """With flat ends, from half below the centre to half above it along an axis."""
    angle = np.linspace(0.0, 2.0 * np.pi, _AROUND, endpoint=False)
    around = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(_AROUND)])
    up = np.array([0.0, 0.0, 1.0])
    low, high = radius * around - half * up, radius * around + half * up
    points = np.vstack([low, high, low, high, [-half * up, half * up]])
    normals = np.vstack([around, around, np.tile(-up, (_AROUND, 1)), np.tile(up, (_AROUND, 1)), [-up, up]])
    k, after = np.arange(_AROUND), (np.arange(_AROUND) + 1) % _AROUND
    n, bottom, top = _AROUND, np.full(_AROUND, 4 * _AROUND), np.full(_AROUND, 4 * _AROUND + 1)
    triangles = np.vstack(
        [
            np.column_stack([k, after, n + k]),
            np.column_stack([after, n + after, n + k]),
            np.column_stack([bottom, 2 * n + after, 2 * n + k]),
            np.column_stack([top, 3 * n + k, 3 * n + after]),
        ]
    )
    R = _frame(axis)
    return Surface(points @ R.T + centre, normals @ R.T, triangles)


def box(centre: Array, axes: Array) -> Surface:
    """axes: half its edges as columns, shape (3, 3)."""
    sides = np.vstack([np.eye(3), -np.eye(3)])
    first, second = np.roll(sides, 1, axis=1), np.abs(np.roll(sides, 2, axis=1))  # each side is first x second
    corners = np.stack([sides + s * first + t * second for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))], axis=1)
    halves = np.array([[0, 1, 2], [0, 2, 3]])
    triangles = (4 * np.arange(6)[:, None, None] + halves).reshape(-1, 3)
    normals = _unit(np.repeat(sides, 4, axis=0) @ axes.T)
    return Surface(corners.reshape(-1, 3) @ axes.T + centre, normals, triangles)


def _frame(along: Array) -> Array:
    """A rotation whose third column points along a vector; any for one of no length."""
    length = float(np.linalg.norm(along))
    z = along / length if length > 1e-12 else np.array([0.0, 0.0, 1.0])
    x = np.cross(z, np.eye(3)[int(np.abs(z).argmin())])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _unit(vectors: Array) -> Array:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)


def _unit_sphere(many: int = _AROUND, rings: int = _UP) -> tuple[Array, NDArray[np.int64]]:
    """Rings from pole to pole, an even number of them: none lies on the equator, where capsules are cut."""
    polar = np.linspace(0.0, np.pi, rings)
    around = np.linspace(0.0, 2.0 * np.pi, many, endpoint=False)
    theta, phi = np.meshgrid(polar, around, indexing="ij")
    points = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], axis=-1)
    ring, place = np.meshgrid(np.arange(rings - 1), np.arange(many), indexing="ij")
    a, b = ring * many + place, ring * many + (place + 1) % many
    quads = np.stack([a, b, a + many, b + many], axis=-1).reshape(-1, 4)
    return points.reshape(-1, 3), np.vstack([quads[:, [0, 2, 1]], quads[:, [1, 2, 3]]])
