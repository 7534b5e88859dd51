"""What a record's spectrum says: how noisy its samples are, and up to which frequency it holds motion.

The window is sin^4: its side lobes fall so fast (30 dB an octave; F. J. Harris, "On the use of windows for
harmonic analysis with the discrete Fourier transform", Proc. IEEE 66, 1978) that a slow motion a million times
larger than the noise does not leak into the frequencies at which the noise is read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.errors import ShapeError

_FEWEST = 16  # samples from which anything can be said
_SMOOTHED = 9  # bins; the spectrum is compared with its noise floor in running means over so many


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """Periodogram of k signals of n samples.

    frequency_Hz: shape (m,). power: variance that each bin stands for if the signal is white, shape (m, k).
    noise_sd: standard deviation of the white noise in a sample, read from the upper half, shape (k,).
    """

    frequency_Hz: Array
    power: Array
    noise_sd: Array


def spectrum(values: ArrayLike, rate_Hz: float) -> Spectrum:
    """Spectrum of evenly spaced values, shape (n, k), less their straight-line trend."""
    x = columns_of(values)
    n = x.shape[0]
    if n < _FEWEST:
        raise ShapeError(f"a spectrum needs at least {_FEWEST} samples, found {n}")
    window = np.sin(np.pi * (np.arange(n) + 0.5) / n) ** 4
    transform = np.fft.rfft(window[:, None] * _without_trend(x), axis=0)
    power = (transform.real**2 + transform.imag**2) / (window**2).sum()
    upper = power[power.shape[0] // 2 :]
    # The median rather than the mean, for a line or two (a vibration, a pump) are not noise.
    noise = np.sqrt(np.median(upper, axis=0) / math.log(2.0))
    return Spectrum(np.arange(power.shape[0]) * (rate_Hz / n), power, noise)


def noise_level(values: ArrayLike) -> Array:
    """Standard deviation of the white noise in the samples of each column, shape (n, k) -> (k,)."""
    return spectrum(values, 1.0).noise_sd


def motion_power(values: ArrayLike, rate_Hz: float, false_alarm: float = 1e-3) -> Spectrum:
    """The spectrum less its noise: power where it stands out from the noise, zero elsewhere.

    false_alarm: how often noise alone stands out anywhere in a whole record.
    """
    from scipy.stats import chi2

    found = spectrum(values, rate_Hz)
    kernel = np.full(_SMOOTHED, 1.0 / _SMOOTHED)
    mean = np.stack([np.convolve(column, kernel, mode="same") for column in found.power.T], axis=1)
    # Neighbouring bins under this window are alike: a mean over nine is worth about four of them.
    freedom = 2.0 * (_SMOOTHED // 2)
    limit = chi2.isf(false_alarm / mean.size, freedom) / freedom
    noise = found.noise_sd**2
    return replace(found, power=np.where(mean > limit * noise, mean - noise, 0.0))


def power_edge(values: ArrayLike, rate_Hz: float, share: float) -> float:
    """The frequency below which this share of the power of all columns together lies [Hz]."""
    found = spectrum(values, rate_Hz)
    total = found.power.sum(axis=1).cumsum()
    return float(found.frequency_Hz[np.searchsorted(total, share * total[-1])])


def rounding_step(values: ArrayLike) -> Array:
    """The step that the values of each column are whole multiples of, shape (n, k) -> (k,); zero for none."""
    return np.array([_step(column) for column in columns_of(values).T])


def _step(column: Array) -> float:
    steps = np.abs(np.diff(column))
    moved = steps[steps > 1e-12 * max(float(np.abs(column).max()), 1e-300)]
    if moved.size == 0:
        return 0.0
    smallest = float(moved.min())
    multiples = moved / smallest
    whole = np.abs(multiples - np.round(multiples)) < 1e-3
    # Of numbers that are not rounded, hardly one difference in five hundred is so close to a multiple.
    return smallest if whole.mean() > 0.99 else 0.0


def columns_of(values: ArrayLike) -> Array:
    """Values as an array of shape (n, k)."""
    x = np.asarray(values, float)
    x = x[:, None] if x.ndim == 1 else x
    if x.ndim != 2:
        raise ShapeError(f"values must have shape (n,) or (n, k), found {x.shape}")
    return x


def _without_trend(x: Array) -> Array:
    s = np.linspace(-1.0, 1.0, x.shape[0])[:, None]
    slope = (s * x).sum(axis=0) / (s**2).sum()
    return x - x.mean(axis=0) - slope * s
