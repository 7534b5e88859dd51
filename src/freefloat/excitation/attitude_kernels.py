"""Attitude from instant to instant, and how it changes: one implicit step of second order, differentiated exactly.

    R_{k+1} = R_k exp(theta),      theta = h/2 (w_k + w_{k+1}),      w = c + B R^T H

c is the angular rate that joints and wheels cause at zero momentum, B the rate per angular momentum, H the total
angular momentum in the axes of the first instant. With alpha a small rotation in base axes, R -> R exp(alpha), and g
what changes w at a given attitude,

    alpha_{k+1} = exp(theta)^T alpha_k + J(theta) h/2 (dw_k + dw_{k+1}),      dw = g + B (u x alpha),  u = R^T H,

J being the right Jacobian of the rotation group (J. Sola et al., "A micro Lie theory", 2018): the exact derivative of
the step above.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True}
_MOST = 50
_CLOSE = 1e-15


@njit(**_COMPILE)
def _rotation(x, E, J):
    """Exp of a rotation vector x into E, its right Jacobian into J, both (3, 3)."""
    square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    angle = np.sqrt(square)
    if square < 1e-6:
        one, two, three = 1.0 - square / 6.0, 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        one, two = np.sin(angle) / angle, (1.0 - np.cos(angle)) / square
        three = (1.0 - one) / square
    for i in range(3):
        for j in range(3):
            E[i, j] = two * x[i] * x[j]
            J[i, j] = three * x[i] * x[j]
        E[i, i] += 1.0 - two * square
        J[i, i] += 1.0 - three * square
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        E[i, j] -= one * x[k]
        E[j, i] += one * x[k]
        J[i, j] += two * x[k]
        J[j, i] -= two * x[k]


@njit(**_COMPILE)
def _rate(B, c, R, H, w):
    """W = c + B R^T H."""
    for i in range(3):
        w[i] = c[i]
        for j in range(3):
            u = R[0, j] * H[0] + R[1, j] * H[1] + R[2, j] * H[2]
            w[i] += B[i, j] * u


@njit(**_COMPILE)
def turn(t, B, c, H, R, w):
    """Fill attitudes R (n, 3, 3) from the first one, and rates w (n, 3); B (n, 3, 3), c and H (n, 3)."""
    E, J, theta, last = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3)
    _rate(B[0], c[0], R[0], H[0], w[0])
    for k in range(t.size - 1):
        half = 0.5 * (t[k + 1] - t[k])
        w[k + 1] = w[k]
        for _ in range(_MOST):
            last[:] = w[k + 1]
            for i in range(3):
                theta[i] = half * (w[k, i] + w[k + 1, i])
            _rotation(theta, E, J)
            R[k + 1] = R[k] @ E
            _rate(B[k + 1], c[k + 1], R[k + 1], H[k + 1], w[k + 1])
            if np.abs(w[k + 1] - last).max() <= _CLOSE * np.abs(last).max():
                break


@njit(**_COMPILE)
def _turned_momentum(R, H, B, F):
    """F = B [u x], u = R^T H."""
    for j in range(3):
        u = np.empty(3)
        for i in range(3):
            u[i] = R[0, i] * H[0] + R[1, i] * H[1] + R[2, i] * H[2]
        # columns of [u x]: u x e_j
        a, b = (j + 1) % 3, (j + 2) % 3
        for i in range(3):
            F[i, j] = B[i, a] * u[b] - B[i, b] * u[a]


@njit(**_COMPILE)
def turn_change(t, B, H, R, w, g, alpha):
    """Small rotations alpha (n, 3, columns), in base axes, that changes g (n, 3, columns) of the rate bring about."""
    columns = g.shape[2]
    E, J, F, G = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    left, right = np.empty((3, 3)), np.empty((3, columns))
    alpha[0] = 0.0
    _turned_momentum(R[0], H[0], B[0], F)
    for k in range(t.size - 1):
        half = 0.5 * (t[k + 1] - t[k])
        _rotation(half * (w[k] + w[k + 1]), E, J)
        _turned_momentum(R[k + 1], H[k + 1], B[k + 1], G)
        left[:, :] = -half * (J @ G)
        for i in range(3):
            left[i, i] += 1.0
        carry = E.T + half * (J @ F)
        for e in range(columns):
            for i in range(3):
                s = 0.0
                for j in range(3):
                    s += carry[i, j] * alpha[k, j, e] + half * J[i, j] * (g[k, j, e] + g[k + 1, j, e])
                right[i, e] = s
        inverse = np.linalg.inv(left)
        for e in range(columns):
            for i in range(3):
                alpha[k + 1, i, e] = (
                    inverse[i, 0] * right[0, e] + inverse[i, 1] * right[1, e] + inverse[i, 2] * right[2, e]
                )
        F[:, :] = G


@njit(**_COMPILE)
def turn_adjoint(t, B, H, R, w, alpha_bar, g_bar):
    """Gradient g_bar (n, 3) by changes g of the rate of a number with gradient alpha_bar (n, 3) by the attitude."""
    E, J, F, G = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    right, left = np.zeros(3), np.empty((3, 3))
    g_bar[:] = 0.0
    for k in range(t.size - 1, 0, -1):
        half = 0.5 * (t[k] - t[k - 1])
        _rotation(half * (w[k] + w[k - 1]), E, J)
        _turned_momentum(R[k], H[k], B[k], G)
        _turned_momentum(R[k - 1], H[k - 1], B[k - 1], F)
        left[:, :] = -half * (J @ G)
        for i in range(3):
            left[i, i] += 1.0
        y = np.linalg.solve(left.T, alpha_bar[k] + right)
        change = half * (J.T @ y)
        g_bar[k] += change
        g_bar[k - 1] += change
        right = (E.T + half * (J @ F)).T @ y
