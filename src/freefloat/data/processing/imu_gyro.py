"""A gyro calibrated by gravity's direction: turning from one rest to the next must carry one to the other.

Between two static intervals the rates T K (raw + b) are integrated to a rotation; applied to the direction of
gravity (by the calibrated accelerometer) in the first, it must give that in the second. The bias is the mean of
all rests; Levenberg-Marquardt finds the nine entries of T K, with exact derivatives of the integration. D. Tedaldi,
A. Pretto, E. Menegatti, IEEE ICRA 2014, eq. 11-14, with rotations by `attitude.py` in place of Runge-Kutta's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline
from scipy.optimize import least_squares

from freefloat.arrays import Array
from freefloat.data.processing.attitude import running_product
from freefloat.data.processing.imu_accelerometer import FittedCalibration
from freefloat.data.processing.imu_model import Calibration
from freefloat.data.processing.resampling import CannotProcess
from freefloat.data.processing.static_intervals import interval_means
from freefloat.robot.rotations import quaternions, rotations

_UNKNOWNS = 9


def calibrate_gyro(t: ArrayLike, raw: ArrayLike, intervals: Array, directions: Array) -> FittedCalibration:
    """From raw readings, shape (n, 3) at times t, shape (n,) [s].

    intervals: start and end of every rest, shape (k, 2) [s]. directions: of the specific force at rest, in the
    accelerometer's frame, unit vectors, shape (k, 3).
    sd: of the entries of T K, row by row, shape (9,).
    """
    times, values = np.asarray(t, float), np.asarray(raw, float)
    lengths = intervals[:, 1] - intervals[:, 0]
    bias = -(interval_means(times, values, intervals) * lengths[:, None]).sum(axis=0) / lengths.sum()
    turns = _turns(times, values + bias, intervals, directions)
    if 2 * len(turns) < _UNKNOWNS:
        raise CannotProcess(f"a gyro was turned {len(turns)} times between rests; allowed: at least 5, well apart")
    found = least_squares(
        _residual, np.eye(3).ravel(), jac=_jacobian, args=(turns,), method="lm", xtol=1e-14, ftol=1e-14
    )
    size = np.linalg.svd(found.jac, compute_uv=False)
    if size[-1] < 1e-6 * size[0]:
        raise CannotProcess("the turns between rests are too much alike to calibrate a gyro")
    # Of the three numbers of a direction two are free.
    variance = 2.0 * found.cost / max(2 * len(turns) - _UNKNOWNS, 1)
    sd = np.sqrt(variance * np.diag(np.linalg.inv(found.jac.T @ found.jac)))
    misfit = float(np.sqrt(2.0 * found.cost / (2 * len(turns))))
    return FittedCalibration(Calibration.from_matrix(found.x.reshape(3, 3), bias), sd, misfit)


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    """Readings less bias on the way from one rest to the next.

    raw: at its samples, shape (n, 3). integral: over each interval, shape (n - 1, 3). h: intervals, (n - 1, 1) [s].
    before, after: directions of gravity, shape (3,).
    """

    raw: Array
    integral: Array
    h: Array
    before: Array
    after: Array

    def rotation(self, M: Array) -> tuple[Array, Array, Array]:
        """Of its samples from the first, R_0i without i = 0, (n - 1, 3, 3); rotation vectors; rates (n, 3)."""
        w = self.raw @ M.T
        phi = self.integral @ M.T + self.h**2 / 12.0 * np.cross(w[:-1], w[1:])
        return rotations(running_product(quaternions(phi))), phi, w


def _turns(t: Array, raw: Array, intervals: Array, directions: Array) -> list[_Turn]:
    integral = np.asarray(CubicSpline(t, raw).antiderivative()(t), float)
    turns = []
    for k in range(len(intervals) - 1):
        i = max(int(np.searchsorted(t, intervals[k, 1])) - 1, 0)
        j = min(int(np.searchsorted(t, intervals[k + 1, 0])) + 2, t.size)
        if j - i < 3:
            continue
        h, pieces = np.diff(t[i:j])[:, None], np.diff(integral[i:j], axis=0)
        turns.append(_Turn(raw[i:j], pieces, h, directions[k], directions[k + 1]))
    return turns


def _residual(x: Array, turns: Sequence[_Turn]) -> Array:
    M = x.reshape(3, 3)
    return np.concatenate([turn.after - turn.rotation(M)[0][-1].T @ turn.before for turn in turns])


def _jacobian(x: Array, turns: Sequence[_Turn]) -> Array:
    """Derivatives of the residuals by the entries of M, row by row, shape (3 turns, 9)."""
    M = x.reshape(3, 3)
    return np.concatenate([_turn_jacobian(turn, M) for turn in turns])


def _turn_jacobian(turn: _Turn, M: Array) -> Array:
    """The end of a turn moves by -arrived x (R_N^T R_i J_r(phi_i) d phi_i), summed over its samples."""
    R, phi, w = turn.rotation(M)
    by_M = _by_entries(turn.integral)
    magnus = -_cross(w[1:]) @ _by_entries(turn.raw[:-1]) + _cross(w[:-1]) @ _by_entries(turn.raw[1:])
    by_M = by_M + (turn.h**2 / 12.0)[:, :, None] * magnus  # d phi_i / d M, (n - 1, 3, 9)
    carried = R[-1].T @ R @ _right_jacobian(phi)  # (n - 1, 3, 3)
    moved = np.einsum("nij,njk->ik", carried, by_M)
    arrived = R[-1].T @ turn.before
    return -_cross(arrived[None])[0] @ moved


def _by_entries(v: Array) -> Array:
    """Derivatives of M v by the entries of M, row by row: shape (n, 3) -> (n, 3, 9)."""
    return np.einsum("ij,nk->nijk", np.eye(3), v).reshape(-1, 3, 9)


def _cross(v: Array) -> Array:
    """[v x] of every row, shape (n, 3) -> (n, 3, 3)."""
    return np.cross(v[:, None, :], np.eye(3)).swapaxes(1, 2)


def _right_jacobian(phi: Array) -> Array:
    """J_r of exp(phi + d) = exp(phi) exp(J_r d), to first order in d, shape (n, 3, 3)."""
    square = (phi**2).sum(axis=1)[:, None, None]
    angle = np.sqrt(np.maximum(square, 1e-8))
    small = square < 1e-8
    first = np.where(small, 0.5 - square / 24.0, (1.0 - np.cos(angle)) / angle**2)
    second = np.where(small, 1.0 / 6.0 - square / 120.0, (angle - np.sin(angle)) / angle**3)
    X = _cross(phi)
    return np.eye(3) - first * X + second * (X @ X)
