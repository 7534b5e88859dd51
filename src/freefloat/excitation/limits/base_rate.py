"""Angular rate of the base, which reacts to joints and wheels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.excitation.limits.ball import BallLimit
from freefloat.excitation.planned_motion import PlannedMotion


@dataclass(frozen=True, eq=False)
class BaseRate(BallLimit):
    """|w| of the base at most `highest` [rad/s]."""

    name = "base rate"
    unit = "rad/s"

    def vectors(self, motion: PlannedMotion) -> Array:
        """Angular rate w, base axes, shape (n, 3) [rad/s]."""
        return motion.reaction.x[:, 3:]

    def slopes(self, motion: PlannedMotion, at: NDArray[np.int64], weights: Array) -> Array:
        """Of the weighted rate, shape (len(at), k * channels)."""
        parts = [weights[:, [axis]] * motion.twist_change(at, 3 + axis) for axis in range(3)]
        return parts[0] + parts[1] + parts[2]
