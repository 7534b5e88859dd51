"""Attitude from instant to instant, compiled: three integrators, each with what it is asked for.

The base turns with w = c + B u, c its rate at zero momentum, B its rate by angular momentum (`reaction.py`), u = R^T H
the momentum in base axes. All three advance on the rotation group, R -> R exp(theta). They differ in what they must do:

- the *simulator* (`propagate`) carries momentum and centre of mass as well, pushed from outside, and keeps the momentum
  of its states to rounding; quaternions, order four;
- the *likelihood* (`turn_by_halves`) needs attitudes as good as the simulator's from joint motion at the samples and
  half-way between them, and derivatives by many unknowns, for which the differential equation of the error,
  alpha' = F alpha + G, integrated to the same order, is good enough;
- a *design* (`turn_by_steps`) needs the exact derivative of what it computes, forward and backward, more than a small
  error: one implicit step of second order, differentiated as it stands.

Rotation vectors follow theta' = w + theta x w / 2 + theta x (theta x w) / 12 (Bortz, IEEE T-AES 1971). Kernels that
call each other share this file: numba's cache does not notice a change in a callee elsewhere.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract"}}
_STRICT = {"cache": True, "nogil": True}  # the implicit step is iterated to rounding
_MOST = 50
_CLOSE = 1e-15


@njit(inline="always")
def _cross(a0, a1, a2, b0, b1, b2):
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@njit(**_COMPILE)
def vector_rate(x, y, z, w0, w1, w2):
    """Rate of a rotation vector (x, y, z) at the angular rate w, to third order."""
    a0, a1, a2 = _cross(x, y, z, w0, w1, w2)
    b0, b1, b2 = _cross(x, y, z, a0, a1, a2)
    return w0 + 0.5 * a0 + b0 / 12.0, w1 + 0.5 * a1 + b1 / 12.0, w2 + 0.5 * a2 + b2 / 12.0


# ---------------------------------------------------------------------- the simulator
#
# The base's velocities follow from momentum at every instant,
#
#     w = I_cm^-1 (R^T H - l),    v = (R^T P - p) / M - w x c,
#
# with P and H the linear momentum and the angular momentum about the centre of mass in inertial axes, p and l those of
# joints and wheels alone in base axes, c the centre of mass and I_cm the locked inertia about it: the reaction of
# `reaction.py`, reduced by hand to the centre of mass, because the simulator carries its linear momentum too.


@njit(**_COMPILE)
def rotate(q, x, y, z, back):
    """R (x, y, z), or R^T where `back`, for a unit quaternion q = (vector, scalar)."""
    a, b, c, s = q[0], q[1], q[2], q[3]
    if back:
        a, b, c = -a, -b, -c
    u, v, w = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + s * u + b * w - c * v, y + s * v + c * u - a * w, z + s * w + a * v - b * u


@njit(**_COMPILE)
def turned_quaternion(q, x, y, z, out):
    """The quaternion q times exp of the rotation vector (x, y, z), normalised, into out."""
    square = x * x + y * y + z * z
    if square < 1e-8:
        half, s = 0.5 - square / 48.0, 1.0 - square / 8.0
    else:
        angle = np.sqrt(square)
        half, s = np.sin(0.5 * angle) / angle, np.cos(0.5 * angle)
    a, b, c = half * x, half * y, half * z
    out[0] = q[3] * a + s * q[0] + q[1] * c - q[2] * b
    out[1] = q[3] * b + s * q[1] + q[2] * a - q[0] * c
    out[2] = q[3] * c + s * q[2] + q[0] * b - q[1] * a
    out[3] = q[3] * s - q[0] * a - q[1] * b - q[2] * c
    size = np.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2 + out[3] ** 2)
    for i in range(4):
        out[i] /= size


@njit(**_COMPILE)
def _velocities(mass, body, spin, free, planar, q, state, x):
    """Base velocities x = (v, w) at one instant.

    body: first moment (3), inertia xx xy yy xz yz zz about the base origin (6), joint momentum (6).
    spin: wheel momentum (3). free: what free wheels take off the inertia (6). state: P, H, centre of mass.
    """
    c0, c1, c2 = body[0] / mass, body[1] / mass, body[2] / mass
    p0, p1, p2 = body[9], body[10], body[11]
    h0, h1, h2 = rotate(q, state[3], state[4], state[5], True)
    h0 -= body[12] - (c1 * p2 - c2 * p1) + spin[0]
    h1 -= body[13] - (c2 * p0 - c0 * p2) + spin[1]
    h2 -= body[14] - (c0 * p1 - c1 * p0) + spin[2]
    xx = body[3] - mass * (c1 * c1 + c2 * c2) - free[0]
    xy = body[4] + mass * c0 * c1 - free[1]
    yy = body[5] - mass * (c0 * c0 + c2 * c2) - free[2]
    xz = body[6] + mass * c0 * c2 - free[3]
    yz = body[7] + mass * c1 * c2 - free[4]
    zz = body[8] - mass * (c0 * c0 + c1 * c1) - free[5]
    if planar:
        w0, w1, w2 = 0.0, 0.0, h2 / zz
    else:
        a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
        det = xx * a + xy * b + xz * c
        w0 = (a * h0 + b * h1 + c * h2) / det
        w1 = (b * h0 + (xx * zz - xz * xz) * h1 + (xy * xz - xx * yz) * h2) / det
        w2 = (c * h0 + (xy * xz - xx * yz) * h1 + (xx * yy - xy * xy) * h2) / det
    l0, l1, l2 = rotate(q, state[0], state[1], state[2], True)
    x[0] = (l0 - p0) / mass - (w1 * c2 - w2 * c1)
    x[1] = (l1 - p1) / mass - (w2 * c0 - w0 * c2)
    x[2] = 0.0 if planar else (l2 - p2) / mass - (w0 * c1 - w1 * c0)
    x[3], x[4], x[5] = w0, w1, w2


@njit(**_COMPILE)
def _rates(mass, body, spin, free, planar, q, state, wrench, outside, nadir, gradient, x, phi, d):
    """Rates d of rotation vector (3), P, H and centre of mass (9) at one instant, phi away from q's attitude.

    wrench: force and moment about the base origin, base axes. outside: constant force and torque about the
    centre of mass, inertial axes. nadir: unit vector, inertial axes; gradient: three times the orbital rate squared.
    """
    _velocities(mass, body, spin, free, planar, q, state, x)
    d[0], d[1], d[2] = vector_rate(phi[0], phi[1], phi[2], x[3], x[4], x[5])
    c0, c1, c2 = body[0] / mass, body[1] / mass, body[2] / mass
    t0 = wrench[3] - (c1 * wrench[2] - c2 * wrench[1])
    t1 = wrench[4] - (c2 * wrench[0] - c0 * wrench[2])
    t2 = wrench[5] - (c0 * wrench[1] - c1 * wrench[0])
    if gradient != 0.0:
        n0, n1, n2 = rotate(q, nadir[0], nadir[1], nadir[2], True)
        i0 = (body[3] - mass * (c1 * c1 + c2 * c2)) * n0 + (body[4] + mass * c0 * c1) * n1
        i0 += (body[6] + mass * c0 * c2) * n2
        i1 = (body[4] + mass * c0 * c1) * n0 + (body[5] - mass * (c0 * c0 + c2 * c2)) * n1
        i1 += (body[7] + mass * c1 * c2) * n2
        i2 = (body[6] + mass * c0 * c2) * n0 + (body[7] + mass * c1 * c2) * n1
        i2 += (body[8] - mass * (c0 * c0 + c1 * c1)) * n2
        t0 += gradient * (n1 * i2 - n2 * i1)
        t1 += gradient * (n2 * i0 - n0 * i2)
        t2 += gradient * (n0 * i1 - n1 * i0)
    d[3], d[4], d[5] = rotate(q, wrench[0], wrench[1], wrench[2], False)
    d[6], d[7], d[8] = rotate(q, t0, t1, t2, False)
    for i in range(6):
        d[3 + i] += outside[i]
    for i in range(3):
        d[9 + i] = state[i] / mass


@njit(**_COMPILE)
def propagate(t, mass, body, spin, free, planar, wrench, outside, nadir, gradient, quaternion, state, x):
    """Fly many runs: fill quaternion (runs, n, 4), state (runs, n, 9: P, H, centre of mass), x (runs, n, 6).

    Their first samples hold the start. body (runs, 2n - 1, 15) and spin (runs, 2n - 1, 3) are given at the
    samples and half-way between them; wrench (n - 1, 6) over each interval; nadir (2n - 1, 3).
    """
    n = t.size
    q, s, phi = np.empty(4), np.empty(9), np.empty(3)
    d1, d2, d3, d4 = np.empty(12), np.empty(12), np.empty(12), np.empty(12)
    rest = np.zeros(3)
    for run in range(body.shape[0]):
        for k in range(n - 1):
            h, here = t[k + 1] - t[k], quaternion[run, k]
            b, z, u, now = body[run], spin[run], wrench[k], state[run, k]
            i = 2 * k
            _rates(mass, b[i], z[i], free, planar, here, now, u, outside, nadir[i], gradient, x[run, k], rest, d1)
            for stage in range(3):
                d, step = (d1, 0.5 * h) if stage == 0 else (d2, 0.5 * h) if stage == 1 else (d3, h)
                out = d2 if stage == 0 else d3 if stage == 1 else d4
                j = i + 2 if stage == 2 else i + 1
                for m in range(3):
                    phi[m] = step * d[m]
                for m in range(9):
                    s[m] = now[m] + step * d[3 + m]
                turned_quaternion(here, phi[0], phi[1], phi[2], q)
                _rates(
                    mass,
                    b[j],
                    z[j],
                    free,
                    planar,
                    q,
                    s,
                    u,
                    outside,
                    nadir[j],
                    gradient,
                    x[run, k + 1],
                    phi,
                    out,
                )
            for m in range(3):
                phi[m] = h / 6.0 * (d1[m] + 2.0 * (d2[m] + d3[m]) + d4[m])
            for m in range(9):
                state[run, k + 1, m] = now[m] + h / 6.0 * (d1[3 + m] + 2.0 * (d2[3 + m] + d3[3 + m]) + d4[3 + m])
            turned_quaternion(here, phi[0], phi[1], phi[2], quaternion[run, k + 1])
        for k in range(n):
            _velocities(
                mass,
                body[run, 2 * k],
                spin[run, 2 * k],
                free,
                planar,
                quaternion[run, k],
                state[run, k],
                x[run, k],
            )


# ---------------------------------------------------------------------- the likelihood: order four, with half steps


@njit(**_COMPILE)
def _rate_near(B, c, R, H, x, y, z, w):
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
def turn_by_halves(t, B, c, H, R):
    """Fill R (2 n - 1, 3, 3), attitudes at n samples and half-way between them, from the first one.

    t: at the samples and half-way between them. w = B R^T H + c; B (2 n - 1, 3, 3), c and H (2 n - 1, 3).
    Runge-Kutta of order four on the rotation vector over each interval; half-way by the cubic of its ends.
    """
    w, d1, d2, d3, d4, end = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(0, t.size - 2, 2):
        h, here = t[k + 2] - t[k], R[k]
        _rate_near(B[k], c[k], here, H[k], 0.0, 0.0, 0.0, d1)
        x, y, z = 0.5 * h * d1[0], 0.5 * h * d1[1], 0.5 * h * d1[2]
        _rate_near(B[k + 1], c[k + 1], here, H[k + 1], x, y, z, w)
        d2[0], d2[1], d2[2] = vector_rate(x, y, z, w[0], w[1], w[2])
        x, y, z = 0.5 * h * d2[0], 0.5 * h * d2[1], 0.5 * h * d2[2]
        _rate_near(B[k + 1], c[k + 1], here, H[k + 1], x, y, z, w)
        d3[0], d3[1], d3[2] = vector_rate(x, y, z, w[0], w[1], w[2])
        x, y, z = h * d3[0], h * d3[1], h * d3[2]
        _rate_near(B[k + 2], c[k + 2], here, H[k + 2], x, y, z, w)
        d4[0], d4[1], d4[2] = vector_rate(x, y, z, w[0], w[1], w[2])
        x = h / 6.0 * (d1[0] + 2.0 * (d2[0] + d3[0]) + d4[0])
        y = h / 6.0 * (d1[1] + 2.0 * (d2[1] + d3[1]) + d4[1])
        z = h / 6.0 * (d1[2] + 2.0 * (d2[2] + d3[2]) + d4[2])
        turned(here, x, y, z, R[k + 2])
        _rate_near(B[k + 2], c[k + 2], here, H[k + 2], x, y, z, w)
        end[0], end[1], end[2] = vector_rate(x, y, z, w[0], w[1], w[2])
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
def turn_by_halves_change(t, F, G, alpha):
    """Small rotations alpha (n, 3, columns) of the attitude, in base axes: alpha' = F alpha + G, from the first one.

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


# ---------------------------------------------------------------------- a design: an implicit step of second order
#
#     R_{k+1} = R_k exp(theta),      theta = h/2 (w_k + w_{k+1})
#
# With alpha a small rotation in base axes, R -> R exp(alpha), and g what changes w at a given attitude,
#
#     alpha_{k+1} = exp(theta)^T alpha_k + J(theta) h/2 (dw_k + dw_{k+1}),      dw = g + B (u x alpha),
#
# J being the right Jacobian of the rotation group (J. Sola et al., "A micro Lie theory", 2018): the exact derivative of
# the step.


@njit(**_STRICT)
def _rotation(x, E, J):
    """Exp of a rotation vector x into E, its right Jacobian into J, both (3, 3)."""
    square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    angle = np.sqrt(square)
    if square < 1e-6:
        one, two, three = 1.0 - square / 6.0, 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        one, two = np.sin(angle) / angle, (1.0 - np.cos(angle)) / square
        three = (1.0 - one) / square
    for i in range(3):
        for j in range(3):
            E[i, j] = two * x[i] * x[j]
            J[i, j] = three * x[i] * x[j]
        E[i, i] += 1.0 - two * square
        J[i, i] += 1.0 - three * square
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        E[i, j] -= one * x[k]
        E[j, i] += one * x[k]
        J[i, j] += two * x[k]
        J[j, i] -= two * x[k]


@njit(**_STRICT)
def _rate(B, c, R, H, w):
    """W = c + B R^T H."""
    for i in range(3):
        w[i] = c[i]
        for j in range(3):
            u = R[0, j] * H[0] + R[1, j] * H[1] + R[2, j] * H[2]
            w[i] += B[i, j] * u


@njit(**_STRICT)
def turn_by_steps(t, B, c, H, R, w):
    """Fill attitudes R (n, 3, 3) from the first one, and rates w (n, 3); B (n, 3, 3), c and H (n, 3)."""
    E, J, theta, last = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3)
    _rate(B[0], c[0], R[0], H[0], w[0])
    for k in range(t.size - 1):
        half = 0.5 * (t[k + 1] - t[k])
        w[k + 1] = w[k]
        for _ in range(_MOST):
            last[:] = w[k + 1]
            for i in range(3):
                theta[i] = half * (w[k, i] + w[k + 1, i])
            _rotation(theta, E, J)
            R[k + 1] = R[k] @ E
            _rate(B[k + 1], c[k + 1], R[k + 1], H[k + 1], w[k + 1])
            if np.abs(w[k + 1] - last).max() <= _CLOSE * np.abs(last).max():
                break


@njit(**_STRICT)
def _turned_momentum(R, H, B, F):
    """F = B [u x], u = R^T H."""
    for j in range(3):
        u = np.empty(3)
        for i in range(3):
            u[i] = R[0, i] * H[0] + R[1, i] * H[1] + R[2, i] * H[2]
        # columns of [u x]: u x e_j
        a, b = (j + 1) % 3, (j + 2) % 3
        for i in range(3):
            F[i, j] = B[i, a] * u[b] - B[i, b] * u[a]


@njit(**_STRICT)
def turn_by_steps_change(t, B, H, R, w, g, alpha):
    """Small rotations alpha (n, 3, columns), in base axes, that changes g (n, 3, columns) of the rate bring about."""
    columns = g.shape[2]
    E, J, F, G = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    left, right = np.empty((3, 3)), np.empty((3, columns))
    alpha[0] = 0.0
    _turned_momentum(R[0], H[0], B[0], F)
    for k in range(t.size - 1):
        half = 0.5 * (t[k + 1] - t[k])
        _rotation(half * (w[k] + w[k + 1]), E, J)
        _turned_momentum(R[k + 1], H[k + 1], B[k + 1], G)
        left[:, :] = -half * (J @ G)
        for i in range(3):
            left[i, i] += 1.0
        carry = E.T + half * (J @ F)
        for e in range(columns):
            for i in range(3):
                s = 0.0
                for j in range(3):
                    s += carry[i, j] * alpha[k, j, e] + half * J[i, j] * (g[k, j, e] + g[k + 1, j, e])
                right[i, e] = s
        inverse = np.linalg.inv(left)
        for e in range(columns):
            for i in range(3):
                alpha[k + 1, i, e] = (
                    inverse[i, 0] * right[0, e] + inverse[i, 1] * right[1, e] + inverse[i, 2] * right[2, e]
                )
        F[:, :] = G


@njit(**_STRICT)
def turn_by_steps_adjoint(t, B, H, R, w, alpha_bar, g_bar):
    """Gradient g_bar (n, 3) by changes g of the rate of a number with gradient alpha_bar (n, 3) by the attitude."""
    E, J, F, G = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    right, left = np.zeros(3), np.empty((3, 3))
    g_bar[:] = 0.0
    for k in range(t.size - 1, 0, -1):
        half = 0.5 * (t[k] - t[k - 1])
        _rotation(half * (w[k] + w[k - 1]), E, J)
        _turned_momentum(R[k], H[k], B[k], G)
        _turned_momentum(R[k - 1], H[k - 1], B[k - 1], F)
        left[:, :] = -half * (J @ G)
        for i in range(3):
            left[i, i] += 1.0
        y = np.linalg.solve(left.T, alpha_bar[k] + right)
        change = half * (J.T @ y)
        g_bar[k] += change
        g_bar[k - 1] += change
        right = (E.T + half * (J @ F)).T @ y


# ---------------------------------------------------------------------- a design: small rotations by many unknowns


@njit(**_COMPILE)
def carry(t, N, f, psi):
    """Psi (n, 3, c) after its first from psi' = N psi + f by the trapezoidal rule; N (n, 3, 3), f (n, 3, c)."""
    left = np.empty((3, 3))
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
def carry_adjoint(t, N, psi_bar, f_bar, first_bar):
    """Gradients by f, (n, 3, c), and by the first psi, (3, c), of a number with gradient psi_bar by psi.

    By N it is the sum of f_bar psi^T.
    """
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
    first_bar[:] = psi_bar[0] + right
