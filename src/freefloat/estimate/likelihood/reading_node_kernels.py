"""Polynomials through Chebyshev nodes against readings, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def gather_polynomials(t, y, begin, nodes, gram, right):
    """For stretches of stamps t (n) and readings y (n, k), from begin (stretches + 1) on, with nodes (stretches, m).

    Fills gram (stretches, m, m) and right (stretches, m, k): P^T P and P^T y, P the Lagrange polynomials of the nodes
    at the stamps. Returns the sum of the squared readings.
    """
    m, k = nodes.shape[1], y.shape[1]
    p, square = np.empty(m), 0.0
    for s in range(nodes.shape[0]):
        gram[s] = 0.0
        right[s] = 0.0
        for i in range(begin[s], begin[s + 1]):
            for a in range(m):
                value = 1.0
                for b in range(m):
                    if b != a:
                        value *= (t[i] - nodes[s, b]) / (nodes[s, a] - nodes[s, b])
                p[a] = value
            for a in range(m):
                for b in range(m):
                    gram[s, a, b] += p[a] * p[b]
                for c in range(k):
                    right[s, a, c] += p[a] * y[i, c]
            for c in range(k):
                square += y[i, c] * y[i, c]
    return square
