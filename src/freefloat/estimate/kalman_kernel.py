"""The time loop of the error-state Kalman filter, compiled.

States, in this order: standard parameters, joint zeros, momenta (of all flights), and, of one flight, the rotation of
its first attitude, the gyro's bias, the error of the predicted attitude. The covariance is kept as a lower triangle,
P = L L^T: no rounding can make it unsymmetric or indefinite. States that never change come first, so that time touches
the last rows only; measurements turn the triangle into another one by Carlson's formulas ("Fast triangular formulation
of the square root filter", AIAA Journal, 1973), one reading at a time.

Readings are predicted at a point x, and the filter estimates how far (d) the truth is from it. Where it follows, the
point moves to the estimate after every sample and d is zero again: the extended Kalman filter. Where it does not, the
point stays, and the filter as a whole is one Gauss-Newton step from it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from freefloat.estimate.reaction_kernels import momentum_by_position, solve_each, turn, turn_sensitivity, turned
from freefloat.regressor.kernels import forward_columns, locked, sweep

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract"}}
_SINGULAR = 1e-12
_TRIALS = 2  # of a sample's readings before they count, each at derivatives of the one before
_SMALL = 1e-4  # of the sine of an angle: below, series


class Body(NamedTuple):
    """What is constant of robot and flight.

    fixed: known parameters (bodies, 10). columns: numbers of the unknown ones (c,); there: one for those that the
    flight had, else zero (c,). allowed: velocities that the base can have (r,); turning: axes about which it turns (k,).
    given: momentum that is known, in the axes of the first sample (3,).
    """

    fixed: np.ndarray
    columns: np.ndarray
    there: np.ndarray
    allowed: np.ndarray
    turning: np.ndarray
    given: np.ndarray


class Readings(NamedTuple):
    """What was measured, at n samples; joints also half-way between them where attitude is predicted (m instants).

    t (m,), q, dq (m, dofs), spin: momentum of the wheels (m, 3). step: from sample to sample in these.
    w (n, 3) and weight (n, k, k): angular rates and what makes their errors one; attitude (n, 3, 3) and its standard
    deviations (k,): star tracker. Either may be empty. walk: of the bias, its square after a second (k,).
    """

    t: np.ndarray
    q: np.ndarray
    dq: np.ndarray
    spin: np.ndarray
    step: int
    w: np.ndarray
    weight: np.ndarray
    attitude: np.ndarray
    attitude_sd: np.ndarray
    walk: np.ndarray


class Places(NamedTuple):
    """Where states begin: joint zeros, this flight's momentum, first attitude, bias, attitude; -1 for what is not."""

    zeros: int
    momentum: int
    first: int
    bias: int
    attitude: int


class State(NamedTuple):
    """What is changed in place: the point x, d, L; N, the part of the covariance that is the sensors' noise.

    R: attitude against that of the first sample (3, 3).
    """

    x: np.ndarray
    d: np.ndarray
    L: np.ndarray
    N: np.ndarray
    R: np.ndarray


class Scratch(NamedTuple):
    """Predictions at up to three instants: w (3, 3), R (3, 3, 3), G and M: rates by constant states and by attitude.

    F: rate of an attitude's error (3, 3, 3). G (3, 3, constants), M (3, 3, 3). H (3,): total momentum.
    h, f, v (states,): one reading's derivative, and two of Carlson's.
    """

    w: np.ndarray
    R: np.ndarray
    G: np.ndarray
    M: np.ndarray
    F: np.ndarray
    T: np.ndarray
    TM: np.ndarray
    h: np.ndarray
    f: np.ndarray
    v: np.ndarray


@njit(**_COMPILE)
def scratch(states, constants):
    """Room for all intermediate results."""
    return Scratch(
        np.zeros((3, 3)),
        np.zeros((3, 3, 3)),
        np.zeros((3, 3, constants)),
        np.zeros((3, 3, 3)),
        np.zeros((3, 3, 3)),
        np.zeros((3, 6, constants)),
        np.zeros((3, 6, 3)),
        np.zeros(states),
        np.zeros(states),
        np.zeros(states),
    )


# ---------------------------------------------------------------------- prediction


@njit(**_COMPILE)
def _momentum(body, places, x):
    """Total angular momentum in the axes of the first sample."""
    H = body.given.copy()
    if places.momentum >= 0:
        for i in range(body.turning.size):
            H[body.turning[i]] += x[places.momentum + i]
    return H


@njit(**_COMPILE)
def _inner(A, allowed):
    r = allowed.size
    inner = np.empty((A.shape[0], r, r))
    for s in range(A.shape[0]):
        for i in range(r):
            for j in range(r):
                inner[s, i, j] = A[s, allowed[i], allowed[j]]
    return inner


@njit(**_COMPILE)
def _reactions(A, dq, spin, allowed):
    """Twist at zero momentum, then by each component of angular momentum, (m, r, 4); the smallest pivot."""
    right = np.zeros((A.shape[0], allowed.size, 4))
    for s in range(A.shape[0]):
        for i in range(allowed.size):
            row = allowed[i]
            for j in range(dq.shape[1]):
                right[s, i, 0] -= A[s, row, 6 + j] * dq[s, j]
            if row >= 3:
                right[s, i, 0] -= spin[s, row - 3]
                right[s, i, row - 2] = 1.0
    return right, solve_each(_inner(A, allowed), right, 0)


@njit(**_COMPILE)
def _twists(right, allowed, R, H):
    """Velocities v and w (m, 3) at the attitudes R, and the total momentum there in base axes (m, 3)."""
    m = right.shape[0]
    twist, u = np.zeros((m, 6)), np.zeros((m, 3))
    for s in range(m):
        for i in range(3):
            u[s, i] = R[s, 0, i] * H[0] + R[s, 1, i] * H[1] + R[s, 2, i] * H[2]
        for i in range(allowed.size):
            twist[s, allowed[i]] = (
                right[s, i, 0] + right[s, i, 1] * u[s, 0] + right[s, i, 2] * u[s, 1] + right[s, i, 3] * u[s, 2]
            )
    return twist[:, :3].copy(), twist[:, 3:].copy(), u


@njit(**_COMPILE)
def _turn_on(t, right, allowed, H, R):
    """Fill R[1:], attitudes half-way and at the next sample, from R[0]."""
    gain, rest, momentum = np.zeros((3, 3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    for s in range(3):
        momentum[s] = H
        for i in range(allowed.size):
            if allowed[i] >= 3:
                rest[s, allowed[i] - 3] = right[s, i, 0]
                gain[s, allowed[i] - 3] = right[s, i, 1:]
    turn(t, gain, rest, momentum, R)


@njit(**_COMPILE)
def _momentum_columns(tree, body, phi, q, dq, v, w, zeros):
    """Momentum by the parameters, and by joint positions if there are zeros, of what the base can do, (m, r, columns)."""
    m, c, dofs = q.shape[0], body.columns.size, q.shape[1]
    K = np.empty((m, 6, c))
    forward_columns(tree, q, dq, v, w, body.columns, K)
    moved = np.empty((m, 6, dofs if zeros else 0))
    if zeros:
        R, p, v_all, w_all, a = sweep(tree, q, dq, v, w)
        momentum_by_position(tree, phi, R, p, v_all, w_all, a, moved)
    right = np.empty((m, body.allowed.size, c + moved.shape[2]))
    for s in range(m):
        for i in range(body.allowed.size):
            for e in range(c):
                right[s, i, e] = K[s, body.allowed[i], e] * body.there[e]
            for e in range(moved.shape[2]):
                right[s, i, c + e] = moved[s, body.allowed[i], e]
    return right


@njit(**_COMPILE)
def _at(tree, body, places, readings, x, first, m):
    """Joint positions, parameters (bodies, 10) and momentum matrix (m, 6, 6 + dofs) of m instants at the point."""
    q = readings.q[first : first + m].copy()
    if places.zeros >= 0:
        for s in range(m):
            for j in range(q.shape[1]):
                q[s, j] += x[places.zeros + j]
    phi = body.fixed.copy()
    for e in range(body.columns.size):
        phi[body.columns[e] // 10, body.columns[e] % 10] += body.there[e] * x[e]
    A = np.empty((m, 6, 6 + q.shape[1]))
    locked(tree, q, phi, A)
    return q, phi, A


@njit(**_COMPILE)
def predict(tree, body, places, readings, x, first, m, out):
    """Predict at m instants from the `first` on, attitudes going on from out.R[0]; false if that is not possible."""
    q, phi, A = _at(tree, body, places, readings, x, first, m)
    dq = readings.dq[first : first + m]
    H = _momentum(body, places, x)
    right, pivot = _reactions(A, dq, readings.spin[first : first + m], body.allowed)
    if not pivot > _SINGULAR:
        return False
    if m == 3:
        _turn_on(readings.t[first : first + m], right, body.allowed, H, out.R)
    v, w, u = _twists(right, body.allowed, out.R[:m], H)
    columns = _momentum_columns(tree, body, phi, q, dq, v, w, places.zeros >= 0)
    solve_each(_inner(A, body.allowed), columns, 0)
    for s in range(m):
        out.w[s] = w[s]
        _sensitivities(body, places, right[s], columns[s], w[s], u[s], s, out)
    return True


@njit(**_COMPILE)
def _sensitivities(body, places, right, columns, w, u, s, out):
    """Rates by constant states (G) and by an error of the attitude (M), and the rate of that error (F)."""
    k, first, count = body.turning.size, body.allowed.size - body.turning.size, columns.shape[1]
    cross = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    out.F[s] = np.array([[0.0, w[2], -w[1]], [-w[2], 0.0, w[0]], [w[1], -w[0], 0.0]])
    for i in range(body.allowed.size):
        row=right[i]
        for e in range(count):
            out.T[s, i, e] = -columns[i, e]
        if places.momentum >= 0:
            for j in range(k):
                R = out.R[s, body.turning[j]]
                out.T[s, i, count + j] = row[1] * R[0] + row[2] * R[1] + row[3] * R[2]
        for j in range(3):
            out.TM[s, i, j] = row[1] * cross[0, j] + row[2] * cross[1, j] + row[3] * cross[2, j]
    for i in range(k):
        axis, row = body.turning[i], right[first + i]
        for e in range(count):
            out.G[s, axis, e] = -columns[first + i, e]
        if places.momentum >= 0:
            for j in range(k):
                R = out.R[s, body.turning[j]]
                out.G[s, axis, count + j] = row[1] * R[0] + row[2] * R[1] + row[3] * R[2]
        for j in range(3):
            out.M[s, axis, j] = row[1] * cross[0, j] + row[2] * cross[1, j] + row[3] * cross[2, j]
            out.F[s, axis, j] += out.M[s, axis, j]


# ---------------------------------------------------------------------- time


@njit(**_COMPILE)
def _state_of(column, constants, places):
    """State that a column of G belongs to."""
    return column if places.momentum < 0 or column < constants else places.momentum + column - constants


@njit(**_COMPILE)
def _go_on(body, places, readings, k, state, out):
    """The states a sample later: attitude errors have grown, the bias has walked."""
    if places.attitude >= 0:
        ahead = _transition(readings.t[2 * k - 2 : 2 * k + 1], out)
        own = _own_columns(body, places, out.G.shape[2])
        _move(state.d.reshape(-1, 1), body.turning, places.attitude, own, ahead)
        _move(state.L, body.turning, places.attitude, own, ahead)
        _move(state.N, body.turning, places.attitude, own, ahead)
        _move(state.N.T, body.turning, places.attitude, own, ahead)
    if places.attitude >= 0 or places.bias >= 0:
        passed = readings.t[readings.step * k] - readings.t[readings.step * (k - 1)]
        _retriangle(places, readings.walk * passed, state.L)


@njit(**_COMPILE)
def _own_columns(body, places, columns):
    """States that the columns of G belong to."""
    constants = columns - (body.turning.size if places.momentum >= 0 else 0)
    own = np.empty(columns, np.int64)
    for e in range(columns):
        own[e] = _state_of(e, constants, places)
    return own


@njit(**_COMPILE)
def _transition(t, out):
    """Attitude error at the next sample by that at this one, less the identity, then by constant states, (3, 3 + c)."""
    forced = np.empty((3, 3, 3 + out.G.shape[2]))
    forced[:, :, :3] = out.F
    forced[:, :, 3:] = out.G
    alpha = np.empty((2, 3, forced.shape[2]))
    turn_sensitivity(t, out.F, forced, alpha)
    return alpha[1]


@njit(**_COMPILE)
def _move(X, turning, attitude, own, ahead):
    """Rows of the attitude error: their own share and that of constant states."""
    k, width = turning.size, X.shape[1]
    rows = np.empty((k, width))
    for i in range(k):
        row = ahead[turning[i]]
        for c in range(width):
            rows[i, c] = X[attitude + i, c]
        for j in range(k):
            for c in range(width):
                rows[i, c] += row[turning[j]] * X[attitude + j, c]
        for e in range(own.size):
            for c in range(width):
                rows[i, c] += row[3 + e] * X[own[e], c]
    for i in range(k):
        for c in range(width):
            X[attitude + i, c] = rows[i, c]


@njit(**_COMPILE)
def _retriangle(places, grown, L):
    """Make the last rows of L a triangle again, the bias grown by these squares."""
    n = L.shape[0]
    start = places.bias if places.bias >= 0 else places.attitude
    rows, extra = n - start, grown.size if places.bias >= 0 else 0
    T = np.zeros((rows, rows + extra))
    T[:, :rows] = L[start:, start:]
    for i in range(extra):
        T[i, rows + i] = np.sqrt(grown[i])
    for i in range(rows):
        norm = 0.0
        for j in range(i, rows + extra):
            norm += T[i, j] * T[i, j]
        norm = np.sqrt(norm)
        corner = T[i, i]
        if norm == 0.0 or norm == abs(corner):
            continue
        head = corner + norm if corner > 0.0 else corner - norm
        scale = 1.0 / (norm * (norm + abs(corner)))
        for b in range(i + 1, rows):
            total = head * T[b, i]
            for j in range(i + 1, rows + extra):
                total += T[i, j] * T[b, j]
            total *= scale
            T[b, i] -= head * total
            for j in range(i + 1, rows + extra):
                T[b, j] -= T[i, j] * total
        T[i, i] = -norm if corner > 0.0 else norm
        T[i, i + 1 :] = 0.0
    L[start:, start:] = T[:, :rows]


# ---------------------------------------------------------------------- readings


@njit(**_COMPILE)
def _absorb(state, out, missing, noise):
    """One reading, of derivative out.h and `missing` at the point, its noise of this variance; its innovation over sd."""
    n, L, h, f, v = state.d.size, state.L, out.h, out.f, out.v
    innovation = missing
    for j in range(n):
        f[j], v[j] = 0.0, 0.0
        innovation -= h[j] * state.d[j]
    for i in range(n):
        for j in range(i + 1):
            f[j] += L[i, j] * h[i]
    before = noise
    for j in range(n - 1, -1, -1):
        after = before + f[j] * f[j]
        scale, factor = np.sqrt(before / after), f[j] / np.sqrt(before * after)
        for i in range(j, n):
            old = L[i, j]
            L[i, j] = old * scale - factor * v[i]
            v[i] += old * f[j]
        before = after
    for i in range(n):
        v[i] /= before
        state.d[i] += v[i] * innovation
    _absorb_noise(state.N, h, v, f, noise)
    return innovation / np.sqrt(before)


@njit(**_COMPILE)
def _absorb_noise(N, h, gain, m, noise):
    """The noise's part of the covariance after a reading of derivative h: (E - k h) N (E - k h)^T + k noise k^T."""
    n, q = N.shape[0], noise
    for i in range(n):
        m[i] = 0.0
        for j in range(n):
            m[i] += N[i, j] * h[j]
        q += h[i] * m[i]
    for i in range(n):
        for j in range(n):
            N[i, j] += q * gain[i] * gain[j] - gain[i] * m[j] - m[i] * gain[j]


@njit(**_COMPILE)
def _by_rate(body, places, row, axis, out):
    """Derivative of the angular rate about an axis, into out.h."""
    out.h[:] = 0.0
    own = _own_columns(body, places, out.G.shape[2])
    for e in range(own.size):
        out.h[own[e]] = out.G[row, axis, e]
    if places.attitude >= 0:
        for b in range(body.turning.size):
            out.h[places.attitude + b] = out.M[row, axis, body.turning[b]]


@njit(**_COMPILE)
def _rooted(L, h, f):
    """L^T h, into f."""
    f[:] = 0.0
    for i in range(h.size):
        for j in range(i + 1):
            f[j] += L[i, j] * h[i]


@njit(**_COMPILE)
def _second_order(tree, body, places, readings, sample, state, row, out, MULT):
    """Mean and variance (k, 2) of what the linear prediction of each rate leaves out.

    Exactly, x - x(point) = (E - J) dx, with the base's twist dx linear in the states and J = A_b^-1 dA_b that of the
    locked robot's inertia: to second order the product of two linear forms.
    """
    k, r, c = body.turning.size, body.allowed.size, body.columns.size
    forms = _relative_inertia(tree, body, places, readings, sample, state.x)
    twists, found = np.empty((r, state.d.size)), np.zeros((k, 2))
    own = _own_columns(body, places, out.G.shape[2])
    for j in range(r):
        out.h[:] = 0.0
        for e in range(own.size):
            out.h[own[e]] = out.T[row, j, e]
        if places.attitude >= 0:
            for b in range(k):
                out.h[places.attitude + b] = out.TM[row, j, body.turning[b]]
        _rooted(state.L, out.h, twists[j])
    f = np.empty((r, state.d.size))
    for i in range(k):
        for j in range(r):
            out.h[:] = 0.0
            out.h[:c] = forms[j, i]
            _rooted(state.L, out.h, f[j])
        ff, ft, tt = f @ f.T, f @ twists.T, twists @ twists.T
        for j in range(r):
            found[i, 0] -= ft[j, j]
            for b in range(r):
                found[i, 1] += ff[j, b] * tt[j, b] + ft[j, b] * ft[b, j]
        found[i, 1] *= MULT if MULT > 0.0 else (-MULT * (sample + 1)) ** 0.5
    return found


@njit(**_COMPILE)
def _relative_inertia(tree, body, places, readings, sample, x):
    """A_b^-1 K at unit twists: (twists, turning axes, c)."""
    k, r = body.turning.size, body.allowed.size
    q, phi, A = _at(tree, body, places, readings, x, readings.step * sample, 1)
    v, w, every = np.zeros((r, 3)), np.zeros((r, 3)), np.empty((r, q.shape[1]))
    inner = np.empty((r, r, r))
    for j in range(r):
        if body.allowed[j] < 3:
            v[j, body.allowed[j]] = 1.0
        else:
            w[j, body.allowed[j] - 3] = 1.0
        every[j] = q[0]
        inner[j] = _inner(A, body.allowed)[0]
    columns = _momentum_columns(tree, body, phi, every, np.zeros_like(every), v, w, False)
    solve_each(inner, columns, r - k)
    return columns[:, r - k :].copy()


@njit(**_COMPILE)
def _read_gyro(body, places, readings, k, state, row, beyond, out, innovations):
    """Angular rates of sample k, predicted in the given row of out; beyond: mean and variance of what that leaves out."""
    weight = readings.weight[k % readings.weight.shape[0]]
    derivative = np.empty(state.d.size)
    for i in range(body.turning.size):
        missing, noise, derivative[:] = 0.0, 1.0, 0.0
        for j in range(i + 1):
            axis, share = body.turning[j], weight[i, j]
            missing += share * (readings.w[k, axis] - out.w[row, axis] - beyond[j, 0])
            noise += share * share * beyond[j, 1]
            _by_rate(body, places, row, axis, out)
            derivative += share * out.h
            if places.bias >= 0:
                missing -= share * state.x[places.bias + j]
                derivative[places.bias + j] += share
        out.h[:] = derivative
        innovations[i] = _absorb(state, out, missing, noise)


@njit(**_COMPILE)
def _read_star_tracker(body, places, readings, k, state, out, innovations):
    """Attitude of sample k. Its error is so small that rotation vectors add."""
    first, predicted = np.zeros(3), np.empty((3, 3))
    for i in range(body.turning.size):
        first[body.turning[i]] = state.x[places.first + i]
    turned(readings.attitude[0], first[0], first[1], first[2], predicted)
    away = _rotation_vector((predicted @ state.R).T @ readings.attitude[k])
    for i in range(body.turning.size):
        axis, sd = body.turning[i], readings.attitude_sd[i]
        out.h[:] = 0.0
        out.h[places.attitude + i] = 1.0 / sd
        for j in range(body.turning.size):
            out.h[places.first + j] = state.R[body.turning[j], axis] / sd
        innovations[i] = _absorb(state, out, away[axis] / sd, 1.0)


@njit(**_COMPILE)
def _rotation_vector(R):
    """Rotation vector (3,) of a rotation by less than half a turn."""
    vector = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = np.sqrt(vector @ vector)
    angle = np.arctan2(sine, 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0))
    return vector * (angle / sine if sine > _SMALL else 1.0 + sine * sine / 6.0)


# ---------------------------------------------------------------------- the loop


@njit(**_COMPILE)
def run(tree, body, places, readings, state, follow, trials, values, sds, innovations):
    """Run a flight; the number of the sample at which no prediction was possible, or -1.

    values, sds (n, states): after each sample. innovations (n, readings): over their standard deviations.
    """
    step, k = readings.step, body.turning.size
    constants = body.columns.size + (readings.q.shape[1] if places.zeros >= 0 else 0)
    out = scratch(state.d.size, constants + (k if places.momentum >= 0 else 0))
    for sample in range(values.shape[0]):
        m = 3 if step == 2 and sample > 0 else 1
        out.R[0] = state.R
        if not predict(tree, body, places, readings, state.x, step * sample - m + 1, m, out):
            return sample
        if sample > 0:
            _go_on(body, places, readings, sample, state, out)
            state.R[:] = out.R[m - 1]
        row = m - 1
        beyond = np.zeros((k, 2))
        if follow:
            beyond = _second_order(tree, body, places, readings, sample, state, row, out, trials)
        if follow and False and _approach(tree, body, places, readings, sample, state, row, trials, beyond, out, innovations[sample]):
            row = 0
        _read(body, places, readings, sample, state, row, beyond, out, innovations[sample])
        if follow:
            _shift(body, places, state, state.d.copy())
        _tell(state, values[sample], sds[sample])
    return -1


@njit(**_COMPILE)
def _read(body, places, readings, sample, state, row, beyond, out, innovations):
    """All readings of a sample."""
    gyro = readings.w.shape[0] > 0
    if gyro:
        _read_gyro(body, places, readings, sample, state, row, beyond, out, innovations)
    if places.first >= 0:
        rest = innovations[body.turning.size if gyro else 0 :]
        _read_star_tracker(body, places, readings, sample, state, out, rest)


@njit(**_COMPILE)
def _approach(tree, body, places, readings, sample, state, row, trials, beyond, out, innovations):
    """Move the point to where the sample's own readings put it, and predict there: derivatives are then the right ones.

    Whether it could be done; the prediction is then in the first row of out.
    """
    moved = False
    for _ in range(trials):
        trial = State(state.x, state.d.copy(), state.L.copy(), np.empty((0, 0)), state.R)
        _read(body, places, readings, sample, trial, row, beyond, out, innovations)
        _shift(body, places, state, trial.d)
        out.R[0] = state.R
        if not predict(tree, body, places, readings, state.x, readings.step * sample, 1, out):
            _shift(body, places, state, -trial.d)
            out.R[0] = state.R
            predict(tree, body, places, readings, state.x, readings.step * sample, 1, out)
            return True
        moved, row = True, 0
    return moved


@njit(**_COMPILE)
def _shift(body, places, state, away):
    """Move the point, not the estimate."""
    if places.attitude >= 0:
        turn_by, R = np.zeros(3), state.R.copy()
        for i in range(body.turning.size):
            turn_by[body.turning[i]] = away[places.attitude + i]
        turned(R, turn_by[0], turn_by[1], turn_by[2], state.R)
    for i in range(state.d.size):
        state.d[i] -= away[i]
        if places.attitude < 0 or i < places.attitude:
            state.x[i] += away[i]


@njit(**_COMPILE)
def _tell(state, values, sds):
    """Estimates and their standard deviations."""
    for i in range(state.d.size):
        values[i] = state.x[i] + state.d[i]
        square = 0.0
        for j in range(i + 1):
            square += state.L[i, j] * state.L[i, j]
        sds[i] = np.sqrt(square)
