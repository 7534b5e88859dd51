"""Whether what a fit leaves over is white, and no larger than the sensor's noise.

The residual's periodogram is summed over octaves of frequency. If the residual is white noise of standard
deviation sigma, twice such a sum over sigma^2 is chi-squared with twice as many degrees of freedom as it has
bins (M. B. Priestley, "Spectral analysis and time series", 1981, section 6.1), independently for each octave;
where sigma is not known the upper half of the spectrum stands for it, and the ratio is F-distributed. A motion
that was not fitted shows as an octave with too much power, wherever it is. The limit of each octave is such that
noise alone exceeds any of them with the stated false-alarm rate; a fit with many parameters takes power away
and makes false alarms rarer still.

Rounding to a step, unless other noise larger than half of it blurs it, leaves errors that are white only while
the signal moves fast. An octave may therefore hold all that rounding alone can: a variance of step^2 / 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chi2, f as f_distribution

from freefloat.arrays import Array
from freefloat.errors import ShapeError

_FEWEST = 16


@dataclass(frozen=True, slots=True)
class Whiteness:
    """The verdict on one residual.

    white: whether no octave has more power than noise explains.
    noise_sd: of a sample: that which was given, or what the upper half of the spectrum shows.
    worst_band: lowest and highest frequency, in cycles per sample, of the octave with the least likely power.
    excess: the power there, in units of what white noise has.
    false_alarm: how often a residual that is white is called otherwise.
    """

    white: bool
    noise_sd: float
    worst_band: tuple[float, float]
    excess: float
    false_alarm: float


def whiteness(
    residual: ArrayLike,
    noise_sd: float | None = None,
    rounding: float = 0.0,
    false_alarm: float = 1e-3,
    floor: float = 0.0,
) -> Whiteness:
    """Test a residual, shape (n,).

    noise_sd: standard deviation of the sensor's white noise in a sample; None to read it from the residual.
    rounding: the step that the sensor rounds to. floor: noise below this is numerical, and counts as this much.
    """
    r = np.asarray(residual, float)
    if r.ndim != 1 or r.size < _FEWEST:
        raise ShapeError(f"a residual must have shape (n,) with n at least {_FEWEST}, found {r.shape}")
    transform = np.fft.rfft(r)[1 : (r.size - 1) // 2 + 1]
    power = (transform.real**2 + transform.imag**2) / r.size
    edges = _octaves(power.size)
    sums, bins = np.add.reduceat(power, edges[:-1]), np.diff(edges)
    known = noise_sd is not None and noise_sd > 0.0
    variance = float(noise_sd or 0.0) ** 2 if known else float(sums[-1] / bins[-1])
    blurred = known and float(noise_sd or 0.0) > 0.5 * rounding
    variance = max(variance + (rounding**2 / 12.0 if blurred else 0.0), floor**2, 1e-300)
    limits = _limits(tuple(bins.tolist()), false_alarm, known) * variance
    allowed = limits + (0.0 if blurred else r.size * rounding**2 / 24.0)
    worst = int(np.argmax(sums / allowed))
    low, high = (edges[worst] + 1) / r.size, edges[worst + 1] / r.size
    excess = float(sums[worst] / (bins[worst] * variance))
    return Whiteness(bool((sums <= allowed).all()), float(np.sqrt(variance)), (low, high), excess, false_alarm)


def _octaves(bins: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Edges of 1, 2-3, 4-7, ... bins, the last octave being the upper half of them all, shape (octaves + 1,)."""
    edges = [bins]
    while edges[-1] > 1:
        edges.append(edges[-1] // 2)
    return np.array(edges[::-1] if edges[-1] == 0 else [0, *edges[::-1]])


@lru_cache(maxsize=64)  # many residuals are as long as others
def _limits(octaves: tuple[int, ...], false_alarm: float, known: bool) -> Array:
    """Largest sum over each octave of so many bins, in units of the noise variance, shape (octaves,)."""
    bins = np.array(octaves)
    if known:
        return chi2.isf(false_alarm / bins.size, 2.0 * bins) / 2.0
    tested = f_distribution.isf(false_alarm / (bins.size - 1), 2.0 * bins[:-1], 2.0 * bins[-1]) * bins[:-1]
    return np.append(tested, np.inf)  # the last one is the measure, and cannot be tested by itself
