"""Curves that sensors measured: quintic splines with a prior of white jerk, its level and the knots chosen by evidence.

Readings y of a curve at their own instants have white noise of standard deviation sd; the curve's third derivative is
white noise of density S before the data, so that the energy of a curve with coefficients c is

    |y - B c|^2 / sd^2 + c^T P c / S,      P the roughness of `motion/even_splines.py`

(G. Wahba, "Spline models for observational data", 1990). S is what makes the readings most likely; so is, where nobody
said it, sd. A gap is just missing readings: across it the prior alone speaks, and says how little it knows. Knots are
halved while what readings leave is coloured or that makes them more likely, and once more, for what encoders do not
tell from their noise a good gyro may; there are never more coefficients than readings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve_banded, cholesky_banded
from scipy.optimize import minimize_scalar

from freefloat.arrays import Array
from freefloat.data.processing.resampling import CannotProcess, evenly
from freefloat.data.processing.spectrum import noise_level
from freefloat.data.processing.whiteness import whiteness
from freefloat.motion import even_spline_kernels as kernels
from freefloat.motion.even_splines import ORDER, EvenSpline, PlacedFunctions
from freefloat.motion.trajectory import Motion

FEWEST = 16  # readings from which anything can be made
LOUDER = 1.25  # times the noise that was declared: less, if it is white, asks for no decision
_COARSEST = 8  # pieces
_BEYOND_S = 0.25  # by which curves go on at both ends, for clocks that are off
_GAIN = 1.0  # of the logarithm of the evidence, for each curve, that is worth halving the knots
_PER_COEFFICIENT = 1.5  # readings, at least
_SLIGHT = 1e-3  # of the noise: readings that vary less than that were made without it
_DECADES = (-14.0, 12.0)  # about a first guess of the density of jerk
_DECADES_APART = 2.0
_LONG = 20000  # readings: knots and levels of more than so many are those of stretches of so many
_LIVELIEST, _REFINED = 2, 3  # such stretches at most; how often their knots are halved for all readings, at most
_STIFFEST = 1e10  # of the prior against the readings: beyond, rounding decides
_UNLIKELY = 1e300
HELD_SD = 1e-12  # of a reading: of curves that nobody measures, which are zero here
_LEAST_SD = 1e-10  # of the largest reading: below it noise is rounding


@dataclass(frozen=True, slots=True, eq=False)
class CurveReadings:
    """What was read of k curves at the same instants.

    t: shape (n,) [s]. values: shape (n, k). sd: of a reading, shape (k,), NaN where nobody said.
    start: where the values are rates of the curves, their positions at the first reading, shape (k,); else None.
    rounding: the step that readings are rounded to, which sd allows for, shape (k,); zeros unless given.
    """

    t: Array
    values: Array
    sd: Array
    start: Array | None = None
    rounding: Array | None = None

    def at_rows(self, rows: slice | NDArray[np.bool_]) -> CurveReadings:
        """Some of them, the first one among these."""
        return replace(self, t=self.t[rows], values=self.values[rows])


@dataclass(frozen=True, eq=False)
class MeasuredCurves:
    """The curves that readings make likely, and how likely.

    coefficients: means, shape (count, k). precision: of each curve's coefficients, lower bands, shape (k, 6, count).
    noise_sd: of a reading, given or found, (k,). jerk: density of the prior's white jerk, (k,). evidence: logarithm of
    how likely the readings are, (k,). left: root mean square of what readings leave over their noise, (k,).
    white: whether that is no more than noise in any octave of frequency, (k,). coloured: whether some octave holds more
    than the highest frequencies do, whatever the noise, (k,); both of the worst stretch of very many readings.
    readings: what was read, with the noise that is reckoned with. declared: the noise that was declared, (k,), NaN
    where none was.
    """

    spline: EvenSpline
    coefficients: Array
    precision: Array
    noise_sd: Array
    jerk: Array
    evidence: Array
    left: Array
    white: NDArray[np.bool_]
    coloured: NDArray[np.bool_]
    readings: CurveReadings
    declared: Array

    def motion(self, t: Array) -> Motion:
        """Values and two derivatives at times t, shape (n,) [s]."""
        return motion_of(self.spline, self.coefficients, t)

    def finer(self) -> MeasuredCurves | None:
        """On knots half as far apart; None if those would be more coefficients than the readings allow."""
        halved = self.spline.halved()
        if halved.count > self.readings.t.size / _PER_COEFFICIENT:
            return None
        return replace(on_knots(self.readings, halved), declared=self.declared)

    @property
    def _over_declared(self) -> Array:
        """Noise that is reckoned with over what was declared, one where none was, (k,)."""
        return np.where(np.isfinite(self.declared), self.noise_sd / self.declared, 1.0)

    @cached_property
    def chain(self) -> tuple[Array, Array]:
        """Each coefficient's deviation from its mean given the five before it.

        Weights of those, the nearest first, shape (count, k, 5), and the standard deviation of the rest, (count, k).
        """
        k, count = self.coefficients.shape[1], self.spline.count
        weights, sd = np.zeros((count, k, ORDER - 1)), np.empty((count, k))
        for j, band in enumerate(self.precision):
            turned = np.zeros_like(band)
            for lag in range(ORDER):
                turned[lag, : count - lag] = band[lag, : count - lag][::-1]
            root = np.asarray(cholesky_banded(turned, lower=True), float)[:, ::-1]
            sd[:, j] = 1.0 / root[0]
            for lag in range(1, ORDER):
                weights[lag:, j, lag - 1] = -root[lag, lag:] / root[0, lag:]
        return weights, sd

    def moved(self, right: Array) -> Array:
        """The inverse of the precision times right, shape (count, k)."""
        found = np.empty_like(right)
        for j, band in enumerate(self.precision):
            found[:, j] = cho_solve_banded((cholesky_banded(band, lower=True), True), right[:, j])
        return found

    @cached_property
    def level(self) -> Array:
        """Noise of readings over what was declared, (k,): what they leave, but for what the curves followed."""
        followed = (self.sd(self.readings.t)[0 if self.readings.start is None else 1] / self.noise_sd) ** 2
        return np.asarray(self._over_declared * self.left / np.sqrt(np.maximum(1.0 - followed, 0.01)))

    def sd(self, t: Array) -> Array:
        """Root mean square over times t of the standard deviations of values and two derivatives, shape (3, k)."""
        windows = window_covariances(*self.chain)
        variances = np.empty((3, self.coefficients.shape[1]))
        for functions, variance in zip(self.spline.functions(t, 2), variances, strict=True):
            kernels.mean_variances(functions.first, functions.values, windows, variance)
        return np.sqrt(variances)

    def unexplained(self, sensor: str, names: tuple[str, ...]) -> list[str]:
        """A sentence for every curve of which a sensor reads more than its noise and a smooth curve.

        Noise that is white and hardly larger than was declared is none: `as_text` says how large it is.
        """
        return [
            f"{sensor} of {name}: readings leave {left:.3g} times their noise beside any smooth curve; check its noise "
            "or its time stamps"
            for name, left, white, coloured in zip(
                names, self.left * self._over_declared, self.white, self.coloured, strict=True
            )
            if left > LOUDER or (coloured and not white)
        ]

    def as_text(self, names: tuple[str, ...]) -> str:
        """The knots and what they leave, in one sentence."""
        left = self.left * self._over_declared
        worst = int(np.argmax(left))
        return (
            f"curves with knots every {self.spline.spacing_s:.3g} s ({self.spline.count} coefficients each for "
            f"{self.readings.t.size} readings), smoothed as the readings make most likely (log evidence "
            f"{self.evidence.sum():.6g}); readings leave at most {left[worst]:.3g} of their noise ({names[worst]})"
        )


def motion_of(spline: EvenSpline, coefficients: Array, t: Array) -> Motion:
    """Values and two derivatives of curves, coefficients (count, k), at times t, shape (n,) [s]."""
    return Motion(t, *(functions.of(coefficients) for functions in spline.functions(t, 2)))


def window_covariances(weights: Array, sd: Array) -> Array:
    """Covariances of six coefficients in a row, from each on that a piece begins with, shape (pieces, k, 6, 6)."""
    count, k = sd.shape
    found = np.empty((count - ORDER + 1, k, ORDER, ORDER))
    kernels.window_covariances(weights, sd, found)
    return found


def measured_curves(readings: CurveReadings, span_s: tuple[float, float] | None = None) -> MeasuredCurves:
    """The curves of readings.

    span_s: from where to where they are asked for [s]; from the first to the last reading unless given, and a little
    beyond.
    """
    if readings.t.size < FEWEST:
        raise CannotProcess(f"{readings.t.size} readings; allowed: at least {FEWEST} of a curve")
    first, last = span_s or (float(readings.t[0]), float(readings.t[-1]))
    start, end = first - _BEYOND_S, last + _BEYOND_S
    given = _of_long if readings.t.size > _LONG else _of_few
    best = given(readings, (start, end))
    loud = np.isfinite(readings.sd) & (best.level > LOUDER)
    if not loud.any():
        return best
    found = given(replace(readings, sd=np.where(loud, np.nan, readings.sd)), (start, end))
    louder = loud & found.white & (found.noise_sd > LOUDER * readings.sd)
    if not louder.any():
        return best
    heard = replace(readings, sd=np.where(louder, found.noise_sd, readings.sd))  # else curves would follow noise
    return replace(given(heard, (start, end)), declared=readings.sd)


def _of_few(readings: CurveReadings, span_s: tuple[float, float]) -> MeasuredCurves:
    """The curves of readings on the coarsest knots that do."""
    start, end = span_s
    most = readings.t.size / _PER_COEFFICIENT
    pieces = max(1, min(_COARSEST, int(most) - ORDER))
    best = on_knots(readings, EvenSpline.over(start, end, pieces))
    while True:
        found = best.finer()
        if found is None:
            return best
        if not best.coloured.any() and found.evidence.sum() < best.evidence.sum() + _GAIN * found.evidence.size:
            return found
        best = found


def _of_long(readings: CurveReadings, span_s: tuple[float, float]) -> MeasuredCurves:
    """The curves of many readings, with the knots and levels that the liveliest stretches of them ask for."""
    found = []
    for own in _liveliest(readings.values):
        found.append(measured_curves(readings.at_rows(own)))
    (start, end), spacing = span_s, min(each.spline.spacing_s for each in found)
    noise, jerk = (np.max([getattr(each, name) for each in found], axis=0) for name in ("noise_sd", "jerk"))
    known = replace(readings, sd=noise)
    best = on_knots(known, EvenSpline.over(start, end, max(1, math.ceil((end - start) / spacing))), jerk)
    for _ in range(_REFINED):
        finer = best.finer() if best.coloured.any() else None
        if finer is None:
            break
        best = finer
    return replace(best, declared=readings.sd)


def _liveliest(values: Array) -> list[slice]:
    """Stretches of many readings (n, k) in which most curves move furthest."""
    stretches = [slice(start, start + _LONG) for start in range(0, len(values) - _LONG + 1, _LONG)]
    change = np.array([np.ptp(values[own], axis=0) for own in stretches])
    chosen = np.argmax(change / np.maximum(change.max(axis=0), 1e-300), axis=0)
    counts = np.bincount(chosen, minlength=len(stretches))
    return [stretches[k] for k in np.argsort(-counts, kind="stable")[:_LIVELIEST] if counts[k]]


def on_knots(readings: CurveReadings, spline: EvenSpline, jerk: Array | None = None) -> MeasuredCurves:
    """The curves on given knots, of the readings between them.

    jerk: density of the prior, (k,), the most likely one unless given.
    """
    inside = (readings.t >= spline.start_s) & (readings.t <= spline.end_s)
    if inside.sum() < FEWEST:
        raise CannotProcess(
            f"{inside.sum()} readings from {spline.start_s:.6g} to {spline.end_s:.6g} s; allowed: at least {FEWEST} of "
            "a curve"
        )
    if not inside.all():
        readings = readings.at_rows(inside)
    functions, last = _read(readings, spline)
    gram, fits = functions.gram(spline.count), []
    for j in range(readings.values.shape[1]):
        if readings.sd[j] == HELD_SD:
            fits.append(_held(spline))
            continue
        y = np.append(readings.values[:, j], last[j : j + 1])
        step = 0.0 if readings.rounding is None else float(readings.rounding[j])
        curve = _Curve(readings.t, y, float(readings.sd[j]), spline, functions, gram, step)
        fits.append(curve.with_jerk(curve.likely_jerk() if jerk is None else float(jerk[j])))
    c, band, sd, density, evidence, left, white, coloured = zip(*fits, strict=True)
    return MeasuredCurves(
        spline,
        np.column_stack(c),
        np.stack(band),
        np.array(sd),
        np.array(density),
        np.array(evidence),
        np.array(left),
        np.array(white),
        np.array(coloured),
        readings,
        readings.sd,
    )


def _read(readings: CurveReadings, spline: EvenSpline) -> tuple[PlacedFunctions, Array]:
    """The functions that readings are of, and a last value of each curve: of rates, its start, shape (k,); else (0,).

    The start counts as if it were known as well as it would be from the one before by one reading.
    """
    if readings.start is None:
        return spline.functions(readings.t)[0], np.zeros(0)
    step = float(np.median(np.diff(readings.t)))
    rates, (start,) = spline.functions(readings.t, 1)[1], spline.functions(readings.t[:1])
    first = np.concatenate([rates.first, start.first])
    return PlacedFunctions(first, np.concatenate([rates.values, start.values / step])), readings.start / step


def _held(spline: EvenSpline) -> tuple[Array, Array, float, float, float, float, bool, bool]:
    """What `_Curve.with_jerk` gives, of a curve that is zero."""
    band = np.zeros((ORDER, spline.count))
    band[0] = HELD_SD**-2
    return np.zeros(spline.count), band, HELD_SD, HELD_SD, 0.0, 1.0, True, False


class _Curve:
    """One curve on given knots, its noise and the level of its jerk to be found.

    y: readings at times t, and behind them where the curve starts if they are rates. rounding: their step.
    """

    def __init__(
        self,
        t: Array,
        y: Array,
        sd: float,
        spline: EvenSpline,
        functions: PlacedFunctions,
        gram: Array,
        rounding: float = 0.0,
    ) -> None:
        self.t, self.y, self.spline, self.functions, self.gram = t, y, spline, functions, gram
        self.rounding = rounding
        read = y[: t.size]
        largest = max(float(np.abs(read).max()), 1e-100)  # of what stands still and is read without noise
        self.floor = _LEAST_SD * largest
        self.known = math.isfinite(sd)
        self.sd = max(sd if self.known else float(noise_level(evenly(t, read[:, None]).values)[0]), self.floor)
        self.rank = spline.count - 3  # of the prior, which lets parabolas be
        size = max(float(read.std()), 10.0 * self.floor, _SLIGHT * self.sd)
        size *= 1.0 if y.size == t.size else t[-1] - t[0]
        self.guess = size**2 / (t[-1] - t[0]) ** 5 * 1e6  # of the density
        self._stiffest = _STIFFEST * float(gram[0].mean()) / float(spline.roughness[0].max())
        self.c0, self.rough0 = np.zeros(spline.count), np.zeros(spline.count)
        self.r0, self.right = y, self._gathered(y)

    def likely_jerk(self) -> float:
        """The density that makes the readings most likely."""
        base = math.log10(self.guess)
        low, high = max(base + _DECADES[0], math.log10(self.sd**2 / self._stiffest)), base + _DECADES[1]
        tried = np.linspace(low, high, max(2, math.ceil((high - low) / _DECADES_APART) + 1))
        step = tried[1] - tried[0]
        best = float(tried[np.argmax([self.evidence(10.0**x)[0] for x in tried])])
        self._begin(10.0**best)
        found = minimize_scalar(
            lambda x: -self.evidence(10.0**x)[0],
            bounds=(max(best - step, low), min(best + step, high)),
            method="bounded",
            options={"xatol": 0.05},
        )
        return float(10.0**found.x)

    def with_jerk(self, jerk: float) -> tuple[Array, Array, float, float, float, float, bool, bool]:
        """Coefficients, precision, noise, jerk, evidence, what is left over noise, whether white, whether coloured."""
        self._begin(jerk)
        evidence, c, sd = self.evidence(jerk)
        band = (self.gram + self.sd**2 / jerk * self.spline.roughness) / sd**2
        residual = (self.y - self.functions.of(c[:, None])[:, 0])[: self.t.size]
        left = float(np.sqrt((residual**2).mean())) / sd
        parts = np.array_split(residual, max(1, residual.size // _LONG))
        worst = max(parts, key=lambda part: float((part**2).mean()))
        step = self.rounding if sd < self.rounding / math.sqrt(3.0) else 0.0  # else it is blurred, white and in sd
        white = whiteness(worst, noise_sd=sd, rounding=step).white
        even = whiteness(worst, rounding=step).white
        return c, band, sd, jerk * (sd / self.sd) ** 2, evidence, left, white, not (white or even)

    def _begin(self, jerk: float) -> None:
        """Look at curves from one with this density of jerk, from which others differ little: no digits are lost."""
        ratio = self.sd**2 / jerk
        root = self.gram + ratio * self.spline.roughness
        if math.isnan(kernels.factor(root)):
            raise CannotProcess(
                f"{self.y.size} readings say too little of a curve with {self.spline.count} coefficients; allowed: "
                "readings over most of the time"
            )
        for _ in range(2):
            step = self._gathered(self.r0) - ratio * self.spline.roughness_of(self.c0)[1]
            kernels.solve(root, step)
            self.c0 = self.c0 + step
            self.r0 = self.y - self.functions.of(self.c0[:, None])[:, 0]
        self.right, self.rough0 = self._gathered(self.r0), self.spline.roughness_of(self.c0)[1]

    def _gathered(self, r: Array) -> Array:
        return self.functions.gathered(r, self.spline.count)

    def evidence(self, jerk: float) -> tuple[float, Array, float]:
        """Logarithm of how likely the readings are, coefficients and noise, at a density of jerk.

        With noise unknown its variance is the most likely one, and the density is relative to a first guess of it.
        """
        ratio, spline, c = self.sd**2 / jerk, self.spline, np.empty(self.spline.count)
        energy, determinant = kernels.least_energy(
            self.functions.first,
            self.functions.values,
            self.gram,
            spline.roughness,
            ratio,
            self.right - ratio * self.rough0,
            self.r0,
            self.c0,
            spline.jerks,
            spline.spacing_s**-5,
            c,
        )
        if math.isnan(determinant):
            return -_UNLIKELY, self.c0, self.sd
        n = self.y.size
        variance = self.sd**2 if self.known else max(energy / (n - 3), self.floor**2)
        log = self.rank * math.log(ratio) + spline.log_determinant - determinant
        log -= energy / variance + (n - 3) * math.log(variance)
        return 0.5 * log, c, math.sqrt(variance)
