"""Flights of servicers whose panels swing, handed to the package with a file that has them fixed: what it finds."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from strangers import motion
from strangers.flights import Flight, Flyer, flown
from strangers.hidden_panels import Hidden, Line, hidden, lines_of
from strangers.readings import REGULAR, recorded
from strangers.robots import DEGREE
from strangers.trying import read_mission, recording_of

import freefloat as ff
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood

DURATION_S = 40.0
PANELS = (1, 2, 1, 2, 0)  # of seeds 0 to 4, and so on
LEAST = 60.0  # 2 dlnL of a line that has to be found
NEAR, AXIS_DEG = 0.03, 10.0
_POSTURES = 9  # of a flight, over which a line is the mean


@dataclass(frozen=True)
class Found:
    """An oscillator that the package claims."""

    frequency_Hz: float
    damping_ratio: float
    axis: np.ndarray


@dataclass(frozen=True)
class TriedPanels:
    """What one flight shows.

    lines: that there are, slowest first; worth: what each has to tell, 2 dlnL. found: what the package claims, slowest
    first. outcome: of the estimate. ratio: of what a rigid fit leaves over the noise. seconds: that `identify` took.
    """

    seed: int
    lines: tuple[Line, ...]
    worth: tuple[float, ...]
    found: tuple[Found, ...]
    said: tuple[str, ...]
    outcome: str
    ratio: float
    seconds: float

    @property
    def due(self) -> tuple[Line, ...]:
        """Lines that have to be found."""
        return tuple(line for line, worth in zip(self.lines, self.worth, strict=True) if worth >= LEAST)

    @property
    def counted(self) -> bool:
        """Whether there are as many as have to be found."""
        return len(self.found) == len(self.due)

    @property
    def off(self) -> tuple[tuple[float, float], ...]:
        """By how much frequencies are off, over themselves, and axes [degrees], where numbers are right."""
        pairs = zip(self.found, self.due, strict=True) if self.counted else ()
        return tuple((each.frequency_Hz / line.frequency_Hz - 1.0, angle(each.axis, line.axis)) for each, line in pairs)

    @property
    def right(self) -> bool:
        """Whether number, frequencies and axes are as they have to be."""
        return self.counted and all(abs(near) <= NEAR and axis <= AXIS_DEG for near, axis in self.off)

    @property
    def claimed(self) -> bool:
        """Whether anything is said to swing, or an oscillation to be there."""
        return bool(self.found) or any("oscillation" in sentence or "swings" in sentence for sentence in self.said)


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Between two axes [degrees]."""
    return float(np.arccos(min(1.0, abs(float(np.dot(a, b))))) / DEGREE)


def flown_hidden(seed: int) -> tuple[Hidden, motion.Motion, Flight, np.random.Generator]:
    """The servicer of a seed, how it moves, its flight, and what goes on drawing."""
    rng = np.random.Generator(np.random.PCG64([seed, 77]))
    there = hidden(PANELS[seed % len(PANELS)], DURATION_S, rng)
    moves = motion.drawn(there.robot, rng)
    return there, moves, flown(there.robot, there.true, moves, rng, duration_s=DURATION_S, world=there.world), rng


def mean_lines(there: Hidden, moves: motion.Motion) -> tuple[Line, ...]:
    """The lines on the mean over a flight's postures."""
    flyer = Flyer(there.robot, there.true, there.world)
    each = [lines_of(flyer, q) for q in moves.at(np.linspace(0.0, DURATION_S, _POSTURES))[0]]
    found = []
    for same in zip(*each, strict=True):
        axes = np.array([line.axis for line in same])
        axis = (axes * np.sign(axes @ axes[0])[:, None]).mean(axis=0)
        frequency, damping = (
            float(np.mean([getattr(line, name) for line in same])) for name in ("frequency_Hz", "damping_ratio")
        )
        found.append(Line(frequency, damping, axis / np.linalg.norm(axis)))
    return tuple(found)


def worth_of(there: Hidden, moves: motion.Motion, flight: Flight, lines: tuple[Line, ...]) -> tuple[float, ...]:
    """Squares of what each line adds to the gyro's readings near its frequency, over their noise.

    A flight with everything locked is taken off; it starts with another attitude, which rates do not show.
    """
    if not lines:
        return ()
    still = flown(there.robot, there.true, moves, np.random.default_rng(0), duration_s=DURATION_S)
    gyro = there.robot.gyro
    t = np.arange(0.0, DURATION_S, 1.0 / gyro.rate_Hz)
    noise = gyro.walk * DEGREE / 60.0 * np.sqrt(gyro.rate_Hz)
    power = (np.abs(np.fft.rfft((flight.rate_at(t) - still.rate_at(t)) / noise, axis=0)) ** 2).sum(axis=1) / t.size
    frequencies = np.fft.rfftfreq(t.size, 1.0 / gyro.rate_Hz)
    near = (np.abs(frequencies - line.frequency_Hz) < 1.0 / DURATION_S for line in lines)
    return tuple(2.0 * float(power[each].sum()) for each in near)


def tried(seed: int) -> TriedPanels:
    """Fly the servicer of a seed, and have what swings looked for."""
    there, moves, flight, rng = flown_hidden(seed)
    lines = mean_lines(there, moves)
    worth = worth_of(there, moves, flight, lines)
    recording = recording_of(recorded(there.robot, there.true, flight, REGULAR, rng))
    mission, begin = read_mission(*there.documents), time.perf_counter()
    estimate = ff.identify(mission, recording, MaximumLikelihood(seeks_swings=True))
    took = time.perf_counter() - begin
    swings = sorted((swing for cause in estimate.causes for swing in cause.swings), key=lambda each: each.frequency_Hz)
    found = tuple(Found(each.frequency_Hz, each.damping_ratio, np.array(each.axis)) for each in swings)
    said = tuple(cause.what for cause in estimate.causes)
    return TriedPanels(seed, lines, worth, found, said, estimate.outcome, estimate.residual.ratio, took)
