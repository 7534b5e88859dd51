"""Derivatives of polynomials fitted to a moving window.

A. Savitzky, M. J. E. Golay, "Smoothing and differentiation of data by simplified least squares procedures",
Analytical Chemistry 36, 1964. The last half window at either end has one polynomial in common.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.signal import savgol_filter

from freefloat.data.processing.resampling import CannotProcess, evenly, resample
from freefloat.motion.trajectory import Motion


@dataclass(frozen=True, slots=True)
class SavitzkyGolay:
    """Polynomials of one degree over windows of one length.

    window_s: length of the window; the number of samples in it is made odd.
    degree: of the polynomials, at least 2; an even one treats rates as well as the odd one below it.
    """

    window_s: float
    degree: int = 4

    def motion(self, t: ArrayLike, values: ArrayLike, onto: ArrayLike | None = None) -> Motion:
        """Position, rate and acceleration of values, (n, k) at times t, at the times `onto` (t unless given)."""
        even = evenly(t, values)
        size = 2 * round(0.5 * (self.window_s * even.rate_Hz - 1.0)) + 1
        if not self.degree + 1 < size <= even.t.size or self.degree < 2:
            raise CannotProcess(
                f"a window of {self.window_s:g} s holds {size} of {even.t.size} samples; allowed: "
                f"more than {self.degree + 1} for polynomials of degree {self.degree}, and not more than there are"
            )
        target = np.asarray(t if onto is None else onto, float)
        found = (
            savgol_filter(even.values, size, self.degree, order, delta=1.0 / even.rate_Hz, axis=0) for order in range(3)
        )
        return Motion(target, *(resample(even.t, x, np.clip(target, even.t[0], even.t[-1])) for x in found))
