"""Oscillations in what fits leave over: the lines of all columns, put together by frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from freefloat.validation.columns import ColumnCheck
from freefloat.validation.prediction import PredictedReading

_SAME = 1.5  # over the duration: frequencies nearer than this are one


@dataclass(frozen=True, slots=True)
class Line:
    """An oscillation. amplitude: of the strongest component, in the channel's unit."""

    flight: str
    channel: str
    component: str
    frequency_Hz: float
    amplitude: float
    unit: str


def lines_of(columns: Sequence[tuple[int, int, ColumnCheck]], readings: Sequence[PredictedReading]) -> tuple[Line, ...]:
    """The lines of all columns, each frequency of a channel once, the strongest first."""
    found, kept = list[tuple[float, Line]](), list[Line]()
    for place, component, check in columns:
        reading = readings[place]
        for seen in check.lines:
            size, name = seen.amplitude * float(reading.noise[component]), reading.components[component]
            frequency = seen.frequency * rate_of(reading)
            made = Line(reading.flight, reading.channel, name, frequency, size, reading.unit)
            found.append((seen.amplitude, made))
    longest = {reading.flight: float(reading.t[-1] - reading.t[0]) for reading in readings}
    for _, line in sorted(found, key=lambda each: -each[0]):
        near = _SAME / longest[line.flight]
        if not any(_same(line, other, near) for other in kept):
            kept.append(line)
    return tuple(kept)


def _same(one: Line, other: Line, near_Hz: float) -> bool:
    alike = (one.flight, one.channel) == (other.flight, other.channel)
    return alike and abs(one.frequency_Hz - other.frequency_Hz) < near_Hz


def rate_of(reading: PredictedReading) -> float:
    """Readings a second [Hz]."""
    return float((reading.t.size - 1) / (reading.t[-1] - reading.t[0]))
