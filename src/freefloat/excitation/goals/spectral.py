"""Goals that depend on the singular values of a matrix only.

With C = U diag(sigma) V^T, the derivative of f(sigma) is

    d f / d C = U diag(d f / d sigma) V^T = C V diag(d f / d sigma / sigma) V^T

also where singular values coincide, as long as f treats all of them alike. So U is never needed. The squares of sigma
are the eigenvalues of C^T C; where that loses digits, the triangle of a QR decomposition serves instead.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.excitation.goals.goal import Goal

_ENOUGH = 1e-6  # ratio of eigenvalues of C^T C down to which singular values have ten digits
_NOTHING = 1e-16  # of the largest singular value: what is smaller is rounding


@dataclass(frozen=True, slots=True, eq=False)
class SingularValues:
    """Singular values of a matrix C, shape (m, c), and its right singular vectors.

    sigma: descending, shape (c,); never below rounding. V: vectors in columns, shape (c, c).
    """

    C: Array
    sigma: Array
    V: Array

    @classmethod
    def of(cls, C: Array) -> SingularValues:
        """Of a matrix with at least as many rows as columns."""
        if C.ndim != 2 or not 0 < C.shape[1] <= C.shape[0]:
            raise ShapeError(f"the matrix has shape {C.shape}; allowed: at least as many rows as columns")
        squares, vectors = np.linalg.eigh(C.T @ C)
        if squares[0] > _ENOUGH * squares[-1]:
            return cls(C, np.sqrt(squares[::-1]), vectors[:, ::-1])
        _, sigma, Vt = np.linalg.svd(np.linalg.qr(C, mode="r"))
        return cls(C, np.maximum(sigma, _NOTHING * max(sigma[0], np.finfo(float).tiny / _NOTHING)), Vt.T)

    def pull_back(self, slopes: Array) -> Array:
        """Derivative by C, in its shape, of a number with these derivatives by the singular values, (c,)."""
        return self.C @ ((self.V * (slopes / self.sigma)) @ self.V.T)


def log_power_sum(values: Array, p: float) -> tuple[float, Array]:
    """Logarithm of the p-norm of positive values, any shape and sign of p, and its derivative by their logarithms.

    For p > 0 the norm is at least the largest value, and at most n^(1/p) times it; for p < 0 it is at most the
    smallest value, and at least n^(1/p) times it.
    """
    exponents = p * np.log(values)
    shares = np.exp(exponents - exponents.max())
    total = shares.sum()
    return float(exponents.max() + np.log(total)) / p, shares / total


class SpectralGoal(Goal):
    """A goal that depends on the singular values only."""

    @abstractmethod
    def of_singular_values(self, sigma: Array) -> tuple[float, Array]:
        """The value, and its derivative by the singular values, shape (c,)."""

    @abstractmethod
    def true_value(self, sigma: Array) -> float:
        """The number for people, of the singular values, shape (c,) descending."""

    def __call__(self, C: Array) -> tuple[float, Array]:
        """The value for a matrix C, shape (m, c), and its derivative, in the same shape."""
        spectrum = SingularValues.of(C)
        value, slopes = self.of_singular_values(spectrum.sigma)
        return value, spectrum.pull_back(slopes)

    def report(self, C: Array) -> float:
        """The number for people: without logarithm or smoothing."""
        return self.true_value(SingularValues.of(C).sigma)
