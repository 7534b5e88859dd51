"""The time loop of the error-state Kalman filter, compiled.

Readings are predicted at a point x, and the filter estimates how far, d, the truth is from it. Where it follows, the
point moves to the estimate after every sample and d is zero again: the extended Kalman filter. What its linear
prediction leaves out counts as noise of known mean and variance. It is no noise but much the same in every sample; so
that it is not averaged away, its variance is multiplied by the number of samples so far. Where the filter does not
follow, the point stays, and the filter as a whole is one Gauss-Newton step from it.

Only `run` is cached: it encloses a checksum of the files that it calls into (`compile_stamp` says why).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from freefloat.compile_stamp import text_stamp
from freefloat.dynamics import attitude_kernels, kernels, reaction_kernels
from freefloat.dynamics.attitude_kernels import turn_by_halves_change, turned
from freefloat.estimate.kalman import prediction_kernel, second_order_kernel, triangle_kernel
from freefloat.estimate.kalman.prediction_kernel import predict, prediction
from freefloat.estimate.kalman.second_order_kernel import second_order
from freefloat.estimate.kalman.triangle_kernel import absorb, move, retriangle, transpose

_COMPILE = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
_SMALL = 1e-4  # of the sine of an angle: below, series


class State(NamedTuple):
    """What is changed in place: the point x (n,), d (n, 1), L and N (n, n); gain, h (n,): of one reading.

    R: attitude against that of the first sample (3, 3).
    """

    x: np.ndarray
    d: np.ndarray
    L: np.ndarray
    N: np.ndarray
    R: np.ndarray
    gain: np.ndarray
    h: np.ndarray


@njit(**_COMPILE)
def _copy(X, out):
    for i in range(3):
        for j in range(3):
            out[i, j] = X[i, j]


@njit(**_COMPILE)
def _go_on(body, places, readings, sample, state, out):
    """The states a sample later: the attitude has turned, its error has grown, the bias has walked."""
    step = readings.step
    if places.attitude >= 0:
        ahead = np.zeros((2, 3, out.G.shape[2]))  # (F a + F c)' = F a + F c: a begins at zero, the identity left out
        turn_by_halves_change(readings.t[step * (sample - 1) : step * sample + 1], out.F, out.G, ahead)
        move(state.d, body.turning, places.attitude, places.own, ahead[1])
        move(state.L, body.turning, places.attitude, places.own, ahead[1])
        move(state.N, body.turning, places.attitude, places.own, ahead[1])
        transpose(state.N)
        move(state.N, body.turning, places.attitude, places.own, ahead[1])
        _copy(out.R[2], state.R)
    if places.bias >= 0:
        passed = readings.t[step * sample] - readings.t[step * (sample - 1)]
        retriangle(state.L, places.bias, readings.walk * passed)
    elif places.attitude >= 0:
        retriangle(state.L, places.attitude, np.zeros(0))


@njit(**_COMPILE)
def _absorb(state, missing, variance):
    """Take in a reading of derivative state.h, `missing` at the point; its innovation over its standard deviation."""
    innovation = missing
    for i in range(state.x.size):
        innovation -= state.h[i] * state.d[i, 0]
    whole = absorb(state.L, state.N, state.h, variance, state.gain)
    for i in range(state.x.size):
        state.d[i, 0] += state.gain[i] * innovation
        state.h[i] = 0.0
    return innovation / np.sqrt(whole)


@njit(**_COMPILE)
def _read_gyro(body, places, readings, sample, state, beyond, out, innovations):
    """Angular rates of a sample; beyond: mean and variance of what their linear prediction leaves out."""
    weight, first = readings.weight[sample % readings.weight.shape[0]], body.allowed.size - body.turning.size
    for i in range(body.turning.size):
        missing, variance = 0.0, 1.0
        for j in range(i + 1):
            axis, share = body.turning[j], weight[i, j]
            missing += share * (readings.w[sample, axis] - out.w[axis] - beyond[j, 0])
            variance += share * share * beyond[j, 1]
            for s in range(state.x.size):
                state.h[s] += share * out.H[first + j, s]
            if places.bias >= 0:
                missing -= share * state.x[places.bias + j]
                state.h[places.bias + j] += share
        innovations[i] = _absorb(state, missing, variance)


@njit(**_COMPILE)
def _read_star_tracker(body, places, readings, sample, state, innovations):
    """Attitude of a sample. Errors are so small that their rotation vectors add."""
    first, away = np.zeros(3), np.zeros(3)
    for i in range(body.turning.size):
        first[body.turning[i]] = state.x[places.first + i]
    _between(readings.attitude[0], first, state.R, readings.attitude[sample], away)
    for i in range(body.turning.size):
        axis, sd = body.turning[i], readings.attitude_sd[i]
        state.h[places.attitude + i] = 1.0 / sd
        for j in range(body.turning.size):
            state.h[places.first + j] = state.R[body.turning[j], axis] / sd
        innovations[i] = _absorb(state, away[axis] / sd, 1.0)


@njit(**_COMPILE)
def _between(start, first, R, measured, away):
    """Rotation vector from start exp(first) R to the measured attitude, into away; less than half a turn."""
    begun, D = np.empty((3, 3)), np.zeros((3, 3))
    turned(start, first[0], first[1], first[2], begun)
    for i in range(3):
        for j in range(3):
            for a in range(3):
                for b in range(3):
                    D[i, j] += begun[a, b] * R[b, i] * measured[a, j]
    away[0], away[1], away[2] = 0.5 * (D[2, 1] - D[1, 2]), 0.5 * (D[0, 2] - D[2, 0]), 0.5 * (D[1, 0] - D[0, 1])
    sine = np.sqrt(away[0] ** 2 + away[1] ** 2 + away[2] ** 2)
    angle = np.arctan2(sine, 0.5 * (D[0, 0] + D[1, 1] + D[2, 2] - 1.0))
    factor = angle / sine if sine > _SMALL else 1.0 + sine * sine / 6.0
    for i in range(3):
        away[i] *= factor


@njit(**_COMPILE)
def _follow(body, places, state):
    """Move the point to the estimate."""
    if places.attitude >= 0:
        away, R = np.zeros(3), state.R.copy()
        for i in range(body.turning.size):
            away[body.turning[i]] = state.d[places.attitude + i, 0]
            state.d[places.attitude + i, 0] = 0.0
        turned(R, away[0], away[1], away[2], state.R)
    for i in range(state.x.size):
        state.x[i] += state.d[i, 0]
        state.d[i, 0] = 0.0


@njit(**_COMPILE)
def _tell(state, values, sds):
    """Estimates and their standard deviations."""
    for i in range(state.x.size):
        values[i] = state.x[i] + state.d[i, 0]
        square = 0.0
        for j in range(i + 1):
            square += state.L[i, j] * state.L[i, j]
        sds[i] = np.sqrt(square)


def compiled_run(stamp: int):
    """The filter, compiled, with a cache entry of its own for every stamp."""

    @njit(cache=True, **_COMPILE)
    def run(tree, body, places, readings, state, follow, values, sds, innovations):
        """Run a flight; the number of the sample at which no prediction was possible, or -1, and the stamp.

        values, sds (n, states): after each sample. innovations (n, readings): over their standard deviations, where
        read.
        """
        step, k = readings.step, body.turning.size
        out, beyond = prediction(body, places, readings, state.x.size), np.zeros((k, 2))
        for sample in range(values.shape[0]):
            m = 3 if step == 2 and sample > 0 else 1
            _copy(state.R, out.R[0])
            if not predict(tree, body, places, readings, state.x, step * sample - m + 1, m, out):
                return sample, stamp
            if sample > 0:
                _go_on(body, places, readings, sample, state, out)
            if readings.w.shape[0] > 0 and sample % readings.gyro_every == 0:
                if follow:
                    beyond = second_order(tree, body, m - 1, state.L, out)
                    for i in range(k):
                        beyond[i, 1] *= sample + 1.0
                _read_gyro(body, places, readings, sample, state, beyond, out, innovations[sample])
            if places.first >= 0 and sample % readings.tracker_every == 0:
                rest = innovations[sample, innovations.shape[1] - k :]
                _read_star_tracker(body, places, readings, sample, state, rest)
            if follow:
                _follow(body, places, state)
            _tell(state, values[sample], sds[sample])
        return -1, stamp

    return run


run = compiled_run(
    text_stamp(attitude_kernels, kernels, reaction_kernels, prediction_kernel, second_order_kernel, triangle_kernel)
)
