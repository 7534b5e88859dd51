"""The square-root information filter's measurement update, compiled.

Bierman, Factorization Methods for Discrete Sequential Estimation (1977), chapter IV. What the rows so far say is
kept as the upper triangle

    [R z]          |R x - z|^2 + e^2 = sum of squares of all weighted residuals at x
    [0 e]

New rows are put below it and turned into it by Householder reflections. A reflection for column j touches row j of
the triangle and the new rows only, so a row costs 2 n^2 multiplications whether it comes alone or with others, and
nothing is ever squared: the triangle has the condition number of the rows, not its square.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
_BLOCK = 32  # rows turned in at a time: enough to keep the triangle in the nearest cache for all of them
_NOTHING = 1e-150  # its square is a number still; rounding leaves rests of rests as small as this


@njit(**_COMPILE)
def absorb(triangle, rows, right, sd, keep):
    """Turn rows into the triangle, in place; the number of the first row that is not finite, or -1.

    triangle: [R z; 0 e], shape (n + 1, n + 1). rows: shape (m, n). right, sd: shape (m,).
    keep: share of all earlier information that is left when a row comes, shape (m,).
    """
    m, n = rows.shape
    new, sums = np.empty((min(m, _BLOCK), n + 1)), np.empty(n + 1)
    for first in range(0, m, _BLOCK):
        count = min(_BLOCK, m - first)
        for i in range(count):
            if not _finite(rows, right, first + i):
                return first + i
        _weigh(new, triangle, rows, right, sd, keep, first, count)
        for j in range(n + 1):
            _reflect(triangle, new, sums, j, count)
    return -1


@njit(**_COMPILE)
def _finite(rows, right, i):
    good = math.isfinite(right[i])
    for k in range(rows.shape[1]):
        good &= math.isfinite(rows[i, k])
    return good


@njit(**_COMPILE)
def _weigh(new, triangle, rows, right, sd, keep, first, count):
    """Rows over their standard deviations; what is older fades by the share that each later row leaves of it."""
    n, fade = rows.shape[1], 1.0
    for i in range(count - 1, -1, -1):
        weight = fade / sd[first + i]
        for k in range(n):
            new[i, k] = weight * rows[first + i, k]
        new[i, n] = weight * right[first + i]
        fade *= math.sqrt(keep[first + i])
    if fade != 1.0:
        for j in range(n + 1):
            for k in range(j, n + 1):
                triangle[j, k] *= fade


@njit(**_COMPILE)
def _reflect(triangle, new, sums, j, count):
    """Reflect row j of the triangle and the new rows so that column j of the new rows becomes zero."""
    width, below = triangle.shape[0], 0.0
    for i in range(count):
        below += new[i, j] * new[i, j]
    corner = triangle[j, j]
    norm = math.sqrt(corner * corner + below)
    if below == 0.0 or norm < _NOTHING:
        return
    triangle[j, j] = -norm if corner > 0.0 else norm
    head = corner - triangle[j, j]  # both of one sign: no digits cancel
    scale = 1.0 / (norm * (norm + abs(corner)))  # two over the squared length of the reflection's normal
    for k in range(j + 1, width):
        sums[k] = head * triangle[j, k]
    for i in range(count):
        factor = new[i, j]
        for k in range(j + 1, width):
            sums[k] += factor * new[i, k]
    for k in range(j + 1, width):
        sums[k] *= scale
        triangle[j, k] -= head * sums[k]
    for i in range(count):
        factor = new[i, j]
        for k in range(j + 1, width):
            new[i, k] -= factor * sums[k]
