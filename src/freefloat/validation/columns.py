"""What one column of a residual, a sensor's axis in one flight, says by itself: its level, its colour, its lines.

Under the hypothesis a column is white with unit variance. A line is a peak of the periodogram that noise of the same
median level reaches with less than the stated probability: R. A. Fisher, "Tests of significance in harmonic analysis",
Proceedings of the Royal Society A, 1929, for many bins. Lines are taken out one by one before level and colour are
judged, so that one strong oscillation does not pass for a noisy sensor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import chi2

from freefloat.arrays import Array
from freefloat.data.processing.measured_curves import LOUDER
from freefloat.data.processing.whiteness import whiteness

_FEWEST = 32  # rows of a column that is judged
_MOST_LINES = 8
_FEWEST_CYCLES = 4  # over a flight: fewer are a drift
_NARROW = 3.0  # bins of the transform: two peaks nearer than this are a band, not lines
_FLOOR = 1e-9  # of the noise: a residual below it is rounding


@dataclass(frozen=True, slots=True)
class LineFound:
    """A line: frequency in cycles per row, amplitude in units of the noise."""

    frequency: float
    amplitude: float


@dataclass(frozen=True, slots=True)
class ColumnCheck:
    """One column.

    level: root mean square over what noise as declared would leave, lines taken out. over: the same over the noise by
    which the column was weighed. chance: largest level that noise reaches by chance. white: whether no octave holds
    more than noise of this level. lines: those found.
    """

    level: float
    over: float
    chance: float
    white: bool
    lines: tuple[LineFound, ...]

    @property
    def allowed(self) -> float:
        """Largest level that is not worth a word."""
        return max(LOUDER, self.chance)

    @property
    def louder(self) -> bool:
        """Whether the level is beyond chance and `LOUDER`."""
        return self.level > self.allowed

    @property
    def noise(self) -> float:
        """Standard deviation of the noise, in units of the weights: one unless it is white and beyond chance."""
        return self.over if self.white and self.over > self.chance else 1.0


def check_column(r: Array, used: float, false_alarm: float, weighed: float = 1.0) -> ColumnCheck:
    """Judge a column, shape (n,), of whose freedom a fit used a part; a quarter of the false alarms for each test.

    weighed: noise that it was weighed by, in units of what was declared.
    """
    if r.size < _FEWEST or float(np.abs(r).max()) < _FLOOR:
        over = _level(r, used)
        return ColumnCheck(weighed * over, over, np.inf, True, ())
    lines, rest = lines_in(r, false_alarm / 4.0)
    freedom = max(r.size - used - 2.0 * len(lines), 1.0)
    level = float(np.sqrt(rest @ rest / freedom))
    chance = float(np.sqrt(chi2.isf(false_alarm / 4.0, freedom) / freedom))
    judged = whiteness(rest, noise_sd=max(1.0, level), false_alarm=false_alarm / 2.0)  # colour is no matter of level
    return ColumnCheck(weighed * level, level, chance, judged.white, lines)


def _level(r: Array, used: float) -> float:
    return float(np.sqrt(r @ r / max(r.size - used, 1.0)))


def lines_in(r: Array, false_alarm: float) -> tuple[tuple[LineFound, ...], Array]:
    """The lines of a column, shape (n,), the strongest first, and what is left without them, shape (n,).

    A drift of few cycles, and a band that is broader than a line, are colour: they are left in.
    """
    rest, found = np.array(r), list[tuple[LineFound, Array]]()
    for _ in range(_MOST_LINES):
        transform = np.fft.rfft(rest)[1 : (r.size - 1) // 2 + 1]
        power = (transform.real**2 + transform.imag**2) / r.size
        level = max(float(np.median(power)) / np.log(2.0), _FLOOR**2)
        peak = _FEWEST_CYCLES - 1 + int(np.argmax(power[_FEWEST_CYCLES - 1 :]))
        if power.size * np.exp(-power[peak] / level) > false_alarm:
            break
        frequency = _refined(rest, (peak + 1) / r.size)
        near = [each for each in found if abs(each[0].frequency - frequency) < _NARROW / r.size]
        if near:
            found = [each for each in found if not any(each is other for other in near)]
            break
        basis = waves(frequency, r.size)
        weight = np.linalg.lstsq(basis, rest, rcond=None)[0]
        found.append((LineFound(frequency, float(np.hypot(*weight))), basis @ weight))
        rest = rest - found[-1][1]
    return tuple(line for line, _ in found), r - sum((wave for _, wave in found), np.zeros(r.size))


def waves(frequency: float, count: int) -> Array:
    """Sine and cosine of a frequency in cycles per row, shape (count, 2)."""
    angle = 2.0 * np.pi * frequency * np.arange(count, dtype=np.float64)
    return np.column_stack([np.sin(angle), np.cos(angle)])


def _refined(r: Array, frequency: float) -> float:
    """The frequency near a bin of the transform at which the column has most power."""

    def power(trial: float) -> float:
        basis = waves(trial, r.size)
        return -float(np.abs(r @ basis) @ np.abs(r @ basis))

    near = (max(frequency - 1.0 / r.size, 0.25 / r.size), min(frequency + 1.0 / r.size, 0.5))
    return float(minimize_scalar(power, bounds=near, method="bounded", options={"xatol": 1e-3 / r.size}).x)
