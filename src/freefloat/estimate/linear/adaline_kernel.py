"""The rule of Widrow and Hoff over many rows, compiled.

Widrow and Hoff, Adaptive Switching Circuits (IRE WESCON 1960): after every row a, the weights x of the neuron move
against the gradient of that row's squared error,

    x <- x + rate a (b - a x).
"""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


@njit(**_COMPILE)
def learn(rows, right, order, rate, weights):
    """Go through rows in the given order, changing the weights in place; their mean over all rows, shape (n,).

    rows: shape (m, n). right: shape (m,). order: numbers of rows. weights: shape (n,).
    """
    n = rows.shape[1]
    total = np.zeros(n)
    for i in order:
        error = right[i]
        for k in range(n):
            error -= rows[i, k] * weights[k]
        step = rate * error
        for k in range(n):
            weights[k] += step * rows[i, k]
            total[k] += weights[k]
    return total / order.size


@njit(**_COMPILE)
def response(rows, order, rate):
    """Derivative of the weights after one pass by the right-hand side of each row, shape (m, n).

    Row i moves them by rate a_i, and every later row a turns that by I - rate a^T a.
    """
    m, n = rows.shape
    out, later, seen = np.zeros((m, n)), np.eye(n), np.empty(n)
    for i in order[::-1]:
        for j in range(n):
            seen[j] = 0.0
            for k in range(n):
                seen[j] += later[j, k] * rows[i, k]
            seen[j] *= rate
            out[i, j] = seen[j]
            for k in range(n):
                later[j, k] -= seen[j] * rows[i, k]
    return out
