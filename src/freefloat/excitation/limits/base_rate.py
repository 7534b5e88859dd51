"""Angular rate of the base, which reacts to joints and wheels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from freefloat.arrays import Array
from freefloat.excitation.limits.ball import BallLimit
from freefloat.excitation.limits.limit import Limit, LimitFields
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.files import Positive
from freefloat.robot.model import Robot


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


class BaseRateFields(LimitFields):
    """The largest rate."""

    base_rate_deg_s: Positive | None = Field(default=None, description="the largest angular rate of the base")

    def limits(self, robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
        """Of the base's rate."""
        return () if self.base_rate_deg_s is None else (BaseRate(float(np.radians(self.base_rate_deg_s))),)
