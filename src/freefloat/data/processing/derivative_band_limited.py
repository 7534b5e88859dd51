"""Derivatives of a band-limited signal: low-pass without lag, then the exact derivatives of a quintic spline.

Below a tenth of the Nyquist frequency a quintic spline through even samples has the signal's own rates to 1e-6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.data.processing.derivative_through_samples import ThroughSamples
from freefloat.data.processing.filtering import LowPass
from freefloat.data.processing.resampling import evenly
from freefloat.motion.trajectory import Motion


@dataclass(frozen=True, slots=True)
class BandLimited:
    """What remains below a cut-off, and its derivatives."""

    low_pass: LowPass

    def motion(self, t: ArrayLike, values: ArrayLike, onto: ArrayLike | None = None) -> Motion:
        """Position, rate and acceleration of values, (n, k) at times t, at the times `onto` (t unless given)."""
        even = evenly(t, values)
        quiet = self.low_pass.apply(even.values, even.rate_Hz)
        return ThroughSamples().motion(even.t, quiet, np.asarray(t if onto is None else onto, float))
