"""Zero-phase low-pass: a Butterworth filter run forwards, then backwards, so that nothing lags.

S. Butterworth, "On the theory of filter amplifiers", 1930; run both ways after F. Gustafsson, "Determining the
initial states in forward-backward filtering", IEEE T-SP 44, 1996. Both passes together halve the amplitude at
the cut-off and leave 1 / (1 + (f / cutoff)^(2 order)) of it elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import trapezoid
from scipy.signal import butter, sosfiltfilt, sosfreqz

from freefloat.arrays import Array
from freefloat.data.processing.resampling import CannotProcess
from freefloat.data.processing.spectrum import columns_of

ORDER = 4  # of each pass, unless given
_PADDED_PERIODS = 8.0  # of the cut-off, by which a record is continued: until a start has rung out to 1e-8


@dataclass(frozen=True, slots=True)
class LowPass:
    """A zero-phase Butterworth low-pass.

    cutoff_Hz: where each of the two passes leaves 1 / sqrt 2 of the amplitude.
    order: of each pass.
    """

    cutoff_Hz: float
    order: int = ORDER

    def __post_init__(self) -> None:
        if not (math.isfinite(self.cutoff_Hz) and self.cutoff_Hz > 0.0):
            raise CannotProcess(f"a cut-off is {self.cutoff_Hz} Hz; allowed: greater than zero")
        if self.order < 1:
            raise CannotProcess(f"the order of a filter is {self.order}; allowed: 1 or more")

    def apply(self, values: ArrayLike, rate_Hz: float) -> Array:
        """Filter evenly spaced values, shape (n, k) or (n,), continued point-symmetrically at both ends."""
        x = columns_of(values)
        padding = min(x.shape[0] - 1, math.ceil(_PADDED_PERIODS * rate_Hz / self.cutoff_Hz))
        filtered = np.asarray(sosfiltfilt(self._sections(rate_Hz), x, axis=0, padlen=padding), float)
        return filtered.reshape(np.shape(values))

    def gain(self, frequency_Hz: ArrayLike, rate_Hz: float) -> Array:
        """What is left of the amplitude at these frequencies, in both passes together."""
        _, response = sosfreqz(self._sections(rate_Hz), np.atleast_1d(frequency_Hz), fs=rate_Hz)
        return np.abs(response) ** 2

    def noise_gain(self, rate_Hz: float) -> float:
        """Standard deviation of filtered white noise, in units of what it was."""
        # Integrated on a grid that is fine where the gain falls, however low the cut-off.
        f = np.concatenate([[0.0], np.geomspace(1e-4 * self.cutoff_Hz, 0.5 * rate_Hz, 4000)])
        power = self.gain(f, rate_Hz) ** 2
        return math.sqrt(float(trapezoid(power, f)) / (0.5 * rate_Hz))

    def _sections(self, rate_Hz: float) -> Array:
        if self.cutoff_Hz >= 0.5 * rate_Hz:
            raise CannotProcess(
                f"a cut-off is {self.cutoff_Hz:g} Hz; allowed: less than {0.5 * rate_Hz:g} Hz, half the rate"
            )
        return np.asarray(butter(self.order, self.cutoff_Hz, fs=rate_Hz, output="sos"), float)


@dataclass(frozen=True, slots=True)
class LowPassBySpectrum:
    """A zero-phase Butterworth low-pass whose cut-off is left to the spectrum of what it filters.

    order: of each pass.
    """

    order: int = ORDER

    def __post_init__(self) -> None:
        LowPass(1.0, self.order)  # refuses an order that there is not
