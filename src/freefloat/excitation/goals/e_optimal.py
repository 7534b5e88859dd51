"""E-optimality: the direction that shows least.

    -log (sum sigma^-p)^(-1/p)

a smooth stand-in for the smallest singular value, which it never exceeds and meets as p grows. The smallest one itself
has no derivative where two are equal, and there a design ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from freefloat.arrays import Array
from freefloat.excitation.goals.spectral import SpectralGoal, log_power_sum


@dataclass(frozen=True)
class EOptimal(SpectralGoal):
    """The smallest singular value, to be made large.

    p: power of the mean; the stand-in is between c^(-1/p) times the smallest singular value and that value.
    """

    name = "E-optimality"

    p: float = 16.0

    @classmethod
    def words(cls, value: float) -> str:
        """What a value means."""
        return f"smallest singular value at least {math.exp(-value):.3g}"

    def of_singular_values(self, sigma: Array) -> tuple[float, Array]:
        """The value, and its derivative by the singular values, shape (c,)."""
        smallest, shares = log_power_sum(sigma, -self.p)
        return -smallest, -shares / sigma

    def true_value(self, sigma: Array) -> float:
        """The smallest singular value."""
        return float(sigma[-1])
