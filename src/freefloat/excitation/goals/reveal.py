"""Modes that show: how well frequencies and damping ratios of what swings will be known, from a gyro.

The mean of log sd of all frequencies and damping ratios, over themselves, for every factor by which frequencies may be
off, on rows of `information/modes.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from freefloat.excitation.goals.accuracy import Accuracy


@dataclass(frozen=True, eq=False)
class Reveal(Accuracy):
    """Weighted mean of the logarithms of standard deviations of frequencies and damping ratios."""

    name = "reveal"

    @classmethod
    def words(cls, value: float) -> str:
        """What a value means."""
        return f"standard deviations {100.0 * math.exp(value):.3g} % of frequencies and damping in the mean (geometric)"
