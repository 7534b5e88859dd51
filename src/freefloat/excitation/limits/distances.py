"""Exact distances between capsules, spheres and ellipsoids as their bodies move, and what they need to be derived.

A capsule is a segment, a sphere a point, each with a radius; their distance from anything is that of the centre line
less the radius. Where shapes overlap it is negative: less the shift that parts them, of several the one at hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.limits import distance_kernels
from freefloat.robot.shapes import Capsule, Ellipsoid, Shape, Sphere


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """Closest points of two shapes at n instants, all in the axes of the poses given.

    distance: shape (n,) [m]; negative where the shapes overlap.
    on_a, on_b: closest points, of an ellipsoid on its surface, else on the centre line, shape (n, 3) [m].
    normal: unit vector from a to b, shape (n, 3). With both points fixed in their bodies,
        d distance = normal . (velocity of on_b - velocity of on_a).
    """

    distance: Array
    on_a: Array
    on_b: Array
    normal: Array


def distances(a: Shape, R_a: Array, p_a: Array, b: Shape, R_b: Array, p_b: Array) -> Distances:
    """Distances of two shapes whose bodies have rotations R (n, 3, 3) and origins p (n, 3) [m]."""
    if isinstance(a, Ellipsoid) and not isinstance(b, Ellipsoid):
        found = distances(b, R_b, p_b, a, R_a, p_a)
        return Distances(found.distance, found.on_b, found.on_a, -found.normal)
    n = p_a.shape[0]
    out = np.empty(n), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    if isinstance(a, Ellipsoid) and isinstance(b, Ellipsoid):
        distance_kernels.ellipsoids(*_ellipsoid(a, R_a, p_a), *_ellipsoid(b, R_b, p_b), *out)
    elif isinstance(b, Ellipsoid):
        distance_kernels.segment_ellipsoid(*_segment(a, R_a, p_a), *_ellipsoid(b, R_b, p_b), *out)
    else:
        distance_kernels.segments(*_segment(a, R_a, p_a), *_segment(b, R_b, p_b), *out)
    return Distances(out[0] - _radius(a) - _radius(b), *out[1:])


def _radius(shape: Shape) -> float:
    return 0.0 if isinstance(shape, Ellipsoid) else shape.radius


def _segment(shape: Shape, R: Array, p: Array) -> tuple[Array, Array]:
    """Both ends of the centre line, shape (n, 3)."""
    if isinstance(shape, Capsule):
        return R @ shape.start + p, R @ shape.end + p
    assert isinstance(shape, Sphere)
    centre = R @ shape.centre + p
    return centre, centre


def _ellipsoid(shape: Ellipsoid, R: Array, p: Array) -> tuple[Array, Array, Array]:
    """Centre (n, 3), axes (n, 3, 3) and semi-axes (3,)."""
    return R @ shape.centre + p, R @ shape.rotation, np.array(shape.semi_axes)
