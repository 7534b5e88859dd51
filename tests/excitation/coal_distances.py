"""Distances by coal, the collision library that Pinocchio brings."""

import coal
import numpy as np

from freefloat.robot.shapes import Capsule, Sphere

# coal's iteration for ellipsoids is best at this: with 1e-8 it stops early, with 1e-12 rounding leads it astray
GJK_TOLERANCE = 1e-9


def coal_distance(a, R_a, p_a, b, R_b, p_b):
    """Signed distance of two shapes of bodies with these poses."""
    request = coal.DistanceRequest()
    request.gjk_tolerance = request.epa_tolerance = GJK_TOLERANCE
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    return coal.distance(*_placed(a, R_a, p_a), *_placed(b, R_b, p_b), request, coal.DistanceResult())


def _placed(shape, R, p):
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius), coal.Transform3s(R, R @ shape.centre + p)
    if isinstance(shape, Capsule):
        step = shape.end - shape.start
        middle = R @ (0.5 * (shape.start + shape.end)) + p
        return coal.Capsule(shape.radius, np.linalg.norm(step)), coal.Transform3s(_along(R @ step), middle)
    return coal.Ellipsoid(*shape.semi_axes), coal.Transform3s(R @ shape.rotation, R @ shape.centre + p)


def _along(direction):
    """A rotation whose z axis has this direction."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)
