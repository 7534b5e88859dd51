"""The compiled sweeps over the tree that everything else stands on.

All vectors are in the *base frame*. There the momentum regressor K (6 x 10 bodies: linear, then angular
about the base origin) depends on neither attitude nor position, and `K phi` is the momentum. A batch of
samples goes in, arrays come out; scratch space is taken once per call, never per sample.

For one body with rotation R (columns r_k), origin p, velocity v of that origin and angular velocity w:

    column          linear        angular about the base origin
    m               v             p x v
    m c_k           w x r_k       p x (w x r_k) + r_k x v
    I_ab            0             R E_ab R^T w

and the sweep outwards, with the joint's axis a in the base frame and d the step from parent to child:

    w_i = w_p + a dq (revolute),   v_i = v_p + w_p x d (+ a dq, prismatic)

The reverse sweep (`adjoint`) carries, for every body, the gradients with respect to p, v, w and an
infinitesimal rotation theta (delta R = [theta x] R), and hands them to the parent.

How it is laid out, and why. Samples are worked on `_LANES` at a time, quantity by quantity: entry `i` of
a body's state is the run `X[i * _LANES : (i + 1) * _LANES]`. Inner loops over `s`, with offsets known at
compile time, become vector instructions, which is worth a factor of six over sample-by-sample code. The
results are turned to sample-major order in whole rows, `_GROUP` bodies at the most. Every kernel lives in
this one file: numba's cache does not notice a change in a callee elsewhere.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from freefloat.robot.tree import PRISMATIC, REVOLUTE

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract", "nsz"}}
_LANES = 8
_GROUP = 64
_ROW = 10 * _GROUP  # columns of one group
_STREAM_BYTES = 4 << 20  # larger outputs would only push useful data out of the cache

# A body's state: rotation, origin, velocity, angular velocity, joint axis, in multiples of _LANES.
_P, _V, _W, _A = 9 * _LANES, 12 * _LANES, 15 * _LANES, 18 * _LANES
_STATE = 21 * _LANES
# Its gradient: rotation, origin, velocity, angular velocity.
_GP, _GV, _GW = 3 * _LANES, 6 * _LANES, 9 * _LANES
_GRADIENT = 12 * _LANES

# Scratch of one joint: sine, cosine, position, rate, acceleration, a run of zeros, then four for results.
_POSITION, _RATE, _RISE, _ZERO, _OUT = 2 * _LANES, 3 * _LANES, 4 * _LANES, 5 * _LANES, 6 * _LANES
_JOINT = 10 * _LANES

# pi/2 in three pieces; multiples of the first two up to 2^20 are exact.
_HALF_PI_1, _HALF_PI_2, _HALF_PI_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
_LARGE_ANGLE = 1e6


def _pair_writer(streaming):
    """Code that turns two runs of four lanes into four pairs of neighbouring columns, and stores them.

    Streaming stores go past the cache: plain ones would first read what they are about to overwrite. They
    must be aligned to a pair, which numpy's arrays and an even number of columns see to.
    """
    pair, run = ir.VectorType(ir.DoubleType(), 2), ir.VectorType(ir.DoubleType(), 4)

    def generate(context, builder, signature, arguments):
        lanes, entry, output, index, row = arguments
        source = context.make_array(signature.args[0])(context, builder, lanes).data
        target = context.make_array(signature.args[2])(context, builder, output).data
        runs = []
        for column in range(2):
            offset = builder.add(entry, ir.Constant(entry.type, column * _LANES))
            runs.append(builder.load(builder.bitcast(builder.gep(source, [offset]), run.as_pointer()), align=8))
        for sample in range(4):
            mask = ir.Constant(ir.VectorType(ir.IntType(32), 2), [sample, 4 + sample])
            value = builder.shuffle_vector(*runs, mask)
            offset = builder.add(index, builder.mul(row, ir.Constant(row.type, sample)))
            store = builder.store(value, builder.bitcast(builder.gep(target, [offset]), pair.as_pointer()))
            store.align = 16 if streaming else 8
            if streaming:
                flag = builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
                store.set_metadata("nontemporal", flag)
        return context.get_dummy_value()

    return generate


@intrinsic
def _write_pairs(typing_context, lanes, entry, output, index, row):
    """Columns c, c + 1 of four samples: output[index + s * row + (0, 1)] = lanes[entry + s + (0, _LANES)]."""
    return types.void(lanes, types.intp, output, types.intp, types.intp), _pair_writer(False)


@intrinsic
def _stream_pairs(typing_context, lanes, entry, output, index, row):
    """As `_write_pairs`, past the cache."""
    return types.void(lanes, types.intp, output, types.intp, types.intp), _pair_writer(True)


@njit(inline="always")
def _cross(a0, a1, a2, b0, b1, b2):
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


# ---------------------------------------------------------------------- outwards: poses and velocities


@njit(**_COMPILE)
def _sine_cosine(J, m):
    """Sines, then cosines, of the joint positions, by quarter turns and Taylor series (to the last digit)."""
    for s in range(m):
        angle = J[_POSITION + s]
        k = np.floor(angle * (2.0 / np.pi) + 0.5)
        r = ((angle - k * _HALF_PI_1) - k * _HALF_PI_2) - k * _HALF_PI_3
        z = r * r
        series = 1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0 + z * (1.0 / 355687428096000.0))
        series = 1.0 / 120.0 + z * (-1.0 / 5040.0 + z * (1.0 / 362880.0 + z * (-1.0 / 39916800.0 + z * series)))
        sine = r + r * z * (-1.0 / 6.0 + z * series)
        series = 1.0 / 479001600.0 + z * (-1.0 / 87178291200.0 + z * (1.0 / 20922789888000.0))
        series = 1.0 / 24.0 + z * (-1.0 / 720.0 + z * (1.0 / 40320.0 + z * (-1.0 / 3628800.0 + z * series)))
        cosine = 1.0 + z * (-0.5 + z * series)
        quarter = k - 4.0 * np.floor(0.25 * k)
        odd = quarter == 1.0 or quarter == 3.0
        up = cosine if odd else sine
        along = sine if odd else cosine
        J[s] = -up if quarter >= 2.0 else up
        J[_LANES + s] = -along if quarter == 1.0 or quarter == 2.0 else along
    for s in range(m):
        if abs(J[_POSITION + s]) > _LARGE_ANGLE:
            J[s], J[_LANES + s] = np.sin(J[_POSITION + s]), np.cos(J[_POSITION + s])


@njit(**_COMPILE)
def _advance(t, U, X, J, turning, sliding, shift, m):
    """State X of a body from its parent's, U, its geometry t, and its joint's lanes in J.

    turning, sliding, shift: where in J its turn rate, its slide rate and its slide are (or zeros).
    """
    a0, a1, a2, o0, o1, o2 = t[27], t[28], t[29], t[30], t[31], t[32]
    for s in range(m):
        sn, cs = J[s], J[_LANES + s]
        e0 = t[0] + sn * t[9] + cs * t[18]
        e1 = t[1] + sn * t[10] + cs * t[19]
        e2 = t[2] + sn * t[11] + cs * t[20]
        e3 = t[3] + sn * t[12] + cs * t[21]
        e4 = t[4] + sn * t[13] + cs * t[22]
        e5 = t[5] + sn * t[14] + cs * t[23]
        e6 = t[6] + sn * t[15] + cs * t[24]
        e7 = t[7] + sn * t[16] + cs * t[25]
        e8 = t[8] + sn * t[17] + cs * t[26]
        turn, slide, along = J[turning + s], J[sliding + s], J[shift + s]
        b0, b1, b2 = o0 + along * a0, o1 + along * a1, o2 + along * a2
        x, y, z = U[s], U[_LANES + s], U[2 * _LANES + s]
        x0, d0 = x * a0 + y * a1 + z * a2, x * b0 + y * b1 + z * b2
        X[s] = x * e0 + y * e3 + z * e6
        X[_LANES + s] = x * e1 + y * e4 + z * e7
        X[2 * _LANES + s] = x * e2 + y * e5 + z * e8
        x, y, z = U[3 * _LANES + s], U[4 * _LANES + s], U[5 * _LANES + s]
        x1, d1 = x * a0 + y * a1 + z * a2, x * b0 + y * b1 + z * b2
        X[3 * _LANES + s] = x * e0 + y * e3 + z * e6
        X[4 * _LANES + s] = x * e1 + y * e4 + z * e7
        X[5 * _LANES + s] = x * e2 + y * e5 + z * e8
        x, y, z = U[6 * _LANES + s], U[7 * _LANES + s], U[8 * _LANES + s]
        x2, d2 = x * a0 + y * a1 + z * a2, x * b0 + y * b1 + z * b2
        X[6 * _LANES + s] = x * e0 + y * e3 + z * e6
        X[7 * _LANES + s] = x * e1 + y * e4 + z * e7
        X[8 * _LANES + s] = x * e2 + y * e5 + z * e8
        w0, w1, w2 = U[_W + s], U[_W + _LANES + s], U[_W + 2 * _LANES + s]
        X[_A + s], X[_A + _LANES + s], X[_A + 2 * _LANES + s] = x0, x1, x2
        X[_P + s] = U[_P + s] + d0
        X[_P + _LANES + s] = U[_P + _LANES + s] + d1
        X[_P + 2 * _LANES + s] = U[_P + 2 * _LANES + s] + d2
        X[_V + s] = U[_V + s] + w1 * d2 - w2 * d1 + slide * x0
        X[_V + _LANES + s] = U[_V + _LANES + s] + w2 * d0 - w0 * d2 + slide * x1
        X[_V + 2 * _LANES + s] = U[_V + 2 * _LANES + s] + w0 * d1 - w1 * d0 + slide * x2
        X[_W + s] = w0 + turn * x0
        X[_W + _LANES + s] = w1 + turn * x1
        X[_W + 2 * _LANES + s] = w2 + turn * x2


@njit(**_COMPILE)
def _gather(q, first, column, X, o, m):
    """One column of the samples from `first` on, as the lanes at o of X."""
    for s in range(m):
        X[o + s] = q[first + s, column]


@njit(**_COMPILE)
def _outwards(tree, q, dq, v0, w0, first, m, X, J):
    """States X (bodies * _STATE) of the samples from `first` on; J is joint scratch."""
    for i in range(3):
        _gather(v0, first, i, X, _V + i * _LANES, m)
        _gather(w0, first, i, X, _W + i * _LANES, m)
    for b in range(1, tree.parent.size):
        j, kind = tree.dof[b], tree.kind[b]
        geometry, U, Xb = tree.geometry[b], X[tree.parent[b] * _STATE :], X[b * _STATE :]
        turning, sliding, shift = _ZERO, _ZERO, _ZERO
        if j >= 0:
            _gather(q, first, j, J, _POSITION, m)
            _gather(dq, first, j, J, _RATE, m)
        if kind == REVOLUTE:
            turning = _RATE
            _sine_cosine(J, m)
        elif kind == PRISMATIC:
            sliding, shift = _RATE, _POSITION
        _advance(geometry, U, Xb, J, turning, sliding, shift, m)


@njit(**_COMPILE)
def _scratch(bodies):
    """States of all bodies, the base at the origin, and joint scratch, for `_outwards`."""
    X = np.zeros(bodies * _STATE)
    for s in range(_LANES):
        X[s] = X[4 * _LANES + s] = X[8 * _LANES + s] = 1.0
    return X, np.zeros(_JOINT)


@njit(**_COMPILE)
def sweep(tree, q, dq, v0, w0):
    """Poses and velocities of all bodies: R (n, bodies, 3, 3); p, v, w and joint axes a (n, bodies, 3)."""
    n, bodies = q.shape[0], tree.parent.size
    R, p, a = np.empty((n, bodies, 3, 3)), np.empty((n, bodies, 3)), np.empty((n, bodies, 3))
    v, w = np.empty((n, bodies, 3)), np.empty((n, bodies, 3))
    X, J = _scratch(bodies)
    for k in range(0, n, _LANES):
        m = min(_LANES, n - k)
        _outwards(tree, q, dq, v0, w0, k, m, X, J)
        for b in range(bodies):
            Xb = X[b * _STATE :]
            for s in range(m):
                for i in range(3):
                    lane = i * _LANES + s
                    p[k + s, b, i], a[k + s, b, i] = Xb[_P + lane], Xb[_A + lane]
                    v[k + s, b, i], w[k + s, b, i] = Xb[_V + lane], Xb[_W + lane]
                    for j in range(3):
                        R[k + s, b, i, j] = Xb[(3 * i + j) * _LANES + s]
    return R, p, v, w, a


# ---------------------------------------------------------------------- momentum


@njit(inline="always")
def _moment_column(B, o, r0, r1, r2, p0, p1, p2, v0, v1, v2, w0, w1, w2):
    """Momentum per unit of first moment along r, six rows from entry o of B on."""
    x, y, z = _cross(w0, w1, w2, r0, r1, r2)
    B[o], B[o + _ROW * _LANES], B[o + 2 * _ROW * _LANES] = x, y, z
    B[o + 3 * _ROW * _LANES] = p1 * z - p2 * y + r1 * v2 - r2 * v1
    B[o + 4 * _ROW * _LANES] = p2 * x - p0 * z + r2 * v0 - r0 * v2
    B[o + 5 * _ROW * _LANES] = p0 * y - p1 * x + r0 * v1 - r1 * v0


@njit(inline="always")
def _inertia_row(B, o, r0, r1, r2, x, y, z):
    """One row of R E_ab w for the six inertias, with row (r0, r1, r2) of R and w = (x, y, z) in the body."""
    B[o], B[o + _LANES], B[o + 2 * _LANES] = r0 * x, r0 * y + r1 * x, r1 * y
    B[o + 3 * _LANES], B[o + 4 * _LANES], B[o + 5 * _LANES] = r0 * z + r2 * x, r1 * z + r2 * y, r2 * z


@njit(**_COMPILE)
def _momentum_columns(X, B, m):
    """The 6 x 10 momentum columns of one body: entry (i, c) is the run at (i * _ROW + c) * _LANES."""
    for s in range(m):  # written out: an inner loop would keep this one from becoming vector code
        r0, r1, r2 = X[s], X[_LANES + s], X[2 * _LANES + s]
        r3, r4, r5 = X[3 * _LANES + s], X[4 * _LANES + s], X[5 * _LANES + s]
        r6, r7, r8 = X[6 * _LANES + s], X[7 * _LANES + s], X[8 * _LANES + s]
        p0, p1, p2 = X[_P + s], X[_P + _LANES + s], X[_P + 2 * _LANES + s]
        v0, v1, v2 = X[_V + s], X[_V + _LANES + s], X[_V + 2 * _LANES + s]
        w0, w1, w2 = X[_W + s], X[_W + _LANES + s], X[_W + 2 * _LANES + s]
        B[s], B[_ROW * _LANES + s], B[2 * _ROW * _LANES + s] = v0, v1, v2
        B[3 * _ROW * _LANES + s] = p1 * v2 - p2 * v1
        B[4 * _ROW * _LANES + s] = p2 * v0 - p0 * v2
        B[5 * _ROW * _LANES + s] = p0 * v1 - p1 * v0
        _moment_column(B, _LANES + s, r0, r3, r6, p0, p1, p2, v0, v1, v2, w0, w1, w2)
        _moment_column(B, 2 * _LANES + s, r1, r4, r7, p0, p1, p2, v0, v1, v2, w0, w1, w2)
        _moment_column(B, 3 * _LANES + s, r2, r5, r8, p0, p1, p2, v0, v1, v2, w0, w1, w2)
        x, y, z = r0 * w0 + r3 * w1 + r6 * w2, r1 * w0 + r4 * w1 + r7 * w2, r2 * w0 + r5 * w1 + r8 * w2
        _inertia_row(B, (3 * _ROW + 4) * _LANES + s, r0, r1, r2, x, y, z)
        _inertia_row(B, (4 * _ROW + 4) * _LANES + s, r3, r4, r5, x, y, z)
        _inertia_row(B, (5 * _ROW + 4) * _LANES + s, r6, r7, r8, x, y, z)


@njit(**_COMPILE)
def _store(B, width, K, start, row, m, streaming):
    """Turn a group of columns to sample-major: K flat, `row` long, first written at `start`."""
    whole = m - m % 4
    for s in range(0, whole, 4):
        for i in range(6):
            o, e = start + (6 * s + i) * row, i * _ROW * _LANES + s
            if streaming:
                for c in range(0, width, 2):
                    _stream_pairs(B, e + c * _LANES, K, o + c, 6 * row)
            else:
                for c in range(0, width, 2):
                    _write_pairs(B, e + c * _LANES, K, o + c, 6 * row)
    for s in range(whole, m):
        for i in range(6):
            o = start + (6 * s + i) * row
            for c in range(width):
                K[o + c] = B[(i * _ROW + c) * _LANES + s]


@njit(**_COMPILE)
def _momentum_block(tree, q, dq, v0, w0, k, m, X, J, B, flat, start, streaming):
    """Momentum regressor of samples k to k + m, written sample-major into `flat` from `start` on."""
    bodies = tree.parent.size
    _outwards(tree, q, dq, v0, w0, k, m, X, J)
    for group in range(0, bodies, _GROUP):
        size = min(_GROUP, bodies - group)
        for b in range(size):
            _momentum_columns(X[(group + b) * _STATE :], B[10 * b * _LANES :], m)
        _store(B, 10 * size, flat, start + 10 * group, 10 * bodies, m, streaming)


@njit(**_COMPILE)
def _group_scratch():
    """Columns of one group, for `_momentum_block`; the linear rows of the inertias stay zero."""
    return np.zeros(6 * _ROW * _LANES)


@njit(**_COMPILE)
def forward(tree, q, dq, v0, w0, K):
    """Momentum regressor of every sample, written into K (n, 6, 10 bodies), which must be contiguous."""
    n, row = q.shape[0], 10 * tree.parent.size
    X, J = _scratch(tree.parent.size)
    B, flat = _group_scratch(), K.reshape(-1)
    # Past the cache only whole cache lines are fast: one group must hold all bodies.
    streaming = 8 * K.size > _STREAM_BYTES and tree.parent.size <= _GROUP and K.ctypes.data % 16 == 0
    for k in range(0, n, _LANES):
        _momentum_block(tree, q, dq, v0, w0, k, min(_LANES, n - k), X, J, B, flat, 6 * k * row, streaming)


@njit(**_COMPILE)
def forward_columns(tree, q, dq, v0, w0, columns, K):
    """As `forward`, keeping only the chosen columns: K (n, 6, len(columns))."""
    n, row = q.shape[0], 10 * tree.parent.size
    X, J = _scratch(tree.parent.size)
    B, whole = _group_scratch(), np.empty(_LANES * 6 * row)
    for k in range(0, n, _LANES):
        m = min(_LANES, n - k)
        _momentum_block(tree, q, dq, v0, w0, k, m, X, J, B, whole, 0, False)
        for s in range(m):
            for i in range(6):
                for c in range(columns.size):
                    K[k + s, i, c] = whole[(6 * s + i) * row + columns[c]]


@njit(**_COMPILE)
def _add_weighted_product(Y, W, WY, G):
    """Add the lower triangle of Y^T W Y, Y (6, c), to G (c, c)."""
    size = Y.shape[1]
    for i in range(6):
        for c in range(size):
            WY[i, c] = 0.0
        for j in range(6):
            for c in range(size):
                WY[i, c] += W[i, j] * Y[j, c]
    for i in range(size):
        y0, y1, y2, y3, y4, y5 = WY[0, i], WY[1, i], WY[2, i], WY[3, i], WY[4, i], WY[5, i]
        for j in range(i + 1):
            G[i, j] += y0 * Y[0, j] + y1 * Y[1, j] + y2 * Y[2, j] + y3 * Y[3, j] + y4 * Y[4, j] + y5 * Y[5, j]


@njit(**_COMPILE)
def gram(tree, q, dq, v0, w0, columns, extra, weight):
    """Sum over samples of Y^T W Y with Y = [K[:, columns], extra], without ever storing K.

    extra: further columns, such as wheels or a right-hand side, (n, 6, e).
    weight: symmetric W, (n, 6, 6), or (1, 6, 6) for all samples.
    """
    n, row = q.shape[0], 10 * tree.parent.size
    kept, size = columns.size, columns.size + extra.shape[2]
    X, J = _scratch(tree.parent.size)
    B, whole = _group_scratch(), np.empty(_LANES * 6 * row)
    Y, WY, G = np.empty((6, size)), np.empty((6, size)), np.zeros((size, size))
    for k in range(0, n, _LANES):
        m = min(_LANES, n - k)
        _momentum_block(tree, q, dq, v0, w0, k, m, X, J, B, whole, 0, False)
        for s in range(m):
            for i in range(6):
                for c in range(kept):
                    Y[i, c] = whole[(6 * s + i) * row + columns[c]]
                for c in range(size - kept):
                    Y[i, kept + c] = extra[k + s, i, c]
            _add_weighted_product(Y, weight[(k + s) % weight.shape[0]], WY, G)
    for i in range(size):
        for j in range(i):
            G[j, i] = G[i, j]
    return G


# ---------------------------------------------------------------------- back: exact gradients


@njit(**_COMPILE)
def _load(Z, start, row, B, width, m):
    """Turn a group of columns of Z (flat, sample-major, `row` long) to the layout of `_momentum_columns`."""
    for i in range(6):
        for c in range(width):
            o = start + i * row + c
            for s in range(m):
                B[(i * _ROW + c) * _LANES + s] = Z[o + 6 * s * row]


@njit(inline="always")
def _pull_back_moment(B, o, r0, r1, r2, at):
    """Gradients (theta, p, v, w) through a first-moment column: with u = w x r, u and p x u + r x v."""
    p0, p1, p2, v0, v1, v2, w0, w1, w2 = at
    b0, b1, b2 = B[o + 3 * _ROW * _LANES], B[o + 4 * _ROW * _LANES], B[o + 5 * _ROW * _LANES]
    x, y, z = _cross(b0, b1, b2, p0, p1, p2)
    l0, l1, l2 = B[o] + x, B[o + _ROW * _LANES] + y, B[o + 2 * _ROW * _LANES] + z  # with respect to u
    u0, u1, u2 = _cross(w0, w1, w2, r0, r1, r2)
    gp0, gp1, gp2 = _cross(u0, u1, u2, b0, b1, b2)
    gv0, gv1, gv2 = _cross(b0, b1, b2, r0, r1, r2)
    gw0, gw1, gw2 = _cross(r0, r1, r2, l0, l1, l2)
    x, y, z = _cross(l0, l1, l2, w0, w1, w2)
    d0, d1, d2 = _cross(v0, v1, v2, b0, b1, b2)
    gt0, gt1, gt2 = _cross(r0, r1, r2, x + d0, y + d1, z + d2)
    return gt0, gt1, gt2, gp0, gp1, gp2, gv0, gv1, gv2, gw0, gw1, gw2


@njit(**_COMPILE)
def _pull_back_moments(X, B, G, m):
    """Gradients of sum(B * K) through one body's mass and first-moment columns, written into G."""
    for s in range(m):
        p0, p1, p2 = X[_P + s], X[_P + _LANES + s], X[_P + 2 * _LANES + s]
        v0, v1, v2 = X[_V + s], X[_V + _LANES + s], X[_V + 2 * _LANES + s]
        w0, w1, w2 = X[_W + s], X[_W + _LANES + s], X[_W + 2 * _LANES + s]
        # mass column: linear v, angular p x v
        b0, b1, b2 = B[3 * _ROW * _LANES + s], B[4 * _ROW * _LANES + s], B[5 * _ROW * _LANES + s]
        x, y, z = _cross(b0, b1, b2, p0, p1, p2)
        gv0, gv1, gv2 = B[s] + x, B[_ROW * _LANES + s] + y, B[2 * _ROW * _LANES + s] + z
        gp0, gp1, gp2 = _cross(v0, v1, v2, b0, b1, b2)
        at = p0, p1, p2, v0, v1, v2, w0, w1, w2
        first = _pull_back_moment(B, _LANES + s, X[s], X[3 * _LANES + s], X[6 * _LANES + s], at)
        second = _pull_back_moment(B, 2 * _LANES + s, X[_LANES + s], X[4 * _LANES + s], X[7 * _LANES + s], at)
        third = _pull_back_moment(B, 3 * _LANES + s, X[2 * _LANES + s], X[5 * _LANES + s], X[8 * _LANES + s], at)
        G[s] = first[0] + second[0] + third[0]
        G[_LANES + s] = first[1] + second[1] + third[1]
        G[2 * _LANES + s] = first[2] + second[2] + third[2]
        G[_GP + s] = gp0 + first[3] + second[3] + third[3]
        G[_GP + _LANES + s] = gp1 + first[4] + second[4] + third[4]
        G[_GP + 2 * _LANES + s] = gp2 + first[5] + second[5] + third[5]
        G[_GV + s] = gv0 + first[6] + second[6] + third[6]
        G[_GV + _LANES + s] = gv1 + first[7] + second[7] + third[7]
        G[_GV + 2 * _LANES + s] = gv2 + first[8] + second[8] + third[8]
        G[_GW + s] = first[9] + second[9] + third[9]
        G[_GW + _LANES + s] = first[10] + second[10] + third[10]
        G[_GW + 2 * _LANES + s] = first[11] + second[11] + third[11]


@njit(**_COMPILE)
def _pull_back_inertias(X, B, G, m):
    """Gradients of sum(B * K) through one body's inertia columns, added to G.

    In the body frame: with S the 3 x 6 matrix R^T B, the columns give y_c = E_c wb against s_c, so
    the gradient with respect to wb is sum_c E_c s_c, and to the rotation sum_c y_c x s_c + g x wb.
    """
    for s in range(m):
        r0, r1, r2 = X[s], X[_LANES + s], X[2 * _LANES + s]
        r3, r4, r5 = X[3 * _LANES + s], X[4 * _LANES + s], X[5 * _LANES + s]
        r6, r7, r8 = X[6 * _LANES + s], X[7 * _LANES + s], X[8 * _LANES + s]
        w0, w1, w2 = X[_W + s], X[_W + _LANES + s], X[_W + 2 * _LANES + s]
        x, y, z = r0 * w0 + r3 * w1 + r6 * w2, r1 * w0 + r4 * w1 + r7 * w2, r2 * w0 + r5 * w1 + r8 * w2
        b0 = B[(3 * _ROW + 4) * _LANES + s]  # Ixx: y = (x, 0, 0)
        b1 = B[(4 * _ROW + 4) * _LANES + s]
        b2 = B[(5 * _ROW + 4) * _LANES + s]
        s0, s1, s2 = r0 * b0 + r3 * b1 + r6 * b2, r1 * b0 + r4 * b1 + r7 * b2, r2 * b0 + r5 * b1 + r8 * b2
        g0, g1, g2 = s0, 0.0, 0.0
        t0, t1, t2 = 0.0, -x * s2, x * s1
        b0 = B[(3 * _ROW + 5) * _LANES + s]  # Ixy: y = (y, x, 0)
        b1 = B[(4 * _ROW + 5) * _LANES + s]
        b2 = B[(5 * _ROW + 5) * _LANES + s]
        s0, s1, s2 = r0 * b0 + r3 * b1 + r6 * b2, r1 * b0 + r4 * b1 + r7 * b2, r2 * b0 + r5 * b1 + r8 * b2
        g0, g1 = g0 + s1, g1 + s0
        t0, t1, t2 = t0 + x * s2, t1 - y * s2, t2 + y * s1 - x * s0
        b0 = B[(3 * _ROW + 6) * _LANES + s]  # Iyy: y = (0, y, 0)
        b1 = B[(4 * _ROW + 6) * _LANES + s]
        b2 = B[(5 * _ROW + 6) * _LANES + s]
        s0, s1, s2 = r0 * b0 + r3 * b1 + r6 * b2, r1 * b0 + r4 * b1 + r7 * b2, r2 * b0 + r5 * b1 + r8 * b2
        g1 = g1 + s1
        t0, t2 = t0 + y * s2, t2 - y * s0
        b0 = B[(3 * _ROW + 7) * _LANES + s]  # Ixz: y = (z, 0, x)
        b1 = B[(4 * _ROW + 7) * _LANES + s]
        b2 = B[(5 * _ROW + 7) * _LANES + s]
        s0, s1, s2 = r0 * b0 + r3 * b1 + r6 * b2, r1 * b0 + r4 * b1 + r7 * b2, r2 * b0 + r5 * b1 + r8 * b2
        g0, g2 = g0 + s2, g2 + s0
        t0, t1, t2 = t0 - x * s1, t1 + x * s0 - z * s2, t2 + z * s1
        b0 = B[(3 * _ROW + 8) * _LANES + s]  # Iyz: y = (0, z, y)
        b1 = B[(4 * _ROW + 8) * _LANES + s]
        b2 = B[(5 * _ROW + 8) * _LANES + s]
        s0, s1, s2 = r0 * b0 + r3 * b1 + r6 * b2, r1 * b0 + r4 * b1 + r7 * b2, r2 * b0 + r5 * b1 + r8 * b2
        g1, g2 = g1 + s2, g2 + s1
        t0, t1, t2 = t0 + z * s2 - y * s1, t1 + y * s0, t2 - z * s0
        b0 = B[(3 * _ROW + 9) * _LANES + s]  # Izz: y = (0, 0, z)
        b1 = B[(4 * _ROW + 9) * _LANES + s]
        b2 = B[(5 * _ROW + 9) * _LANES + s]
        s0, s1, s2 = r0 * b0 + r3 * b1 + r6 * b2, r1 * b0 + r4 * b1 + r7 * b2, r2 * b0 + r5 * b1 + r8 * b2
        g2 = g2 + s2
        t0, t1 = t0 - z * s1, t1 + z * s0
        c0, c1, c2 = _cross(g0, g1, g2, x, y, z)
        t0, t1, t2 = t0 + c0, t1 + c1, t2 + c2
        G[s] += r0 * t0 + r1 * t1 + r2 * t2
        G[_LANES + s] += r3 * t0 + r4 * t1 + r5 * t2
        G[2 * _LANES + s] += r6 * t0 + r7 * t1 + r8 * t2
        G[_GW + s] += r0 * g0 + r1 * g1 + r2 * g2
        G[_GW + _LANES + s] += r3 * g0 + r4 * g1 + r5 * g2
        G[_GW + 2 * _LANES + s] += r6 * g0 + r7 * g1 + r8 * g2


@njit(**_COMPILE)
def _hand_over(X, U, Gb, Gu, J, turning, sliding, m):
    """Hand a body's gradient Gb to its parent's, Gu.

    Results in J: with respect to a turn, a turn rate, a slide and a slide rate about or along the joint axis.
    """
    for s in range(m):
        turn, slide = J[turning + s], J[sliding + s]
        d0 = X[_P + s] - U[_P + s]
        d1 = X[_P + _LANES + s] - U[_P + _LANES + s]
        d2 = X[_P + 2 * _LANES + s] - U[_P + 2 * _LANES + s]
        a0, a1, a2 = X[_A + s], X[_A + _LANES + s], X[_A + 2 * _LANES + s]
        w0, w1, w2 = U[_W + s], U[_W + _LANES + s], U[_W + 2 * _LANES + s]
        gt0, gt1, gt2 = Gb[s], Gb[_LANES + s], Gb[2 * _LANES + s]
        gp0, gp1, gp2 = Gb[_GP + s], Gb[_GP + _LANES + s], Gb[_GP + 2 * _LANES + s]
        gv0, gv1, gv2 = Gb[_GV + s], Gb[_GV + _LANES + s], Gb[_GV + 2 * _LANES + s]
        gw0, gw1, gw2 = Gb[_GW + s], Gb[_GW + _LANES + s], Gb[_GW + 2 * _LANES + s]
        x, y, z = _cross(gv0, gv1, gv2, w0, w1, w2)
        gd0, gd1, gd2 = gp0 + x, gp1 + y, gp2 + z  # with respect to the step d
        ga0 = turn * gw0 + slide * gv0  # with respect to the axis
        ga1 = turn * gw1 + slide * gv1
        ga2 = turn * gw2 + slide * gv2
        J[_OUT + s] = a0 * gt0 + a1 * gt1 + a2 * gt2
        J[_OUT + _LANES + s] = a0 * gw0 + a1 * gw1 + a2 * gw2
        J[_OUT + 2 * _LANES + s] = a0 * gd0 + a1 * gd1 + a2 * gd2
        J[_OUT + 3 * _LANES + s] = a0 * gv0 + a1 * gv1 + a2 * gv2
        x, y, z = _cross(d0, d1, d2, gd0, gd1, gd2)
        e0, e1, e2 = _cross(a0, a1, a2, ga0, ga1, ga2)
        f0, f1, f2 = _cross(d0, d1, d2, gv0, gv1, gv2)
        Gu[s] += gt0 + x + e0
        Gu[_LANES + s] += gt1 + y + e1
        Gu[2 * _LANES + s] += gt2 + z + e2
        Gu[_GP + s] += gp0
        Gu[_GP + _LANES + s] += gp1
        Gu[_GP + 2 * _LANES + s] += gp2
        Gu[_GV + s] += gv0
        Gu[_GV + _LANES + s] += gv1
        Gu[_GV + 2 * _LANES + s] += gv2
        Gu[_GW + s] += gw0 + f0
        Gu[_GW + _LANES + s] += gw1 + f1
        Gu[_GW + 2 * _LANES + s] += gw2 + f2


@njit(**_COMPILE)
def _inwards(tree, dq, first, m, X, G, J, gq, gdq):
    """From the tips to the base: gather the bodies' gradients G into those of q and dq."""
    for b in range(tree.parent.size - 1, 0, -1):
        u, j, kind = tree.parent[b], tree.dof[b], tree.kind[b]
        if j >= 0:
            _gather(dq, first, j, J, _RATE, m)
        turning, sliding = _RATE if kind == REVOLUTE else _ZERO, _RATE if kind == PRISMATIC else _ZERO
        Gb, Gu = G[b * _GRADIENT :], G[u * _GRADIENT :]
        _hand_over(X[b * _STATE :], X[u * _STATE :], Gb, Gu, J, turning, sliding, m)
        pick = _OUT if kind == REVOLUTE else _OUT + 2 * _LANES
        if j >= 0:
            for s in range(m):
                gq[first + s, j] = J[pick + s]
                gdq[first + s, j] = J[pick + _LANES + s]


@njit(**_COMPILE)
def adjoint(tree, q, dq, v0, w0, Z, gq, gdq, gv0, gw0):
    """Gradients of sum(Z * K), Z (n, 6, 10 bodies), with respect to q, dq (n, dofs) and v0, w0 (n, 3)."""
    n, bodies = q.shape[0], tree.parent.size
    X, J = _scratch(bodies)
    G, B, flat, row = np.zeros(bodies * _GRADIENT), _group_scratch(), Z.reshape(-1), 10 * bodies
    for k in range(0, n, _LANES):
        m = min(_LANES, n - k)
        _outwards(tree, q, dq, v0, w0, k, m, X, J)
        for group in range(0, bodies, _GROUP):
            size = min(_GROUP, bodies - group)
            _load(flat, 6 * k * row + 10 * group, row, B, 10 * size, m)
            for b in range(size):
                Xb, Bb, Gb = X[(group + b) * _STATE :], B[10 * b * _LANES :], G[(group + b) * _GRADIENT :]
                _pull_back_moments(Xb, Bb, Gb, m)
                _pull_back_inertias(Xb, Bb, Gb, m)
        _inwards(tree, dq, k, m, X, G, J, gq, gdq)
        for s in range(m):
            for i in range(3):
                gv0[k + s, i], gw0[k + s, i] = G[_GV + i * _LANES + s], G[_GW + i * _LANES + s]


# ---------------------------------------------------------------------- the locked momentum matrix


@njit(**_COMPILE)
def _add_body(phi, X, C, m):
    """Add a body, seen from the base origin, to the composite C: first moment, then xx xy yy xz yz zz."""
    for s in range(m):
        p0, p1, p2 = X[_P + s], X[_P + _LANES + s], X[_P + 2 * _LANES + s]
        r0, r1, r2 = X[s], X[_LANES + s], X[2 * _LANES + s]
        r3, r4, r5 = X[3 * _LANES + s], X[4 * _LANES + s], X[5 * _LANES + s]
        r6, r7, r8 = X[6 * _LANES + s], X[7 * _LANES + s], X[8 * _LANES + s]
        f0 = r0 * phi[1] + r1 * phi[2] + r2 * phi[3]
        f1 = r3 * phi[1] + r4 * phi[2] + r5 * phi[3]
        f2 = r6 * phi[1] + r7 * phi[2] + r8 * phi[3]
        n0, n1, n2 = f0 + phi[0] * p0, f1 + phi[0] * p1, f2 + phi[0] * p2
        C[s] += n0
        C[_LANES + s] += n1
        C[2 * _LANES + s] += n2
        # R I R^T, row by row
        x0 = r0 * phi[4] + r1 * phi[5] + r2 * phi[7]
        x1 = r0 * phi[5] + r1 * phi[6] + r2 * phi[8]
        x2 = r0 * phi[7] + r1 * phi[8] + r2 * phi[9]
        y0 = r3 * phi[4] + r4 * phi[5] + r5 * phi[7]
        y1 = r3 * phi[5] + r4 * phi[6] + r5 * phi[8]
        y2 = r3 * phi[7] + r4 * phi[8] + r5 * phi[9]
        z0 = r6 * phi[4] + r7 * phi[5] + r8 * phi[7]
        z1 = r6 * phi[5] + r7 * phi[6] + r8 * phi[8]
        z2 = r6 * phi[7] + r7 * phi[8] + r8 * phi[9]
        # moving the origin: 2 (p.f) + m p.p on the diagonal, less p f^T + f p^T + m p p^T
        whole = p0 * (f0 + n0) + p1 * (f1 + n1) + p2 * (f2 + n2)
        C[3 * _LANES + s] += x0 * r0 + x1 * r1 + x2 * r2 + whole - p0 * (f0 + n0)
        C[4 * _LANES + s] += x0 * r3 + x1 * r4 + x2 * r5 - p0 * f1 - p1 * n0
        C[5 * _LANES + s] += y0 * r3 + y1 * r4 + y2 * r5 + whole - p1 * (f1 + n1)
        C[6 * _LANES + s] += x0 * r6 + x1 * r7 + x2 * r8 - p0 * f2 - p2 * n0
        C[7 * _LANES + s] += y0 * r6 + y1 * r7 + y2 * r8 - p1 * f2 - p2 * n1
        C[8 * _LANES + s] += z0 * r6 + z1 * r7 + z2 * r8 + whole - p2 * (f2 + n2)


@njit(**_COMPILE)
def _momentum_of(mass, C, T, h, m):
    """Momentum h (6 lanes) about the base origin of a composite moving with twist T (6 lanes: v, w)."""
    for s in range(m):
        c0, c1, c2 = C[s], C[_LANES + s], C[2 * _LANES + s]
        v0, v1, v2 = T[s], T[_LANES + s], T[2 * _LANES + s]
        w0, w1, w2 = T[3 * _LANES + s], T[4 * _LANES + s], T[5 * _LANES + s]
        xx, xy, yy = C[3 * _LANES + s], C[4 * _LANES + s], C[5 * _LANES + s]
        xz, yz, zz = C[6 * _LANES + s], C[7 * _LANES + s], C[8 * _LANES + s]
        h[s] = mass * v0 + w1 * c2 - w2 * c1
        h[_LANES + s] = mass * v1 + w2 * c0 - w0 * c2
        h[2 * _LANES + s] = mass * v2 + w0 * c1 - w1 * c0
        h[3 * _LANES + s] = xx * w0 + xy * w1 + xz * w2 + c1 * v2 - c2 * v1
        h[4 * _LANES + s] = xy * w0 + yy * w1 + yz * w2 + c2 * v0 - c0 * v2
        h[5 * _LANES + s] = xz * w0 + yz * w1 + zz * w2 + c0 * v1 - c1 * v0


@njit(**_COMPILE)
def _joint_twist(kind, X, T, m):
    """Twist T (6 lanes: v at the base origin, w) of everything beyond a joint at unit rate."""
    for s in range(m):
        a0, a1, a2 = X[_A + s], X[_A + _LANES + s], X[_A + 2 * _LANES + s]
        x, y, z = _cross(X[_P + s], X[_P + _LANES + s], X[_P + 2 * _LANES + s], a0, a1, a2)
        turns = kind == REVOLUTE
        T[s] = x if turns else a0
        T[_LANES + s] = y if turns else a1
        T[2 * _LANES + s] = z if turns else a2
        T[3 * _LANES + s] = a0 if turns else 0.0
        T[4 * _LANES + s] = a1 if turns else 0.0
        T[5 * _LANES + s] = a2 if turns else 0.0


@njit(**_COMPILE)
def _put_column(h, A, k, column, m):
    for s in range(m):
        for i in range(6):
            A[k + s, i, column] = h[i * _LANES + s]


@njit(**_COMPILE)
def _carried_masses(tree, phi):
    """Mass of each body and of everything that hangs on it, (bodies,)."""
    mass = phi[:, 0].copy()
    for b in range(mass.size - 1, 0, -1):
        mass[tree.parent[b]] += mass[b]
    return mass


@njit(**_COMPILE)
def locked(tree, q, phi, A):
    """Momentum matrix A (n, 6, 6 + dofs) for parameters phi (bodies, 10): A_b (v0, w0) + A_q dq."""
    n, bodies, size = q.shape[0], tree.parent.size, 9 * _LANES
    X, J = _scratch(bodies)
    C, T, h = np.zeros(bodies * size), np.zeros(6 * _LANES), np.zeros(6 * _LANES)
    mass, still, rest = _carried_masses(tree, phi), np.zeros((n, q.shape[1])), np.zeros((n, 3))
    for k in range(0, n, _LANES):
        m = min(_LANES, n - k)
        _outwards(tree, q, still, rest, rest, k, m, X, J)
        C[:] = 0.0
        for b in range(bodies - 1, -1, -1):  # composite of everything that hangs on b, b included
            Xb, Cb = X[b * _STATE :], C[b * size :]
            _add_body(phi[b], Xb, Cb, m)
            if tree.dof[b] >= 0:
                _joint_twist(tree.kind[b], Xb, T, m)
                _momentum_of(mass[b], Cb, T, h, m)
                _put_column(h, A, k, 6 + tree.dof[b], m)
            if b > 0:
                Cu = C[tree.parent[b] * size :]
                for i in range(size):
                    Cu[i] += Cb[i]
        for c in range(6):
            T[:] = 0.0
            for s in range(m):
                T[c * _LANES + s] = 1.0
            _momentum_of(mass[0], C, T, h, m)
            _put_column(h, A, k, c, m)


# ---------------------------------------------------------------------- energy and first moment


@njit(**_COMPILE)
def _energy_columns(X, E, m):
    """Kinetic-energy columns of one body, 10 lanes."""
    for s in range(m):
        v0, v1, v2 = X[_V + s], X[_V + _LANES + s], X[_V + 2 * _LANES + s]
        w0, w1, w2 = X[_W + s], X[_W + _LANES + s], X[_W + 2 * _LANES + s]
        E[s] = 0.5 * (v0 * v0 + v1 * v1 + v2 * v2)
        c0, c1, c2 = _cross(v0, v1, v2, w0, w1, w2)  # v . (w x r) = r . (v x w)
        for k in range(3):
            r0, r1, r2 = X[k * _LANES + s], X[(3 + k) * _LANES + s], X[(6 + k) * _LANES + s]
            E[(1 + k) * _LANES + s] = r0 * c0 + r1 * c1 + r2 * c2
        x = X[s] * w0 + X[3 * _LANES + s] * w1 + X[6 * _LANES + s] * w2
        y = X[_LANES + s] * w0 + X[4 * _LANES + s] * w1 + X[7 * _LANES + s] * w2
        z = X[2 * _LANES + s] * w0 + X[5 * _LANES + s] * w1 + X[8 * _LANES + s] * w2
        E[4 * _LANES + s], E[5 * _LANES + s], E[6 * _LANES + s] = 0.5 * x * x, x * y, 0.5 * y * y
        E[7 * _LANES + s], E[8 * _LANES + s], E[9 * _LANES + s] = x * z, y * z, 0.5 * z * z


@njit(**_COMPILE)
def kinetic_energy(tree, q, dq, v0, w0, Y):
    """Kinetic-energy row of every sample, written into Y (n, 10 bodies)."""
    X, J = _scratch(tree.parent.size)
    E = np.zeros(10 * _LANES)
    for k in range(0, q.shape[0], _LANES):
        m = min(_LANES, q.shape[0] - k)
        _outwards(tree, q, dq, v0, w0, k, m, X, J)
        for b in range(tree.parent.size):
            _energy_columns(X[b * _STATE :], E, m)
            for s in range(m):
                for c in range(10):
                    Y[k + s, 10 * b + c] = E[c * _LANES + s]


@njit(**_COMPILE)
def _pull_back_energy(X, E, G, m):
    """Gradients of one body's kinetic energy for parameters E (10 lanes), written into G.

    With first moment c and y = I w in base axes the energy is m v.v / 2 + c.(v x w) + w.y / 2; origins do not enter.
    """
    for s in range(m):
        r0, r1, r2 = X[s], X[_LANES + s], X[2 * _LANES + s]
        r3, r4, r5 = X[3 * _LANES + s], X[4 * _LANES + s], X[5 * _LANES + s]
        r6, r7, r8 = X[6 * _LANES + s], X[7 * _LANES + s], X[8 * _LANES + s]
        v0, v1, v2 = X[_V + s], X[_V + _LANES + s], X[_V + 2 * _LANES + s]
        w0, w1, w2 = X[_W + s], X[_W + _LANES + s], X[_W + 2 * _LANES + s]
        x, y, z = E[_LANES + s], E[2 * _LANES + s], E[3 * _LANES + s]
        c0, c1, c2 = r0 * x + r1 * y + r2 * z, r3 * x + r4 * y + r5 * z, r6 * x + r7 * y + r8 * z
        x, y, z = r0 * w0 + r3 * w1 + r6 * w2, r1 * w0 + r4 * w1 + r7 * w2, r2 * w0 + r5 * w1 + r8 * w2
        xx, xy, yy = E[4 * _LANES + s], E[5 * _LANES + s], E[6 * _LANES + s]
        xz, yz, zz = E[7 * _LANES + s], E[8 * _LANES + s], E[9 * _LANES + s]
        i0, i1, i2 = xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z
        y0, y1, y2 = r0 * i0 + r1 * i1 + r2 * i2, r3 * i0 + r4 * i1 + r5 * i2, r6 * i0 + r7 * i1 + r8 * i2
        x, y, z = _cross(v0, v1, v2, w0, w1, w2)
        x, y, z = _cross(c0, c1, c2, x, y, z)
        e0, e1, e2 = _cross(y0, y1, y2, w0, w1, w2)
        G[s], G[_LANES + s], G[2 * _LANES + s] = x + e0, y + e1, z + e2
        G[_GP + s], G[_GP + _LANES + s], G[_GP + 2 * _LANES + s] = 0.0, 0.0, 0.0
        x, y, z = _cross(w0, w1, w2, c0, c1, c2)
        G[_GV + s] = E[s] * v0 + x
        G[_GV + _LANES + s] = E[s] * v1 + y
        G[_GV + 2 * _LANES + s] = E[s] * v2 + z
        x, y, z = _cross(c0, c1, c2, v0, v1, v2)
        G[_GW + s], G[_GW + _LANES + s], G[_GW + 2 * _LANES + s] = y0 + x, y1 + y, y2 + z


@njit(**_COMPILE)
def kinetic_energy_adjoint(tree, q, dq, v0, w0, Z, gq, gdq, gv0, gw0):
    """Gradients of sum(Z * Y), Y kinetic-energy rows, Z (n, 10 bodies), by q, dq (n, dofs) and v0, w0 (n, 3)."""
    n, bodies = q.shape[0], tree.parent.size
    X, J = _scratch(bodies)
    E, G = np.zeros(10 * _LANES), np.zeros(bodies * _GRADIENT)
    for k in range(0, n, _LANES):
        m = min(_LANES, n - k)
        _outwards(tree, q, dq, v0, w0, k, m, X, J)
        for b in range(bodies):
            for c in range(10):
                _gather(Z, k, 10 * b + c, E, c * _LANES, m)
            _pull_back_energy(X[b * _STATE :], E, G[b * _GRADIENT :], m)
        _inwards(tree, dq, k, m, X, G, J, gq, gdq)
        for s in range(m):
            for i in range(3):
                gv0[k + s, i], gw0[k + s, i] = G[_GV + i * _LANES + s], G[_GW + i * _LANES + s]


@njit(**_COMPILE)
def first_moment(tree, q, Y):
    """Total first moment about the base origin of every sample, written into Y (n, 3, 10 bodies)."""
    X, J = _scratch(tree.parent.size)
    still, rest = np.zeros(q.shape), np.zeros((q.shape[0], 3))
    Y[:] = 0.0
    for k in range(0, q.shape[0], _LANES):
        m = min(_LANES, q.shape[0] - k)
        _outwards(tree, q, still, rest, rest, k, m, X, J)
        for b in range(tree.parent.size):
            Xb = X[b * _STATE :]
            for s in range(m):
                for i in range(3):
                    Y[k + s, i, 10 * b] = Xb[_P + i * _LANES + s]
                    for j in range(3):
                        Y[k + s, i, 10 * b + 1 + j] = Xb[(3 * i + j) * _LANES + s]


# ---------------------------------------------------------------------- inverse dynamics


@njit(**_COMPILE)
def _accelerate(X, U, Du, Db, J, turning, sliding, turning_up, sliding_up, m):
    """Accelerations of a body, D = (of the origin, angular; 6 lanes), from its parent's."""
    for s in range(m):
        d0 = X[_P + s] - U[_P + s]
        d1 = X[_P + _LANES + s] - U[_P + _LANES + s]
        d2 = X[_P + 2 * _LANES + s] - U[_P + 2 * _LANES + s]
        a0, a1, a2 = X[_A + s], X[_A + _LANES + s], X[_A + 2 * _LANES + s]
        w0, w1, w2 = U[_W + s], U[_W + _LANES + s], U[_W + 2 * _LANES + s]
        x, y, z = _cross(w0, w1, w2, d0, d1, d2)
        c0, c1, c2 = _cross(w0, w1, w2, x, y, z)
        x, y, z = _cross(Du[3 * _LANES + s], Du[4 * _LANES + s], Du[5 * _LANES + s], d0, d1, d2)
        e0, e1, e2 = _cross(w0, w1, w2, a0, a1, a2)
        slide, twice, up, turn = J[sliding_up + s], 2.0 * J[sliding + s], J[turning_up + s], J[turning + s]
        Db[s] = Du[s] + c0 + x + a0 * slide + e0 * twice
        Db[_LANES + s] = Du[_LANES + s] + c1 + y + a1 * slide + e1 * twice
        Db[2 * _LANES + s] = Du[2 * _LANES + s] + c2 + z + a2 * slide + e2 * twice
        Db[3 * _LANES + s] = Du[3 * _LANES + s] + a0 * up + e0 * turn
        Db[4 * _LANES + s] = Du[4 * _LANES + s] + a1 * up + e1 * turn
        Db[5 * _LANES + s] = Du[5 * _LANES + s] + a2 * up + e2 * turn


@njit(**_COMPILE)
def _wrench_columns(X, D, F, m):
    """Force and moment about the base origin that one body needs, per parameter: 6 x 10 lanes."""
    for s in range(m):
        p0, p1, p2 = X[_P + s], X[_P + _LANES + s], X[_P + 2 * _LANES + s]
        w0, w1, w2 = X[_W + s], X[_W + _LANES + s], X[_W + 2 * _LANES + s]
        a0, a1, a2 = D[s], D[_LANES + s], D[2 * _LANES + s]
        g0, g1, g2 = D[3 * _LANES + s], D[4 * _LANES + s], D[5 * _LANES + s]
        F[s], F[10 * _LANES + s], F[20 * _LANES + s] = a0, a1, a2
        x, y, z = _cross(p0, p1, p2, a0, a1, a2)
        F[30 * _LANES + s], F[40 * _LANES + s], F[50 * _LANES + s] = x, y, z
        for k in range(3):
            r0, r1, r2 = X[k * _LANES + s], X[(3 + k) * _LANES + s], X[(6 + k) * _LANES + s]
            x, y, z = _cross(w0, w1, w2, r0, r1, r2)
            f0, f1, f2 = _cross(w0, w1, w2, x, y, z)
            x, y, z = _cross(g0, g1, g2, r0, r1, r2)
            f0, f1, f2 = f0 + x, f1 + y, f2 + z
            n0, n1, n2 = _cross(r0, r1, r2, a0, a1, a2)
            x, y, z = _cross(p0, p1, p2, f0, f1, f2)
            F[(1 + k) * _LANES + s], F[(11 + k) * _LANES + s], F[(21 + k) * _LANES + s] = f0, f1, f2
            F[(31 + k) * _LANES + s] = n0 + x
            F[(41 + k) * _LANES + s] = n1 + y
            F[(51 + k) * _LANES + s] = n2 + z
        x = X[s] * w0 + X[3 * _LANES + s] * w1 + X[6 * _LANES + s] * w2
        y = X[_LANES + s] * w0 + X[4 * _LANES + s] * w1 + X[7 * _LANES + s] * w2
        z = X[2 * _LANES + s] * w0 + X[5 * _LANES + s] * w1 + X[8 * _LANES + s] * w2
        ax = X[s] * g0 + X[3 * _LANES + s] * g1 + X[6 * _LANES + s] * g2
        ay = X[_LANES + s] * g0 + X[4 * _LANES + s] * g1 + X[7 * _LANES + s] * g2
        az = X[2 * _LANES + s] * g0 + X[5 * _LANES + s] * g1 + X[8 * _LANES + s] * g2
        for i in range(3):  # R (E alpha + w x E w), all in body coordinates
            r0, r1, r2 = X[3 * i * _LANES + s], X[(3 * i + 1) * _LANES + s], X[(3 * i + 2) * _LANES + s]
            row = (30 + 10 * i) * _LANES + s
            F[row + 4 * _LANES] = r0 * ax + r1 * (z * x) - r2 * (y * x)
            F[row + 5 * _LANES] = r0 * (ay - z * x) + r1 * (ax + z * y) + r2 * (x * x - y * y)
            F[row + 6 * _LANES] = r1 * ay - r0 * (z * y) + r2 * (x * y)
            F[row + 7 * _LANES] = r0 * (az + y * x) + r1 * (z * z - x * x) + r2 * (ax - y * z)
            F[row + 8 * _LANES] = r0 * (y * y - z * z) + r1 * (az - x * y) + r2 * (ay + x * z)
            F[row + 9 * _LANES] = r0 * (y * z) - r1 * (x * z) + r2 * az


@njit(**_COMPILE)
def _project(T, F, out, m):
    """Power of the wrench columns F (6 x 10 lanes) on a twist T (6 lanes): 10 lanes."""
    for c in range(10):
        for s in range(m):
            out[c * _LANES + s] = (
                T[s] * F[c * _LANES + s]
                + T[_LANES + s] * F[(10 + c) * _LANES + s]
                + T[2 * _LANES + s] * F[(20 + c) * _LANES + s]
                + T[3 * _LANES + s] * F[(30 + c) * _LANES + s]
                + T[4 * _LANES + s] * F[(40 + c) * _LANES + s]
                + T[5 * _LANES + s] * F[(50 + c) * _LANES + s]
            )


@njit(**_COMPILE)
def _all_accelerations(tree, dq, ddq, acc0, alpha0, k, m, X, D, J):
    """Accelerations D of all bodies, less gravity, from those of the base."""
    for i in range(3):
        _gather(acc0, k, i, D, i * _LANES, m)
        _gather(alpha0, k, i, D, (3 + i) * _LANES, m)
    for b in range(1, tree.parent.size):
        u, j, kind = tree.parent[b], tree.dof[b], tree.kind[b]
        if j >= 0:
            _gather(dq, k, j, J, _RATE, m)
            _gather(ddq, k, j, J, _RISE, m)
        turning, turning_up = (_RATE, _RISE) if kind == REVOLUTE else (_ZERO, _ZERO)
        sliding, sliding_up = (_RATE, _RISE) if kind == PRISMATIC else (_ZERO, _ZERO)
        Xb, Xu, Db, Du = X[b * _STATE :], X[u * _STATE :], D[6 * b * _LANES :], D[6 * u * _LANES :]
        _accelerate(Xb, Xu, Du, Db, J, turning, sliding, turning_up, sliding_up, m)


@njit(**_COMPILE)
def torque(tree, q, dq, ddq, v0, w0, acc0, alpha0, Y):
    """Wrench on the base about its origin, then joint torques, written into Y (n, 6 + dofs, 10 bodies).

    acc0: acceleration of the base origin less gravity, alpha0: angular acceleration; base frame, (n, 3).
    """
    bodies = tree.parent.size
    X, J = _scratch(bodies)
    D, F = (
        np.zeros(6 * bodies * _LANES),
        np.zeros(60 * _LANES),
    )  # no force on the inertias: F stays zero there
    T, out = np.zeros(6 * _LANES), np.zeros(10 * _LANES)
    Y[:] = 0.0
    for k in range(0, q.shape[0], _LANES):
        m = min(_LANES, q.shape[0] - k)
        _outwards(tree, q, dq, v0, w0, k, m, X, J)
        _all_accelerations(tree, dq, ddq, acc0, alpha0, k, m, X, D, J)
        for b in range(bodies):
            _wrench_columns(X[b * _STATE :], D[6 * b * _LANES :], F, m)
            for s in range(m):
                for i in range(6):
                    for c in range(10):
                        Y[k + s, i, 10 * b + c] = F[(10 * i + c) * _LANES + s]
            u = b
            while u > 0:  # every joint between this body and the base carries it
                if tree.dof[u] >= 0:
                    _joint_twist(tree.kind[u], X[u * _STATE :], T, m)
                    _project(T, F, out, m)
                    for s in range(m):
                        for c in range(10):
                            Y[k + s, 6 + tree.dof[u], 10 * b + c] = out[c * _LANES + s]
                u = tree.parent[u]


# ---------------------------------------------------------------------- dynamics for given parameters


@njit(**_COMPILE)
def _add_momentum(phi, X, h, m):
    """Add a body's momentum, linear and angular about the base origin, to h (6 lanes)."""
    for s in range(m):
        p0, p1, p2 = X[_P + s], X[_P + _LANES + s], X[_P + 2 * _LANES + s]
        v0, v1, v2 = X[_V + s], X[_V + _LANES + s], X[_V + 2 * _LANES + s]
        w0, w1, w2 = X[_W + s], X[_W + _LANES + s], X[_W + 2 * _LANES + s]
        r0, r1, r2 = X[s], X[_LANES + s], X[2 * _LANES + s]
        r3, r4, r5 = X[3 * _LANES + s], X[4 * _LANES + s], X[5 * _LANES + s]
        r6, r7, r8 = X[6 * _LANES + s], X[7 * _LANES + s], X[8 * _LANES + s]
        f0 = r0 * phi[1] + r1 * phi[2] + r2 * phi[3]
        f1 = r3 * phi[1] + r4 * phi[2] + r5 * phi[3]
        f2 = r6 * phi[1] + r7 * phi[2] + r8 * phi[3]
        x, y, z = _cross(w0, w1, w2, f0, f1, f2)
        l0, l1, l2 = phi[0] * v0 + x, phi[0] * v1 + y, phi[0] * v2 + z
        x, y, z = r0 * w0 + r3 * w1 + r6 * w2, r1 * w0 + r4 * w1 + r7 * w2, r2 * w0 + r5 * w1 + r8 * w2
        i0 = phi[4] * x + phi[5] * y + phi[7] * z
        i1 = phi[5] * x + phi[6] * y + phi[8] * z
        i2 = phi[7] * x + phi[8] * y + phi[9] * z
        a0, a1, a2 = _cross(f0, f1, f2, v0, v1, v2)
        b0, b1, b2 = _cross(p0, p1, p2, l0, l1, l2)
        h[s] += l0
        h[_LANES + s] += l1
        h[2 * _LANES + s] += l2
        h[3 * _LANES + s] += a0 + b0 + r0 * i0 + r1 * i1 + r2 * i2
        h[4 * _LANES + s] += a1 + b1 + r3 * i0 + r4 * i1 + r5 * i2
        h[5 * _LANES + s] += a2 + b2 + r6 * i0 + r7 * i1 + r8 * i2


@njit(**_COMPILE)
def composite(tree, q, dq, phi, inertia, h):
    """The robot as one locked body, and the momentum of its joints' motion alone, base at rest.

    inertia (n, 9): first moment, then xx xy yy xz yz zz, about the base origin; h (n, 6): linear, angular.
    """
    n, bodies = q.shape[0], tree.parent.size
    X, J = _scratch(bodies)
    C, L, rest = np.zeros(9 * _LANES), np.zeros(6 * _LANES), np.zeros((n, 3))
    for k in range(0, n, _LANES):
        m = min(_LANES, n - k)
        _outwards(tree, q, dq, rest, rest, k, m, X, J)
        C[:], L[:] = 0.0, 0.0
        for b in range(bodies):
            Xb = X[b * _STATE :]
            _add_body(phi[b], Xb, C, m)
            _add_momentum(phi[b], Xb, L, m)
        for s in range(m):
            for i in range(9):
                inertia[k + s, i] = C[i * _LANES + s]
            for i in range(6):
                h[k + s, i] = L[i * _LANES + s]


@njit(**_COMPILE)
def _add_wrench(phi, X, D, F, m):
    """Add the force and moment about the base origin that a body's motion needs to F (6 lanes)."""
    for s in range(m):
        p0, p1, p2 = X[_P + s], X[_P + _LANES + s], X[_P + 2 * _LANES + s]
        w0, w1, w2 = X[_W + s], X[_W + _LANES + s], X[_W + 2 * _LANES + s]
        a0, a1, a2 = D[s], D[_LANES + s], D[2 * _LANES + s]
        g0, g1, g2 = D[3 * _LANES + s], D[4 * _LANES + s], D[5 * _LANES + s]
        r0, r1, r2 = X[s], X[_LANES + s], X[2 * _LANES + s]
        r3, r4, r5 = X[3 * _LANES + s], X[4 * _LANES + s], X[5 * _LANES + s]
        r6, r7, r8 = X[6 * _LANES + s], X[7 * _LANES + s], X[8 * _LANES + s]
        c0 = r0 * phi[1] + r1 * phi[2] + r2 * phi[3]
        c1 = r3 * phi[1] + r4 * phi[2] + r5 * phi[3]
        c2 = r6 * phi[1] + r7 * phi[2] + r8 * phi[3]
        x, y, z = _cross(w0, w1, w2, c0, c1, c2)
        f0, f1, f2 = _cross(w0, w1, w2, x, y, z)
        x, y, z = _cross(g0, g1, g2, c0, c1, c2)
        f0, f1, f2 = f0 + x + phi[0] * a0, f1 + y + phi[0] * a1, f2 + z + phi[0] * a2
        # I alpha + w x I w, in the body frame
        x, y, z = r0 * w0 + r3 * w1 + r6 * w2, r1 * w0 + r4 * w1 + r7 * w2, r2 * w0 + r5 * w1 + r8 * w2
        i0 = phi[4] * x + phi[5] * y + phi[7] * z
        i1 = phi[5] * x + phi[6] * y + phi[8] * z
        i2 = phi[7] * x + phi[8] * y + phi[9] * z
        n0, n1, n2 = _cross(x, y, z, i0, i1, i2)
        x, y, z = r0 * g0 + r3 * g1 + r6 * g2, r1 * g0 + r4 * g1 + r7 * g2, r2 * g0 + r5 * g1 + r8 * g2
        n0 += phi[4] * x + phi[5] * y + phi[7] * z
        n1 += phi[5] * x + phi[6] * y + phi[8] * z
        n2 += phi[7] * x + phi[8] * y + phi[9] * z
        x, y, z = _cross(c0, c1, c2, a0, a1, a2)
        u0, u1, u2 = _cross(p0, p1, p2, f0, f1, f2)
        F[s] += f0
        F[_LANES + s] += f1
        F[2 * _LANES + s] += f2
        F[3 * _LANES + s] += x + u0 + r0 * n0 + r1 * n1 + r2 * n2
        F[4 * _LANES + s] += y + u1 + r3 * n0 + r4 * n1 + r5 * n2
        F[5 * _LANES + s] += z + u2 + r6 * n0 + r7 * n1 + r8 * n2


@njit(**_COMPILE)
def inverse_dynamics(tree, phi, q, dq, ddq, v0, w0, acc0, alpha0, tau):
    """Wrench on the base about its origin, then joint torques, into tau (n, 6 + dofs); phi (bodies, 10).

    acc0: acceleration of the base origin less gravity, alpha0: angular acceleration; base frame, (n, 3).
    """
    n, bodies, size = q.shape[0], tree.parent.size, 6 * _LANES
    X, J = _scratch(bodies)
    D, F, T = np.zeros(bodies * size), np.zeros(bodies * size), np.zeros(size)
    for k in range(0, n, _LANES):
        m = min(_LANES, n - k)
        _outwards(tree, q, dq, v0, w0, k, m, X, J)
        _all_accelerations(tree, dq, ddq, acc0, alpha0, k, m, X, D, J)
        F[:] = 0.0
        for b in range(bodies - 1, -1, -1):
            Xb, Fb = X[b * _STATE :], F[b * size :]
            _add_wrench(phi[b], Xb, D[b * size :], Fb, m)
            if tree.dof[b] >= 0:
                _joint_twist(tree.kind[b], Xb, T, m)
                for s in range(m):
                    power = 0.0
                    for i in range(6):
                        power += T[i * _LANES + s] * Fb[i * _LANES + s]
                    tau[k + s, 6 + tree.dof[b]] = power
            if b > 0:
                Fu = F[tree.parent[b] * size :]
                for i in range(size):
                    Fu[i] += Fb[i]
        for s in range(m):
            for i in range(6):
                tau[k + s, i] = F[i * _LANES + s]


@njit(**_COMPILE)
def mass_matrix(tree, q, phi, H):
    """Mass matrix H (n, 6 + dofs, 6 + dofs) of base and joints for parameters phi (bodies, 10)."""
    n, bodies, size = q.shape[0], tree.parent.size, 9 * _LANES
    locked(tree, q, phi, H[:, :6])
    X, J = _scratch(bodies)
    C, T, h = np.zeros(bodies * size), np.zeros(bodies * 6 * _LANES), np.zeros(6 * _LANES)
    mass, still, rest = _carried_masses(tree, phi), np.zeros((n, q.shape[1])), np.zeros((n, 3))
    H[:, 6:, 6:] = 0.0
    for k in range(0, n, _LANES):
        m = min(_LANES, n - k)
        _outwards(tree, q, still, rest, rest, k, m, X, J)
        C[:] = 0.0
        for b in range(1, bodies):
            _joint_twist(tree.kind[b], X[b * _STATE :], T[6 * b * _LANES :], m)
        for b in range(bodies - 1, 0, -1):
            Cb = C[b * size :]
            _add_body(phi[b], X[b * _STATE :], Cb, m)
            if tree.dof[b] >= 0:
                _momentum_of(mass[b], Cb, T[6 * b * _LANES :], h, m)
                u = b
                while u > 0:
                    if tree.dof[u] >= 0:
                        for s in range(m):
                            power = 0.0
                            for i in range(6):
                                power += T[(6 * u + i) * _LANES + s] * h[i * _LANES + s]
                            H[k + s, 6 + tree.dof[u], 6 + tree.dof[b]] = power
                            H[k + s, 6 + tree.dof[b], 6 + tree.dof[u]] = power
                    u = tree.parent[u]
            Cu = C[tree.parent[b] * size :]
            for i in range(size):
                Cu[i] += Cb[i]
    for k in range(n):
        for i in range(6):
            for j in range(q.shape[1]):
                H[k, 6 + j, i] = H[k, i, 6 + j]
