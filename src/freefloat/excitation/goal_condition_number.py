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

from dataclasses import dataclass

import numpy as np

from freefloat.excitation.spectral_goal import SpectralGoal, Spectrum, log_power_sum
from freefloat.robot.transform import Array


@dataclass(frozen=True)
class ConditionNumber(SpectralGoal):
    """The soft condition number; `report` gives the true one.

    p: power of the means.
    """

    p: float = 16.0
    name: str = "condition number"

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


def ayusawa_gradient(C: Array) -> Array:
    """Derivative of the condition number where no extreme singular value is repeated, in C's shape, (m, c).

    Eq. 17, which prints the transpose: u_1 v_1^T / s_c - (s_1 / s_c^2) u_c v_c^T.
    """
    spectrum = Spectrum.of(C)
    sigma = spectrum.sigma
    slopes = np.zeros_like(sigma)
    slopes[0] += 1.0 / sigma[-1]
    slopes[-1] -= sigma[0] / sigma[-1] ** 2
    return spectrum.pull_back(slopes)
