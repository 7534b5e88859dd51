"""Noise as the residuals have it: sensors that are noisier than declared are weighed by what they leave.

The level of a component is |r|^2 over its degrees of freedom, its rows less those that the fit used up. It is believed
where chance hardly makes it so large; a sensor that is better than declared keeps what was declared. Where a model may
be wrong, the level is that of the median of the spectrum: what a motion leaves is slow, and moves few frequencies.

What models of drives leave of torques is slow itself. Weighed by its mean square it would count as so many independent
readings; it is weighed by its density at the frequencies that the joints' curves follow, beyond which no torque tells
anything (P. Whittle's approximation of the likelihood, Arkiv for Matematik 2, 1953, with a density that is constant
there). Where nobody said what the noise is, that is the noise, be it large or small.

Readings that are louder than most, as torques are near standstill, count for as little in a level as in the fit: how
much louder they are is a bound on what friction may do there, no measure of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimate_parts import ChannelResidual
from freefloat.estimate.likelihood.likelihood import Likelihood, Rows
from freefloat.estimate.problem import Problem

_CLEAR = 5.0  # standard deviations of a level beyond one that chance hardly makes
_MATTERS = 1.03
_FEWEST = 64  # rows whose spectrum is looked at
_CLEARLY = 3.0  # standard deviations by which some frequencies must hold more than all to count instead
_TOO_USED = 0.1  # of a band's numbers: with fewer left, they tell no level
_LEAST = 1e-6  # of a guess: what nobody said the noise of, and leaves nothing

Levels = dict[tuple[int, str], Array]  # by flight and channel, of each component that is read, (k,)


def levels_of(likelihood: Likelihood, rows: tuple[Rows, ...], used: float) -> Levels:
    """Levels that are clearly above one, of noise that was declared.

    used: degrees of freedom that the fit took from all rows together.
    """
    total, found = sum(part.values.size for part in rows), Levels()
    for part in rows:
        if likelihood.flights[part.flight].measured[part.channel].guessed:
            continue
        values, count = part.alike
        free = np.maximum(count * (1.0 - used / total), 1.0)
        level = np.sqrt((values**2).mean(axis=0) * count / free)
        if likelihood.flights[part.flight].readings[part.channel].left_is_slow:
            in_band, numbers = _in_band(likelihood, part, values, used)
            if numbers:
                level, free = np.maximum(level, in_band), np.where(in_band > level, numbers, free)
        clear = level > np.maximum(_MATTERS, 1.0 + _CLEAR / np.sqrt(2.0 * free))
        if clear.any():
            found[part.flight, part.channel] = np.where(clear, level, 1.0)
    return found


def levels_of_guesses(likelihood: Likelihood, rows: tuple[Rows, ...], used: float) -> Levels:
    """Levels of what nobody said the noise of, larger or smaller than one.

    That of all frequencies, unless those of the motion, or the higher half of all, where hardly anything but noise is,
    clearly hold more: the largest of several estimates is more than any by chance.
    """
    total, found = sum(part.values.size for part in rows), Levels()
    for part in rows:
        if likelihood.flights[part.flight].measured[part.channel].guessed:
            values, count = part.alike
            level = np.sqrt((values**2).mean(axis=0) * count / np.maximum(count * (1.0 - used / total), 1.0))
            for other, numbers in (_in_band(likelihood, part, values, used), _of_upper_half(values)):
                clear = level * (1.0 + _CLEARLY / np.sqrt(2.0 * max(numbers, 1.0)))
                level = np.where(other > clear, other, level)
            found[part.flight, part.channel] = np.maximum(level, _LEAST)
    return found


def _of_upper_half(values: Array) -> tuple[Array, float]:
    """Levels at the higher half of all frequencies, (k,), and how many numbers say each."""
    power = np.abs(np.fft.rfft(values, axis=0)) ** 2 / len(values)
    half = power[len(power) // 2 :]
    return np.sqrt(half.mean(axis=0)), 2.0 * len(half)


def _in_band(likelihood: Likelihood, part: Rows, values: Array, used: float) -> tuple[Array, float]:
    """Levels at the frequencies that curves of the joints follow, (k,), and how many numbers say each; zeros if few.

    values: residuals of the channel that count alike, (n, k).
    """
    flight, (n, k) = likelihood.flights[part.flight], values.shape
    if flight.local is None or n < _FEWEST:
        return np.zeros(k), 0.0
    lasts = float(np.ptp(flight.measured[part.channel].t))
    last = min(int(0.5 * lasts / flight.local.spline.spacing_s), n // 2)
    free = 1.0 - used / (2.0 * last * k)
    if free <= _TOO_USED:
        return np.zeros(k), 0.0
    power = np.abs(np.fft.rfft(values, axis=0)[1 : 1 + last]) ** 2 / n
    return np.sqrt(power.mean(axis=0) / free), 2.0 * last * free


def spectral_level(values: Array) -> float:
    """Noise of a channel over what was declared of it, by its residual (n, k); one unless it is clearly more."""
    n, k = values.shape
    if n < _FEWEST:
        return 1.0
    power = np.abs(np.fft.rfft(values, axis=0)[1:]) ** 2 / n
    level = float(np.sqrt(np.median(power) / np.log(2.0)))
    return level if level > max(_MATTERS, 1.0 + _CLEAR / np.sqrt(n * k)) else 1.0


def spectral_levels(rows: tuple[Rows, ...]) -> Levels:
    """Those of all channels that are clearly above one."""
    found = {(part.flight, part.channel): (spectral_level(part.values), part.values.shape[1]) for part in rows}
    return {where: np.full(width, level) for where, (level, width) in found.items() if level > 1.0}


def level_of(part: Rows, levels: Levels) -> Array:
    """Noise by which rows were weighed over what was declared, (k,)."""
    return levels.get((part.flight, part.channel), np.ones(part.values.shape[1]))


def as_stated(left: ChannelResidual, flights: Sequence[str], levels: Levels) -> ChannelResidual:
    """What is left of a channel, beside the noise that was declared of it. flights: names of all."""
    level = levels.get((flights.index(left.flight), left.channel))
    return left if level is None else replace(left, noise=left.noise / level)


def with_levels(likelihood: Likelihood, levels: Levels) -> Problem:
    """The problem with noise larger by these levels."""
    flights = list(likelihood.problem.flights)
    for (index, channel), level in levels.items():
        measured, axes = dict(flights[index].measured), likelihood.flights[index].readings[channel].axes
        factor = np.ones(measured[channel].sd.size)
        factor[axes] = level
        data = measured[channel]
        measured[channel] = replace(data, sd=data.sd * factor, walk=data.walk * factor)
        flights[index] = replace(flights[index], own_instants=measured)
    return replace(likelihood.problem, flights=tuple(flights))
