"""By how much the gyro lags the joints: the measured base rate against that which the joints should cause.

At zero momentum the joints' motion determines the base's rate, w(q, dq). A gyro whose readings are late by a
delay d, with a bias, on a robot whose parameters are only nearly those of the model, reads

    w_measured(t) = M w(t - d) + b

The delay is where the two correlate best over all axes, with the 3 x 3 matrix M and the bias b fitted for each
candidate; Gauss-Newton steps with the predicted rate's exact derivative then refine it to a small part of a
sample. One millisecond left in makes inertias wrong by 0.4 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline

from freefloat.arrays import Array
from freefloat.data.processing.resampling import CannotProcess
from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.robot.model import Robot

_CANDIDATES = 201
_ROWS = 4000  # samples that the search looks at
_ROUNDS = 50
_BLOCKS = 10


@dataclass(frozen=True, slots=True, eq=False)
class GyroDelay:
    """How late the gyro is.

    delay_s: a reading stamped t shows the base at t - delay_s, by the joints' clock [s].
    sd_s: its standard deviation, from the residual, whose correlation over a tenth of the record is allowed for.
    gain, bias: M, shape (3, 3), and b, shape (3,) [rad/s]. correlation: share of the variance explained, 0 to 1.
    """

    delay_s: float
    sd_s: float
    gain: Array
    bias: Array
    correlation: float

    @property
    def tells(self) -> bool:
        """Whether the gyro shows what the joints cause, so that the delay means something."""
        return self.correlation > 0.5

    def sentence(self) -> str:
        """What there is to say of it."""
        late = f"{1e3 * self.delay_s:.3f} ms (standard deviation {1e3 * self.sd_s:.3f} ms)"
        if not self.tells:
            return "the gyro shows nothing of what the joints should cause; no delay can be estimated"
        if abs(self.delay_s) < 4.0 * self.sd_s:
            return f"the gyro and the joints agree in time: the delay is {late}"
        return f"the gyro is late by {late} against the joints"


def estimate_gyro_delay(
    robot: Robot,
    joints: Samples,
    t: ArrayLike,
    rates: ArrayLike,
    longest_s: float = 1.0,
    momentum: ArrayLike | None = None,
) -> GyroDelay:
    """Estimate the delay of a gyro.

    joints: with t, q, dq and wheel rates, on the joints' clock. t, rates: gyro readings in base axes, (n,) [s]
    and (n, 3) [rad/s]. longest_s: delays up to plus and minus this are searched.
    momentum: as in `base_reaction`, at the joints' times; zero unless given.
    """
    moved = joints.need("t", "a gyro's delay")
    caused = base_reaction(robot, joints, None if momentum is None else np.asarray(momentum, float))[1]
    if not np.ptp(caused, axis=0).any():
        raise CannotProcess("the joints cause no motion of the base; a gyro's delay cannot be estimated")
    times, w = np.asarray(t, float), np.asarray(rates, float)
    if w.shape != (times.size, 3):
        raise ShapeError(f"rates must have shape ({times.size}, 3), found {w.shape}")
    inside = (times >= moved[0] + longest_s) & (times <= moved[-1] - longest_s)
    if inside.sum() < 10 * _BLOCKS:
        raise CannotProcess(f"fewer than {10 * _BLOCKS} gyro samples lie {longest_s:g} s within the joints' motion")
    match = _Match(CubicSpline(moved, caused), times[inside], w[inside])
    coarse = match.thinned(_ROWS)
    candidates = np.linspace(-longest_s, longest_s, _CANDIDATES)
    misfits = [coarse.misfit(delay) for delay in candidates.tolist()]
    return match.refined(float(candidates[int(np.argmin(misfits))]), longest_s)


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """Best M and b for one delay. left: residual, (n, 3). slope: of the model by the delay, less what M and b do."""

    gain: Array
    bias: Array
    left: Array
    slope: Array

    @property
    def misfit(self) -> float:
        return float((self.left**2).sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Match:
    caused: CubicSpline
    t: Array
    w: Array

    def thinned(self, rows: int) -> _Match:
        return replace(self, t=self.t[:: max(1, self.t.size // rows)], w=self.w[:: max(1, self.t.size // rows)])

    def misfit(self, delay: float) -> float:
        """What the best M and b leave over, by normal equations: near enough for a search."""
        X = np.hstack([self.caused(self.t - delay), np.ones((self.t.size, 1))])
        right = X.T @ self.w
        explained = (right * (np.linalg.pinv(X.T @ X, hermitian=True) @ right)).sum()
        return float((self.w**2).sum() - explained)

    def at(self, delay: float) -> _Fit:
        shown = self.caused(self.t - delay)
        X = np.hstack([shown, np.ones((self.t.size, 1))])
        # Orthonormal columns; those of axes about which nothing is caused (a planar base) drop out.
        U, size, V_t = np.linalg.svd(X, full_matrices=False)
        U, size, V_t = U[:, size > 1e-10 * size[0]], size[size > 1e-10 * size[0]], V_t[size > 1e-10 * size[0]]
        solution = V_t.T @ ((U.T @ self.w) / size[:, None])  # (4, 3)
        slope = -self.caused(self.t - delay, 1) @ solution[:3]
        left, slope = self.w - U @ (U.T @ self.w), slope - U @ (U.T @ slope)
        return _Fit(solution[:3].T, solution[3], left, slope)

    def refined(self, delay: float, longest_s: float) -> GyroDelay:
        fit = self.at(delay)
        for _ in range(_ROUNDS):
            step = float((fit.slope * fit.left).sum()) / max(float((fit.slope**2).sum()), 1e-300)
            delay = min(max(delay + step, -longest_s), longest_s)
            fit = self.at(delay)
            if abs(step) < 1e-9:
                break
        spread = float(((self.w - self.w.mean(axis=0)) ** 2).sum())
        explained = 1.0 - fit.misfit / spread if spread > 0.0 else 0.0
        return GyroDelay(delay, _sd(fit), fit.gain, fit.bias, explained)


def _sd(fit: _Fit) -> float:
    """From white residuals, or from sums over blocks of them if these vary more than white ones would."""
    information = float((fit.slope**2).sum())
    if information == 0.0:
        return math.inf
    white = fit.misfit / (fit.left.size - 13) * information
    score = (fit.slope * fit.left).sum(axis=1)
    sums = np.array([block.sum() for block in np.array_split(score, _BLOCKS)])
    coloured = _BLOCKS / (_BLOCKS - 1) * float((sums**2).sum())
    return math.sqrt(max(white, coloured)) / information
