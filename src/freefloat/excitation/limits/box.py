"""A quantity that must stay between two bounds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.excitation.limits.limit import Limit
from freefloat.excitation.planned_motion import PlannedMotion


@dataclass(frozen=True, eq=False)
class BoxLimit(Limit):
    """lowest <= a quantity of something, `of`, <= highest; infinite where there is no bound.

    Margins come first for the highest value at all instants, then for the lowest, each only if it is finite.
    title: how the limit is called, with a place for the thing's name.
    """

    title: ClassVar[str]

    of: str
    lowest: float
    highest: float
    unit: str = "rad"
    name: str = field(init=False)
    size: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.title.format(self.of))
        object.__setattr__(self, "size", _size(self.lowest, self.highest))

    @abstractmethod
    def values(self, motion: PlannedMotion) -> Array:
        """The quantity at every instant, shape (n,)."""

    @abstractmethod
    def slopes(self, motion: PlannedMotion, at: NDArray[np.int64]) -> Array:
        """Its derivative at instants of these numbers by the flattened coefficients, shape (len(at), k * channels)."""

    @property
    def _sides(self) -> list[tuple[float, float]]:
        """Sign and bound of each finite side."""
        both = ((1.0, self.highest), (-1.0, self.lowest))
        return [(sign, bound) for sign, bound in both if np.isfinite(bound)]

    def margins(self, motion: PlannedMotion) -> Array:
        """Distances from the bounds over the size, shape (sides * n,)."""
        values = self.values(motion)
        parts = [sign * (bound - values) / self.size for sign, bound in self._sides]
        return np.concatenate(parts) if parts else np.zeros(0)

    def jacobian(self, motion: PlannedMotion, rows: NDArray[np.int64]) -> Array:
        """Derivative of the chosen margins, shape (len(rows), k * channels)."""
        side, at = np.divmod(rows, motion.t.size)
        signs = np.array([sign for sign, _ in self._sides])
        return -(signs[side] / self.size)[:, None] * self.slopes(motion, at)

    def instants(self, motion: PlannedMotion) -> Array:
        """Time of each margin, shape (sides * n,) [s]."""
        return np.tile(motion.t, len(self._sides))


def _size(lowest: float, highest: float) -> float:
    """Half the room, or the size of the only bound; one where neither says anything."""
    if np.isfinite(lowest) and np.isfinite(highest):
        size = 0.5 * (highest - lowest)
    else:
        size = max((abs(bound) for bound in (lowest, highest) if np.isfinite(bound)), default=0.0)
    return size if size > 0.0 else 1.0
