"""Compiled parts of the law of motion: momentum by joint positions, the base's linear systems, and the way back.

All about the base origin in base axes, twists and wrenches as (linear, angular). With S_j the unit twist of joint j,
V_b the twist and I_b the inertia of a body, C_j the inertia and h_j the momentum of everything beyond joint j, turning
joint j changes the robot's momentum by

    D_j = dh/dq_j = S_j x* h_j - C_j (S_j x V_j)

(Featherstone, "Rigid Body Dynamics Algorithms", 2008, for the products x and x*): what hangs on the joint turns with it
as one piece, but the velocity it is carried with does not. On the way back, turning joint k moves all beyond it,

    dI_b/dq_k = S_k x* I_b - I_b S_k x,        dS_j/dq_k = S_k x S_j,

so that with W_b the symmetric derivative of a number by I_b, and Sbar_j that by S_j,

    d/dq_k = S_k . sum over j beyond k of S_j x* Sbar_j - 2 tr(S_k x sum over b beyond k of W_b I_b).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from freefloat.robot.tree import REVOLUTE

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract"}}
_SINGULAR = 1e-12
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
def _by_turn(c, a, p, o, w, d):
    """D (6,): momentum of bodies c about the origin by a turn about an axis a through p, their twist (o, w) held."""
    s0, s1, s2 = _cross(p[0], p[1], p[2], a[0], a[1], a[2])
    t0, t1, t2 = _cross(a[0], a[1], a[2], w[0], w[1], w[2])
    l0, l1, l2 = _cross(a[0], a[1], a[2], o[0], o[1], o[2])
    x, y, z = _cross(s0, s1, s2, w[0], w[1], w[2])
    l0, l1, l2 = l0 + x, l1 + y, l2 + z
    h0, h1, h2 = _cross(a[0], a[1], a[2], c[10], c[11], c[12])
    k0, k1, k2 = _cross(a[0], a[1], a[2], c[13], c[14], c[15])
    x, y, z = _cross(s0, s1, s2, c[10], c[11], c[12])
    k0, k1, k2 = k0 + x, k1 + y, k2 + z
    x, y, z = _cross(t0, t1, t2, c[1], c[2], c[3])
    d[0], d[1], d[2] = h0 - c[0] * l0 - x, h1 - c[0] * l1 - y, h2 - c[0] * l2 - z
    x, y, z = _cross(c[1], c[2], c[3], l0, l1, l2)
    d[3] = k0 - (c[4] * t0 + c[5] * t1 + c[7] * t2) - x
    d[4] = k1 - (c[5] * t0 + c[6] * t1 + c[8] * t2) - y
    d[5] = k2 - (c[7] * t0 + c[8] * t1 + c[9] * t2) - z


@njit(**_COMPILE)
def _by_shift(c, a, w, d):
    """D (6,): the same by a shift along a."""
    l0, l1, l2 = _cross(a[0], a[1], a[2], w[0], w[1], w[2])
    d[0], d[1], d[2] = -c[0] * l0, -c[0] * l1, -c[0] * l2
    k0, k1, k2 = _cross(a[0], a[1], a[2], c[10], c[11], c[12])
    x, y, z = _cross(c[1], c[2], c[3], l0, l1, l2)
    d[3], d[4], d[5] = k0 - x, k1 - y, k2 - z


@njit(**_COMPILE)
def momentum_by_position(tree, phi, R, p, v, w, a, D):
    """D (n, 6, dofs): derivative of the momentum by joint positions, twists held, from poses of `kernels.sweep`."""
    n, bodies = p.shape[0], tree.parent.size
    C, o, d = np.empty((bodies, _BODY)), np.empty(3), np.empty(6)
    for k in range(n):
        for b in range(bodies):
            _body_about_origin(phi[b], R[k, b], p[k, b], v[k, b], w[k, b], C[b])
        for b in range(bodies - 1, 0, -1):
            j, c = tree.dof[b], C[b]
            if j >= 0:
                if tree.kind[b] == REVOLUTE:
                    x, y, z = _cross(w[k, b, 0], w[k, b, 1], w[k, b, 2], p[k, b, 0], p[k, b, 1], p[k, b, 2])
                    o[0], o[1], o[2] = v[k, b, 0] - x, v[k, b, 1] - y, v[k, b, 2] - z
                    _by_turn(c, a[k, b], p[k, b], o, w[k, b], d)
                else:
                    _by_shift(c, a[k, b], w[k, b], d)
                for i in range(6):
                    D[k, i, j] = d[i]
            u = tree.parent[b]
            for e in range(_BODY):
                C[u, e] += c[e]


@njit(**_COMPILE)
def momentum_by_geometry(tree, across, phi, q, R, p, v, w, a, D, S):
    """Derivatives by where joints sit and how they point (`robot/geometry.py`), from poses of `kernels.sweep`.

    D (n, 6, 5 dofs): of the momentum, twists held. S (n, 3, 5 dofs): of the first moment.
    """
    n, bodies = p.shape[0], tree.parent.size
    C, d = np.empty((bodies, _BODY)), np.empty(6)
    o, axis, pivot = np.empty(3), np.empty(3), np.empty(3)
    for k in range(n):
        for b in range(bodies):
            _body_about_origin(phi[b], R[k, b], p[k, b], v[k, b], w[k, b], C[b])
        for b in range(bodies - 1, 0, -1):
            j, c, u = tree.dof[b], C[b], tree.parent[b]
            if j >= 0:
                # Twists of bodies against their carrier turn with them; that of the carrier does not.
                x, y, z = _cross(w[k, u, 0], w[k, u, 1], w[k, u, 2], p[k, u, 0], p[k, u, 1], p[k, u, 2])
                o[0], o[1], o[2] = v[k, u, 0] - x, v[k, u, 1] - y, v[k, u, 2] - z
                slid = 0.0 if tree.kind[b] == REVOLUTE else q[k, j]
                for e in range(3):
                    pivot[e] = p[k, b, e] - slid * a[k, b, e]
                for e in range(5):
                    column = 5 * j + e
                    for i in range(3):
                        if e < 3:
                            axis[i] = R[k, u, i, e]
                        else:
                            t = across[b, e - 3]
                            axis[i] = R[k, u, i, 0] * t[0] + R[k, u, i, 1] * t[1] + R[k, u, i, 2] * t[2]
                    if e < 3:
                        _by_shift(c, axis, w[k, u], d)
                        x, y, z = c[0] * axis[0], c[0] * axis[1], c[0] * axis[2]
                    else:
                        _by_turn(c, axis, pivot, o, w[k, u], d)
                        x, y, z = c[1] - c[0] * pivot[0], c[2] - c[0] * pivot[1], c[3] - c[0] * pivot[2]
                        x, y, z = _cross(axis[0], axis[1], axis[2], x, y, z)
                    for i in range(6):
                        D[k, i, column] = d[i]
                    S[k, 0, column], S[k, 1, column], S[k, 2, column] = x, y, z
            for e in range(_BODY):
                C[u, e] += c[e]


# ---------------------------------------------------------------------- the base's velocities


@njit(**_COMPILE)
def solve_each(A, C, first):
    """Solve A x = c for every sample, symmetric A (n, r, r), columns C (n, r, k), both overwritten; C becomes x.

    Rows of x before the `first` are left unfinished. Returns the smallest pivot over the largest entry of its
    matrix, negative where A is not positive; zero if some A is singular, and x means nothing then.
    """
    n, r, columns = C.shape
    least = np.inf
    for s in range(n):
        largest = 0.0
        for i in range(r):
            largest = max(largest, abs(A[s, i, i]))
        for j in range(r):  # A = L D L^T, unit L above the diagonal, D on it
            pivot = A[s, j, j]
            if abs(pivot) <= _SINGULAR * largest:
                return 0.0
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
def inner(A, allowed):
    """A_b of what the base can do, (m, r, r)."""
    r = allowed.size
    block = np.empty((A.shape[0], r, r))
    for s in range(A.shape[0]):
        for i in range(r):
            for j in range(r):
                block[s, i, j] = A[s, allowed[i], allowed[j]]
    return block


@njit(**_COMPILE)
def reactions(A, dq, spin, allowed):
    """Twist at zero momentum, then by each component of angular momentum, (m, r, 4), and the smallest pivot."""
    right = np.zeros((A.shape[0], allowed.size, 4))
    for s in range(A.shape[0]):
        for i in range(allowed.size):
            row = allowed[i]
            for j in range(dq.shape[1]):
                right[s, i, 0] -= A[s, row, 6 + j] * dq[s, j]
            if row >= 3:
                right[s, i, 0] -= spin[s, row - 3]
                right[s, i, row - 2] = 1.0
    return right, solve_each(inner(A, allowed), right, 0)


@njit(**_COMPILE)
def velocities(reactions, allowed, u):
    """Velocities v and w (m, 3) at the momentum u (m, 3) in base axes, from what `reactions` found."""
    m = reactions.shape[0]
    v, w = np.zeros((m, 3)), np.zeros((m, 3))
    for s in range(m):
        for i in range(allowed.size):
            row, x = allowed[i], reactions[s, i, 0]
            for j in range(3):
                x += reactions[s, i, 1 + j] * u[s, j]
            if row < 3:
                v[s, row] = x
            else:
                w[s, row - 3] = x
    return v, w


# ---------------------------------------------------------------------- the way back


@njit(inline="always")
def _add_motion_cross(a, b, s, out):
    """Add s (a x b), both twists, to out."""
    out[0] += s * (a[4] * b[2] - a[5] * b[1] + a[1] * b[5] - a[2] * b[4])
    out[1] += s * (a[5] * b[0] - a[3] * b[2] + a[2] * b[3] - a[0] * b[5])
    out[2] += s * (a[3] * b[1] - a[4] * b[0] + a[0] * b[4] - a[1] * b[3])
    out[3] += s * (a[4] * b[5] - a[5] * b[4])
    out[4] += s * (a[5] * b[3] - a[3] * b[5])
    out[5] += s * (a[3] * b[4] - a[4] * b[3])


@njit(inline="always")
def _add_force_cross(a, f, s, out):
    """Add s (a x* f), a a twist, f a wrench, to out."""
    out[0] += s * (a[4] * f[2] - a[5] * f[1])
    out[1] += s * (a[5] * f[0] - a[3] * f[2])
    out[2] += s * (a[3] * f[1] - a[4] * f[0])
    out[3] += s * (a[4] * f[5] - a[5] * f[4] + a[1] * f[2] - a[2] * f[1])
    out[4] += s * (a[5] * f[3] - a[3] * f[5] + a[2] * f[0] - a[0] * f[2])
    out[5] += s * (a[3] * f[4] - a[4] * f[3] + a[0] * f[1] - a[1] * f[0])


@njit(**_COMPILE)
def _inertia(phi, R, p, body):
    """Inertia of one body about the base origin, (6, 6)."""
    m = phi[0]
    f = np.empty(3)
    for i in range(3):
        f[i] = R[i, 0] * phi[1] + R[i, 1] * phi[2] + R[i, 2] * phi[3]
    square = m * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) + 2.0 * (p[0] * f[0] + p[1] * f[1] + p[2] * f[2])
    for i in range(3):
        t0 = R[i, 0] * phi[4] + R[i, 1] * phi[5] + R[i, 2] * phi[7]
        t1 = R[i, 0] * phi[5] + R[i, 1] * phi[6] + R[i, 2] * phi[8]
        t2 = R[i, 0] * phi[7] + R[i, 1] * phi[8] + R[i, 2] * phi[9]
        for j in range(3):
            body[i, j] = 0.0
            body[3 + i, 3 + j] = (
                t0 * R[j, 0] + t1 * R[j, 1] + t2 * R[j, 2] - p[i] * f[j] - f[i] * p[j] - m * p[i] * p[j]
            )
        body[i, i] = m
        body[3 + i, 3 + i] += square
    s0, s1, s2 = m * p[0] + f[0], m * p[1] + f[1], m * p[2] + f[2]
    body[3, 0] = body[4, 1] = body[5, 2] = body[0, 3] = body[1, 4] = body[2, 5] = 0.0
    body[4, 0] = body[0, 4] = s2
    body[3, 1] = body[1, 3] = -s2
    body[3, 2] = body[2, 3] = s1
    body[5, 0] = body[0, 5] = -s1
    body[5, 1] = body[1, 5] = s0
    body[4, 2] = body[2, 4] = -s0


@njit(inline="always")
def _add_product(body, x, s, out):
    """Add s times an inertia times x to out."""
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += body[i, j] * x[j]
        out[i] += s * total


@njit(**_COMPILE)
def _twists(tree, p, v, w, a, S, V):
    """Twists V of the bodies and S of their joints, about the base origin, (bodies, 6)."""
    for b in range(tree.parent.size):
        V[b, 0] = v[b, 0] - (w[b, 1] * p[b, 2] - w[b, 2] * p[b, 1])
        V[b, 1] = v[b, 1] - (w[b, 2] * p[b, 0] - w[b, 0] * p[b, 2])
        V[b, 2] = v[b, 2] - (w[b, 0] * p[b, 1] - w[b, 1] * p[b, 0])
        V[b, 3:] = w[b]
        if tree.dof[b] < 0:
            S[b] = 0.0
        elif tree.kind[b] == REVOLUTE:
            S[b, 0] = p[b, 1] * a[b, 2] - p[b, 2] * a[b, 1]
            S[b, 1] = p[b, 2] * a[b, 0] - p[b, 0] * a[b, 2]
            S[b, 2] = p[b, 0] * a[b, 1] - p[b, 1] * a[b, 0]
            S[b, 3:] = a[b]
        else:
            S[b, :3] = a[b]
            S[b, 3:] = 0.0


@njit(**_COMPILE)
def _inwards(tree, C, W, S, S_bar, f, gq):
    """Gradients by joint positions from derivatives W by each body's own inertia and S_bar by each joint's twist.

    C: inertia of each body alone. f: sums of s x* sbar over other twists s that a body carries, (bodies, 6). W, S_bar
    and f are overwritten.
    """
    Y, T = np.zeros((S.shape[0], 6, 6)), np.empty((6, 6))
    for b in range(S.shape[0] - 1, -1, -1):
        for i in range(6):
            for j in range(6):
                total = 0.0
                for e in range(6):
                    total += W[b, i, e] * C[b, e, j]
                T[i, j] = total
        Y[b] += T
        j = tree.dof[b]
        y, s = Y[b], S[b]
        if j >= 0:
            trace = s[0] * (y[4, 2] - y[5, 1]) + s[1] * (y[5, 0] - y[3, 2]) + s[2] * (y[3, 1] - y[4, 0])
            for o in (0, 3):
                trace += s[3] * (y[o + 1, o + 2] - y[o + 2, o + 1])
                trace += s[4] * (y[o + 2, o] - y[o, o + 2])
                trace += s[5] * (y[o, o + 1] - y[o + 1, o])
            gq[j] -= 2.0 * trace
            for e in range(6):
                gq[j] += s[e] * f[b, e]
            _add_force_cross(s, S_bar[b], 1.0, f[b])
        u = tree.parent[b]
        if u >= 0:
            f[u] += f[b]
            Y[u] += y


@njit(**_COMPILE)
def locked_adjoint(tree, phi, R, p, v, w, a, A_bar, gq):
    """Add to gq (n, dofs) the gradient of sum(A_bar * A), A (n, 6, 6 + dofs) the momentum matrix."""
    n, bodies = p.shape[0], tree.parent.size
    S, V, S_bar = np.empty((bodies, 6)), np.empty((bodies, 6)), np.empty((bodies, 6))
    own, C, W = np.empty((bodies, 6, 6)), np.empty((bodies, 6, 6)), np.empty((bodies, 6, 6))
    f = np.empty((bodies, 6))
    for k in range(n):
        _twists(tree, p[k], v[k], w[k], a[k], S, V)
        f[:] = 0.0
        for b in range(bodies):
            _inertia(phi[b], R[k, b], p[k, b], own[b])
        C[:] = own
        for b in range(bodies - 1, 0, -1):
            C[tree.parent[b]] += C[b]
        S_bar[:] = 0.0
        for i in range(6):
            for j in range(6):
                W[0, i, j] = 0.5 * (A_bar[k, i, j] + A_bar[k, j, i])
        for b in range(1, bodies):
            j = tree.dof[b]
            W[b] = W[tree.parent[b]]
            if j >= 0:
                weight = A_bar[k, :, 6 + j]
                for i in range(6):
                    for e in range(6):
                        W[b, i, e] += 0.5 * (weight[i] * S[b, e] + S[b, i] * weight[e])
                _add_product(C[b], weight, 1.0, S_bar[b])
        _inwards(tree, own, W, S, S_bar, f, gq[k])


@njit(**_COMPILE)
def _slope_back(weight, S, V, C, h, T, U, V_bar, S_bar):
    """Derivatives of weight . (S x* h - C (S x V)), added: T, U by momentum and inertia of all that moves with S."""
    E, E_bar = np.zeros(6), np.zeros(6)
    _add_motion_cross(S, weight, -1.0, T)
    _add_motion_cross(S, V, 1.0, E)
    _add_product(C, weight, -1.0, E_bar)
    _add_force_cross(S, E_bar, -1.0, V_bar)
    _add_force_cross(V, E_bar, 1.0, S_bar)
    _add_force_cross(weight, h, -1.0, S_bar)
    for i in range(6):
        for e in range(6):
            U[i, e] -= 0.5 * (weight[i] * E[e] + E[i] * weight[e])


@njit(**_COMPILE)
def _geometry_twist(e, across, R, pivot, s):
    """Twist s (6,) by which all beyond a joint moves as the number e of its geometry grows."""
    if e < 3:
        for i in range(3):
            s[i], s[3 + i] = R[i, e], 0.0
        return
    t = across[e - 3]
    for i in range(3):
        s[3 + i] = R[i, 0] * t[0] + R[i, 1] * t[1] + R[i, 2] * t[2]
    s[0], s[1], s[2] = _cross(pivot[0], pivot[1], pivot[2], s[3], s[4], s[5])


@njit(**_COMPILE)
def momentum_slopes_adjoint(tree, across, phi, q, R, p, v, w, a, dq, D_bar, G_bar, F_bar, gq, gdq, gx):
    """Add gradients of sum(D_bar * D) + sum(G_bar * G) + sum(F_bar * F), twists held.

    D (n, 6, dofs): the momentum by joint positions, D_j = S_j x* h_j - C_j (S_j x V_j). G (n, 6, 5 dofs) and F
    (n, 3, 5 dofs): momentum and first moment by geometry, of the same form with twists that the carrying body bears;
    no columns, if they are not asked for. gq, gdq: (n, dofs). gx: by the base's twist, (n, 6).
    """
    n, bodies = p.shape[0], tree.parent.size
    S, V, S_bar, V_bar = np.empty((bodies, 6)), np.empty((bodies, 6)), np.empty((bodies, 6)), np.empty((bodies, 6))
    h, T, f = np.empty((bodies, 6)), np.empty((bodies, 6)), np.empty((bodies, 6))
    own, C, W = np.empty((bodies, 6, 6)), np.empty((bodies, 6, 6)), np.empty((bodies, 6, 6))
    U = np.empty((bodies, 6, 6))  # of W, what all beyond a joint share
    pivot, s, s_bar, weight = np.empty(3), np.empty(6), np.empty(6), np.empty(6)
    for k in range(n):
        _twists(tree, p[k], v[k], w[k], a[k], S, V)
        h[:] = 0.0
        for b in range(bodies):
            _inertia(phi[b], R[k, b], p[k, b], own[b])
            _add_product(own[b], V[b], 1.0, h[b])
        C[:] = own
        for b in range(bodies - 1, 0, -1):
            C[tree.parent[b]] += C[b]
            h[tree.parent[b]] += h[b]
        S_bar[:], V_bar[:], T[0], U[0], f[:] = 0.0, 0.0, 0.0, 0.0, 0.0
        for b in range(bodies):
            u, j = tree.parent[b], tree.dof[b]
            if b > 0:
                T[b], U[b] = T[u], U[u]
            if j >= 0:
                weight[:] = D_bar[k, :, j]
                _slope_back(weight, S[b], V[b], C[b], h[b], T[b], U[b], V_bar[b], S_bar[b])
                if G_bar.shape[2] > 0:
                    slid = 0.0 if tree.kind[b] == REVOLUTE else q[k, j]
                    for i in range(3):
                        pivot[i] = p[k, b, i] - slid * a[k, b, i]
                    for e in range(5):
                        _geometry_twist(e, across[b], R[k, u], pivot, s)
                        s_bar[:] = 0.0
                        weight[:] = G_bar[k, :, 5 * j + e]
                        _slope_back(weight, s, V[u], C[b], h[b], T[b], U[b], V_bar[u], s_bar)
                        weight[:3], weight[3:] = F_bar[k, :, 5 * j + e], 0.0
                        _add_product(C[b], weight, 1.0, s_bar)
                        for i in range(6):
                            for o in range(6):
                                U[b, i, o] += 0.5 * (weight[i] * s[o] + s[i] * weight[o])
                        _add_force_cross(s, s_bar, 1.0, f[u])
            _add_product(own[b], T[b], 1.0, V_bar[b])
            for i in range(6):
                for e in range(6):
                    W[b, i, e] = U[b, i, e] + 0.5 * (T[b, i] * V[b, e] + V[b, i] * T[b, e])
        for b in range(bodies - 1, 0, -1):
            j = tree.dof[b]
            if j >= 0:
                for e in range(6):
                    gdq[k, j] += S[b, e] * V_bar[b, e]
                    S_bar[b, e] += V_bar[b, e] * dq[k, j]
            V_bar[tree.parent[b]] += V_bar[b]
        gx[k] += V_bar[0]
        _inwards(tree, own, W, S, S_bar, f, gq[k])
