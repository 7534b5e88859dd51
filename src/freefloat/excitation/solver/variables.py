"""What a search varies: the coefficients of a trajectory in coordinates of equal weight.

    coefficients = start + P y

A step of one in a coordinate of y moves a channel by about its limits, whatever its unit. Ends at rest are built in
where the shape does not have them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, null_space, solve_triangular

from freefloat.arrays import Array
from freefloat.motion.combined import Combined
from freefloat.motion.limits import limits_of
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot

_INSTANTS = 400


@dataclass(frozen=True, eq=False)
class Variables:
    """Coordinates y of the motions of one shape.

    shape: a trajectory of the family. start: coefficients at y = 0, (k, channels). P: (k * channels, size).
    """

    shape: Trajectory
    start: Array
    P: Array

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return int(self.P.shape[1])

    def coefficients(self, y: Array) -> Array:
        """Shape (k, channels)."""
        return self.start + (self.P @ y).reshape(self.start.shape)

    def trajectory(self, y: Array) -> Trajectory:
        """The motion."""
        return self.shape.with_coefficients(self.coefficients(y))

    def coordinates(self, coefficients: Array) -> Array:
        """The y nearest to given coefficients, shape (size,)."""
        y, *_ = np.linalg.lstsq(self.P, (coefficients - self.start).ravel(), rcond=None)
        return np.asarray(y, float)


def variables_of(robot: Robot, shape: Trajectory, rest: bool) -> Variables:
    """Coordinates of all motions of this shape; rest: that start and end with neither rate nor acceleration."""
    t = np.linspace(0.0, shape.duration_s, _INSTANTS)
    linear, ends = shape.linear_map(t), shape.linear_map([0.0, shape.duration_s])
    limits = limits_of(robot, shape.channels)
    span = limits.highest - limits.lowest
    scales = np.stack(
        [np.where(np.isfinite(each), each, 0.0) for each in (0.5 * span, limits.rate, limits.acceleration)]
    )
    scales[0] = np.where((scales == 0.0).all(axis=0), 1.0, scales[0])
    start = np.zeros_like(shape.coefficients)
    columns, free = [], _free(shape)
    for channel in range(len(shape.channels)):
        own = np.eye(start.shape[0])[:, free[:, channel]]
        if rest:
            at_ends = np.vstack([ends.basis_rate, ends.basis_acceleration]) @ own
            wanted = -np.concatenate([ends.offset_rate[:, channel], ends.offset_acceleration[:, channel]])
            scale = max(float(np.abs(at_ends).max(initial=0.0)), 1e-300)
            start[:, channel] = own @ np.linalg.lstsq(at_ends / scale, wanted / scale, rcond=1e-9)[0]
            if np.abs(at_ends).max(initial=0.0) > 1e-9 * max(1.0, np.abs(linear.basis_rate @ own).max(initial=0.0)):
                own = own @ null_space(at_ends / scale, rcond=1e-9)
        moved = [
            basis @ own / size
            for basis, size in zip(
                (linear.basis, linear.basis_rate, linear.basis_acceleration), scales[:, channel], strict=True
            )
            if size > 0.0
        ]
        R = np.asarray(np.linalg.qr(np.vstack(moved) / np.sqrt(_INSTANTS), mode="r"), float)
        block = np.zeros((*start.shape, own.shape[1]))
        block[:, channel] = solve_triangular(R.T, own.T, lower=True).T
        columns.append(block.reshape(-1, own.shape[1]))
    return Variables(shape, start, np.hstack(columns))


def _free(shape: Trajectory) -> NDArray[np.bool_]:
    """Which coefficients may vary, shape (k, channels)."""
    if not isinstance(shape, Combined):
        return np.ones(shape.coefficients.shape, dtype=bool)
    blocks = [np.ones(part.coefficients.shape) for part in shape.parts]
    return np.asarray(block_diag(*blocks) > 0.0)
