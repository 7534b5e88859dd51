"""Oscillators that nobody declared, in what the fit of a rigid robot leaves.

Each of many frequencies and a few damping ratios is tried as columns (`swing_columns.py`), the one that saves most
comes first, its frequency, damping and axis are refined, and the rest is searched again (matching pursuit). Then each
is searched anew beside all others, for the first to be found may have stood for two.

An oscillator is one only if it is driven by the motion, with the sign that the law has: a line that nothing drives may
come from anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from freefloat.arrays import Array
from freefloat.dynamics.reaction import NotPossible
from freefloat.estimate.causes.alternatives import Alternative
from freefloat.estimate.causes.claims import is_beyond_chance
from freefloat.estimate.causes.score import FittedRows
from freefloat.estimate.causes.spectral_lines import ChannelRows
from freefloat.estimate.causes.swings import swinging
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.noise_levels import spectral_level
from freefloat.estimate.likelihood.swing_columns import SwingColumns
from freefloat.estimate.oscillator import Oscillator
from freefloat.sensors.gyro import RateReading

_DAMPINGS = (0.005, 0.03)  # tried at every frequency
_FEWEST_CYCLES = 4.0  # over a flight: fewer are a drift
_PER_CYCLE = 3.0  # frequencies tried while a swing gains or loses a cycle over the flight
_TOP_HZ, _ABOVE_LINE = 2.0, 2.0  # how fast swings are looked for, and over the frequency of the strongest line
_APART = 2.0  # cycles over the flight by which two differ
_LEAST_DAMPING, _MOST_DAMPING = 1e-3, 0.3  # what is damped more is no oscillation
_MOST = 4  # oscillators
_ROUNDS, _PAYS = 6, 0.9  # of other unknowns as they are beside swings; of what was unexplained before
_HALVED = 8  # times, at most: steps to there
_LEAST_CARRIED, _MOST_CARRIED = 0.005, 0.5  # of the robot's inertia about its axis: less is what another model lacks
_CANDIDATES, _STEPS = 3, 250  # that are tried; steps of a search for frequency, damping and axis
CHANCE = 1e-4  # probability that some oscillator of all that are tried saves as much
_DRIVES, _DRIVEN = 4, 50.0  # columns of an oscillator that is driven; what they must save
_WORTH_NAMING, _MOST_OF = 0.04, 0.7  # of all that is left, or of what others leave: less is what is left of these


@dataclass(frozen=True, slots=True)
class Discovered:
    """Oscillators, slowest first.

    saved: by how much less a fit costs with all of them, less what the best of so many saves by chance.
    """

    oscillators: tuple[Oscillator, ...] = ()
    saved: float = 0.0


def with_oscillators(
    tried: list[Alternative],
    fit: FittedRows,
    likelihood: Likelihood,
    point: Array,
    channels: tuple[ChannelRows, ...],
) -> list[Alternative]:
    """Alternatives, lines among them as oscillators where these explain more: looked for where a line is strange.

    channels: of the fit's rows.
    """
    lines = [each for each in tried if each.kind == "oscillation" and is_beyond_chance(each)]
    if not lines:
        return tried
    fastest = max(float(line.score.amount[0]) for line in lines)
    discovered = discover(fit, likelihood, point, channels, fastest)
    if not discovered.oscillators:
        return tried
    saved = max(discovered.saved, *(line.score.gain for line in lines))  # they are these lines, and more
    return [*(each for each in tried if each.kind != "oscillation"), swinging(discovered.oscillators, saved)]


def discover(
    fit: FittedRows, likelihood: Likelihood, point: Array, channels: tuple[ChannelRows, ...], line_Hz: float
) -> Discovered:
    """Oscillators beside a fit; line_Hz: frequency of the fastest line that is strange."""
    gyros = [channel for channel in channels if channel.sensor == RateReading.sensor and channel.width == 3]
    if not gyros:
        return Discovered()
    channel = max(gyros, key=lambda each: float(np.ptp(each.t)))
    step = float(np.median(np.diff(channel.t)))
    top = min(max(_TOP_HZ, _ABOVE_LINE * line_Hz), 0.25 / step)
    # What is left is linear in swings only where all else is as it is beside them, which is nearer to what was assumed
    # of it than to where a fit without them has ended.
    by, known, best = np.where(fit.fitted, -fit.off, 0.0), list[Oscillator](), None
    for _ in range(_ROUNDS):
        fit, point, levels = _moved(fit, likelihood, point, by)
        search = _Search(SwingColumns.of(fit, likelihood, point, channel, levels, top), top)
        known = search.refined(known) if known else search.found()
        now, before = search.unexplained(known), 1.0 if best is None else best[0].unexplained(best[1])
        best = (search, known) if now < before else best
        if now > _PAYS * before:
            break
        by = np.zeros(point.size)
        by[fit.fitted] = search.columns.step_beside(search.all_columns(known))
    if best is None:
        return Discovered()
    search, known = best
    found = search.found(known)
    saved = search.saved(found) - 2.0 * len(found) * float(np.log(len(search.tried)))
    return Discovered(tuple(sorted(found, key=lambda each: each.frequency_Hz)), saved)


def _moved(fit: FittedRows, likelihood: Likelihood, point: Array, by: Array) -> tuple[FittedRows, Array, Array]:
    """A fit's rows where its unknowns have moved, or as far as they may, that point, and the rows' noise, (rows,).

    Errors of curves are not made white.
    """
    for _ in range(_HALVED):
        with suppress(NotPossible):
            parts = likelihood.rows(point + by, white=False)
            r, J = stacked(parts)
            by_column = (np.array([spectral_level(column[:, None]) for column in part.values.T]) for part in parts)
            pairs = zip(by_column, parts, strict=True)
            levels = np.concatenate([np.tile(each, len(part.values)) for each, part in pairs])
            return replace(fit, r=r / levels, J=J / levels[:, None], off=fit.off + by), point + by, levels
        by = 0.5 * by
    raise NotPossible("beside what swings nothing else is possible")


class _Search:
    """Of oscillators in the columns of one gyro, up to some frequency."""

    def __init__(self, columns: SwingColumns, top_Hz: float) -> None:
        self.columns, self.tried = columns, tuple(_tried(columns.duration_s, top_Hz))
        self.sure = 2.0 * float(np.log(len(self.tried) / CHANCE))

    def found(self, known: Sequence[Oscillator] = ()) -> list[Oscillator]:
        """All that there are; known: those that were found already."""
        found = list(known)
        while len(found) < _MOST and (more := self._next(found)) is not None and self._is_one(more, found):
            found.append(more)
        for each in list(found) if len(found) > 1 and not known else []:
            others = [other for other in found if other is not each]
            better = self._next(others)
            found = others if better is None else [*others, better]
        return self.refined(found)

    def refined(self, known: Sequence[Oscillator]) -> list[Oscillator]:
        """The same beside each other, as these columns have them, without those that the law does not have."""
        found = list(known)
        for each in known:
            others = [other for other in found if other is not each]
            better = self._refined(self._beside(others), each.frequency_Hz, each.damping_ratio, np.array(each.axis))
            found = others if better is None else [*others, better]
        return found

    def saved(self, found: Sequence[Oscillator]) -> float:
        """By how much less a fit costs with these."""
        if not found:
            return 0.0
        return self.columns.gain(self.all_columns(found)).saved

    def unexplained(self, found: Sequence[Oscillator]) -> float:
        """Part of what is left that is left beside these too."""
        return 1.0 - self.saved(found) / self._left(())

    def _is_one(self, more: Oscillator, found: Sequence[Oscillator]) -> bool:
        """Whether an oscillator is more than what others leave that swing far or whose turning is not quite known."""
        if any(abs(more.frequency_Hz - other.frequency_Hz) < _APART / self.columns.duration_s for other in found):
            return False
        return more.gain > _WORTH_NAMING * self._left(()) or more.gain > _MOST_OF * self._left(found)

    def _left(self, had: Sequence[Oscillator]) -> float:
        left = self._beside(had).left
        return float(left @ left) * self.columns.every

    def _beside(self, had: Sequence[Oscillator]) -> SwingColumns:
        return self.columns.beside(self.all_columns(had)) if had else self.columns

    def all_columns(self, oscillators: Sequence[Oscillator]) -> Array:
        """Columns of these, side by side, (3 n, 6 each)."""
        return np.hstack(
            [self.columns.about(one.frequency_Hz, one.damping_ratio, np.array(one.axis)) for one in oscillators]
        )

    def _next(self, had: list[Oscillator]) -> Oscillator | None:
        """The oscillator that saves most beside those that there are; None if chance may save as much."""
        columns = self._beside(had)
        apart = _APART / columns.duration_s
        open_ = [(f, z) for f, z in self.tried if all(abs(f - other.frequency_Hz) > apart for other in had)]
        if not open_:
            return None
        gains = [columns.gain(columns.matrix(f, z)) for f, z in open_]
        firsts = [_pushed(each.factors) for each in gains]
        saved = np.array([each.saved for each in gains])
        saved[[self._part(*first) >= _MOST_CARRIED for first in firsts]] = 0.0
        for _ in range(_CANDIDATES):  # what saves most may stand for two, and be none
            best = int(np.argmax(saved))
            if not saved[best] > self.sure:
                break
            frequency, damping = open_[best]
            found = self._refined(columns, frequency, damping, firsts[best][1], lawful=False)  # beside others it may be
            if found is not None:
                return found
            saved[[abs(f - frequency) <= apart for f, _ in open_]] = 0.0
        return None

    def _part(self, strength: float, axis: Array) -> float:
        """Part of the robot's inertia about an axis that an oscillator carries whose C is so large about it."""
        # C is |L|^2 over what the swing feels on a base that gives way, which is less than what it carries
        whole = strength * float(axis @ self.columns.inverse @ axis)
        return whole / (1.0 + whole) if whole > 0.0 else 0.0

    def _refined(
        self, columns: SwingColumns, frequency: float, damping: float, axis: Array, lawful: bool = True
    ) -> Oscillator | None:
        """The oscillator near there that saves most; None if that is little, or, if asked, of one that cannot be."""
        across = np.linalg.svd(axis[None])[2][1:]

        def at(x: Array) -> tuple[float, float, Array]:
            e = axis + x[2:] @ across
            z = float(np.exp(np.clip(x[1], np.log(_LEAST_DAMPING), np.log(_MOST_DAMPING))))
            return float(np.exp(np.clip(x[0], low, high))), z, e / np.linalg.norm(e)

        start = np.array([np.log(frequency), np.log(damping), 0.0, 0.0])
        low, high = start[0] - 0.1, start[0] + 0.1
        simplex = start + np.vstack([np.zeros(4), np.diag([0.01, 0.7, 0.2, 0.2])])
        options = {"initial_simplex": simplex, "maxfev": _STEPS, "xatol": 1e-4, "fatol": 0.05}
        end = minimize(
            lambda x: -columns.gain(columns.about(*at(x))).saved, start, method="Nelder-Mead", options=options
        )
        f, z, e = at(end.x)
        own = columns.about(f, z, e)
        gain, undriven = columns.gain(own), columns.gain(own[:, _DRIVES:])
        driven, strength = gain.saved - undriven.saved, float(gain.factors[0])
        if gain.saved < self.sure or driven < _DRIVEN or z >= _MOST_DAMPING:
            return None
        e = e * np.sign(e[np.argmax(np.abs(e))])
        part = self._part(strength, e)
        if lawful and not _LEAST_CARRIED < part < _MOST_CARRIED:
            return None
        pushed = float(e[0]), float(e[1]), float(e[2])
        held = f * float(np.sqrt(1.0 - part))
        return Oscillator(f, z, held, pushed, strength * (1.0 - part), gain.saved, driven)


def _tried(duration_s: float, top_Hz: float) -> Iterator[tuple[float, float]]:
    """Frequencies and damping ratios, as dense as either tells two apart."""
    for damping in _DAMPINGS:
        frequency = _FEWEST_CYCLES / duration_s
        while frequency < top_Hz:
            yield frequency, damping
            frequency += max(1.0 / (_PER_CYCLE * duration_s), damping * frequency)


def _pushed(factors: Array) -> tuple[float, Array]:
    """How strongly a turning drives an oscillator, and the axis, (3,), that it pushes about, of factors of a matrix."""
    C = np.zeros((3, 3))
    C[np.triu_indices(3)] = factors[:6]
    C = C + C.T - np.diag(np.diagonal(C))
    axis = np.linalg.svd(np.hstack([C, factors[6:15].reshape(3, 3)]))[0][:, 0]
    return float(axis @ C @ axis), axis
