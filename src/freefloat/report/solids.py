"""Surfaces of simple solids as triangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.robot.shapes import Capsule, Ellipsoid, Shape, Sphere
from freefloat.robot.transform import Array, Transform

_AROUND, _UP = 18, 10  # points around an axis, and from pole to pole


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """points: shape (n, 3) [m]. triangles: indices of points, shape (k, 3)."""

    points: Array
    triangles: NDArray[np.int64]

    def placed(self, placement: Transform) -> Surface:
        """Seen from the frame that the placement is in."""
        return Surface(self.points @ placement.R.T + placement.p, self.triangles)


def joined(surfaces: list[Surface]) -> Surface:
    """Several as one."""
    first = np.cumsum([0, *(len(each.points) for each in surfaces)])
    return Surface(
        np.vstack([each.points for each in surfaces]),
        np.vstack([each.triangles + start for each, start in zip(surfaces, first, strict=False)]),
    )


def surface_of(shape: Shape) -> Surface:
    """Of a capsule, sphere or ellipsoid, in the frame of its body."""
    match shape:
        case Capsule():
            return capsule(shape.start, shape.end, shape.radius)
        case Sphere():
            return ellipsoid(shape.centre, np.eye(3) * shape.radius)
        case Ellipsoid():
            return ellipsoid(shape.centre, shape.rotation * shape.semi_axes)


def ellipsoid(centre: Array, axes: Array) -> Surface:
    """axes: semi-axes as columns, shape (3, 3)."""
    unit, triangles = _unit_sphere()
    return Surface(unit @ axes.T + centre, triangles)


def capsule(start: Array, end: Array, radius: float) -> Surface:
    """All points within the radius of a segment."""
    unit, triangles = _unit_sphere()
    along = end - start
    length = float(np.linalg.norm(along))
    z = along / length if length > 1e-12 else np.array([0.0, 0.0, 1.0])
    x = np.cross(z, np.eye(3)[int(np.abs(z).argmin())])
    x /= np.linalg.norm(x)
    axes = np.column_stack([x, np.cross(z, x), z])
    upper = (unit[:, 2] > 0.0)[:, None]
    return Surface(radius * unit @ axes.T + np.where(upper, end, start), triangles)


def _unit_sphere() -> tuple[Array, NDArray[np.int64]]:
    """Rings from pole to pole, an even number of them: none lies on the equator, where capsules are cut."""
    polar = np.linspace(0.0, np.pi, _UP)
    around = np.linspace(0.0, 2.0 * np.pi, _AROUND, endpoint=False)
    theta, phi = np.meshgrid(polar, around, indexing="ij")
    points = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], axis=-1)
    ring, place = np.meshgrid(np.arange(_UP - 1), np.arange(_AROUND), indexing="ij")
    a, b = ring * _AROUND + place, ring * _AROUND + (place + 1) % _AROUND
    quads = np.stack([a, b, a + _AROUND, b + _AROUND], axis=-1).reshape(-1, 4)
    return points.reshape(-1, 3), np.vstack([quads[:, [0, 2, 1]], quads[:, [1, 2, 3]]])
