"""Reverse sweeps that a design needs beyond those of regressors: through the base's inertia and through attitudes.

All about the base origin in base axes, twists and wrenches as (linear, angular). S_j is the unit twist of joint j, V_b
the twist and I_b the inertia of a body, C_j the inertia and h_j the momentum of everything beyond joint j. Turning
joint k moves all beyond it:

    dI_b/dq_k = S_k x* I_b - I_b S_k x,        dS_j/dq_k = S_k x S_j

(Featherstone, "Rigid Body Dynamics Algorithms", 2008). So with W_b the symmetric derivative of a number by I_b, and
Sbar_j that by S_j,

    d/dq_k = S_k . sum over j beyond k of S_j x* Sbar_j - 2 tr(S_k x sum over b beyond k of W_b I_b).
"""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract"}}
_REVOLUTE = 0


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
        elif tree.kind[b] == _REVOLUTE:
            S[b, 0] = p[b, 1] * a[b, 2] - p[b, 2] * a[b, 1]
            S[b, 1] = p[b, 2] * a[b, 0] - p[b, 0] * a[b, 2]
            S[b, 2] = p[b, 0] * a[b, 1] - p[b, 1] * a[b, 0]
            S[b, 3:] = a[b]
        else:
            S[b, :3] = a[b]
            S[b, 3:] = 0.0


@njit(**_COMPILE)
def _inwards(tree, C, W, S, S_bar, gq):
    """Gradients by joint positions from derivatives W by each body's own inertia and S_bar by each joint's twist.

    C: inertia of each body alone. W and S_bar are overwritten.
    """
    f, Y, T = np.zeros((S.shape[0], 6)), np.zeros((S.shape[0], 6, 6)), np.empty((6, 6))
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
    for k in range(n):
        _twists(tree, p[k], v[k], w[k], a[k], S, V)
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
        _inwards(tree, own, W, S, S_bar, gq[k])


@njit(**_COMPILE)
def momentum_by_position_adjoint(tree, phi, R, p, v, w, a, dq, D_bar, gq, gdq, gx):
    """Add gradients of sum(D_bar * D), D (n, 6, dofs) the momentum by joint positions at given twists.

    D_j = S_j x* h_j - C_j (S_j x V_j). gq, gdq: (n, dofs). gx: by the base's twist, (n, 6).
    """
    n, bodies = p.shape[0], tree.parent.size
    S, V, S_bar, V_bar = np.empty((bodies, 6)), np.empty((bodies, 6)), np.empty((bodies, 6)), np.empty((bodies, 6))
    h, T, E, E_bar = np.empty((bodies, 6)), np.empty((bodies, 6)), np.empty(6), np.empty(6)
    own, C, W = np.empty((bodies, 6, 6)), np.empty((bodies, 6, 6)), np.empty((bodies, 6, 6))
    U = np.empty((bodies, 6, 6))  # of W, what all beyond a joint share
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
        S_bar[:], V_bar[:], T[0], U[0] = 0.0, 0.0, 0.0, 0.0
        for b in range(bodies):
            if b > 0:
                T[b], U[b] = T[tree.parent[b]], U[tree.parent[b]]
            j = tree.dof[b]
            if j >= 0:
                weight = D_bar[k, :, j]
                _add_motion_cross(S[b], weight, -1.0, T[b])
                E[:], E_bar[:] = 0.0, 0.0
                _add_motion_cross(S[b], V[b], 1.0, E)
                _add_product(C[b], weight, -1.0, E_bar)
                _add_force_cross(S[b], E_bar, -1.0, V_bar[b])
                _add_force_cross(V[b], E_bar, 1.0, S_bar[b])
                _add_force_cross(weight, h[b], -1.0, S_bar[b])
                for i in range(6):
                    for e in range(6):
                        U[b, i, e] -= 0.5 * (weight[i] * E[e] + E[i] * weight[e])
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
        _inwards(tree, own, W, S, S_bar, gq[k])


# ---------------------------------------------------------------------- small rotations along a motion


@njit(**_COMPILE)
def carry(t, N, f, psi):
    """Psi (n, 3, c) from psi' = N psi + f, zero at first, by the trapezoidal rule; N (n, 3, 3), f (n, 3, c)."""
    left = np.empty((3, 3))
    psi[0] = 0.0
    for k in range(t.size - 1):
        half = 0.5 * (t[k + 1] - t[k])
        for i in range(3):
            for j in range(3):
                left[i, j] = (1.0 if i == j else 0.0) - half * N[k + 1, i, j]
        inverse = np.linalg.inv(left)
        for e in range(f.shape[2]):
            x0, x1, x2 = psi[k, 0, e], psi[k, 1, e], psi[k, 2, e]
            r0 = x0 + half * (N[k, 0, 0] * x0 + N[k, 0, 1] * x1 + N[k, 0, 2] * x2 + f[k, 0, e] + f[k + 1, 0, e])
            r1 = x1 + half * (N[k, 1, 0] * x0 + N[k, 1, 1] * x1 + N[k, 1, 2] * x2 + f[k, 1, e] + f[k + 1, 1, e])
            r2 = x2 + half * (N[k, 2, 0] * x0 + N[k, 2, 1] * x1 + N[k, 2, 2] * x2 + f[k, 2, e] + f[k + 1, 2, e])
            for i in range(3):
                psi[k + 1, i, e] = inverse[i, 0] * r0 + inverse[i, 1] * r1 + inverse[i, 2] * r2


@njit(**_COMPILE)
def carry_adjoint(t, N, psi_bar, f_bar):
    """Gradient by f, (n, 3, c), of a number with gradient psi_bar by psi; by N it is the sum of f_bar psi^T."""
    c = psi_bar.shape[2]
    left, right, y = np.empty((3, 3)), np.zeros((3, c)), np.empty((3, c))
    f_bar[:] = 0.0
    for k in range(t.size - 1, 0, -1):
        half = 0.5 * (t[k] - t[k - 1])
        for i in range(3):
            for j in range(3):
                left[i, j] = (1.0 if i == j else 0.0) - half * N[k, i, j]
        inverse = np.linalg.inv(left)
        M = N[k - 1]
        for e in range(c):
            m0, m1, m2 = (
                psi_bar[k, 0, e] + right[0, e],
                psi_bar[k, 1, e] + right[1, e],
                psi_bar[k, 2, e] + right[2, e],
            )
            for i in range(3):
                y[i, e] = inverse[0, i] * m0 + inverse[1, i] * m1 + inverse[2, i] * m2
            for i in range(3):
                f_bar[k, i, e] += half * y[i, e]
                f_bar[k - 1, i, e] += half * y[i, e]
                right[i, e] = y[i, e] + half * (M[0, i] * y[0, e] + M[1, i] * y[1, e] + M[2, i] * y[2, e])
