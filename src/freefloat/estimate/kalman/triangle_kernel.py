"""The covariance of the Kalman filter as a lower triangle, P = L L^T, compiled.

No rounding can make such a covariance unsymmetric or indefinite. States that never change come first, so that time
touches the last rows only; a reading turns the triangle into another one by Carlson's formulas ("Fast triangular
formulation of the square root filter", AIAA Journal, 1973). Beside it goes N, the part of P that is the sensors' noise.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


@njit(**_COMPILE)
def absorb(L, N, h, variance, gain):
    """Take in a reading of derivative h (n,) with noise of this variance: L, N, gain (n,); variance of its innovation.

    Columns of L go from the last to the first; with P = L L^T, f = L^T h and v the sum of columns so far times their f,
    each becomes itself and v in such shares that L stays a triangle.
    """
    n = h.size
    f, v = np.zeros(n), gain
    for i in range(n):
        v[i] = 0.0
        for j in range(i + 1):
            f[j] += L[i, j] * h[i]
    before = variance
    for j in range(n - 1, -1, -1):
        after = before + f[j] * f[j]
        scale, factor = np.sqrt(before / after), f[j] / np.sqrt(before * after)
        for i in range(j, n):
            old = L[i, j]
            L[i, j] = old * scale - factor * v[i]
            v[i] += old * f[j]
        before = after
    for i in range(n):
        gain[i] /= before
    _absorb_noise(N, h, variance, gain)
    return before


@njit(**_COMPILE)
def _absorb_noise(N, h, variance, gain):
    """N = (E - gain h) N (E - gain h)^T + gain variance gain^T, as Joseph has it."""
    n, total = h.size, variance
    seen = np.zeros(n)
    for i in range(n):
        for j in range(n):
            seen[i] += N[i, j] * h[j]
        total += h[i] * seen[i]
    for i in range(n):
        for j in range(n):
            N[i, j] += total * gain[i] * gain[j] - gain[i] * seen[j] - seen[i] * gain[j]


@njit(**_COMPILE)
def move(X, turning, attitude, own, ahead):
    """Rows of X that are attitude errors, a sample later.

    ahead (3, 3 + own): attitude error by itself, less the identity, and by own states.
    """
    k, width = turning.size, X.shape[1]
    rows = np.zeros((k, width))
    for i in range(k):
        row = ahead[turning[i]]
        for j in range(k):
            share = row[turning[j]] + (1.0 if i == j else 0.0)
            for c in range(width):
                rows[i, c] += share * X[attitude + j, c]
        for e in range(own.size):
            for c in range(width):
                rows[i, c] += row[3 + e] * X[own[e], c]
    for i in range(k):
        for c in range(width):
            X[attitude + i, c] = rows[i, c]


@njit(**_COMPILE)
def transpose(X):
    """Transpose a square matrix in place."""
    for i in range(X.shape[0]):
        for j in range(i):
            X[i, j], X[j, i] = X[j, i], X[i, j]


@njit(**_COMPILE)
def retriangle(L, start, grown):
    """Make the rows from `start` on a triangle again, the first of them grown by errors of these squares."""
    rows, extra = L.shape[0] - start, grown.size
    width = rows + extra
    T = np.zeros((rows, width))
    for i in range(rows):
        for j in range(rows):
            T[i, j] = L[start + i, start + j]
    for i in range(extra):
        T[i, rows + i] = np.sqrt(grown[i])
    for i in range(rows):
        _reflect(T, i)
    for i in range(rows):
        for j in range(rows):
            L[start + i, start + j] = T[i, j]


@njit(**_COMPILE)
def _reflect(T, i):
    """Reflect the columns of T from i on so that row i ends at its diagonal (Householder)."""
    width, square = T.shape[1], 0.0
    for j in range(i, width):
        square += T[i, j] * T[i, j]
    norm, corner = np.sqrt(square), T[i, i]
    if norm == 0.0:
        return
    diagonal = -norm if corner > 0.0 else norm
    head = corner - diagonal  # both of one sign: no digits cancel
    scale = 1.0 / (norm * (norm + abs(corner)))
    for b in range(i + 1, T.shape[0]):
        total = head * T[b, i]
        for j in range(i + 1, width):
            total += T[i, j] * T[b, j]
        total *= scale
        T[b, i] -= head * total
        for j in range(i + 1, width):
            T[b, j] -= T[i, j] * total
    T[i, i] = diagonal
    for j in range(i + 1, width):
        T[i, j] = 0.0
