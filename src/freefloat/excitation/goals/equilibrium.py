"""Equilibrium: entries of a matrix that are all of one size.

    S = |C_ij|_max / |C_ij|_min,   C_ij not zero

after M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
International Journal of Robotics Research, 1992, eqs. 18 and 19 (the text prints |C_ii|_min). Extremes are replaced by
p-norms. Entries that are exactly zero do not count; a small one does, and its logarithm keeps it from changing
sign, so a design that has found its condition number must be shaken off zero before it turns to S.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.goal import Goal
from freefloat.excitation.goals.spectral import log_power_sum


@dataclass(frozen=True, eq=False)
class WithEquilibrium(Goal):
    """A goal and `weight` times the logarithm of the soft S.

    p: power of the means; soft S is at least the true one, at most (entries)^(2/p) times it.
    """

    goal: Goal
    weight: float
    p: float = 16.0

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of both."""
        return f"{self.goal.name} with equilibrium"

    def __call__(self, C: Array) -> tuple[float, Array]:
        """The value for a matrix C, shape (m, c), and its derivative, in the same shape."""
        value, Z = self.goal(C)
        there = C != 0.0
        entries = C[there]
        largest, top = log_power_sum(np.abs(entries), self.p)
        smallest, bottom = log_power_sum(np.abs(entries), -self.p)
        Z = Z.copy()
        Z[there] += self.weight * (top - bottom) / entries
        return value + self.weight * (largest - smallest), Z


def equilibrium(C: Array) -> float:
    """S: ratio of the largest to the smallest entry of C by magnitude, entries that are exactly zero left out."""
    sizes = np.abs(C[C != 0.0])
    return float(sizes.max() / sizes.min())
