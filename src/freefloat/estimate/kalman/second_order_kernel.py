"""What the Kalman filter's linear prediction leaves out, compiled.

Exactly, twist - twist(point) = (E - J) dx, with dx linear in the states and J = A_b^-1 dA_b, the relative error of the
locked robot's inertia, linear in the parameters but for higher orders. So what the linear prediction leaves out is a
product of linear forms: for states of Gaussian errors its mean and variance are known (second-order filter: Athans,
Wishner, Bertolini, IEEE Transactions on Automatic Control, 1968). Not cached, see `kernel.py`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from freefloat.dynamics.reaction_kernels import inner, solve_each
from freefloat.estimate.kalman.prediction_kernel import parameter_columns

_COMPILE = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


@njit(**_COMPILE)
def second_order(tree, body, row, L, out):
    """Mean and variance of what the linear prediction of each rate leaves out, (k, 2), states having P = L L^T.

    row: that of the instant in out.
    """
    k, r, n = body.turning.size, body.allowed.size, L.shape[0]
    inertia = _relative_inertia(tree, body, row, out)
    dx, J, found = np.empty((r, n)), np.empty((r, n)), np.zeros((k, 2))
    _rooted(L, out.H, n, dx)
    for i in range(k):
        _rooted(L, inertia[i], body.columns.size, J)
        for j in range(r):
            for e in range(r):
                JJ, Jx, xJ, xx = 0.0, 0.0, 0.0, 0.0
                for s in range(n):
                    JJ += J[j, s] * J[e, s]
                    Jx += J[j, s] * dx[e, s]
                    xJ += dx[j, s] * J[e, s]
                    xx += dx[j, s] * dx[e, s]
                found[i, 1] += JJ * xx + Jx * xJ
                if j == e:
                    found[i, 0] -= Jx
    return found


@njit(**_COMPILE)
def _rooted(L, forms, width, rooted):
    """Linear forms of the first states, (r, width), times L: (r, states)."""
    for j in range(rooted.shape[0]):
        for s in range(rooted.shape[1]):
            rooted[j, s] = 0.0
        for i in range(width):
            for s in range(i + 1):
                rooted[j, s] += forms[j, i] * L[i, s]


@njit(**_COMPILE)
def _relative_inertia(tree, body, row, out):
    """A_b^-1 K at unit twists: of each turning axis, by twists and parameters, (k, r, c)."""
    k, r, dofs = body.turning.size, body.allowed.size, out.q.shape[1]
    v, w, q, blocks = np.zeros((r, 3)), np.zeros((r, 3)), np.empty((r, dofs)), np.empty((r, r, r))
    once = inner(out.A[row : row + 1], body.allowed)
    for j in range(r):
        if body.allowed[j] < 3:
            v[j, body.allowed[j]] = 1.0
        else:
            w[j, body.allowed[j] - 3] = 1.0
        for i in range(dofs):
            q[j, i] = out.q[row, i]
        for i in range(r):
            for e in range(r):
                blocks[j, i, e] = once[0, i, e]
    columns = np.empty((r, r, body.columns.size))
    parameter_columns(tree, body, q, np.zeros((r, dofs)), v, w, columns)
    solve_each(blocks, columns, r - k)
    by_axis = np.empty((k, r, columns.shape[2]))
    for i in range(k):
        for j in range(r):
            for e in range(columns.shape[2]):
                by_axis[i, j, e] = columns[j, r - k + i, e]
    return by_axis
