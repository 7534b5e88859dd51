"""A-optimality: the sum of the variances of the estimate.

    log trace (C^T C)^-1

Weights say what the variances are measured by: with w = 1 / |theta| they are relative to the values theta.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.spectral import SpectralGoal, log_power_sum


@dataclass(frozen=True, eq=False)
class AOptimal(SpectralGoal):
    """The sum of variances for unit noise.

    weights: factor of each unknown's standard deviation, shape (c,); one unless given.
    """

    name = "A-optimality"

    weights: Array | None = None

    @classmethod
    def words(cls, value: float) -> str:
        """What a value means."""
        return f"root of the sum of variances {math.exp(0.5 * value):.3g}, for unit noise"

    def __call__(self, C: Array) -> tuple[float, Array]:
        """The value for a matrix C, shape (m, c), and its derivative, in the same shape."""
        if self.weights is None:
            return super().__call__(C)
        value, Z = super().__call__(C / self.weights)  # C theta = (C / w) (w theta)
        return value, Z / self.weights

    def of_singular_values(self, sigma: Array) -> tuple[float, Array]:
        """The value, and its derivative by the singular values, shape (c,)."""
        smallest, shares = log_power_sum(sigma, -2.0)
        return -2.0 * smallest, -2.0 * shares / sigma

    def report(self, C: Array) -> float:
        """Root of the sum of (weighted) variances for unit noise."""
        return super().report(C if self.weights is None else C / self.weights)

    def true_value(self, sigma: Array) -> float:
        """Root of the sum of variances for unit noise."""
        return float(np.sqrt((sigma**-2.0).sum()))
