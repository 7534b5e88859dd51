"""One time base from many: values between samples, as band-limited signals or as splines.

Even samples of a signal without frequencies above 0.85 of the Nyquist frequency determine it in between; a sinc
under a Kaiser window (J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function",
IEEE ISCAS 1974) of 64 samples recovers it to 2e-7. Within half a window of the ends, and where samples are not
even, a spline through the samples takes its place. Nothing is low-passed here: before going to a lower rate,
filter (`filtering.py`), or noise above the new Nyquist frequency folds back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import make_interp_spline
from scipy.special import i0

from freefloat.arrays import Array
from freefloat.data.processing.spectrum import columns_of
from freefloat.errors import FreefloatError, ShapeError

Between = Literal["band-limited", "spline"]

_HALF = 32  # samples on either side
_BETA = 14.0  # side lobes 140 dB down
_EVEN = 1e-6  # of an interval: rounding of time stamps, not jitter
_CHUNK = 1 << 14


class CannotProcess(FreefloatError):
    """A recording from which what was asked for cannot be made."""


@dataclass(frozen=True, slots=True, eq=False)
class Even:
    """Evenly spaced values. t: shape (n,) [s]. values: shape (n, k). rate_Hz: samples per second."""

    t: Array
    values: Array
    rate_Hz: float


def is_even(t: ArrayLike) -> bool:
    """Whether times, shape (n,), are evenly spaced but for rounding."""
    times = np.asarray(t, float)
    if times.size < 2:
        return False
    line = np.linspace(times[0], times[-1], times.size)
    return bool(np.abs(times - line).max() <= _EVEN * (times[-1] - times[0]) / (times.size - 1))


def evenly(t: ArrayLike, values: ArrayLike) -> Even:
    """The values, (n, k) at times t, (n,), if these are even; else a spline through them at their mean rate."""
    times, x = np.asarray(t, float), columns_of(values)
    if times.size < 2:
        raise ShapeError(f"resampling needs at least two samples, found {times.size}")
    if is_even(times):
        return Even(times, x, (times.size - 1) / float(times[-1] - times[0]))
    interval = float(np.median(np.diff(times)))
    grid = times[0] + interval * np.arange(int((times[-1] - times[0]) / interval * (1.0 + 1e-12)) + 1)
    return Even(grid, spline_through(times, x)(grid), 1.0 / interval)


def resample(t: ArrayLike, values: ArrayLike, onto: ArrayLike, between: Between = "band-limited") -> Array:
    """Values, (n, k) or (n,) at times t, (n,), at other times within them, (m,) -> (m, k) [s].

    between: "band-limited" (where the samples are even; else splines), or "spline".
    """
    times, target = np.asarray(t, float), np.asarray(onto, float)
    x = columns_of(values)
    _check_within(times, target)
    if target.size == times.size and np.array_equal(target, times):
        return x.copy()
    found = np.asarray(spline_through(times, x)(np.clip(target, times[0], times[-1])), float)
    if between == "band-limited" and is_even(times):
        place = (target - times[0]) * ((times.size - 1) / (times[-1] - times[0]))
        inside = np.flatnonzero((place >= _HALF - 1) & (place <= times.size - 1 - _HALF))
        for chunk in np.array_split(inside, max(1, inside.size // _CHUNK)):
            found[chunk] = _windowed_sinc(x, place[chunk])
    return found


def one_way_round(attitude: ArrayLike) -> Array:
    """The same attitudes as unit quaternions without jumps of sign, shape (n, 4)."""
    x = np.asarray(attitude, float)
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    flips = np.where((x[1:] * x[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    return x * np.concatenate([[1.0], np.cumprod(flips)])[:, None]


def spline_through(t: Array, x: Array) -> Any:
    """A spline of degree five through all samples, of lower (odd) degree where there are too few."""
    degree = 5 if t.size > 5 else 3 if t.size > 3 else 1
    return make_interp_spline(t, x, k=degree)


def _windowed_sinc(x: Array, place: Array) -> Array:
    """x, shape (n, k), at fractional indices, shape (m,)."""
    first = np.floor(place).astype(np.int64) - (_HALF - 1)
    index = first[:, None] + np.arange(2 * _HALF)  # (m, 64)
    away = place[:, None] - index
    window = i0(_BETA * np.sqrt(np.maximum(1.0 - (away / _HALF) ** 2, 0.0)))
    weights = np.sinc(away) * window
    weights /= weights.sum(axis=1, keepdims=True)  # a constant stays what it is
    return np.stack([(weights * column[index]).sum(axis=1) for column in x.T], axis=1)


def _check_within(t: Array, target: Array) -> None:
    slack = 1e-9 * (1.0 + abs(t[-1] - t[0]))
    if target.size and not (target.min() >= t[0] - slack and target.max() <= t[-1] + slack):
        raise CannotProcess(
            f"values are asked for from {target.min():.9g} to {target.max():.9g} s; "
            f"allowed: {t[0]:.9g} to {t[-1]:.9g} s, where there are samples"
        )
