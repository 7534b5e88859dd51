"""Quintic B-splines on even knots, compiled: values, what readings gather, and curves of least energy.

A search for how smooth curves are tries each of them at dozens of levels, and a fit evaluates them at all readings time
and again; there are only six functions to an instant, so that arrays of numpy would cost more than the sums.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract"}}


@njit(**_COMPILE)
def place_functions(t, start, spacing, pieces, powers, first, values):
    """Fill first (n) and values (orders, n, 6) of the functions at times t (n) [s]; beyond the ends as there.

    powers (orders, 6, 6): coefficients of the six of a piece by powers of the place in it, of each derivative.
    """
    for i in range(t.size):
        place = (t[i] - start) / spacing
        if place < 0.0:
            place = 0.0
        elif place > pieces:
            place = float(pieces)
        whole = min(int(place), pieces - 1) if place > 0.0 else 0  # what is no number stays none, and in bounds
        u = place - whole
        first[i] = whole
        for order in range(powers.shape[0]):
            for a in range(6):
                value = powers[order, 5, a]
                for p in range(4, -1, -1):
                    value = value * u + powers[order, p, a]
                values[order, i, a] = value


@njit(**_COMPILE)
def sum_functions(first, values, c, out):
    """Curves with coefficients c (count, k) at n instants into out (n, k); first (n), values (n, 6) as placed."""
    for i in range(first.size):
        for k in range(c.shape[1]):
            value = 0.0
            for a in range(6):
                value += values[i, a] * c[first[i] + a, k]
            out[i, k] = value


@njit(**_COMPILE)
def gather_readings(first, values, y, out):
    """Add each of readings y (n) times the functions there to out (count)."""
    for i in range(first.size):
        for a in range(6):
            out[first[i] + a] += values[i, a] * y[i]


@njit(**_COMPILE)
def gather_products(first, values, band):
    """Add products of the functions at n instants to a matrix, its lower band (6, count)."""
    for i in range(first.size):
        for a in range(6):
            for lag in range(6 - a):
                band[lag, first[i] + a] += values[i, a] * values[i, a + lag]


@njit(**_COMPILE)
def roughness(c, jerks, scale, slope):
    """Roughness of a curve, c (count), and into slope (count) half its derivative, without loss of digits.

    jerks (3, count - 3): products of quadratic splines, lower band, of which the third differences are coefficients;
    scale: their factor.
    """
    n, value = c.size - 3, 0.0
    jerk, product = np.empty(n), np.empty(n)
    for i in range(n):
        one, two, three = c[i + 1] - c[i], c[i + 2] - c[i + 1], c[i + 3] - c[i + 2]
        jerk[i] = (three - two) - (two - one)
    for i in range(n):
        total = jerks[0, i] * jerk[i]
        for lag in range(1, 3):
            if i >= lag:
                total += jerks[lag, i - lag] * jerk[i - lag]
            if i + lag < n:
                total += jerks[lag, i] * jerk[i + lag]
        product[i] = total * scale
        value += jerk[i] * product[i]
    slope[:] = 0.0
    for i in range(n):
        slope[i] -= product[i]
        slope[i + 1] += 3.0 * product[i]
        slope[i + 2] -= 3.0 * product[i]
        slope[i + 3] += product[i]
    return value


@njit(**_COMPILE)
def factor(band):
    """Root of a matrix in place of its lower band (6, count), and the logarithm of its determinant.

    The latter is no number where the matrix is not positive.
    """
    count, log = band.shape[1], 0.0
    for j in range(count):
        pivot = band[0, j]
        if not pivot > 0.0:
            return np.nan
        log += np.log(pivot)
        root = np.sqrt(pivot)
        band[0, j] = root
        reach = min(6, count - j)
        for a in range(1, reach):
            band[a, j] /= root
        for b in range(1, reach):
            for a in range(b, reach):
                band[a - b, j + b] -= band[a, j] * band[b, j]
    return log


@njit(**_COMPILE)
def solve(root, x):
    """The inverse of a matrix times x (count), in place; root as `factor` left it."""
    count = x.size
    for j in range(count):
        x[j] /= root[0, j]
        for a in range(1, min(6, count - j)):
            x[j + a] -= root[a, j] * x[j]
    for j in range(count - 1, -1, -1):
        for a in range(1, min(6, count - j)):
            x[j] -= root[a, j] * x[j + a]
        x[j] /= root[0, j]


@njit(**_COMPILE)
def least_energy(first, values, gram, rough, ratio, right, r0, c0, jerks, scale, c):
    """The curve c (count) whose energy |y - B c|^2 + ratio * roughness is least, from a curve c0 (count) near it.

    gram, rough (6, count): lower bands of B^T B and of roughness. right (count): less half the derivative of the energy
    at c0. r0 (n): what c0 leaves of the readings. jerks, scale: as for `roughness`. Returns the energy and the
    logarithm of the determinant of B^T B + ratio * roughness, no number where that is not positive.
    """
    root, slope, moved = gram + ratio * rough, np.empty(c.size), right.copy()
    log = factor(root)
    if np.isnan(log):
        return 0.0, log
    solve(root, moved)
    for i in range(c.size):
        c[i] = c0[i] + moved[i]
    energy = 0.0
    for i in range(first.size):
        left = r0[i]
        for a in range(6):
            left -= values[i, a] * moved[first[i] + a]
        energy += left * left
    return energy + ratio * roughness(c, jerks, scale, slope), log


@njit(**_COMPILE)
def window_covariances(weights, sd, out):
    """Covariances of six coefficients in a row of chains into out (count - 5, k, 6, 6).

    weights (count, k, 5), sd (count, k): each coefficient by the five before it, the nearest first, and the rest.
    """
    count, k = sd.shape
    P, row = np.zeros((6, 6)), np.empty(6)
    for c in range(k):
        P[:] = 0.0
        for i in range(count):
            for b in range(6):
                row[b] = 0.0
                for a in range(5):
                    row[b] += weights[i, c, a] * P[5 - a, b]
            variance = sd[i, c] ** 2
            for b in range(5):
                variance += weights[i, c, b] * row[5 - b]
            for a in range(5):
                for b in range(5):
                    P[a, b] = P[a + 1, b + 1]
            for a in range(5):
                P[5, a] = row[a + 1]
                P[a, 5] = row[a + 1]
            P[5, 5] = variance
            if i >= 5:
                out[i - 5, c] = P


@njit(**_COMPILE)
def mean_variances(first, values, windows, out):
    """Mean over n instants of the variances of k curves into out (k); windows (pieces, k, 6, 6) as found above."""
    out[:] = 0.0
    for i in range(first.size):
        for c in range(out.size):
            P, value = windows[first[i], c], 0.0
            for a in range(6):
                part = 0.0
                for b in range(6):
                    part += P[a, b] * values[i, b]
                value += values[i, a] * part
            out[c] += max(value, 0.0) / first.size
