"""Linear differential equations along a motion, compiled: Lobatto's formula of order six (IIIA), four places a step.

    s' = F(t) s + r(t)

is solved for the values at the places of each step, its two ends among them, s_i = s_0 + h sum_j a_ij s'_j. What is
computed is differentiated exactly by solving the same equations for other r. E. Hairer, S. P. Norsett, G. Wanner,
"Solving Ordinary Differential Equations", section II.7.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True}
_ROOT = np.sqrt(5.0)

PLACES = np.array([0.0, (5.0 - _ROOT) / 10.0, (5.0 + _ROOT) / 10.0, 1.0])  # within a step


def _integrals() -> np.ndarray:
    """Of the polynomial that is one at a place and zero at the others, up to each place, (4, 4): a_ij."""
    powers = np.linalg.inv(np.vander(PLACES, increasing=True))  # (degree, place)
    sums = PLACES[:, None] ** np.arange(1, 5) / np.arange(1, 5)
    return sums @ powers


_A = _integrals()
POWERS = np.linalg.inv(np.vander(PLACES, increasing=True))


@njit(**_COMPILE)
def solve_along(h, F, r, first, out):
    """Put the solution at all places, shape (3 n + 1, s, k), into out.

    h: lengths of the steps, (n,). F, r: at the places, (3 n + 1, s, s) and (3 n + 1, s, k). first: (s, k).
    """
    steps, s, k = h.size, F.shape[1], r.shape[2]
    M, b = np.empty((3 * s, 3 * s)), np.empty((3 * s, k))
    out[0] = first
    for n in range(steps):
        begin, length = 3 * n, h[n]
        before = F[begin] @ np.ascontiguousarray(out[begin]) + r[begin]
        for i in range(3):
            for x in range(s):
                for c in range(k):
                    total = _A[i + 1, 0] * before[x, c]
                    for j in range(3):
                        total += _A[i + 1, j + 1] * r[begin + j + 1, x, c]
                    b[i * s + x, c] = out[begin, x, c] + length * total
                for j in range(3):
                    for y in range(s):
                        M[i * s + x, j * s + y] = -length * _A[i + 1, j + 1] * F[begin + j + 1, x, y]
                M[i * s + x, i * s + x] += 1.0
        found = np.linalg.solve(M, b)
        for i in range(3):
            out[begin + i + 1] = found[i * s : (i + 1) * s]


@njit(**_COMPILE)
def between(start, h, t, position, rate, acceleration, p, d, a):
    """Values at times t, (m,), of a motion that is known at all places of steps of length h that begin at start.

    position, rate, acceleration: (3 n + 1, k). p, d, a: the same at the times, (m, k). The acceleration between is
    the polynomial through the places of a step, the others are its integrals; beyond the ends it goes on.
    """
    steps, k = (len(position) - 1) // 3, position.shape[1]
    for m in range(t.size):
        n = min(max(int((t[m] - start) / h), 0), steps - 1)
        x = (t[m] - start) / h - n
        for c in range(k):
            p[m, c] = position[3 * n, c] + h * x * rate[3 * n, c]
            d[m, c] = rate[3 * n, c]
            a[m, c] = 0.0
        for j in range(4):
            value = once = twice = 0.0
            power = 1.0
            for e in range(4):
                value += POWERS[e, j] * power
                once += POWERS[e, j] * power * x / (e + 1)
                twice += POWERS[e, j] * power * x * x / ((e + 1) * (e + 2))
                power *= x
            for c in range(k):
                here = acceleration[3 * n + j, c]
                a[m, c] += value * here
                d[m, c] += h * once * here
                p[m, c] += h * h * twice * here


@njit(**_COMPILE)
def add_change(start, h, t, position, rate, acceleration, by, G):
    """Add to G (m, r, ...) what changes of a motion do at times t (m,), in its first k columns.

    position, rate, acceleration: changes at all places of steps of length h that begin at start, (3 n + 1, p, k). by:
    what positions, then rates of the motion do, (m, r, 2 p).
    """
    steps, p, k = (len(position) - 1) // 3, position.shape[1], position.shape[2]
    moved, faster = np.empty(k), np.empty(k)
    for m in range(t.size):
        n = min(max(int((t[m] - start) / h), 0), steps - 1)
        x = (t[m] - start) / h - n
        for joint in range(p):
            for c in range(k):
                faster[c] = rate[3 * n, joint, c]
                moved[c] = position[3 * n, joint, c] + h * x * faster[c]
            for j in range(4):
                once = twice = 0.0
                power = x
                for e in range(4):
                    once += POWERS[e, j] * power / (e + 1)
                    twice += POWERS[e, j] * power * x / ((e + 1) * (e + 2))
                    power *= x
                once *= h
                twice *= h * h
                for c in range(k):
                    here = acceleration[3 * n + j, joint, c]
                    faster[c] += once * here
                    moved[c] += twice * here
            for r in range(G.shape[1]):
                one, other = by[m, r, joint], by[m, r, p + joint]
                for c in range(k):
                    G[m, r, c] += one * moved[c] + other * faster[c]
