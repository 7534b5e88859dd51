"""What a base can do: a free one all six velocities, a planar one three, a fixed one none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.robot.model import Robot


def allowed_rows(robot: Robot) -> NDArray[np.int64]:
    """Numbers of the six velocities that the base can have."""
    rows = {"free": [0, 1, 2, 3, 4, 5], "planar": [0, 1, 5], "fixed": []}[robot.base]
    return np.array(rows, dtype=np.int64)


def sliding_axes(robot: Robot) -> NDArray[np.int64]:
    """Numbers of the axes along which the base can move."""
    allowed = allowed_rows(robot)
    return allowed[allowed < 3]


def turning_axes(robot: Robot) -> NDArray[np.int64]:
    """Numbers of the axes about which the base can turn."""
    allowed = allowed_rows(robot)
    return allowed[allowed >= 3] - 3
