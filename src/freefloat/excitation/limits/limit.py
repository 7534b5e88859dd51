"""Limits: what a motion must keep, as margins on a grid of instants with exact derivatives.

A margin is how far a quantity stays from its bound, over the size of the bound: zero at the bound, negative beyond it.
Limits read a `PlannedMotion`, which computes poses, base motion and attitude once for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.files import Section
from freefloat.frozen import Content
from freefloat.robot.model import Robot


class Limit(Content, ABC):
    """Something that a motion must keep at all instants of the grid.

    name: in words, for people ("rate of joint2", "base pitch", "clearance of link3 and base").
    kind: what it shares with others that are told together ("rate", "clearance"); empty for one that stands alone.
    unit: of `slack`. size: the slack of one unit of margin: the bound's size, so that margins of all limits compare.
    linear: whether margins are linear in the coefficients.
    """

    name: str
    kind: str = ""
    unit: str
    size: float
    linear: bool = False

    @abstractmethod
    def margins(self, motion: PlannedMotion) -> Array:
        """Margins, not negative where the limit is kept, shape (m,); m is the same for every motion of one grid."""

    @abstractmethod
    def jacobian(self, motion: PlannedMotion, rows: NDArray[np.int64]) -> Array:
        """Derivative of the chosen margins by the flattened coefficients, shape (len(rows), k * channels)."""

    @abstractmethod
    def instants(self, motion: PlannedMotion) -> Array:
        """Time of each margin, shape (m,) [s]."""

    def slack(self, motion: PlannedMotion) -> float:
        """The smallest distance from the bound on the grid, in the limit's unit."""
        return float(self.margins(motion).min(initial=np.inf)) * self.size


class LimitFields(Section):
    """What a mission may say of limits of one kind, as fields of `excitation.limits`; `kinds.py` puts them together."""

    def limits(self, robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
        """Those that the robot and the fields ask of a motion of these channels."""
        raise NotImplementedError
