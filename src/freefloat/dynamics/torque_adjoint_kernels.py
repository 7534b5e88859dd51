"""The reverse sweep of inverse dynamics: exact gradients of torques and of their regressor.

Row i of the torque regressor is S_i . F_b over the bodies b beyond joint i, S_i being the joint's unit twist about the
base origin and F_b (6 x 10) force and moment about that origin that body b needs per parameter (base rows: S = E):

    column     force                        moment about the base origin
    m          a                            p x a
    m c_k      f_k = w x (w x r_k) + g x r_k  p x f_k + r_k x a
    I_ab       0                            R (E_ab g' + w' x E_ab w'),   g' = R^T g,  w' = R^T w

with rotation R (columns r_k), origin p, angular velocity w, acceleration a of the origin and angular acceleration g of
the body; velocities of origins do not enter. The gradient of sum(Z * Y) therefore needs, for each body, the weights
B_b = Z[base rows, b] + sum_i S_i Z[i, b], pulled back through F_b, and for each joint the gradient sum_b F_b Z[i, b] of
its twist; both are handed from the tips to the base. After Atkeson, An, Hollerbach (IJRR 1986) for the regressor and
Ayusawa et al. for the use of its gradient in design.

Poses come from `kernels.sweep`. All kernels of this sweep stand in this one file: numba's cache does not notice a
change in a callee elsewhere.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from freefloat.robot.tree import PRISMATIC, REVOLUTE

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract", "nsz"}}
# A body's gradient: rotation, origin, angular velocity, acceleration, angular acceleration, joint axis.
_GP, _GW, _GA, _GG, _GX = 3, 6, 9, 12, 15
_GRADIENT = 18


@njit(inline="always")
def _cross(a0, a1, a2, b0, b1, b2):
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@njit(inline="always")
def _add(x, o, x0, x1, x2):
    x[o] += x0
    x[o + 1] += x1
    x[o + 2] += x2


# ---------------------------------------------------------------------- outwards


@njit(**_COMPILE)
def _accelerations(tree, p, w, a, dq, ddq, acc0, alpha0, D):
    """Accelerations D (bodies, 6) of origins, less gravity, and angular ones, from those of the base."""
    for i in range(3):
        D[0, i], D[0, 3 + i] = acc0[i], alpha0[i]
    for b in range(1, D.shape[0]):
        u, j = tree.parent[b], tree.dof[b]
        rate, rise = (dq[j], ddq[j]) if j >= 0 else (0.0, 0.0)
        turns = tree.kind[b] == REVOLUTE
        d0, d1, d2 = p[b, 0] - p[u, 0], p[b, 1] - p[u, 1], p[b, 2] - p[u, 2]
        w0, w1, w2 = w[u, 0], w[u, 1], w[u, 2]
        x, y, z = _cross(w0, w1, w2, d0, d1, d2)
        c0, c1, c2 = _cross(w0, w1, w2, x, y, z)
        x, y, z = _cross(D[u, 3], D[u, 4], D[u, 5], d0, d1, d2)
        e0, e1, e2 = _cross(w0, w1, w2, a[b, 0], a[b, 1], a[b, 2])
        slide, twice = (0.0, 0.0) if turns else (rise, 2.0 * rate)
        up, turn = (rise, rate) if turns else (0.0, 0.0)
        D[b, 0] = D[u, 0] + c0 + x + a[b, 0] * slide + e0 * twice
        D[b, 1] = D[u, 1] + c1 + y + a[b, 1] * slide + e1 * twice
        D[b, 2] = D[u, 2] + c2 + z + a[b, 2] * slide + e2 * twice
        D[b, 3] = D[u, 3] + a[b, 0] * up + e0 * turn
        D[b, 4] = D[u, 4] + a[b, 1] * up + e1 * turn
        D[b, 5] = D[u, 5] + a[b, 2] * up + e2 * turn


@njit(**_COMPILE)
def _joint_twists(tree, p, a, S):
    """Twists S (bodies, 6), velocity at the base origin then angular, of all that is beyond a joint at unit rate."""
    for b in range(1, S.shape[0]):
        if tree.kind[b] == REVOLUTE:
            S[b, 0], S[b, 1], S[b, 2] = _cross(p[b, 0], p[b, 1], p[b, 2], a[b, 0], a[b, 1], a[b, 2])
            S[b, 3], S[b, 4], S[b, 5] = a[b, 0], a[b, 1], a[b, 2]
        else:
            S[b, 0], S[b, 1], S[b, 2] = a[b, 0], a[b, 1], a[b, 2]
            S[b, 3], S[b, 4], S[b, 5] = 0.0, 0.0, 0.0


@njit(**_COMPILE)
def _wrench_columns(R, p, w, D, F):
    """Force and moment about the base origin that one body needs per parameter, into F (6, 10)."""
    p0, p1, p2, w0, w1, w2 = p[0], p[1], p[2], w[0], w[1], w[2]
    a0, a1, a2, g0, g1, g2 = D[0], D[1], D[2], D[3], D[4], D[5]
    F[0, 0], F[1, 0], F[2, 0] = a0, a1, a2
    F[3, 0], F[4, 0], F[5, 0] = _cross(p0, p1, p2, a0, a1, a2)
    for k in range(3):
        r0, r1, r2 = R[0, k], R[1, k], R[2, k]
        x, y, z = _cross(w0, w1, w2, r0, r1, r2)
        f0, f1, f2 = _cross(w0, w1, w2, x, y, z)
        x, y, z = _cross(g0, g1, g2, r0, r1, r2)
        f0, f1, f2 = f0 + x, f1 + y, f2 + z
        x, y, z = _cross(p0, p1, p2, f0, f1, f2)
        n0, n1, n2 = _cross(r0, r1, r2, a0, a1, a2)
        F[0, 1 + k], F[1, 1 + k], F[2, 1 + k] = f0, f1, f2
        F[3, 1 + k], F[4, 1 + k], F[5, 1 + k] = x + n0, y + n1, z + n2
    x, y, z = _in_body(R, w0, w1, w2)
    ax, ay, az = _in_body(R, g0, g1, g2)
    for i in range(3):
        r0, r1, r2 = R[i, 0], R[i, 1], R[i, 2]
        F[3 + i, 4] = r0 * ax + r1 * (z * x) - r2 * (y * x)
        F[3 + i, 5] = r0 * (ay - z * x) + r1 * (ax + z * y) + r2 * (x * x - y * y)
        F[3 + i, 6] = r1 * ay - r0 * (z * y) + r2 * (x * y)
        F[3 + i, 7] = r0 * (az + y * x) + r1 * (z * z - x * x) + r2 * (ax - y * z)
        F[3 + i, 8] = r0 * (y * y - z * z) + r1 * (az - x * y) + r2 * (ay + x * z)
        F[3 + i, 9] = r0 * (y * z) - r1 * (x * z) + r2 * az


@njit(inline="always")
def _in_body(R, x, y, z):
    return (
        R[0, 0] * x + R[1, 0] * y + R[2, 0] * z,
        R[0, 1] * x + R[1, 1] * y + R[2, 1] * z,
        R[0, 2] * x + R[1, 2] * y + R[2, 2] * z,
    )


@njit(inline="always")
def _from_body(R, x, y, z):
    return (
        R[0, 0] * x + R[0, 1] * y + R[0, 2] * z,
        R[1, 0] * x + R[1, 1] * y + R[1, 2] * z,
        R[2, 0] * x + R[2, 1] * y + R[2, 2] * z,
    )


# ---------------------------------------------------------------------- back, body by body


@njit(**_COMPILE)
def _pull_back_moments(R, p, w, D, F, B, g):
    """Gradients of sum(B * F) through the columns of mass and first moments, added to g (18)."""
    p0, p1, p2, w0, w1, w2 = p[0], p[1], p[2], w[0], w[1], w[2]
    a0, a1, a2, g0, g1, g2 = D[0], D[1], D[2], D[3], D[4], D[5]
    for c in range(4):
        n0, n1, n2 = B[3, c], B[4, c], B[5, c]
        x, y, z = _cross(n0, n1, n2, p0, p1, p2)
        l0, l1, l2 = B[0, c] + x, B[1, c] + y, B[2, c] + z  # with respect to the force
        x, y, z = _cross(F[0, c], F[1, c], F[2, c], n0, n1, n2)
        _add(g, _GP, x, y, z)
        if c == 0:
            _add(g, _GA, l0, l1, l2)
            continue
        r0, r1, r2 = R[0, c - 1], R[1, c - 1], R[2, c - 1]
        x, y, z = _cross(n0, n1, n2, r0, r1, r2)
        _add(g, _GA, x, y, z)
        x, y, z = _cross(r0, r1, r2, l0, l1, l2)
        _add(g, _GG, x, y, z)
        wr, wl, rl = w0 * r0 + w1 * r1 + w2 * r2, w0 * l0 + w1 * l1 + w2 * l2, r0 * l0 + r1 * l1 + r2 * l2
        _add(
            g,
            _GW,
            l0 * wr + r0 * wl - 2.0 * w0 * rl,
            l1 * wr + r1 * wl - 2.0 * w1 * rl,
            l2 * wr + r2 * wl - 2.0 * w2 * rl,
        )
        x, y, z = _cross(w0, w1, w2, l0, l1, l2)
        s0, s1, s2 = _cross(w0, w1, w2, x, y, z)
        x, y, z = _cross(l0, l1, l2, g0, g1, g2)
        t0, t1, t2 = _cross(a0, a1, a2, n0, n1, n2)
        x, y, z = _cross(r0, r1, r2, s0 + x + t0, s1 + y + t1, s2 + z + t2)
        _add(g, 0, x, y, z)


@njit(**_COMPILE)
def _pull_back_inertias(R, w, D, F, B, g):
    """Gradients of sum(B * F) through the columns of inertias, added to g (18).

    In body axes sum(B * F) is linear in the angular acceleration and a quadratic form of the angular velocity.
    """
    xx0, xx1, xx2 = _in_body(R, B[3, 4], B[4, 4], B[5, 4])
    xy0, xy1, xy2 = _in_body(R, B[3, 5], B[4, 5], B[5, 5])
    yy0, yy1, yy2 = _in_body(R, B[3, 6], B[4, 6], B[5, 6])
    xz0, xz1, xz2 = _in_body(R, B[3, 7], B[4, 7], B[5, 7])
    yz0, yz1, yz2 = _in_body(R, B[3, 8], B[4, 8], B[5, 8])
    zz0, zz1, zz2 = _in_body(R, B[3, 9], B[4, 9], B[5, 9])
    x, y, z = _in_body(R, w[0], w[1], w[2])
    ax, ay, az = _in_body(R, D[3], D[4], D[5])
    l0, l1, l2 = xx0 + xy1 + xz2, xy0 + yy1 + yz2, xz0 + yz1 + zz2
    # factors of x y, x z, y z, x x, y y, z z
    q_xy, q_xz = yy2 - xx2 + xz0 - yz1, xx1 - xy0 + yz2 - zz1
    q_yz = xy1 - yy0 - xz2 + zz0
    q_xx, q_yy, q_zz = xy2 - xz1, yz0 - xy2, xz1 - yz0
    q0 = 2.0 * q_xx * x + q_xy * y + q_xz * z
    q1 = 2.0 * q_yy * y + q_xy * x + q_yz * z
    q2 = 2.0 * q_zz * z + q_xz * x + q_yz * y
    s0, s1, s2 = _from_body(R, l0, l1, l2)
    _add(g, _GG, s0, s1, s2)
    s0, s1, s2 = _from_body(R, q0, q1, q2)
    _add(g, _GW, s0, s1, s2)
    s0, s1, s2 = _cross(l0, l1, l2, ax, ay, az)
    t0, t1, t2 = _cross(q0, q1, q2, x, y, z)
    s0, s1, s2 = _from_body(R, s0 + t0, s1 + t1, s2 + t2)
    for c in range(4, 10):
        x, y, z = _cross(F[3, c], F[4, c], F[5, c], B[3, c], B[4, c], B[5, c])
        s0, s1, s2 = s0 + x, s1 + y, s2 + z
    _add(g, 0, s0, s1, s2)


@njit(**_COMPILE)
def _pull_back_twist(turns, p, a, s, g):
    """Gradients through a joint's unit twist, whose own is s (6), added to g (18)."""
    if not turns:
        _add(g, _GX, s[0], s[1], s[2])
        return
    x, y, z = _cross(a[0], a[1], a[2], s[0], s[1], s[2])
    _add(g, _GP, x, y, z)
    x, y, z = _cross(s[0], s[1], s[2], p[0], p[1], p[2])
    _add(g, _GX, x + s[3], y + s[4], z + s[5])


# ---------------------------------------------------------------------- back, from the tips to the base


@njit(**_COMPILE)
def _hand_over(turns, rate, rise, p_b, p_u, a, w, alpha, g, gu):
    """Hand a body's gradient g to its parent's, gu; w and alpha are the parent's. Returns those of q, dq, ddq."""
    d0, d1, d2 = p_b[0] - p_u[0], p_b[1] - p_u[1], p_b[2] - p_u[2]
    a0, a1, a2, w0, w1, w2 = a[0], a[1], a[2], w[0], w[1], w[2]
    l0, l1, l2 = g[_GA], g[_GA + 1], g[_GA + 2]
    h0, h1, h2 = g[_GG], g[_GG + 1], g[_GG + 2]
    # the step d: p + d, and w x (w x d) + alpha x d in the acceleration
    x, y, z = _cross(w0, w1, w2, l0, l1, l2)
    s0, s1, s2 = _cross(w0, w1, w2, x, y, z)
    x, y, z = _cross(l0, l1, l2, alpha[0], alpha[1], alpha[2])
    s0, s1, s2 = s0 + x + g[_GP], s1 + y + g[_GP + 1], s2 + z + g[_GP + 2]
    # the axis: e carries a rise + (w x a) rate, or twice that
    if turns:
        e0, e1, e2, twice = h0, h1, h2, rate
        x, y, z = g[_GW], g[_GW + 1], g[_GW + 2]
        by_position = a0 * g[0] + a1 * g[1] + a2 * g[2]
    else:
        e0, e1, e2, twice = l0, l1, l2, 2.0 * rate
        x, y, z = 0.0, 0.0, 0.0
        by_position = a0 * s0 + a1 * s1 + a2 * s2
    c0, c1, c2 = _cross(e0, e1, e2, w0, w1, w2)
    once = 1.0 if turns else 2.0
    by_rate = a0 * (x + once * c0) + a1 * (y + once * c1) + a2 * (z + once * c2)
    by_rise = a0 * e0 + a1 * e1 + a2 * e2
    x, y, z = (
        g[_GX] + rate * x + rise * e0 + twice * c0,
        g[_GX + 1] + rate * y + rise * e1 + twice * c1,
        g[_GX + 2] + rate * z + rise * e2 + twice * c2,
    )
    c0, c1, c2 = _cross(a0, a1, a2, x, y, z)
    x, y, z = _cross(d0, d1, d2, s0, s1, s2)
    _add(gu, 0, g[0] + x + c0, g[1] + y + c1, g[2] + z + c2)
    _add(gu, _GP, g[_GP], g[_GP + 1], g[_GP + 2])
    _add(gu, _GA, l0, l1, l2)
    x, y, z = _cross(d0, d1, d2, l0, l1, l2)
    _add(gu, _GG, h0 + x, h1 + y, h2 + z)
    wd, wl, dl = w0 * d0 + w1 * d1 + w2 * d2, w0 * l0 + w1 * l1 + w2 * l2, d0 * l0 + d1 * l1 + d2 * l2
    x, y, z = _cross(a0, a1, a2, e0, e1, e2)
    _add(
        gu,
        _GW,
        g[_GW] + l0 * wd + d0 * wl - 2.0 * w0 * dl + twice * x,
        g[_GW + 1] + l1 * wd + d1 * wl - 2.0 * w1 * dl + twice * y,
        g[_GW + 2] + l2 * wd + d2 * wl - 2.0 * w2 * dl + twice * z,
    )
    return by_position, by_rate, by_rise


@njit(**_COMPILE)
def _inwards(tree, p, w, a, dq, ddq, D, G, gq, gdq, gddq, gw0, gacc0, galpha0):
    """From the tips to the base: gather the bodies' gradients G into those of q, dq, ddq and the base."""
    for b in range(G.shape[0] - 1, 0, -1):
        u, j = tree.parent[b], tree.dof[b]
        rate, rise = (dq[j], ddq[j]) if j >= 0 else (0.0, 0.0)
        turns = tree.kind[b] != PRISMATIC
        found = _hand_over(turns, rate, rise, p[b], p[u], a[b], w[u], D[u, 3:], G[b], G[u])
        if j >= 0:
            gq[j], gdq[j], gddq[j] = found
    for i in range(3):
        gw0[i], gacc0[i], galpha0[i] = G[0, _GW + i], G[0, _GA + i], G[0, _GG + i]


@njit(**_COMPILE)
def _gather(Z, row, column, b, z):
    """One row's weights for the ten parameters of a body; zero where Z has no such column."""
    for c in range(10):
        e = column[10 * b + c]
        z[c] = Z[row, e] if e >= 0 else 0.0


@njit(**_COMPILE)
def _weigh(tree, b, Z, row, column, F, S, z, B, s):
    """Weights B (6, 10) of one body's wrench columns F; adds to the gradients s (bodies, 6) of the joints' twists."""
    for i in range(6):
        if row[i] >= 0:
            _gather(Z, row[i], column, b, B[i])
        else:
            B[i] = 0.0
    u = b
    while u > 0:  # every joint between this body and the base carries it
        if tree.dof[u] >= 0 and row[6 + tree.dof[u]] >= 0:
            _gather(Z, row[6 + tree.dof[u]], column, b, z)
            for i in range(6):
                for c in range(10):
                    B[i, c] += S[u, i] * z[c]
            _add_wrench(F, z, s[u])
        u = tree.parent[u]


@njit(inline="always")
def _add_wrench(F, phi, h):
    """Add F phi to h (6)."""
    h0, h1, h2, h3, h4, h5 = h[0], h[1], h[2], h[3], h[4], h[5]
    for c in range(10):
        f = phi[c]
        h0, h1, h2 = h0 + F[0, c] * f, h1 + F[1, c] * f, h2 + F[2, c] * f
        h3, h4, h5 = h3 + F[3, c] * f, h4 + F[4, c] * f, h5 + F[5, c] * f
    h[0], h[1], h[2], h[3], h[4], h[5] = h0, h1, h2, h3, h4, h5


@njit(**_COMPILE)
def torque_adjoint(tree, R, p, w, a, dq, ddq, acc0, alpha0, Z, row, column, gq, gdq, gddq, gw0, gacc0, galpha0):
    """Gradients of sum(Z * Y), Y some rows and columns of the torque regressor; poses from `kernels.sweep`.

    row (6 + dofs), column (10 bodies): where in Z (n, rows, columns) those of the regressor are; -1 if not there.
    With respect to q, dq, ddq (n, dofs), the base's angular velocity, acc0 and alpha0 (n, 3) as in `kernels.torque`.
    """
    n, bodies = p.shape[0], tree.parent.size
    D, S, s, G = np.empty((bodies, 6)), np.zeros((bodies, 6)), np.empty((bodies, 6)), np.empty((bodies, _GRADIENT))
    F, B, z = np.zeros((6, 10)), np.empty((6, 10)), np.empty(10)  # no force on the inertias: F stays zero there
    for k in range(n):
        _accelerations(tree, p[k], w[k], a[k], dq[k], ddq[k], acc0[k], alpha0[k], D)
        _joint_twists(tree, p[k], a[k], S)
        G[:], s[:] = 0.0, 0.0
        for b in range(bodies):
            if column[10 * b : 10 * b + 10].max() >= 0:
                _wrench_columns(R[k, b], p[k, b], w[k, b], D[b], F)
                _weigh(tree, b, Z[k], row, column, F, S, z, B, s)
                _pull_back_moments(R[k, b], p[k, b], w[k, b], D[b], F, B, G[b])
                _pull_back_inertias(R[k, b], w[k, b], D[b], F, B, G[b])
        for b in range(1, bodies):
            _pull_back_twist(tree.kind[b] == REVOLUTE, p[k, b], a[k, b], s[b], G[b])
        _inwards(tree, p[k], w[k], a[k], dq[k], ddq[k], D, G, gq[k], gdq[k], gddq[k], gw0[k], gacc0[k], galpha0[k])


# ---------------------------------------------------------------------- for given parameters


@njit(**_COMPILE)
def _weigh_for(phi, T, F, B, h):
    """Weights B = T phi^T (6, 10) of a body's columns; its wrench F phi is added to h (6)."""
    for i in range(6):
        for c in range(10):
            B[i, c] = T[i] * phi[c]
    _add_wrench(F, phi, h)


@njit(**_COMPILE)
def inverse_dynamics_adjoint(tree, phi, R, p, w, a, dq, ddq, acc0, alpha0, weight, gq, gdq, gddq, gw0, gacc0, galpha0):
    """As `torque_adjoint`, of sum(weight * Y phi): weight (n, 6 + dofs), phi (bodies, 10)."""
    n, bodies = p.shape[0], tree.parent.size
    D, S, h, G = np.empty((bodies, 6)), np.zeros((bodies, 6)), np.empty((bodies, 6)), np.empty((bodies, _GRADIENT))
    F, B, T = np.zeros((6, 10)), np.empty((6, 10)), np.empty((bodies, 6))
    for k in range(n):
        _accelerations(tree, p[k], w[k], a[k], dq[k], ddq[k], acc0[k], alpha0[k], D)
        _joint_twists(tree, p[k], a[k], S)
        G[:], h[:] = 0.0, 0.0
        for b in range(bodies):
            u, j = tree.parent[b], tree.dof[b]
            for i in range(6):
                T[b, i] = weight[k, i] if b == 0 else T[u, i]
                T[b, i] += S[b, i] * weight[k, 6 + j] if j >= 0 else 0.0
            if not phi[b].any():  # a body that only joins joints
                continue
            _wrench_columns(R[k, b], p[k, b], w[k, b], D[b], F)
            _weigh_for(phi[b], T[b], F, B, h[b])
            _pull_back_moments(R[k, b], p[k, b], w[k, b], D[b], F, B, G[b])
            _pull_back_inertias(R[k, b], w[k, b], D[b], F, B, G[b])
        for b in range(bodies - 1, 0, -1):
            for i in range(6):
                h[tree.parent[b], i] += h[b, i]
                h[b, i] *= weight[k, 6 + tree.dof[b]] if tree.dof[b] >= 0 else 0.0
            _pull_back_twist(tree.kind[b] == REVOLUTE, p[k, b], a[k, b], h[b], G[b])
        _inwards(tree, p[k], w[k], a[k], dq[k], ddq[k], D, G, gq[k], gdq[k], gddq[k], gw0[k], gacc0[k], galpha0[k])
