"""The condition number in the 2-norm, and a smooth one that can be minimised.

The condition number has no derivative where its largest or smallest singular value is repeated, and it is there that
a design ends: K. Ayusawa, A. Rioux, E. Yoshida, G. Venture, M. Gautier, "Generating persistently exciting
trajectory based on condition number optimization", ICRA 2017, eq. 17, is then wrong in nearly all directions. So the
goal is

    log [ (sum sigma^p)^(1/p) (sum sigma^-p)^(1/p) ]

which is smooth everywhere, and between log cond and log cond + (2 / p) log c. Small p shapes all singular values,
large p the extreme ones: designs go from 1 over 4 to 16.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from freefloat.arrays import Array
from freefloat.excitation.goals.spectral import SpectralGoal, log_power_sum

NO_RANK = 1e12  # a condition number beyond this is rounding
_SEEN_IN_SQUARES = 1e-3  # of the largest singular value
_BESIDE = 1e-9  # of an eigenvalue: how far from it inverse iteration looks, so that there is something to invert
_INVERSE_STEPS = 3


@dataclass(frozen=True)
class ConditionNumber(SpectralGoal):
    """The soft condition number; `report` gives the true one.

    p: power of the means.
    """

    name = "condition number"

    p: float = 16.0

    @classmethod
    def words(cls, value: float) -> str:
        """What a value means."""
        return f"condition number at most {math.exp(value):.4g} (smoothed)"

    def of_singular_values(self, sigma: Array) -> tuple[float, Array]:
        """The value, and its derivative by the singular values, shape (c,)."""
        largest, top = log_power_sum(sigma, self.p)
        smallest, bottom = log_power_sum(sigma, -self.p)
        return largest - smallest, (top - bottom) / sigma

    def true_value(self, sigma: Array) -> float:
        """The condition number."""
        return float(sigma[0] / sigma[-1])


def true_condition_number(C: Array) -> float:
    """Ratio of the largest to the smallest singular value of C, shape (m, c)."""
    return ConditionNumber().report(C)


def ayusawa_gradient(C: Array, sigma: Array | None = None) -> Array:
    """Derivative of the condition number where no extreme singular value is repeated, in C's shape, (m, c).

    Eq. 17, which prints the transpose: u_1 v_1^T / s_c - (s_1 / s_c^2) u_c v_c^T. Of all singular vectors it needs
    two pairs, which follow from singular values already known without a whole decomposition.
    sigma: singular values of C, descending, shape (c,); computed unless given.
    """
    known = np.linalg.svd(C, compute_uv=False) if sigma is None else sigma
    largest, smallest = float(known[0]), float(known[-1])
    if smallest > _SEEN_IN_SQUARES * largest:
        square = C.T @ C
        v1, vc = _vector_of(square, largest**2), _vector_of(square, smallest**2)
    else:
        v1, vc = np.linalg.svd(np.linalg.qr(C, mode="r"))[2][[0, -1]]
    return np.outer(C @ v1, v1 / (largest * smallest)) - np.outer(C @ vc, vc * (largest / smallest**3))


def _vector_of(square: Array, eigenvalue: float) -> Array:
    """Eigenvector of a symmetric matrix, shape (c,), by inverse iteration, which needs one factorisation."""
    shifted = square.copy()
    shifted[np.diag_indices_from(shifted)] -= eigenvalue * (1.0 + _BESIDE)
    factors, pivots, _ = lapack.dgetrf(shifted, overwrite_a=1)
    vector = np.cos(np.arange(len(square)))  # square to nothing in particular
    for _ in range(_INVERSE_STEPS):
        vector, _ = lapack.dgetrs(factors, pivots, vector)
        vector /= np.linalg.norm(vector)
    return np.asarray(vector)
