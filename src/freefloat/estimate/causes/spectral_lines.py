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
    left, n = channel.of(fit.left), channel.t.size
    if n < _FEWEST:
        return None
    duration = float(channel.t[-1] - channel.t[0]) * n / (n - 1)
    power = (np.abs(np.fft.rfft(left, axis=0)) ** 2).sum(axis=1)[: (n - 1) // 2 + 1] * 2.0 / n
    found = list[tuple[float, int, int]]()
    for width in _WIDTHS:
        gathered = np.convolve(power, np.ones(2 * width + 1), mode="same")
        gathered[: _FEWEST_CYCLES + width] = 0.0
        bin_ = int(np.argmax(gathered))
        found.append((float(gathered[bin_]) - 4.0 * channel.width * (2 * width + 1), bin_, width))
    _, bin_, width = max(found)
    angles = 2.0 * np.pi / duration * (channel.t - channel.t[0])[:, None] * (bin_ + np.arange(-width, width + 1))
    waves = np.hstack([np.sin(angles), np.cos(angles)])
    columns = np.zeros((fit.r.size, waves.shape[1] * channel.width))
    columns[channel.rows] = np.kron(waves, np.eye(channel.width))
    score = fit.of_columns(columns)
    own = slice(bin_ - width, bin_ + width + 1)
    middle = float(power[own] @ np.arange(own.start, own.stop)) / max(float(power[own].sum()), 1e-300)
    gain = _beyond_the_best_of(power.size * len(_WIDTHS), score)
    frequency, sd = middle / duration, 0.5 / duration
    return Score(gain, score.count, np.array([frequency]), np.array([sd]))


def _beyond_the_best_of(many: int, score: Score) -> float:
    """What a single one would save that chance makes as rare as the best of so many that saves this."""
    probability = many * float(chi2.sf(score.gain, score.count))
    if probability < _RARE:
        return score.gain - 2.0 * float(np.log(many))
    return float(chi2.isf(min(probability, 1.0), score.count))
