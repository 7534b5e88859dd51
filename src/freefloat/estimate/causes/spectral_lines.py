"""Oscillations in what a fit leaves: a line in the spectrum of a sensor, with neighbours where it is damped.

Power of all axes at a frequency is chi-square if there is none; the strongest of many frequencies is judged by what the
strongest of as many would be by chance (R. A. Fisher, Proceedings of the Royal Society A, 1929).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from freefloat.arrays import Array
from freefloat.estimate.causes.score import FittedRows, Score

_FEWEST_CYCLES = 4  # over a flight: fewer are a drift
_FEWEST = 64  # readings
_SPARSEST = 8  # times as many even instants as readings, at most
_RARE = 1e-250  # probability below which only its logarithm counts
_WIDTHS = (0, 1, 2)  # neighbouring frequencies on either side that belong to a line: the more, the more it is damped


@dataclass(frozen=True, slots=True, eq=False)
class ChannelRows:
    """Where the rows of a sensor in a flight are: `rows`, of `width` axes at times t, (n,) [s]."""

    sensor: str
    flight: int
    rows: slice
    width: int
    t: Array

    def of(self, values: Array) -> Array:
        """Its part of a residual, (n, width)."""
        return values[self.rows].reshape(-1, self.width)


def strongest_line(fit: FittedRows, channel: ChannelRows) -> Score | None:
    """The line of a sensor that saves most, its size its frequency [Hz]; None if there are too few readings."""
    if channel.t.size < _FEWEST:
        return None
    left, duration = _evenly(channel.of(fit.left), channel.t)
    n, cycles = channel.t.size, (len(left) - 1) // 2
    halves = (np.abs(np.fft.rfft(left, n=2 * len(left), axis=0)) ** 2).sum(axis=1)[: 2 * cycles + 1] * 2.0 / n
    power, found = halves[::2], list[tuple[float, float, int]]()
    for width in _WIDTHS:
        gathered = halves.copy() if width == 0 else np.convolve(power, np.ones(2 * width + 1), mode="same")
        apart = 0.5 if width == 0 else 1.0  # a line of one frequency may lie between those of the transform
        gathered[: int((_FEWEST_CYCLES + width) / apart)] = 0.0
        bin_ = apart * int(np.argmax(gathered))
        found.append((float(gathered.max()) - 4.0 * channel.width * (2 * width + 1), bin_, width))
    _, bin_, width = max(found)
    angles = 2.0 * np.pi / duration * (channel.t - channel.t[0])[:, None] * (bin_ + np.arange(-width, width + 1))
    waves = np.hstack([np.sin(angles), np.cos(angles)])
    columns = np.zeros((fit.r.size, waves.shape[1] * channel.width))
    columns[channel.rows] = np.kron(waves, np.eye(channel.width))
    score = fit.of_columns(columns)
    near = int(bin_) + np.arange(-width, width + 1)
    middle = bin_ if width == 0 else float(power[near] @ near) / max(float(power[near].sum()), 1e-300)
    gain = _beyond_the_best_of(halves.size + power.size * (len(_WIDTHS) - 1), score)
    frequency, sd = middle / duration, 0.5 / duration
    return Score(gain, score.count, np.array([frequency]), np.array([sd]))


def _evenly(values: Array, t: Array) -> tuple[Array, float]:
    """Readings (n, k) at even instants, zero where none was made, and how long that lasts [s].

    In a gap, which may be longer than a cycle, time goes on.
    """
    step = float(np.median(np.diff(t)))
    places = np.rint((t - t[0]) / max(step, 1e-300)).astype(np.int64)
    if not 0 <= places[-1] < _SPARSEST * t.size:  # hardly anything but gaps
        places, step = np.arange(t.size), float(t[-1] - t[0]) / (t.size - 1)
    found = np.zeros((int(places[-1]) + 1, values.shape[1]))
    np.add.at(found, places, values)
    return found, step * len(found)


def _beyond_the_best_of(many: int, score: Score) -> float:
    """What a single one would save that chance makes as rare as the best of so many that saves this."""
    probability = many * float(chi2.sf(score.gain, score.count))
    if probability < _RARE:
        return score.gain - 2.0 * float(np.log(many))
    return float(chi2.isf(min(probability, 1.0), score.count))
