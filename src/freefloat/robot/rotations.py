"""Rotation vectors: exponential, logarithm, and how a change of the vector turns the rotation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array

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


def quaternion_product(a: Array, b: Array) -> Array:
    """First b, then a: the quaternion of R_a R_b, shape (..., 4)."""
    x1, y1, z1, w1 = np.moveaxis(a, -1, 0)
    x2, y2, z2, w2 = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
        ],
        axis=-1,
    )


def conjugate(quaternion: Array) -> Array:
    """The quaternion of the inverse rotation."""
    return quaternion * np.array([-1.0, -1.0, -1.0, 1.0])


def quaternions(rotation_vector: Array) -> Array:
    """Quaternions of rotation vectors [rad], shape (..., 3) -> (..., 4)."""
    angle = np.sqrt((rotation_vector**2).sum(axis=-1, keepdims=True))
    return np.concatenate([0.5 * np.sinc(angle / (2 * np.pi)) * rotation_vector, np.cos(angle / 2)], axis=-1)


def rotation_vectors(quaternion: Array) -> Array:
    """Rotation vectors [rad] of unit quaternions, the shorter way round, shape (..., 4) -> (..., 3)."""
    shorter = np.where(quaternion[..., 3:] < 0.0, -quaternion, quaternion)
    sine = np.sqrt((shorter[..., :3] ** 2).sum(axis=-1, keepdims=True))
    angle = 2.0 * np.arctan2(sine, shorter[..., 3:])
    return shorter[..., :3] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 2.0)


def quaternion_of(R: Array) -> Array:
    """The quaternion of a rotation matrix, shape (3, 3) -> (4,)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_quat(), float)


def turned(R: Array, vectors: Array) -> Array:
    """R v for every row; R: (n, 3, 3), vectors: (..., n, 3)."""
    x, y, z = np.moveaxis(vectors, -1, 0)[..., None]
    return R[:, :, 0] * x + R[:, :, 1] * y + R[:, :, 2] * z


def rotations(attitude: ArrayLike) -> Array:
    """R_IB, shape (n, 3, 3), from quaternions (x, y, z, w), shape (n, 4); they need not be normalised."""
    quaternion = np.asarray(attitude, float)
    x, y, z, w = (quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)).T
    R = np.empty((x.size, 3, 3))
    R[:, 0, 0], R[:, 0, 1], R[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    R[:, 1, 0], R[:, 1, 1], R[:, 1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    R[:, 2, 0], R[:, 2, 1], R[:, 2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    return R


def axial(M: Array) -> Array:
    """A (n, 3) with a . b = sum(M * [b x]) for every b; M (n, 3, 3)."""
    return M[:, [2, 0, 1], [1, 2, 0]] - M[:, [1, 2, 0], [2, 0, 1]]
