"""Rotation vectors: exponential, logarithm, and how a change of the vector turns the rotation."""

from __future__ import annotations

import numpy as np

from freefloat.robot.transform import Array

_SMALL = 1e-4  # of an angle: below, series


def exponential(vectors: Array) -> Array:
    """Rotation matrices, (n, 3, 3), of rotation vectors (n, 3) [rad]."""
    first, second, _ = _factors(vectors)
    K = cross_matrices(vectors)
    return np.eye(3) + first[:, None, None] * K + second[:, None, None] * (K @ K)


def logarithm(rotations: Array) -> Array:
    """Rotation vectors (n, 3), angles up to pi, of matrices (n, 3, 3) [rad]."""
    twist = 0.5 * np.stack(
        [
            rotations[:, 2, 1] - rotations[:, 1, 2],
            rotations[:, 0, 2] - rotations[:, 2, 0],
            rotations[:, 1, 0] - rotations[:, 0, 1],
        ],
        axis=1,
    )
    sine = np.linalg.norm(twist, axis=1)
    angle = np.arctan2(sine, 0.5 * (np.trace(rotations, axis1=1, axis2=2) - 1.0))
    factor = np.where(sine > _SMALL, angle / np.where(sine > 0.0, sine, 1.0), 1.0 + sine**2 / 6.0)
    return factor[:, None] * twist


def right_jacobian(vectors: Array) -> Array:
    """J, (n, 3, 3), with exp(vector + change) = exp(vector) exp(J change) for a small change."""
    _, second, third = _factors(vectors)
    K = cross_matrices(vectors)
    return np.eye(3) - second[:, None, None] * K + third[:, None, None] * (K @ K)


def _factors(vectors: Array) -> tuple[Array, Array, Array]:
    """The factors sin a / a, (1 - cos a) / a^2, (a - sin a) / a^3."""
    a = np.linalg.norm(vectors, axis=1)
    s = np.where(a > _SMALL, a, 1.0)
    first = np.where(a > _SMALL, np.sin(s) / s, 1.0 - a**2 / 6.0)
    second = np.where(a > _SMALL, 2.0 * np.sin(s / 2.0) ** 2 / s**2, 0.5 - a**2 / 24.0)
    third = np.where(a > _SMALL, (s - np.sin(s)) / s**3, 1.0 / 6.0 - a**2 / 120.0)
    return first, second, third


def cross_matrices(vectors: Array) -> Array:
    """[v]x, shape (n, 3, 3), of vectors (n, 3): [v]x a = v x a."""
    K = np.zeros((vectors.shape[0], 3, 3))
    x, y, z = vectors.T
    K[:, 2, 1], K[:, 0, 2], K[:, 1, 0] = x, y, z
    K[:, 1, 2], K[:, 2, 0], K[:, 0, 1] = -x, -y, -z
    return K
