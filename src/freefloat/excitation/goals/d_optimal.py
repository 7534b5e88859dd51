"""D-optimality: the volume of the ellipsoid in which the estimate lies.

    -log det(C^T C) / c

the mean over the c directions; after J. Swevers et al., "Optimal robot excitation and identification", IEEE
Transactions on Robotics and Automation, 1997.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.spectral import SpectralGoal


@dataclass(frozen=True)
class DOptimal(SpectralGoal):
    """The ellipsoid's volume; no scaling of columns changes where it is smallest."""

    name = "D-optimality"

    @classmethod
    def words(cls, value: float) -> str:
        """What a value means."""
        return f"half axes of the error ellipsoid {math.exp(0.5 * value):.3g} in the mean, for unit noise"

    def of_singular_values(self, sigma: Array) -> tuple[float, Array]:
        """The value, and its derivative by the singular values, shape (c,)."""
        return -2.0 * float(np.log(sigma).mean()), -2.0 / (sigma.size * sigma)

    def true_value(self, sigma: Array) -> float:
        """Geometric mean of the ellipsoid's half axes for unit noise."""
        return float(np.exp(-np.log(sigma).mean()))
