"""Errors of curves in the readings of other sensors, made white in time order, compiled.

Curves have coefficients c, of which only a few in a row, a window, count at any time; c - c_0 has the mean mu and is a
chain: each coefficient is a weighted sum of the five before it and an error of its own (`MeasuredCurves.chain`). Rows
of readings, sorted by time, with noise of standard deviation one, see c - c_0 in two ways: at their own instants, and
through what errors of the curves did before, alpha, to the base's attitude and to positions and rates of passive
joints, which goes from node to node,

    alpha_{k+1} = Phi_k alpha_k + C_k (c - c_0).

So the rows' errors have the covariance E + M L^-1 M^T, M the rows' derivative by c and L the precision of c. With its
root taken in time order, a filter (R. E. Kalman, "A new approach to linear filtering and prediction problems", 1960)
applies the inverse of that root to residuals and derivatives row by row, in time and memory that are linear in the
number of rows; going backwards it applies the transposed inverse. No coefficient is an unknown of the fit then.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract"}}

# What rows see of curves. weights (count, curves, 5), sd (count, curves): the chain. window: coefficients of each curve
# that may count in a row. first (rows): number of the first of these. H (rows, window * curves): derivative by them,
# all curves of one coefficient side by side. A (rows, a): by alpha; node (rows): where alpha counts. Phi (nodes - 1,
# a, a), C (nodes - 1, a, window * curves), begin (nodes - 1): from node to node, and the first coefficient that counts.
CurveRows = namedtuple("CurveRows", "weights sd window first H A node Phi C begin")


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _dot(a, b):
    """Sum of products of a with the first entries of b, several at a time."""
    value = 0.0
    for i in range(a.size):
        value += a[i] * b[i]
    return value


@njit(**_COMPILE)
def _add(factor, a, b):
    """Add so many times a to the first entries of b."""
    for i in range(a.size):
        b[i] += factor * a[i]


@njit(**_COMPILE)
def _push_covariance(rows, P, new, coefficient):
    """Let the oldest coefficient of every curve go, and take in this one: covariance P of the states."""
    curves, local, S = rows.sd.shape[1], rows.window * rows.sd.shape[1], P.shape[0]
    last = local - curves
    for c in range(curves):
        for e in range(S):
            new[c, e] = 0.0
        for b in range(5):
            weight, at = rows.weights[coefficient, c, b], local - (b + 1) * curves + c
            if weight != 0.0:
                for e in range(S):
                    new[c, e] += weight * P[at, e]
    own = np.empty((curves, curves))  # between the new ones, before the old rows move away
    for c in range(curves):
        for d in range(c + 1):
            value = 0.0
            for b in range(5):
                value += rows.weights[coefficient, d, b] * new[c, local - (b + 1) * curves + d]
            own[c, d] = value
            own[d, c] = value
        own[c, c] += rows.sd[coefficient, c] ** 2
    for i in range(last):
        for j in range(last):
            P[i, j] = P[i + curves, j + curves]
        for j in range(local, S):
            P[i, j] = P[i + curves, j]
            P[j, i] = P[i, j]
    for c in range(curves):
        for j in range(last):
            P[last + c, j] = new[c, j + curves]
            P[j, last + c] = new[c, j + curves]
        for j in range(local, S):
            P[last + c, j] = new[c, j]
            P[j, last + c] = new[c, j]
        for d in range(curves):
            P[last + c, last + d] = own[c, d]


@njit(**_COMPILE)
def _push(rows, D, fresh, coefficient):
    """The same of the states D, one column for each column that is made white."""
    curves, local, columns = rows.sd.shape[1], rows.window * rows.sd.shape[1], D.shape[1]
    last = local - curves
    fresh[:curves] = 0.0
    for c in range(curves):
        for b in range(5):
            weight, at = rows.weights[coefficient, c, b], local - (b + 1) * curves + c
            if weight != 0.0:
                for e in range(columns):
                    fresh[c, e] += weight * D[at, e]
    for i in range(last):
        for e in range(columns):
            D[i, e] = D[i + curves, e]
    for c in range(curves):
        for e in range(columns):
            D[last + c, e] = fresh[c, e]


@njit(**_COMPILE)
def _turn_covariance(Phi, C, P, local):
    """Take alpha, the last states, to the next node: covariance P of the states."""
    S, n = P.shape[0], Phi.shape[0]
    moved, own = np.zeros((n, S)), np.zeros((n, n))
    for i in range(n):
        for k in range(n):
            for e in range(S):
                moved[i, e] += Phi[i, k] * P[local + k, e]
        for k in range(local):
            if C[i, k] != 0.0:
                for e in range(S):
                    moved[i, e] += C[i, k] * P[k, e]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                own[i, j] += moved[i, local + k] * Phi[j, k]
            for k in range(local):
                own[i, j] += moved[i, k] * C[j, k]
    for i in range(n):
        for e in range(local):
            P[local + i, e] = moved[i, e]
            P[e, local + i] = moved[i, e]
        for j in range(n):
            P[local + i, local + j] = 0.5 * (own[i, j] + own[j, i])


@njit(**_COMPILE)
def _turn(Phi, C, D, fresh, local):
    """The same of the states D."""
    columns, n = D.shape[1], Phi.shape[0]
    fresh[:n] = 0.0
    for i in range(n):
        for k in range(n):
            for e in range(columns):
                fresh[i, e] += Phi[i, k] * D[local + k, e]
        for k in range(local):
            if C[i, k] != 0.0:
                for e in range(columns):
                    fresh[i, e] += C[i, k] * D[k, e]
    for i in range(n):
        for e in range(columns):
            D[local + i, e] = fresh[i, e]


@njit(**_COMPILE)
def find_gains(rows, gains, scales):
    """Fill gains (rows, states) and scales (rows) of the filter.

    states: window * curves, and those of alpha where the rows see it.
    """
    curves, states = rows.sd.shape[1], gains.shape[1]
    local = rows.window * curves
    turns = states > local
    P, new, h = np.zeros((states, states)), np.empty((curves, states)), np.empty(states)
    for coefficient in range(rows.window):
        _push_covariance(rows, P, new, coefficient)
    begin, node = 0, 0
    for row in range(scales.size):
        if turns:
            while node < rows.node[row]:
                while begin < rows.begin[node]:
                    _push_covariance(rows, P, new, begin + rows.window)
                    begin += 1
                _turn_covariance(rows.Phi[node], rows.C[node], P, local)
                node += 1
        while begin < rows.first[row]:
            _push_covariance(rows, P, new, begin + rows.window)
            begin += 1
        h[:local] = rows.H[row]
        if turns:
            h[local:] = rows.A[row]
        gain, scale = gains[row], 1.0
        gain[:] = 0.0
        for i in range(states):
            if h[i] != 0.0:
                _add(h[i], P[i], gain)  # P is symmetric: by rows, which lie side by side
        for i in range(states):
            scale += h[i] * gain[i]
        scale = max(scale, 1.0)  # less is rounding, where curves are far from what encoders say
        scales[row] = scale
        for i in range(states):
            _add(-gain[i] / scale, gain, P[i])
        for i in range(states):
            gain[i] /= scale


@njit(**_COMPILE)
def whiten(rows, X, gains, scales):
    """Apply the inverse root to columns X (rows, k), in place; gains, scales as `find_gains` left them."""
    curves, states = rows.sd.shape[1], gains.shape[1]
    local, columns = rows.window * curves, X.shape[1]
    turns = states > local
    D, fresh = np.zeros((states, columns)), np.zeros((max(curves, states - local), columns))
    only = D.reshape(-1)  # where there is one column: loops of one would take longer than what they do
    begin, node = 0, 0
    for row in range(X.shape[0]):
        if turns:
            while node < rows.node[row]:
                while begin < rows.begin[node]:
                    _push(rows, D, fresh, begin + rows.window)
                    begin += 1
                _turn(rows.Phi[node], rows.C[node], D, fresh, local)
                node += 1
        while begin < rows.first[row]:
            _push(rows, D, fresh, begin + rows.window)
            begin += 1
        x, gain, root = X[row], gains[row], 1.0 / np.sqrt(scales[row])
        if columns == 1:
            left = x[0] - _dot(rows.H[row], only)
            if turns:
                left -= _dot(rows.A[row], only[local:])
            _add(left, gain, only)
            x[0] = root * left
            continue
        for i in range(states):
            factor = rows.H[row, i] if i < local else rows.A[row, i - local]
            if factor != 0.0:
                for e in range(columns):
                    x[e] -= factor * D[i, e]
        for i in range(states):
            g = gain[i]
            if g != 0.0:
                for e in range(columns):
                    D[i, e] += g * x[e]
        for e in range(columns):
            x[e] *= root


@njit(**_COMPILE)
def whiten_back(rows, X, gains, scales):
    """Apply the transposed inverse root to columns X (rows, k), in place; gains, scales as `whiten` left them."""
    curves, states = rows.sd.shape[1], gains.shape[1]
    local, columns = rows.window * curves, X.shape[1]
    turns = states > local
    back, was = np.zeros((states, columns)), np.zeros((states, columns))
    only = back.reshape(-1)
    for row in range(X.shape[0] - 1, -1, -1):
        x, gain = X[row], gains[row]
        root = 1.0 / np.sqrt(scales[row])
        for e in range(columns):
            x[e] *= root
        if columns == 1:
            x[0] += _dot(gain, only)
            _add(-x[0], rows.H[row], only)
            if turns:
                _add(-x[0], rows.A[row], only[local:])
        else:
            for i in range(states):
                for e in range(columns):
                    x[e] += gain[i] * back[i, e]
            for i in range(states):
                factor = rows.H[row, i] if i < local else rows.A[row, i - local]
                if factor != 0.0:
                    for e in range(columns):
                        back[i, e] -= factor * x[e]
        if row == 0:
            break
        begin = rows.first[row]
        if turns:
            for node in range(rows.node[row] - 1, rows.node[row - 1] - 1, -1):
                stop = rows.begin[node]
                if stop < rows.first[row - 1]:
                    stop = rows.first[row - 1]
                while begin > stop:
                    _push_back(rows, back, was, begin + rows.window - 1, curves, local)
                    begin -= 1
                _turn_back(rows.Phi[node], rows.C[node], back, local)
        while begin > rows.first[row - 1]:
            _push_back(rows, back, was, begin + rows.window - 1, curves, local)
            begin -= 1


@njit(**_COMPILE)
def _push_back(rows, back, was, coefficient, curves, local):
    columns = back.shape[1]
    was[:local] = 0.0
    for i in range(local - curves):
        for e in range(columns):
            was[i + curves, e] += back[i, e]
    for c in range(curves):
        for b in range(5):
            weight, at = rows.weights[coefficient, c, b], local - (b + 1) * curves + c
            for e in range(columns):
                was[at, e] += weight * back[local - curves + c, e]
    back[:local] = was[:local]


@njit(**_COMPILE)
def _turn_back(Phi, C, back, local):
    columns, n = back.shape[1], Phi.shape[0]
    alpha = np.empty(n)
    for e in range(columns):
        for i in range(n):
            alpha[i] = back[local + i, e]
            back[local + i, e] = 0.0
        for i in range(n):
            for k in range(local):
                back[k, e] += C[i, k] * alpha[i]
            for k in range(n):
                back[local + k, e] += Phi[i, k] * alpha[i]


@njit(**_COMPILE)
def by_curves(rows, c, out):
    """M c of coefficients c (count, curves) into out (rows)."""
    curves = c.shape[1]
    n, node = rows.A.shape[1], 0
    alpha, moved = np.zeros(n), np.zeros(n)
    for row in range(out.size):
        if n:
            while node < rows.node[row]:
                for i in range(n):
                    value = 0.0
                    for k in range(n):
                        value += rows.Phi[node, i, k] * alpha[k]
                    for k in range(rows.C.shape[2]):
                        value += rows.C[node, i, k] * c[rows.begin[node] + k // curves, k % curves]
                    moved[i] = value
                alpha[:] = moved
                node += 1
        value = 0.0
        for k in range(rows.H.shape[1]):
            value += rows.H[row, k] * c[rows.first[row] + k // curves, k % curves]
        for i in range(n):
            value += rows.A[row, i] * alpha[i]
        out[row] = value


@njit(**_COMPILE)
def by_curves_back(rows, x, out):
    """M^T x of rows x (rows) added to out (count, curves)."""
    curves = out.shape[1]
    n = rows.A.shape[1]
    alpha, moved = np.zeros(n), np.zeros(n)
    for row in range(x.size - 1, -1, -1):
        for k in range(rows.H.shape[1]):
            out[rows.first[row] + k // curves, k % curves] += rows.H[row, k] * x[row]
        if n:
            for i in range(n):
                alpha[i] += rows.A[row, i] * x[row]
            earlier = rows.node[row - 1] if row else 0
            for node in range(rows.node[row] - 1, earlier - 1, -1):
                for k in range(rows.C.shape[2]):
                    value = 0.0
                    for i in range(n):
                        value += rows.C[node, i, k] * alpha[i]
                    out[rows.begin[node] + k // curves, k % curves] += value
                for k in range(n):
                    moved[k] = 0.0
                    for i in range(n):
                        moved[k] += rows.Phi[node, i, k] * alpha[i]
                alpha[:] = moved


@njit(**_COMPILE)
def add_rows(by_value, by_slope, first, values, slopes, lowest, mix, curve, curves, H):
    """Add what rows see of some curves, from number `curve` on, to H (stretches, rows, axes, window * curves).

    by_value, by_slope (stretches, nodes, axes, own curves): derivatives at the nodes. first (stretches, nodes), values
    and slopes (stretches, nodes, 6): of the curves' functions there. lowest (stretches): first coefficient of the
    window. mix (stretches or 1, rows, nodes): of nodes to rows.
    """
    stretches, nodes, axes, own = by_value.shape
    for s in range(stretches):
        weight = mix[s if mix.shape[0] > 1 else 0]
        for m in range(nodes):
            begin = (first[s, m] - lowest[s]) * curves + curve
            for r in range(weight.shape[0]):
                factor = weight[r, m]
                if factor == 0.0:
                    continue
                for i in range(axes):
                    out = H[s, r, i]
                    for a in range(6):
                        one, two = factor * values[s, m, a], factor * slopes[s, m, a]
                        at = begin + a * curves
                        for c in range(own):
                            out[at + c] += one * by_value[s, m, i, c] + two * by_slope[s, m, i, c]


@njit(**_COMPILE)
def turns_by_curves(t, F, first, values, slopes, seconds, by_value, by_slope, by_second, window, last, Phi, C, begin):
    """From node to node: Phi (n - 1, a, a), C (n - 1, a, window * curves) and begin (n - 1) of alpha' = F alpha + G c.

    t, F (a x a): at n nodes and half-way between them, 2 n - 1. first (2 n - 1, curves), values, slopes and seconds
    (2 n - 1, 6, curves): functions of each curve there. by_value, by_slope, by_second (2 n - 1, a, curves): what these
    change in alpha'; by_second may hold nothing, (0, a, curves). last (n - 1): the last coefficient that a window may
    begin with.
    """
    curves, local, n = by_value.shape[2], window * by_value.shape[2], F.shape[1]
    columns, twice = n + local, by_second.shape[0] > 0
    G, state = np.zeros((n, columns)), np.zeros((n, columns))
    d, total, before = np.zeros((n, columns)), np.zeros((n, columns)), np.zeros((n, columns))
    for k in range(Phi.shape[0]):
        i = 2 * k
        h, start = t[i + 2] - t[i], last[k]
        for part in range(3):
            for c in range(curves):
                start = min(start, first[i + part, c])
        begin[k] = start
        total[:] = 0.0
        before[:] = 0.0
        for stage in range(4):
            at = i + (0 if stage == 0 else 2 if stage == 3 else 1)
            step = 0.0 if stage == 0 else h if stage == 3 else 0.5 * h
            G[:] = 0.0
            for c in range(curves):
                for a in range(6):
                    place = n + (first[at, c] - start + a) * curves + c
                    for r in range(n):
                        G[r, place] += by_value[at, r, c] * values[at, a, c] + by_slope[at, r, c] * slopes[at, a, c]
                        if twice:
                            G[r, place] += by_second[at, r, c] * seconds[at, a, c]
            for r in range(n):
                for e in range(columns):
                    state[r, e] = step * before[r, e]
                state[r, r] += 1.0
            for r in range(n):
                d[r] = G[r]
                for q in range(n):
                    factor = F[at, r, q]
                    if factor != 0.0:
                        for e in range(columns):
                            d[r, e] += factor * state[q, e]
            weight = h / 6.0 if stage == 0 or stage == 3 else h / 3.0
            for r in range(n):
                for e in range(columns):
                    total[r, e] += weight * d[r, e]
                    before[r, e] = d[r, e]
        for r in range(n):
            for e in range(n):
                Phi[k, r, e] = total[r, e] + (1.0 if r == e else 0.0)
            for e in range(local):
                C[k, r, e] = total[r, n + e]
