"""Predicted accuracy where the worst known clusters count most."""

from __future__ import annotations

import math
from dataclasses import dataclass

from freefloat.excitation.goals.accuracy import Accuracy


@dataclass(frozen=True, eq=False)
class WorstAccuracy(Accuracy):
    """The power mean of standard deviations over their sizes."""

    name = "worst accuracy"

    power: float = 8.0

    @classmethod
    def words(cls, value: float) -> str:
        """What a value means."""
        return f"standard deviations {100.0 * math.exp(value):.3g} % of the CAD model's spread, the worst counting most"
