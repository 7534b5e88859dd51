"""What the Kalman filter predicts at its current point, compiled: the base's twist at a sample, and by every state.

States, in this order: standard parameters, joint zeros, momenta (of all flights), and, of one flight, the rotation of
its first attitude, the gyro's bias, the error of the predicted attitude.

The law of motion is that of `dynamics/reaction.py`, by its compiled functions, a sample at a time. Nothing here is
cached: these functions are compiled into the filter, see `kernel.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from freefloat.dynamics.attitude_kernels import turn_by_halves
from freefloat.dynamics.kernels import forward_columns, locked, sweep
from freefloat.dynamics.reaction_kernels import inner, momentum_by_position, reactions, solve_each, velocities

_COMPILE = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


class BodyArrays(NamedTuple):
    """What is constant of robot and flight.

    fixed: known parameters (bodies, 10). columns: numbers of the unknown ones (c,); there: one for those that the
    flight had, else zero (c,). allowed: velocities that the base can have (r,); turning: axes about which it turns,
    the last of those (k,). given: momentum that is known, in the axes of the first sample (3,).
    """

    fixed: np.ndarray
    columns: np.ndarray
    there: np.ndarray
    allowed: np.ndarray
    turning: np.ndarray
    given: np.ndarray


class FilterReadings(NamedTuple):
    """What was measured at n samples; joints also half-way between them where attitude is predicted (m instants).

    t (m,), q, dq (m, dofs), spin: momentum of the wheels (m, 3). step: from sample to sample in these.
    w (n, 3) and weight (n or 1, k, k): angular rates, and the lower triangle that makes their errors independent and of
    size one. attitude (n, 3, 3) and its standard deviations (k,): star tracker. Either of the two may be empty.
    gyro_every, tracker_every: how many samples share a reading. walk: of the bias, its square after a second (k,).
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
    gyro_every: int
    tracker_every: int
    walk: np.ndarray


class Places(NamedTuple):
    """Where states are: own, those that never change and act on this flight (o,), parameters first.

    Where joint zeros, this flight's momentum, first attitude, bias and attitude begin; -1 for what is not there.
    """

    own: np.ndarray
    zeros: int
    momentum: int
    first: int
    bias: int
    attitude: int


class FilterPrediction(NamedTuple):
    """At up to three instants, from a sample to the next: q (3, dofs), A (3, 6, 6 + dofs), attitudes R (3, 3, 3).

    phi: parameters (bodies, 10). F: rate of an attitude error by itself, (3, 3, 3); G: the same, then by own states,
    (3, 3, 3 + o). At the last of the instants: w (3,), and H, the twist by all states, (r, states).
    """

    q: np.ndarray
    A: np.ndarray
    R: np.ndarray
    phi: np.ndarray
    F: np.ndarray
    G: np.ndarray
    w: np.ndarray
    H: np.ndarray


@njit(**_COMPILE)
def prediction(body, places, readings, states):
    """Room for a prediction."""
    dofs, own = readings.q.shape[1], places.own.size
    return FilterPrediction(
        np.zeros((3, dofs)),
        np.zeros((3, 6, 6 + dofs)),
        np.zeros((3, 3, 3)),
        np.zeros_like(body.fixed),
        np.zeros((3, 3, 3)),
        np.zeros((3, 3, 3 + own)),
        np.zeros(3),
        np.zeros((body.allowed.size, states)),
    )


@njit(**_COMPILE)
def predict(tree, body, places, readings, x, first, m, out):
    """Predict at m instants from the `first` on, attitudes going on from out.R[0]; false if that is not possible."""
    _put_point(body, places, readings, x, first, m, out)
    q, A, R = out.q[:m], out.A[:m], out.R[:m]
    locked(tree, q, out.phi, A)
    dq, spin, H = readings.dq[first : first + m].copy(), readings.spin[first : first + m], body.given.copy()
    if places.momentum >= 0:
        for i in range(body.turning.size):
            H[body.turning[i]] += x[places.momentum + i]
    found, pivot = reactions(A, dq, spin, body.allowed)
    if not pivot > 0.0:
        return False
    if m == 3:
        _turn_on(readings.t[first : first + m], found, body.allowed, H, R)
    u = _momenta(R, H)
    v, w = velocities(found, body.allowed, u)
    columns = np.empty((m, body.allowed.size, body.columns.size + (q.shape[1] if places.zeros >= 0 else 0)))
    parameter_columns(tree, body, q, dq, v, w, columns)
    if places.zeros >= 0:
        _position_columns(tree, body, out.phi, q, dq, v, w, columns)
    solve_each(inner(A, body.allowed), columns, 0)
    if m == 3:
        for s in range(m):
            _attitude_rates(body, places, found[s], columns[s], w[s], u[s], s, out)
    for i in range(3):
        out.w[i] = w[m - 1, i]
    _by_states(body, places, found[m - 1], columns[m - 1], u[m - 1], R[m - 1], out.H)
    return True


@njit(**_COMPILE)
def _put_point(body, places, readings, x, first, m, out):
    """Joint positions and parameters at the point."""
    for s in range(m):
        for j in range(readings.q.shape[1]):
            out.q[s, j] = readings.q[first + s, j]
            if places.zeros >= 0:
                out.q[s, j] += x[places.zeros + j]
    for b in range(body.fixed.shape[0]):
        for e in range(10):
            out.phi[b, e] = body.fixed[b, e]
    for e in range(body.columns.size):
        out.phi[body.columns[e] // 10, body.columns[e] % 10] += body.there[e] * x[e]


@njit(**_COMPILE)
def _turn_on(t, reactions, allowed, H, R):
    """Fill R[1:], attitudes half-way and at the next sample, from R[0]."""
    gain, rest, momentum = np.zeros((3, 3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    for s in range(3):
        for j in range(3):
            momentum[s, j] = H[j]
        for i in range(allowed.size):
            if allowed[i] >= 3:
                rest[s, allowed[i] - 3] = reactions[s, i, 0]
                for j in range(3):
                    gain[s, allowed[i] - 3, j] = reactions[s, i, 1 + j]
    turn_by_halves(t, gain, rest, momentum, R)


@njit(**_COMPILE)
def _momenta(R, H):
    """The total momentum in base axes, u (m, 3), at the attitudes R."""
    u = np.zeros((R.shape[0], 3))
    for s in range(R.shape[0]):
        for i in range(3):
            u[s, i] = R[s, 0, i] * H[0] + R[s, 1, i] * H[1] + R[s, 2, i] * H[2]
    return u


@njit(**_COMPILE)
def parameter_columns(tree, body, q, dq, v, w, right):
    """Momentum by the parameters, of what the base can do, into the first columns of right (m, r, .)."""
    K = np.empty((q.shape[0], 6, body.columns.size))
    forward_columns(tree, q, dq, v, w, body.columns, K)
    for s in range(q.shape[0]):
        for i in range(body.allowed.size):
            for e in range(body.columns.size):
                right[s, i, e] = K[s, body.allowed[i], e] * body.there[e]


@njit(**_COMPILE)
def _position_columns(tree, body, phi, q, dq, v, w, right):
    """Momentum by joint positions, of what the base can do, into the last columns of right (m, r, .)."""
    by_position = np.empty((q.shape[0], 6, q.shape[1]))
    R, p, v_all, w_all, a = sweep(tree, q, dq, v, w)
    momentum_by_position(tree, phi, R, p, v_all, w_all, a, by_position)
    first = right.shape[2] - q.shape[1]
    for s in range(q.shape[0]):
        for i in range(body.allowed.size):
            for e in range(q.shape[1]):
                right[s, i, first + e] = by_position[s, body.allowed[i], e]


@njit(**_COMPILE)
def _by_attitude(reaction, u, j):
    """A velocity by an error of the attitude about axis j: its reaction to u x error."""
    if j == 0:
        return reaction[2] * u[2] - reaction[3] * u[1]
    if j == 1:
        return reaction[3] * u[0] - reaction[1] * u[2]
    return reaction[1] * u[1] - reaction[2] * u[0]


@njit(**_COMPILE)
def _by_momentum(reaction, R, axis):
    """A velocity by the total momentum about an axis of the first sample."""
    return reaction[1] * R[axis, 0] + reaction[2] * R[axis, 1] + reaction[3] * R[axis, 2]


@njit(**_COMPILE)
def _attitude_rates(body, places, reactions, columns, w, u, s, out):
    """Rate of an attitude error at one instant, by itself and by own states, into out.F and out.G."""
    k, count = body.turning.size, columns.shape[1]
    first, F, G, R = body.allowed.size - k, out.F[s], out.G[s], out.R[s]
    F[0, 1], F[0, 2], F[1, 2] = w[2], -w[1], w[0]
    F[1, 0], F[2, 0], F[2, 1] = -w[2], w[1], -w[0]
    F[0, 0], F[1, 1], F[2, 2] = 0.0, 0.0, 0.0
    for i in range(k):
        axis, reaction = body.turning[i], reactions[first + i]
        for j in range(3):
            F[axis, j] += _by_attitude(reaction, u, j)
        for e in range(count):
            G[axis, 3 + e] = -columns[first + i, e]
        for e in range(count, places.own.size):
            G[axis, 3 + e] = _by_momentum(reaction, R, body.turning[e - count])
    for i in range(3):
        for j in range(3):
            G[i, j] = F[i, j]


@njit(**_COMPILE)
def _by_states(body, places, reactions, columns, u, R, H):
    """The twist by all states, into H."""
    count = columns.shape[1]
    for i in range(body.allowed.size):
        for e in range(count):
            H[i, places.own[e]] = -columns[i, e]
        for e in range(count, places.own.size):
            H[i, places.own[e]] = _by_momentum(reactions[i], R, body.turning[e - count])
        if places.attitude >= 0:
            for j in range(body.turning.size):
                H[i, places.attitude + j] = _by_attitude(reactions[i], u, body.turning[j])
