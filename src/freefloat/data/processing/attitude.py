"""Attitude from angular rates: exact rotations from sample to sample, of order four in the sample interval.

From one sample to the next the base turns by the rotation vector

    phi = integral of w dt + h^2 / 12 w_0 x w_1

(W. Magnus, "On the exponential solution of differential equations for a linear operator", 1954, to order four;
the sign is for R' = R [w x], rates in body axes), with the integral of the cubic spline through the rates. The
turns are multiplied up in pairs, then pairs of pairs, and so on, which takes log n steps over all samples
instead of n, and collects less rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.motion.trajectory import Motion
from freefloat.robot.rotations import conjugate, quaternion_product, quaternions


def integrate_rates(t: ArrayLike, rates: ArrayLike, start: ArrayLike | None = None) -> Array:
    """Unit quaternions of R_IB, scalar last, shape (n, 4), of a body that turns with these rates.

    t: shape (n,) [s], even or not. rates: body axes, shape (n, 3) [rad/s].
    start: attitude at the first sample, shape (4,); the inertial frame's unless given.
    """
    times, w = np.asarray(t, float), np.asarray(rates, float)
    if times.ndim != 1 or w.shape != (times.size, 3) or times.size < 2:
        raise ShapeError(f"rates must have shape ({times.size}, 3), at least two of them, found {w.shape}")
    first = np.array([0.0, 0.0, 0.0, 1.0]) if start is None else np.asarray(start, float)
    turned = running_product(quaternions(turns(times, w)))
    attitude = quaternion_product(first / np.linalg.norm(first), turned)
    return np.concatenate([first[None] / np.linalg.norm(first), attitude])


def turns(t: Array, w: Array) -> Array:
    """Rotation vector from each sample to the next, shape (n - 1, 3) [rad]."""
    integral = np.asarray(CubicSpline(t, w).antiderivative()(t), float)
    h = np.diff(t)[:, None]
    return np.diff(integral, axis=0) + h**2 / 12.0 * np.cross(w[:-1], w[1:])


def running_product(steps: Array) -> Array:
    """steps[0], steps[0] steps[1], ... of unit quaternions, shape (n, 4)."""
    product, reach = steps.copy(), 1
    while reach < len(product):
        product[reach:] = quaternion_product(product[:-reach], product[reach:])
        product /= np.linalg.norm(product, axis=1, keepdims=True)
        reach *= 2
    return product


def rates_of(motion: Motion) -> Array:
    """Body rates, shape (n, 3) [rad/s], of quaternions (n, 4) whose time derivatives are known."""
    square = (motion.position**2).sum(axis=1, keepdims=True)
    return 2.0 * quaternion_product(conjugate(motion.position), motion.rate)[:, :3] / square
