"""The condition number of C^T C in the Frobenius norm.

    log ( ||A||_F ||A^-1||_F ),   A = C^T C

after M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
International Journal of Robotics Research, 1992, eqs. 21 and 22, who found that it converges best. It is smooth, being
twice the soft condition number with p = 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.condition_number import ConditionNumber
from freefloat.excitation.goals.spectral import SpectralGoal


@dataclass(frozen=True)
class Frobenius(SpectralGoal):
    """The condition number of C^T C in the Frobenius norm."""

    name = "Frobenius condition number"

    @classmethod
    def words(cls, value: float) -> str:
        """What a value means."""
        return f"Frobenius condition number {math.exp(value):.4g}"

    def of_singular_values(self, sigma: Array) -> tuple[float, Array]:
        """The value, and its derivative by the singular values, shape (c,)."""
        value, slopes = ConditionNumber(p=4.0).of_singular_values(sigma)
        return 2.0 * value, 2.0 * slopes

    def true_value(self, sigma: Array) -> float:
        """The condition number of C^T C."""
        return float(np.sqrt((sigma**4.0).sum() * (sigma**-4.0).sum()))
