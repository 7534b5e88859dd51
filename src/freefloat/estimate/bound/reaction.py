"""The inverse of the base's inertia."""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot


def inverse_inertia(robot: Robot, A: Array) -> Array:
    """A_b^-1, shape (n, 6, 6), zero in what the base cannot do; A: shape (n, 6, 6 + joints)."""
    allowed = allowed_rows(robot)
    inverse = np.zeros((A.shape[0], 6, 6))
    inverse[:, allowed[:, None], allowed] = np.linalg.inv(A[:, allowed[:, None], allowed])
    return inverse
