"""The functions that joint motion is written in: those of the command, a constant, and splines as far as needed.

On the samples the columns are orthonormal, so that coefficients of white noise are as white and as large as the
noise itself. Rates and accelerations come from the exact derivatives of the same functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline

from freefloat.arrays import Array
from freefloat.motion.spline import clamped
from freefloat.motion.trajectory import LinearMap, Motion, Trajectory

RICHEST = 64  # functions of a command beyond which it is no basis to project on, only a motion to compare with
_DEGREE = 5
_DEPENDENT = 1e-9  # of the largest singular value


@dataclass(frozen=True, slots=True, eq=False)
class ProjectionBasis:
    """Functions of time, orthonormal on the samples they were made for.

    command: the commanded motion. start_s: when it began, on the recording's clock [s].
    pieces: intervals of the splines that enrich it; zero for none.
    weights: from raw functions to orthonormal ones, shape (raw, k).
    """

    command: Trajectory
    start_s: float
    pieces: int
    weights: Array

    @classmethod
    def on(cls, command: Trajectory, start_s: float, pieces: int, t: ArrayLike) -> ProjectionBasis:
        """Made for samples at times t, shape (n,), within the command [s]."""
        raw = _raw(command, pieces, command.linear_map(np.asarray(t, float) - start_s), 0)
        scale = np.linalg.norm(raw, axis=0)
        scale = np.where(scale > 0.0, scale, 1.0)
        R = np.linalg.qr(raw / scale, mode="r")
        _, size, V_t = np.linalg.svd(R)
        kept = size > _DEPENDENT * size[0]
        return cls(command, start_s, pieces, V_t[kept].T / size[kept] / scale[:, None])

    @property
    def terms(self) -> int:
        """How many functions there are."""
        return int(self.weights.shape[1])

    def at(self, t: ArrayLike, order: int = 0) -> Array:
        """Derivative of this order of all functions at times t, shape (n,) [s] -> (n, k)."""
        found = self.command.linear_map(np.asarray(t, float) - self.start_s)
        return _raw(self.command, self.pieces, found, order) @ self.weights

    def derivatives(self, found: LinearMap) -> tuple[Array, Array, Array]:
        """All functions and their first two derivatives, each (n, k), where the command's are already known."""
        position, rate, acceleration = (_raw(self.command, self.pieces, found, order) for order in range(3))
        return position @ self.weights, rate @ self.weights, acceleration @ self.weights


def given_motion(command: Trajectory, names: tuple[str, ...], found: LinearMap) -> Motion:
    """What moves without coefficients: all of the command if its basis is too rich.

    names: of joints; one that the command does not move rests at zero. found: the command at the times asked for.
    """
    if command.coefficients.shape[0] > RICHEST:
        return chosen_motion(found.motion(command.coefficients), command.channels, names)
    still = Motion(found.t, found.offset, found.offset_rate, found.offset_acceleration)
    return chosen_motion(still, command.channels, names)


def chosen_motion(motion: Motion, channels: tuple[str, ...], names: tuple[str, ...]) -> Motion:
    """The motion of these joints, at rest at zero where they are none of the channels."""
    column = {name: index for index, name in enumerate(channels)}
    chosen = [column.get(name, -1) for name in names]
    still = np.zeros((motion.t.size, 1))
    parts = (motion.position, motion.rate, motion.acceleration)
    return Motion(motion.t, *(np.hstack([part, still])[:, chosen] for part in parts))


def _raw(command: Trajectory, pieces: int, found: LinearMap, order: int) -> Array:
    """Derivative of this order of the functions before they are made orthonormal, shape (n, raw)."""
    blocks = [np.full((found.t.size, 1), 1.0 if order == 0 else 0.0)]
    if command.coefficients.shape[0] <= RICHEST:
        blocks.append((found.basis, found.basis_rate, found.basis_acceleration)[order])
    if pieces:
        blocks.append(_splines(pieces, command.duration_s)(found.t, order))
    return np.hstack(blocks)


def _splines(pieces: int, duration: float) -> Any:
    """Quintic B-splines on even knots, pieces + 5 of them."""
    inner = np.linspace(0.0, duration, pieces + 1)[1:-1]
    return BSpline(clamped(inner, duration, _DEGREE), np.eye(pieces + _DEGREE), _DEGREE)
