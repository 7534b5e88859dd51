"""Oscillators that nobody declared, in what the fit of a rigid robot leaves.

Each of many frequencies and a few damping ratios is tried as columns (`swing_columns.py`), the one that saves most
comes first, its frequency, damping and axis are refined, and the rest is searched again (matching pursuit). Then each
is searched anew beside all others, for the first to be found may have stood for two.

An oscillator is one only if it is driven by the motion, with the sign that the law has: a line that nothing drives may
come from anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from freefloat.arrays import Array
from freefloat.estimate.causes.alternatives import Alternative
from freefloat.estimate.causes.claims import is_beyond_chance
from freefloat.estimate.causes.score import FittedRows
from freefloat.estimate.causes.spectral_lines import ChannelRows
from freefloat.estimate.causes.swings import swinging
from freefloat.estimate.likelihood.likelihood import Likelihood
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
_LEAST_CARRIED, _MOST_CARRIED = 0.005, 0.5  # of the robot's inertia about its axis: less is what another model lacks
_STEPS = 250  # of a search for frequency, damping and axis
CHANCE = 1e-4  # probability that some oscillator of all that are tried saves as much
_DRIVEN = 50.0  # what being driven must save
_WORTH_NAMING = 0.04  # of what all save: less is what they leave of each other


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
    levels: Array,
) -> list[Alternative]:
    """Alternatives, lines among them as oscillators where these explain more: looked for where a line is strange.

    channels, levels: of the fit's rows, as `Everything` has them.
    """
    lines = [each for each in tried if each.kind == "oscillation" and is_beyond_chance(each)]
    if not lines:
        return tried
    fastest = max(float(line.score.amount[0]) for line in lines)
    discovered = discover(fit, likelihood, point, channels, levels, fastest)
    if not discovered.oscillators or discovered.saved < max(line.score.gain for line in lines):
        return tried
    return [*(each for each in tried if each.kind != "oscillation"), swinging(discovered.oscillators, discovered.saved)]


def discover(
    fit: FittedRows,
    likelihood: Likelihood,
    point: Array,
    channels: tuple[ChannelRows, ...],
    levels: Array,
    line_Hz: float,
) -> Discovered:
    """Oscillators beside a fit; line_Hz: frequency of the fastest line that is strange."""
    gyros = [channel for channel in channels if channel.sensor == RateReading.sensor and channel.width == 3]
    if not gyros:
        return Discovered()
    channel = max(gyros, key=lambda each: float(np.ptp(each.t)))
    step = float(np.median(np.diff(channel.t)))
    top = min(max(_TOP_HZ, _ABOVE_LINE * line_Hz), 0.25 / step)
    search = _Search(SwingColumns.of(fit, likelihood, point, channel, levels, top), top)
    found = search.found()
    if not found:
        return Discovered()
    saved = search.columns.gain(search.all_columns(found)).saved - 2.0 * len(found) * float(np.log(len(search.tried)))
    return Discovered(tuple(sorted(found, key=lambda each: each.frequency_Hz)), saved)


class _Search:
    """Of oscillators in the columns of one gyro, up to some frequency."""

    def __init__(self, columns: SwingColumns, top_Hz: float) -> None:
        self.columns, self.tried = columns, tuple(_tried(columns.duration_s, top_Hz))
        self.sure = 2.0 * float(np.log(len(self.tried) / CHANCE))

    def found(self) -> list[Oscillator]:
        """All that there are."""
        found = list[Oscillator]()
        while len(found) < _MOST and (more := self._next(found)) is not None:
            found.append(more)
        for each in list(found) if len(found) > 1 else []:
            others = [other for other in found if other is not each]
            better = self._next(others)
            found = others if better is None else [*others, better]
        return list(self._worth_naming(found))

    def all_columns(self, oscillators: list[Oscillator]) -> Array:
        """Columns of these, side by side, (3 n, 3 each)."""
        return np.hstack(
            [self.columns.about(one.frequency_Hz, one.damping_ratio, np.array(one.axis)) for one in oscillators]
        )

    def _worth_naming(self, found: list[Oscillator]) -> Iterator[Oscillator]:
        if found:
            whole = self.columns.gain(self.all_columns(found)).saved
            yield from (each for each in found if each.gain > _WORTH_NAMING * whole)

    def _next(self, had: list[Oscillator]) -> Oscillator | None:
        """The oscillator that saves most beside those that there are; None if chance may save as much."""
        columns = self.columns.beside(self.all_columns(had)) if had else self.columns
        apart = _APART / columns.duration_s
        open_ = [(f, z) for f, z in self.tried if all(abs(f - other.frequency_Hz) > apart for other in had)]
        if not open_:
            return None
        gains = [columns.gain(columns.matrix(f, z)) for f, z in open_]
        firsts = [_largest(each.factors[:6]) for each in gains]
        saved = [
            each.saved if self._part(strength, e) < _MOST_CARRIED else 0.0
            for each, (strength, e) in zip(gains, firsts, strict=True)
        ]
        best = int(np.argmax(saved))
        return self._refined(columns, *open_[best], firsts[best][1]) if saved[best] > self.sure else None

    def _part(self, strength: float, axis: Array) -> float:
        """Part of the robot's inertia about an axis that an oscillator carries whose C is so large about it."""
        # C is |L|^2 over what the swing feels on a base that gives way, which is less than what it carries
        whole = strength * float(axis @ self.columns.inverse @ axis)
        return whole / (1.0 + whole) if whole > 0.0 else 0.0

    def _refined(self, columns: SwingColumns, frequency: float, damping: float, axis: Array) -> Oscillator | None:
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
        gain, undriven = columns.gain(own), columns.gain(own[:, 1:])
        driven, strength = gain.saved - undriven.saved, float(gain.factors[0])
        if gain.saved < self.sure or driven < _DRIVEN or strength <= 0.0 or z >= _MOST_DAMPING:
            return None
        e = e * np.sign(e[np.argmax(np.abs(e))])
        part = self._part(strength, e)
        if not _LEAST_CARRIED < part < _MOST_CARRIED:
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


def _largest(entries: Array) -> tuple[float, Array]:
    """Largest eigenvalue and its axis, (3,), of a symmetric matrix given by its upper entries, (6,)."""
    C = np.zeros((3, 3))
    C[np.triu_indices(3)] = entries
    values, vectors = np.linalg.eigh(C + C.T - np.diag(np.diagonal(C)))
    return float(values[-1]), vectors[:, -1]
