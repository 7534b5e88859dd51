"""Oscillators that were found in what a fit leaves, as one alternative to it."""

from __future__ import annotations

import numpy as np

from freefloat.estimate.causes.alternatives import Alternative
from freefloat.estimate.causes.score import Score
from freefloat.estimate.oscillator import Oscillator

_PER_SWING = 5  # unknowns beside frequency and damping: strength and axis, and how it swings at first


def swinging(found: tuple[Oscillator, ...], saved: float) -> Alternative:
    """Oscillators that the robot file has not."""
    size = np.array([each.frequency_Hz for each in found])
    name, what = " and ".join(f"{each:.3g} Hz" for each in size), ", and at ".join(each.words for each in found)
    score = Score(saved, _PER_SWING * len(found), size, np.full(size.shape, np.nan))
    cure = "`freefloat identify --add-appendage` writes it into a robot file"
    return Alternative("oscillation", name, lambda _: f"something swings at {what}", cure, score, swings=found)
