"""Compiled parts of the predicted base motion: sensitivities at every instant, attitude from instant to instant.

With S_j the unit twist of joint j, V its body's twist, and h, I momentum and inertia of everything beyond the
joint, all about the base origin in base axes, turning the joint changes the robot's momentum by

    dh/dq_j = S_j x* h - I (S_j x V)

(Featherstone, "Rigid Body Dynamics Algorithms", 2008, for the products x and x*): what hangs on the joint turns
with it as one piece, but the velocity it is carried with does not.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract"}}
_REVOLUTE = 0
_BODY = 16  # mass, first moment (3), inertia xx xy yy xz yz zz (6), linear (3) and angular (3) momentum


@njit(inline="always")
def _cross(a0, a1, a2, b0, b1, b2):
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


# ---------------------------------------------------------------------- momentum against joint positions


@njit(**_COMPILE)
def _body_about_origin(phi, R, p, v, w, C):
    """Mass, first moment, inertia and momentum of one body about the base origin, into C (16)."""
    m = phi[0]
    f0 = R[0, 0] * phi[1] + R[0, 1] * phi[2] + R[0, 2] * phi[3]
    f1 = R[1, 0] * phi[1] + R[1, 1] * phi[2] + R[1, 2] * phi[3]
    f2 = R[2, 0] * phi[1] + R[2, 1] * phi[2] + R[2, 2] * phi[3]
    C[0] = m
    C[1], C[2], C[3] = m * p[0] + f0, m * p[1] + f1, m * p[2] + f2
    e = 4
    square = 2.0 * (p[0] * f0 + p[1] * f1 + p[2] * f2) + m * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    for i in range(3):
        t0 = R[i, 0] * phi[4] + R[i, 1] * phi[5] + R[i, 2] * phi[7]
        t1 = R[i, 0] * phi[5] + R[i, 1] * phi[6] + R[i, 2] * phi[8]
        t2 = R[i, 0] * phi[7] + R[i, 1] * phi[8] + R[i, 2] * phi[9]
        fi = f0 if i == 0 else f1 if i == 1 else f2
        for j in range(i + 1):
            fj = f0 if j == 0 else f1 if j == 1 else f2
            value = t0 * R[j, 0] + t1 * R[j, 1] + t2 * R[j, 2] - p[i] * fj - p[j] * fi - m * p[i] * p[j]
            C[e] = value + square if i == j else value
            e += 1
    # Momentum from the inertia about the origin and the twist at the origin.
    x, y, z = _cross(w[0], w[1], w[2], p[0], p[1], p[2])
    o0, o1, o2 = v[0] - x, v[1] - y, v[2] - z
    x, y, z = _cross(w[0], w[1], w[2], C[1], C[2], C[3])
    C[10], C[11], C[12] = m * o0 + x, m * o1 + y, m * o2 + z
    x, y, z = _cross(C[1], C[2], C[3], o0, o1, o2)
    C[13] = C[4] * w[0] + C[5] * w[1] + C[7] * w[2] + x
    C[14] = C[5] * w[0] + C[6] * w[1] + C[8] * w[2] + y
    C[15] = C[7] * w[0] + C[8] * w[1] + C[9] * w[2] + z


@njit(**_COMPILE)
def momentum_by_position(tree, phi, R, p, v, w, a, D):
    """D (n, 6, dofs): derivative of the momentum by joint positions, twists held, from poses of `kernels.sweep`."""
    n, bodies = p.shape[0], tree.parent.size
    C = np.empty((bodies, _BODY))
    for k in range(n):
        for b in range(bodies):
            _body_about_origin(phi[b], R[k, b], p[k, b], v[k, b], w[k, b], C[b])
        for b in range(bodies - 1, 0, -1):
            j, c = tree.dof[b], C[b]
            if j >= 0:
                a0, a1, a2 = a[k, b, 0], a[k, b, 1], a[k, b, 2]
                p0, p1, p2 = p[k, b, 0], p[k, b, 1], p[k, b, 2]
                w0, w1, w2 = w[k, b, 0], w[k, b, 1], w[k, b, 2]
                x, y, z = _cross(w0, w1, w2, p0, p1, p2)
                o0, o1, o2 = v[k, b, 0] - x, v[k, b, 1] - y, v[k, b, 2] - z
                if tree.kind[b] == _REVOLUTE:
                    s0, s1, s2 = _cross(p0, p1, p2, a0, a1, a2)
                    t0, t1, t2 = _cross(a0, a1, a2, w0, w1, w2)
                    l0, l1, l2 = _cross(a0, a1, a2, o0, o1, o2)
                    x, y, z = _cross(s0, s1, s2, w0, w1, w2)
                    l0, l1, l2 = l0 + x, l1 + y, l2 + z
                    h0, h1, h2 = _cross(a0, a1, a2, c[10], c[11], c[12])
                    k0, k1, k2 = _cross(a0, a1, a2, c[13], c[14], c[15])
                    x, y, z = _cross(s0, s1, s2, c[10], c[11], c[12])
                    k0, k1, k2 = k0 + x, k1 + y, k2 + z
                else:
                    t0, t1, t2 = 0.0, 0.0, 0.0
                    l0, l1, l2 = _cross(a0, a1, a2, w0, w1, w2)
                    h0, h1, h2 = 0.0, 0.0, 0.0
                    k0, k1, k2 = _cross(a0, a1, a2, c[10], c[11], c[12])
                x, y, z = _cross(t0, t1, t2, c[1], c[2], c[3])
                D[k, 0, j], D[k, 1, j], D[k, 2, j] = h0 - c[0] * l0 - x, h1 - c[0] * l1 - y, h2 - c[0] * l2 - z
                x, y, z = _cross(c[1], c[2], c[3], l0, l1, l2)
                D[k, 3, j] = k0 - (c[4] * t0 + c[5] * t1 + c[7] * t2) - x
                D[k, 4, j] = k1 - (c[5] * t0 + c[6] * t1 + c[8] * t2) - y
                D[k, 5, j] = k2 - (c[7] * t0 + c[8] * t1 + c[9] * t2) - z
            u = tree.parent[b]
            for e in range(_BODY):
                C[u, e] += c[e]


# ---------------------------------------------------------------------- linear systems of the base


@njit(**_COMPILE)
def solve_each(A, C, first):
    """Solve A x = c for every sample, symmetric A (n, r, r), columns C (n, r, k), both overwritten; C becomes x.

    Rows of x before the `first` are left unfinished. Returns the smallest pivot over the largest entry of its
    matrix: not positive where A is not.
    """
    n, r, columns = C.shape
    least = np.inf
    for s in range(n):
        largest = 0.0
        for i in range(r):
            largest = max(largest, abs(A[s, i, i]))
        for j in range(r):  # A = L D L^T, unit L above the diagonal, D on it
            pivot = A[s, j, j]
            least = min(least, pivot / largest)
            for i in range(j + 1, r):
                factor = A[s, i, j] / pivot
                for e in range(j + 1, i + 1):
                    A[s, i, e] -= factor * A[s, e, j]
                A[s, j, i] = factor
        for i in range(1, r):
            for j in range(i):
                factor = A[s, j, i]
                for c in range(columns):
                    C[s, i, c] -= factor * C[s, j, c]
        for i in range(r - 1, first - 1, -1):
            inverse = 1.0 / A[s, i, i]
            for c in range(columns):
                C[s, i, c] *= inverse
            for j in range(i + 1, r):
                factor = A[s, i, j]
                for c in range(columns):
                    C[s, i, c] -= factor * C[s, j, c]
    return least


@njit(**_COMPILE)
def spread_columns(S, gain, c, dq, ddq, since, joint, position, rate, targets, G):
    """Columns of gain times the base's velocities by what acts at one instant, into G (m, rows, columns).

    S (m, r, c + 2 dofs): A_b^-1 of the columns of parameters, positions, rates. gain: (rows, r).
    targets: first columns in G of parameters, joint zeros, curve errors (joint, position, rate as in `CurveErrors`),
    time offset, drift (`since` its factor); -1 leaves them out. Other columns become zero.
    """
    m, r, dofs = S.shape[0], S.shape[1], dq.shape[1]
    row = np.empty(S.shape[2])
    parameters, zeros, bends, offset, drift = targets[0], targets[1], targets[2], targets[3], targets[4]
    for k in range(m):
        for i in range(gain.shape[0]):
            row[:] = 0.0
            for j in range(r):
                if gain[i, j] != 0.0:
                    factor = -gain[i, j]
                    for e in range(row.size):
                        row[e] += factor * S[k, j, e]
            out = G[k, i]
            out[:] = 0.0
            for e in range(c):
                out[parameters + e] = row[e]
            if zeros >= 0:
                for e in range(dofs):
                    out[zeros + e] = row[c + e]
            if bends >= 0:
                for e in range(joint.size):
                    j = joint[e]
                    out[bends + e] = row[c + j] * position[k, e] + row[c + dofs + j] * rate[k, e]
            late = 0.0
            for j in range(dofs):
                late -= row[c + j] * dq[k, j] + row[c + dofs + j] * ddq[k, j]
            if offset >= 0:
                out[offset] = late
            if drift >= 0:
                out[drift] = late * since[k]


# ---------------------------------------------------------------------- attitude


@njit(**_COMPILE)
def _rate(B, c, R, H, x, y, z, w):
    """Angular rate w = B exp(x, y, z)^T R^T H + c into w (3): the angular rate, a small rotation away from R."""
    u0 = R[0, 0] * H[0] + R[1, 0] * H[1] + R[2, 0] * H[2]
    u1 = R[0, 1] * H[0] + R[1, 1] * H[1] + R[2, 1] * H[2]
    u2 = R[0, 2] * H[0] + R[1, 2] * H[1] + R[2, 2] * H[2]
    square = x * x + y * y + z * z
    angle = np.sqrt(square)
    one = 1.0 - square / 6.0 if square < 1e-8 else np.sin(angle) / angle
    two = 0.5 - square / 24.0 if square < 1e-8 else (1.0 - np.cos(angle)) / square
    a0, a1, a2 = _cross(x, y, z, u0, u1, u2)
    b0, b1, b2 = _cross(x, y, z, a0, a1, a2)
    u0, u1, u2 = u0 - one * a0 + two * b0, u1 - one * a1 + two * b1, u2 - one * a2 + two * b2
    for i in range(3):
        w[i] = B[i, 0] * u0 + B[i, 1] * u1 + B[i, 2] * u2 + c[i]


@njit(**_COMPILE)
def _vector_rate(x, y, z, w, d):
    """Rate d of a rotation vector (x, y, z) at the angular rate w (Bortz, IEEE T-AES 1971, to third order)."""
    a0, a1, a2 = _cross(x, y, z, w[0], w[1], w[2])
    b0, b1, b2 = _cross(x, y, z, a0, a1, a2)
    d[0], d[1], d[2] = w[0] + 0.5 * a0 + b0 / 12.0, w[1] + 0.5 * a1 + b1 / 12.0, w[2] + 0.5 * a2 + b2 / 12.0


@njit(**_COMPILE)
def turned(R, x, y, z, out):
    """R exp([x, y, z]) into out (3, 3)."""
    square = x * x + y * y + z * z
    angle = np.sqrt(square)
    one = 1.0 - square / 6.0 if square < 1e-8 else np.sin(angle) / angle
    two = 0.5 - square / 24.0 if square < 1e-8 else (1.0 - np.cos(angle)) / square
    e00, e11, e22 = 1.0 - two * (y * y + z * z), 1.0 - two * (x * x + z * z), 1.0 - two * (x * x + y * y)
    e01, e10 = two * x * y - one * z, two * x * y + one * z
    e02, e20 = two * x * z + one * y, two * x * z - one * y
    e12, e21 = two * y * z - one * x, two * y * z + one * x
    for i in range(3):
        r0, r1, r2 = R[i, 0], R[i, 1], R[i, 2]
        out[i, 0] = r0 * e00 + r1 * e10 + r2 * e20
        out[i, 1] = r0 * e01 + r1 * e11 + r2 * e21
        out[i, 2] = r0 * e02 + r1 * e12 + r2 * e22


@njit(**_COMPILE)
def turn(t, B, c, H, R):
    """Fill R (2 n - 1, 3, 3), attitudes at n samples and half-way between them, from the first one.

    t: at the samples and half-way between them. w = B R^T H + c; B (2 n - 1, 3, 3), c and H (2 n - 1, 3).
    Runge-Kutta of order four on the rotation vector over each interval; half-way by the cubic of its ends.
    """
    w, d1, d2, d3, d4, end = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(0, t.size - 2, 2):
        h, here = t[k + 2] - t[k], R[k]
        _rate(B[k], c[k], here, H[k], 0.0, 0.0, 0.0, d1)
        x, y, z = 0.5 * h * d1[0], 0.5 * h * d1[1], 0.5 * h * d1[2]
        _rate(B[k + 1], c[k + 1], here, H[k + 1], x, y, z, w)
        _vector_rate(x, y, z, w, d2)
        x, y, z = 0.5 * h * d2[0], 0.5 * h * d2[1], 0.5 * h * d2[2]
        _rate(B[k + 1], c[k + 1], here, H[k + 1], x, y, z, w)
        _vector_rate(x, y, z, w, d3)
        x, y, z = h * d3[0], h * d3[1], h * d3[2]
        _rate(B[k + 2], c[k + 2], here, H[k + 2], x, y, z, w)
        _vector_rate(x, y, z, w, d4)
        x = h / 6.0 * (d1[0] + 2.0 * (d2[0] + d3[0]) + d4[0])
        y = h / 6.0 * (d1[1] + 2.0 * (d2[1] + d3[1]) + d4[1])
        z = h / 6.0 * (d1[2] + 2.0 * (d2[2] + d3[2]) + d4[2])
        turned(here, x, y, z, R[k + 2])
        _rate(B[k + 2], c[k + 2], here, H[k + 2], x, y, z, w)
        _vector_rate(x, y, z, w, end)
        half = h / 8.0
        x, y, z = (
            0.5 * x + half * (d1[0] - end[0]),
            0.5 * y + half * (d1[1] - end[1]),
            0.5 * z + half * (d1[2] - end[2]),
        )
        turned(here, x, y, z, R[k + 1])


@njit(**_COMPILE)
def _add_forced(F, state, step, previous, G, out):
    """Into out: F (state + step previous) + G, each (3, columns)."""
    for i in range(3):
        f0, f1, f2 = F[i, 0], F[i, 1], F[i, 2]
        for e in range(state.shape[1]):
            out[i, e] = (
                f0 * (state[0, e] + step * previous[0, e])
                + f1 * (state[1, e] + step * previous[1, e])
                + f2 * (state[2, e] + step * previous[2, e])
                + G[i, e]
            )


@njit(**_COMPILE)
def turn_sensitivity(t, F, G, alpha):
    """Small rotations alpha (n, 3, columns) of the attitude, in base axes: alpha' = F alpha + G, zero at first.

    t, F (3 x 3) and G (3 x columns) at the samples and half-way between them.
    """
    columns = G.shape[2]
    d1, d2, d3, d4 = (
        np.empty((3, columns)),
        np.empty((3, columns)),
        np.empty((3, columns)),
        np.empty((3, columns)),
    )
    zero = np.zeros((3, columns))
    alpha[0] = 0.0
    for k in range(alpha.shape[0] - 1):
        i = 2 * k
        h, here = t[i + 2] - t[i], alpha[k]
        _add_forced(F[i], here, 0.0, zero, G[i], d1)
        _add_forced(F[i + 1], here, 0.5 * h, d1, G[i + 1], d2)
        _add_forced(F[i + 1], here, 0.5 * h, d2, G[i + 1], d3)
        _add_forced(F[i + 2], here, h, d3, G[i + 2], d4)
        for a in range(3):
            for e in range(columns):
                alpha[k + 1, a, e] = here[a, e] + h / 6.0 * (d1[a, e] + 2.0 * (d2[a, e] + d3[a, e]) + d4[a, e])
