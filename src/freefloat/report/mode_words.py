"""Modes of an estimated robot in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_springs import estimated_modes

SWINGS = 0.3  # of the joint that moves most in a mode: those below are not named


@dataclass(frozen=True, slots=True)
class ModeWords:
    """One mode: frequency with its unit, part of critical damping, and the passive joints that swing in it."""

    frequency: str
    damping: str
    swings: str


def mode_words(estimate: Estimate) -> list[ModeWords]:
    """Modes of what was found, slowest first; digits are few, for nothing here has an interval."""
    names = estimate.robot.passive_names
    return [
        ModeWords(
            f"{mode.frequency_Hz:.3g} Hz",
            f"{100.0 * mode.damping_ratio:.2g} %",
            ", ".join(names[k] for k in np.flatnonzero(np.abs(mode.shape) > SWINGS)),
        )
        for mode in estimated_modes(estimate)
    ]
