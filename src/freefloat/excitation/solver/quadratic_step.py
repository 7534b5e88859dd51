"""The step of sequential quadratic programming, for a dense curvature and many more limits than coordinates.

    minimise  g d + d B d / 2 + penalty e    subject to    margins + J d + e >= 0,    e >= 0,    |d| <= radius

by a primal-dual interior-point method with Mehrotra's predictor and corrector (S. Mehrotra, "On the implementation of a
primal-dual interior point method", SIAM Journal on Optimization, 1992; J. Nocedal, S. J. Wright, "Numerical
Optimization", 2006, chapter 16). The limits are folded into a matrix of the size of d, so each iteration costs one
dense product and one Cholesky decomposition; the box costs nothing. A solver for sparse matrices needs several times
as long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from freefloat.arrays import Array

_MOST_ITERATIONS = 60
_ENOUGH = 1e-9  # residuals and gap, over the sizes of what they are made of
_SHORT_OF_THE_WALL = 0.995
_ROUNDING = 1e-14
_LIFTS = (0.0, 1e-13, 1e-11, 1e-9, 1e-7)  # of the largest diagonal entry, where rounding has left it indefinite


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticStep:
    """A quadratic model under linearised limits.

    B: positive definite, shape (n, n). g: shape (n,). J: shape (m, n). margins: shape (m,).
    """

    B: Array
    g: Array
    J: Array
    margins: Array
    penalty: float
    radius: float

    def solve(self) -> tuple[Array, float, Array]:
        """The step (n,), the excess e, and the multipliers of the limits, (m,)."""
        return _InteriorPoint(self).solve()

    def times(self, x: Array) -> Array:
        """What the rows say of x = (d, e): -J d - e, -e, d, -d; shape (m + 1 + 2 n,)."""
        d, e = x[:-1], x[-1:]
        return np.concatenate([-(self.J @ d) - e, -e, d, -d])

    def transposed_times(self, z: Array) -> Array:
        """The rows' transpose times z, shape (n + 1,)."""
        m, n = self.J.shape
        upper, lower = z[m + 1 : m + 1 + n], z[m + 1 + n :]
        return np.append(upper - lower - self.J.T @ z[:m], -z[:m].sum() - z[m])

    @property
    def bounds(self) -> Array:
        """What `times` must not exceed, shape (m + 1 + 2 n,)."""
        return np.concatenate([self.margins, [0.0], np.full(2 * self.g.size, self.radius)])


class _InteriorPoint:
    """Iterates x, slacks s > 0 and multipliers z > 0 of the rows."""

    def __init__(self, step: QuadraticStep) -> None:
        n = step.g.size
        self.step, self.b = step, step.bounds
        self.cost = np.append(step.g, step.penalty)
        # Within the box, with as much excess as it takes, slacks are positive from the beginning.
        self.x = np.zeros(n + 1)
        self.x[n] = max(0.0, -float(step.margins.min(initial=0.0))) + 0.1 * step.radius
        self.s = self.b - step.times(self.x)
        # Products s z alike, and as large as it takes for the multipliers of the excess to sum to the penalty.
        sharing = self.s[: step.margins.size + 1]
        self.z = step.penalty / float((1.0 / sharing).sum()) / self.s

    def solve(self) -> tuple[Array, float, Array]:
        """Iterate until nothing is left to gain."""
        m, n = self.step.J.shape
        for _ in range(_MOST_ITERATIONS):
            dual, primal = self._residuals()
            gap = float(self.s @ self.z) / self.s.size
            solve = None if self._close(dual, primal, gap) else self._factorised()
            if solve is None:
                break
            ahead = self._direction(solve, dual, primal, self.s * self.z)
            length = min(_reach(self.s, ahead[1]), _reach(self.z, ahead[2]))
            left = float((self.s + length * ahead[1]) @ (self.z + length * ahead[2])) / self.s.size
            centre = min(1.0, left / gap) ** 3 * gap
            dx, ds, dz = self._direction(solve, dual, primal, self.s * self.z + ahead[1] * ahead[2] - centre)
            length = _SHORT_OF_THE_WALL * min(_reach(self.s, ds), _reach(self.z, dz))
            self.x, self.s, self.z = self.x + length * dx, self.s + length * ds, self.z + length * dz
        return self.x[:n], max(float(self.x[n]), 0.0), self.z[:m]

    def _residuals(self) -> tuple[Array, Array]:
        """Of stationarity, shape (n + 1,), and of the rows."""
        curved = np.append(self.step.B @ self.x[:-1], 0.0)
        return curved + self.cost + self.step.transposed_times(self.z), self.step.times(self.x) + self.s - self.b

    def _close(self, dual: Array, primal: Array, gap: float) -> bool:
        steepest = float(np.abs(self.step.g).max(initial=0.0))
        promised = abs(float(self.cost @ self.x)) + self.step.radius * steepest
        return bool(
            np.abs(dual).max() <= _ENOUGH * max(1.0, steepest, 1e-3 * self.step.penalty)
            and np.abs(primal).max() <= max(_ENOUGH * self.step.radius, _ROUNDING)
            and gap * self.s.size <= _ENOUGH * promised
        )

    def _factorised(self) -> tuple[Array, bool] | None:
        """Curvature with the rows folded in; None where rounding leaves nothing of it."""
        (m, n), w = self.step.J.shape, self.z / self.s
        weighted = np.sqrt(w[:m, None]) * self.step.J
        M = np.empty((n + 1, n + 1))
        M[:n, :n] = self.step.B + weighted.T @ weighted
        M[np.arange(n), np.arange(n)] += w[m + 1 : m + 1 + n] + w[m + 1 + n :]
        M[:n, n] = self.step.J.T @ w[:m]
        M[n, n] = w[: m + 1].sum()
        top = float(M.diagonal().max())
        for lift in _LIFTS:
            try:
                return cho_factor(M + np.diag(np.full(n + 1, lift * top)), lower=False, check_finite=False)
            except LinAlgError:
                continue
        return None

    def _direction(
        self, solve: tuple[Array, bool], dual: Array, primal: Array, products: Array
    ) -> tuple[Array, Array, Array]:
        """Newton's step in x, s and z towards no residuals, with s z less by these products."""
        w = self.z / self.s
        dx = cho_solve(solve, -dual - self.step.transposed_times(w * primal - products / self.s), check_finite=False)
        ds = -primal - self.step.times(dx)
        return dx, ds, -(products + self.z * ds) / self.s


def _reach(values: Array, change: Array) -> float:
    """How much of a change leaves all values positive, at most one."""
    falling = change < 0.0
    with np.errstate(over="ignore"):  # a change of next to nothing reaches infinitely far
        return float((values[falling] / -change[falling]).min(initial=1.0))
