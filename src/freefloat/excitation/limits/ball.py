"""A vector that must not be longer than a bound.

The margin is (highest^2 - |x|^2) / (2 highest^2): smooth where the vector vanishes, and near the bound the same, to
first order, as the distance from it over its size.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.excitation.limits.limit import Limit
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.motion.trajectory import positive


@dataclass(frozen=True, eq=False)
class BallLimit(Limit):
    """|x| <= highest at every instant."""

    highest: float
    size: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", positive(f"the largest {self.name}", self.highest))

    @abstractmethod
    def vectors(self, motion: PlannedMotion) -> Array:
        """The vector at every instant, shape (n, d)."""

    @abstractmethod
    def slopes(self, motion: PlannedMotion, at: NDArray[np.int64], weights: Array) -> Array:
        """Derivative of sum(weights * vectors[at], axis=1), weights (len(at), d), shape (len(at), k * channels)."""

    def margins(self, motion: PlannedMotion) -> Array:
        """One at every instant, shape (n,)."""
        return 0.5 * (1.0 - (self.vectors(motion) ** 2).sum(axis=1) / self.size**2)

    def jacobian(self, motion: PlannedMotion, rows: NDArray[np.int64]) -> Array:
        """Derivative of the chosen margins, shape (len(rows), k * channels)."""
        return self.slopes(motion, rows, -self.vectors(motion)[rows] / self.size**2)

    def instants(self, motion: PlannedMotion) -> Array:
        """All instants of the grid, shape (n,) [s]."""
        return motion.t

    def slack(self, motion: PlannedMotion) -> float:
        """The smallest distance of the length from its bound."""
        lengths = np.linalg.norm(self.vectors(motion), axis=1)
        return self.highest - float(lengths.max(initial=-np.inf))
