"""Mass matrix and bias of one state at a time, by one sweep out and one back in.

The sweeps of `dynamics.kernels` take many samples at once, which a flight does not have: they would be several
times slower here. Vectors are in base axes and, as spatial vectors, at the base origin: a twist is the velocity
of the point at the origin, then the angular velocity; a wrench is force, then moment about the origin. See
R. Featherstone, "Rigid body dynamics algorithms", 2008, sections 5.3 and 6.2.

Nothing here is cached: these functions are compiled into the one that calls them, see `controlled_kernels`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from freefloat.arrays import Array
from freefloat.robot.tree import PRISMATIC, REVOLUTE

_FAST = {"nogil": True, "fastmath": {"contract"}}


class Work(NamedTuple):
    """Scratch: per body pose (12), joint twist, twist, acceleration, wrench (6 each), inertia (10); then the rest."""

    pose: Array
    joint: Array
    twist: Array
    rise: Array
    wrench: Array
    inertia: Array
    H: Array
    bias: Array
    left: Array
    right: Array
    load: Array
    scratch: Array
    turned: Array


@njit(**_FAST)
def workspace(bodies, nj, size):
    """Room for the dynamics of a robot, the base at its origin, and for a state of this size."""
    six, n = (bodies, 6), 6 + nj
    pose, inertia = np.zeros((bodies, 12)), np.zeros((bodies, 10))
    pose[0, 0] = pose[0, 4] = pose[0, 8] = 1.0
    spatial = np.zeros(six), np.zeros(six), np.zeros(six), np.zeros(six)
    rest = np.zeros((n, n)), np.zeros(n), np.zeros((n, n)), np.zeros(n), np.zeros(n), np.zeros(size), np.zeros(4)
    return Work(pose, spatial[0], spatial[1], spatial[2], spatial[3], inertia, *rest)


@njit(inline="always")
def cross(a0, a1, a2, b0, b1, b2):
    """The product a x b."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@njit(inline="always")
def _six(a, row, first):
    """Six neighbouring numbers of a row."""
    c = first
    return a[row, c], a[row, c + 1], a[row, c + 2], a[row, c + 3], a[row, c + 4], a[row, c + 5]


@njit(**_FAST)
def _place(geometry, b, u, kind, position, pose, joint):
    """Pose of body b (rotation, origin) and twist of its joint per unit of rate, from its parent u."""
    sine, cosine, slide = 0.0, 0.0, 0.0
    if kind == REVOLUTE:
        sine, cosine = np.sin(position), np.cos(position)
    elif kind == PRISMATIC:
        slide = position
    for i in range(3):
        r0, r1, r2 = pose[u, 3 * i], pose[u, 3 * i + 1], pose[u, 3 * i + 2]
        for j in range(3):
            e0 = geometry[b, j] + sine * geometry[b, 9 + j] + cosine * geometry[b, 18 + j]
            e1 = geometry[b, 3 + j] + sine * geometry[b, 12 + j] + cosine * geometry[b, 21 + j]
            e2 = geometry[b, 6 + j] + sine * geometry[b, 15 + j] + cosine * geometry[b, 24 + j]
            pose[b, 3 * i + j] = r0 * e0 + r1 * e1 + r2 * e2
        axis = r0 * geometry[b, 27] + r1 * geometry[b, 28] + r2 * geometry[b, 29]
        there = r0 * geometry[b, 30] + r1 * geometry[b, 31] + r2 * geometry[b, 32]
        pose[b, 9 + i] = pose[u, 9 + i] + there + slide * axis
        joint[b, i], joint[b, 3 + i] = (axis, 0.0) if kind == PRISMATIC else (0.0, axis)
    if kind == REVOLUTE:
        a0, a1, a2 = joint[b, 3], joint[b, 4], joint[b, 5]
        joint[b, 0], joint[b, 1], joint[b, 2] = cross(pose[b, 9], pose[b, 10], pose[b, 11], a0, a1, a2)


@njit(**_FAST)
def _move(b, u, rate, joint, twist, rise):
    """Twist of body b, and its acceleration while the joints' rates are constant, from its parent u."""
    t0, t1, t2, s0, s1, s2 = _six(joint, b, 0)
    v0, v1, v2, w0, w1, w2 = _six(twist, u, 0)
    for i in range(6):
        twist[b, i] = twist[u, i] + rate * joint[b, i]
    x0, x1, x2 = cross(w0, w1, w2, t0, t1, t2)
    y0, y1, y2 = cross(v0, v1, v2, s0, s1, s2)
    z0, z1, z2 = cross(w0, w1, w2, s0, s1, s2)
    rise[b, 0], rise[b, 3] = rise[u, 0] + rate * (x0 + y0), rise[u, 3] + rate * z0
    rise[b, 1], rise[b, 4] = rise[u, 1] + rate * (x1 + y1), rise[u, 4] + rate * z1
    rise[b, 2], rise[b, 5] = rise[u, 2] + rate * (x2 + y2), rise[u, 5] + rate * z2


@njit(**_FAST)
def _weigh(phi, b, pose, inertia):
    """Mass, first moment and inertia (xx xy yy xz yz zz) of body b about the base origin, base axes."""
    m, m0, m1, m2 = phi[b, 0], phi[b, 1], phi[b, 2], phi[b, 3]
    xx, xy, yy, xz, yz, zz = _six(phi, b, 4)
    r0, r1, r2, r3, r4, r5 = _six(pose, b, 0)
    r6, r7, r8, p0, p1, p2 = _six(pose, b, 6)
    s0, s1, s2 = r0 * m0 + r1 * m1 + r2 * m2, r3 * m0 + r4 * m1 + r5 * m2, r6 * m0 + r7 * m1 + r8 * m2
    u0, u1, u2 = r0 * xx + r1 * xy + r2 * xz, r0 * xy + r1 * yy + r2 * yz, r0 * xz + r1 * yz + r2 * zz
    v0, v1, v2 = r3 * xx + r4 * xy + r5 * xz, r3 * xy + r4 * yy + r5 * yz, r3 * xz + r4 * yz + r5 * zz
    w0, w1, w2 = r6 * xx + r7 * xy + r8 * xz, r6 * xy + r7 * yy + r8 * yz, r6 * xz + r7 * yz + r8 * zz
    f0, f1, f2 = s0 + m * p0, s1 + m * p1, s2 + m * p2  # first moment
    x, y, z = p0 * (s0 + f0), p1 * (s1 + f1), p2 * (s2 + f2)
    f = inertia[b]
    f[0], f[1], f[2], f[3] = m, f0, f1, f2
    f[4] = u0 * r0 + u1 * r1 + u2 * r2 + y + z
    f[5] = v0 * r0 + v1 * r1 + v2 * r2 - p0 * f1 - s0 * p1
    f[6] = v0 * r3 + v1 * r4 + v2 * r5 + x + z
    f[7] = w0 * r0 + w1 * r1 + w2 * r2 - p0 * f2 - s0 * p2
    f[8] = w0 * r3 + w1 * r4 + w2 * r5 - p1 * f2 - s1 * p2
    f[9] = w0 * r6 + w1 * r7 + w2 * r8 + x + y


@njit(inline="always")
def _times(c, v0, v1, v2, w0, w1, w2):
    """Momentum of an inertia c (10) with a twist: linear, angular about the base origin."""
    x, y, z = cross(w0, w1, w2, c[1], c[2], c[3])
    a, b, d = cross(c[1], c[2], c[3], v0, v1, v2)
    return (
        c[0] * v0 + x,
        c[0] * v1 + y,
        c[0] * v2 + z,
        a + c[4] * w0 + c[5] * w1 + c[7] * w2,
        b + c[5] * w0 + c[6] * w1 + c[8] * w2,
        d + c[7] * w0 + c[8] * w1 + c[9] * w2,
    )


@njit(**_FAST)
def _push(b, twist, rise, inertia, wrench):
    """Wrench that the motion of body b needs while the joints' rates are constant."""
    v0, v1, v2, w0, w1, w2 = _six(twist, b, 0)
    a0, a1, a2, b0, b1, b2 = _six(rise, b, 0)
    l0, l1, l2, h0, h1, h2 = _times(inertia[b], v0, v1, v2, w0, w1, w2)
    f0, f1, f2, n0, n1, n2 = _times(inertia[b], a0, a1, a2, b0, b1, b2)
    x0, x1, x2 = cross(w0, w1, w2, l0, l1, l2)
    y0, y1, y2 = cross(v0, v1, v2, l0, l1, l2)
    z0, z1, z2 = cross(w0, w1, w2, h0, h1, h2)
    wrench[b, 0], wrench[b, 1], wrench[b, 2] = f0 + x0, f1 + x1, f2 + x2
    wrench[b, 3], wrench[b, 4], wrench[b, 5] = n0 + y0 + z0, n1 + y1 + z1, n2 + y2 + z2


@njit(**_FAST)
def dynamics(tree, phi, q, dq, work):
    """Mass matrix into work.H (on and below the diagonal) and bias into work.bias.

    work holds the base's twist and, in its first rise, minus gravity already.
    """
    bodies, H, joint, wrench, inertia = tree.parent.size, work.H, work.joint, work.wrench, work.inertia
    H[6:, 6:] = 0.0  # joints of different branches do not meet; what else stays zero is never written
    for b in range(bodies):
        if b > 0:
            u, dof = tree.parent[b], tree.dof[b]
            position, rate = (q[dof], dq[dof]) if dof >= 0 else (0.0, 0.0)
            _place(tree.geometry, b, u, tree.kind[b], position, work.pose, joint)
            _move(b, u, rate, joint, work.twist, work.rise)
        _weigh(phi, b, work.pose, inertia)
        _push(b, work.twist, work.rise, inertia, wrench)
    for b in range(bodies - 1, 0, -1):
        u, dof = tree.parent[b], tree.dof[b]
        if dof >= 0:
            t0, t1, t2, s0, s1, s2 = _six(joint, b, 0)
            h = _times(inertia[b], t0, t1, t2, s0, s1, s2)
            power = 0.0
            for i in range(6):
                power += joint[b, i] * wrench[b, i]
                H[6 + dof, i] = h[i]
            work.bias[6 + dof] = power
            c = b
            while c > 0:
                if tree.dof[c] >= 0:
                    power = 0.0
                    for i in range(6):
                        power += joint[c, i] * h[i]
                    H[6 + dof, 6 + tree.dof[c]] = H[6 + tree.dof[c], 6 + dof] = power
                c = tree.parent[c]
        for i in range(6):
            wrench[u, i] += wrench[b, i]
        for i in range(10):
            inertia[u, i] += inertia[b, i]
    for i in range(6):
        work.bias[i] = wrench[0, i]
    whole = inertia[0]
    m0, m1, m2 = whole[1], whole[2], whole[3]
    xx, xy, yy, xz, yz, zz = _six(inertia, 0, 4)
    H[0, 0] = H[1, 1] = H[2, 2] = whole[0]
    H[3, 1], H[3, 2], H[4, 0], H[4, 2], H[5, 0], H[5, 1] = -m2, m1, m2, -m0, -m1, m0
    H[3, 3], H[3, 4], H[3, 5] = xx, xy, xz
    H[4, 3], H[4, 4], H[4, 5] = xy, yy, yz
    H[5, 3], H[5, 4], H[5, 5] = xz, yz, zz


@njit(**_FAST)
def add_rotors(tree, rotor, spin, dq, work):
    """What rotors add to the mass matrix and the bias that `dynamics` has left in work; see `rotors.py`.

    rotor: inertias as the joints feel them (joints,). spin: momentum per unit of each joint's rate (joints,).
    """
    H, bias, joint = work.H, work.bias, work.joint
    for b in range(1, tree.parent.size):
        dof, u = tree.dof[b], tree.parent[b]
        if dof < 0:
            continue
        H[6 + dof, 6 + dof] += rotor[dof]
        if spin[dof] == 0.0:
            continue
        first = 0 if tree.kind[b] == PRISMATIC else 3
        a0, a1, a2 = spin[dof] * joint[b, first], spin[dof] * joint[b, first + 1], spin[dof] * joint[b, first + 2]
        x0, x1, x2 = cross(work.twist[u, 3], work.twist[u, 4], work.twist[u, 5], a0, a1, a2)
        m0, m1, m2 = dq[dof] * x0, dq[dof] * x1, dq[dof] * x2
        bias[6 + dof] += a0 * work.rise[u, 3] + a1 * work.rise[u, 4] + a2 * work.rise[u, 5]
        c = u
        while c > 0:
            if tree.kind[c] == REVOLUTE:
                at, s0, s1, s2 = 6 + tree.dof[c], joint[c, 3], joint[c, 4], joint[c, 5]
                bias[at] += s0 * m0 + s1 * m1 + s2 * m2
                shared = s0 * a0 + s1 * a1 + s2 * a2
                H[6 + dof, at] += shared
                H[at, 6 + dof] += shared
            c = tree.parent[c]
        bias[3] += m0
        bias[4] += m1
        bias[5] += m2
        H[6 + dof, 3] += a0
        H[6 + dof, 4] += a1
        H[6 + dof, 5] += a2


@njit(**_FAST)
def solve(A, b):
    """Solve A x = b in place for a symmetric positive definite A, by Cholesky's method; A is overwritten."""
    n = b.size
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                A[i, j] -= A[i, k] * A[j, k]
        root = np.sqrt(A[j, j])
        for i in range(j, n):
            A[i, j] /= root
        b[j] /= root
        for i in range(j + 1, n):
            b[i] -= A[i, j] * b[j]
    for j in range(n - 1, -1, -1):
        for i in range(j + 1, n):
            b[j] -= A[i, j] * b[i]
        b[j] /= A[j, j]
