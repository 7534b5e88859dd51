"""An accelerometer calibrated by gravity alone: at rest, whichever way it lies, it must read |g|.

Levenberg-Marquardt on |g|^2 - |T K (raw + b)|^2 over the static intervals, with exact derivatives; nine unknowns
(three angles, three scales, three biases), so at least nine attitudes, well apart. D. Tedaldi, A. Pretto,
E. Menegatti, IEEE ICRA 2014, eq. 8-10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from freefloat.arrays import Array
from freefloat.data.processing.imu_model import Calibration
from freefloat.data.processing.resampling import CannotProcess
from freefloat.errors import ShapeError
from freefloat.sensors.quantities import STANDARD_GRAVITY

_UPPER = ((0, 1), (0, 2), (1, 2))
UNKNOWNS = 9


@dataclass(frozen=True, slots=True, eq=False)
class FittedCalibration:
    """A calibration and how well it is known.

    sd: standard deviations of the unknowns, in the order that the function which fitted them says.
    misfit: root mean square of what is left of |g| [m/s^2], for a gyro of a direction [rad].
    """

    calibration: Calibration
    sd: Array
    misfit: float


def calibrate_accelerometer(means: ArrayLike, gravity: float = STANDARD_GRAVITY) -> FittedCalibration:
    """From mean raw readings at rest in k attitudes, shape (k, 3), and the local |g| [m/s^2].

    sd: of T01, T02, T12, then of scales, then of biases, shape (9,).
    """
    raw = np.asarray(means, float)
    if raw.ndim != 2 or raw.shape[1] != 3:
        raise ShapeError(f"means must have shape (k, 3), found {raw.shape}")
    if raw.shape[0] < UNKNOWNS:
        raise CannotProcess(
            f"an accelerometer was at rest in {raw.shape[0]} attitudes; allowed: at least {UNKNOWNS}, well apart"
        )
    start = np.concatenate([np.zeros(3), np.ones(3), np.zeros(3)])
    found = least_squares(_residual, start, jac=_jacobian, args=(raw, gravity), method="lm", xtol=1e-14, ftol=1e-14)
    scale = np.linalg.norm(found.jac, axis=0)
    size = np.linalg.svd(found.jac / np.where(scale > 0.0, scale, 1.0), compute_uv=False)
    if size[-1] < 1e-6 * size[0]:
        raise CannotProcess("the attitudes at rest are too much alike to calibrate an accelerometer")
    variance = 2.0 * found.cost / max(raw.shape[0] - UNKNOWNS, 1)
    sd = np.sqrt(variance * np.diag(np.linalg.inv(found.jac.T @ found.jac)))
    misfit = float(np.sqrt(2.0 * found.cost / raw.shape[0])) / (2.0 * gravity)
    return FittedCalibration(_calibration(found.x), sd, misfit)


def _calibration(x: Array) -> Calibration:
    T = np.eye(3)
    for value, place in zip(x[:3].tolist(), _UPPER, strict=True):
        T[place] = value
    return Calibration(T, x[3:6], x[6:9])


def _residual(x: Array, raw: Array, gravity: float) -> Array:
    return gravity**2 - (_calibration(x).apply(raw) ** 2).sum(axis=1)


def _jacobian(x: Array, raw: Array, gravity: float) -> Array:
    """Derivatives of the residuals, shape (k, 9)."""
    calibration = _calibration(x)
    T, scale = calibration.misalignment, calibration.scale
    shifted = raw + calibration.bias
    scaled = shifted * scale  # K (raw + b)
    a = scaled @ T.T
    angles = np.stack([a[:, i] * scaled[:, j] for i, j in _UPPER], axis=1)
    along = a @ T  # d|a|^2 / 2 by K (raw + b)
    return -2.0 * np.hstack([angles, along * shifted, along * scale])
