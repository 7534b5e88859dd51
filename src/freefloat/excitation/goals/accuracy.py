"""Predicted accuracy: how well maximum likelihood will know the clusters, from the Fisher information of all unknowns.

    value = sum of w_i log sd_i,        sd_i^2 = i-th diagonal entry of T F^-1 T^T,     F = C^T C + prior

or, where the worst known matter most, log of the power mean of sd_i over their sizes,

    value = 1/p log(sum of w_i (sd_i / size_i)^p).

C holds whitened derivatives by all unknowns (`information/rows.py`), the prior what is assumed of them and what
earlier flights have shown. Logarithms make it the same whatever units or relative errors are meant: ten percent less
of any cluster's standard deviation counts alike. exp(value) is the weighted mean, geometric or of power p.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.goal import Goal


class Unseen(ValueError):
    """Information that leaves some unknown entirely open."""


@dataclass(frozen=True, eq=False)
class Accuracy(Goal):
    """Weighted mean of the logarithms of standard deviations.

    prior: information on all unknowns apart from this motion, (u, u).
    of: the quantities asked for, linear in the unknowns, (m, u). weights: not negative, (m,); equal unless given.
    power: p; zero for the mean of logarithms. sizes: of the quantities, (m,), which matter for other powers; one
        unless given.
    """

    name = "accuracy"
    of_sensors = True

    prior: Array
    of: Array
    weights: Array | None = None
    power: float = 0.0
    sizes: Array | None = None

    @classmethod
    def words(cls, value: float) -> str:
        """What a value means."""
        return f"standard deviations {math.exp(value):.3g} in the mean (geometric, SI units)"

    @cached_property
    def _shares(self) -> Array:
        weights = np.ones(self.of.shape[0]) if self.weights is None else np.asarray(self.weights, float)
        return weights / weights.sum()

    def __call__(self, C: Array) -> tuple[float, Array]:
        """The value, and its derivative by C."""
        X, variance = self._solved(C)
        value, shares = self.mean(variance)
        # d value = -1/2 sum w_i / var_i x_i^T dF x_i with x_i = F^-1 T_i and dF = dC^T C + C^T dC
        return value, -((C @ X) * (shares / variance)) @ X.T

    def mean(self, variance: Array) -> tuple[float, Array]:
        """The mean of logarithms or of a power of standard deviations, and how much each quantity's counts in it."""
        logs = 0.5 * np.log(variance)
        if not self.power:
            return float(self._shares @ logs), self._shares
        relative = self.power * (logs if self.sizes is None else logs - np.log(self.sizes))
        top = float(relative.max())
        parts = self._shares * np.exp(relative - top)
        return (top + float(np.log(parts.sum()))) / self.power, parts / parts.sum()

    def sd(self, C: Array) -> Array:
        """Standard deviations of the quantities, shape (m,)."""
        return np.sqrt(self._solved(C)[1])

    def _solved(self, C: Array) -> tuple[Array, Array]:
        F = C.T @ C + self.prior
        size = np.sqrt(np.diagonal(F))
        silent = ~(size > 0.0)  # such as a velocity of the centre of mass that no sensor shows: it disturbs nothing
        if self.of[:, silent].any():
            raise Unseen("a quantity asked for is neither measured nor known beforehand")
        size[silent] = 1.0
        F /= np.outer(size, size)
        F[silent, silent] = 1.0
        try:
            L = np.linalg.cholesky(F)
        except np.linalg.LinAlgError as error:
            raise Unseen("some combination of unknowns is neither measured nor known beforehand") from error
        half = np.linalg.solve(L, (self.of / size).T)  # (u, m)
        variance = (half**2).sum(axis=0)
        return np.linalg.solve(L.T, half) / size[:, None], variance
