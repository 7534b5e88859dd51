"""The sequential part of a flight: attitude, momentum and centre of mass from sample to sample, compiled.

The base's velocities follow from momentum at every instant,

    w = I_cm^-1 (R^T H - l),    v = (R^T P - p) / M - w x c,

with P and H the linear momentum and the angular momentum about the centre of mass in inertial axes, p and l
those of joints and wheels alone in base axes, c the centre of mass and I_cm the locked inertia about it. So
whatever the integration error of the attitude, the momentum of the states is right to rounding.

Attitude advances on the rotation group: R -> R exp(phi), with phi by the classical Runge-Kutta method of order
four on phi' = w + phi x w / 2 + phi x (phi x w) / 12 (Bortz, IEEE T-AES 1971), which needs joint motion at the
samples and half-way between them. P, H and the centre of mass advance with the same stages.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract"}}


@njit(**_COMPILE)
def _rotate(q, x, y, z, back):
    """R (x, y, z), or R^T where `back`, for a unit quaternion q = (vector, scalar)."""
    a, b, c, s = q[0], q[1], q[2], q[3]
    if back:
        a, b, c = -a, -b, -c
    u, v, w = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + s * u + b * w - c * v, y + s * v + c * u - a * w, z + s * w + a * v - b * u


@njit(**_COMPILE)
def _turned(q, x, y, z, out):
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
    h0, h1, h2 = _rotate(q, state[3], state[4], state[5], True)
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
    l0, l1, l2 = _rotate(q, state[0], state[1], state[2], True)
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
    w0, w1, w2 = x[3], x[4], x[5]
    f0, f1, f2 = phi[0], phi[1], phi[2]
    a0, a1, a2 = f1 * w2 - f2 * w1, f2 * w0 - f0 * w2, f0 * w1 - f1 * w0
    d[0] = w0 + 0.5 * a0 + (f1 * a2 - f2 * a1) / 12.0
    d[1] = w1 + 0.5 * a1 + (f2 * a0 - f0 * a2) / 12.0
    d[2] = w2 + 0.5 * a2 + (f0 * a1 - f1 * a0) / 12.0
    c0, c1, c2 = body[0] / mass, body[1] / mass, body[2] / mass
    t0 = wrench[3] - (c1 * wrench[2] - c2 * wrench[1])
    t1 = wrench[4] - (c2 * wrench[0] - c0 * wrench[2])
    t2 = wrench[5] - (c0 * wrench[1] - c1 * wrench[0])
    if gradient != 0.0:
        n0, n1, n2 = _rotate(q, nadir[0], nadir[1], nadir[2], True)
        i0 = (body[3] - mass * (c1 * c1 + c2 * c2)) * n0 + (body[4] + mass * c0 * c1) * n1
        i0 += (body[6] + mass * c0 * c2) * n2
        i1 = (body[4] + mass * c0 * c1) * n0 + (body[5] - mass * (c0 * c0 + c2 * c2)) * n1
        i1 += (body[7] + mass * c1 * c2) * n2
        i2 = (body[6] + mass * c0 * c2) * n0 + (body[7] + mass * c1 * c2) * n1
        i2 += (body[8] - mass * (c0 * c0 + c1 * c1)) * n2
        t0 += gradient * (n1 * i2 - n2 * i1)
        t1 += gradient * (n2 * i0 - n0 * i2)
        t2 += gradient * (n0 * i1 - n1 * i0)
    d[3], d[4], d[5] = _rotate(q, wrench[0], wrench[1], wrench[2], False)
    d[6], d[7], d[8] = _rotate(q, t0, t1, t2, False)
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
                _turned(here, phi[0], phi[1], phi[2], q)
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
            _turned(here, phi[0], phi[1], phi[2], quaternion[run, k + 1])
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
