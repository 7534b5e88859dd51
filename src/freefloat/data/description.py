"""A recording at a glance: channels, rates, gaps, noise, spectra, and what looks wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.data.recording import Recording
from freefloat.sensors.channel import Channel

_STUCK = 50  # equal values in a row that a noisy sensor does not give
_JUMP = 20.0  # of the usual step: more is suspicious


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """One column of a channel.

    noise: standard deviation of what changes from sample to sample, whatever moves slowly taken out.
    main_frequency_Hz: where the spectrum is largest, the mean left out; None for too few or uneven samples.
    """

    name: str
    lowest: float
    highest: float
    mean: float
    noise: float
    main_frequency_Hz: float | None


@dataclass(frozen=True, slots=True)
class ChannelDescription:
    """One channel: its time base and its columns.

    gaps: number of intervals more than half as long again as usual; longest_gap_s: the longest interval.
    suspicious: sentences.
    """

    name: str
    samples: int
    start_s: float
    end_s: float
    rate_Hz: float
    gaps: int
    longest_gap_s: float
    columns: tuple[ColumnDescription, ...]
    suspicious: tuple[str, ...]


def describe(recording: Recording) -> tuple[ChannelDescription, ...]:
    """What there is to say about each channel."""
    return tuple(_describe(channel) for channel in recording)


def recording_summary(recording: Recording) -> dict[str, Any]:
    """The description and the origin as a document any program can read."""
    origin = recording.origin
    return {
        "origin": {
            "kind": origin.kind,
            "file": origin.file,
            "mission": origin.mission,
            "seed": origin.seed,
            "run": origin.run,
            "made_by": origin.made_by,
            "hashes": dict(origin.hashes),
        },
        "channels": [asdict(description) for description in describe(recording)],
    }


def _describe(channel: Channel) -> ChannelDescription:
    t, values = channel.t, channel.values.reshape(len(channel), -1)
    steps = np.diff(t)
    usual = float(np.median(steps)) if steps.size else 0.0
    names = channel.columns
    columns = tuple(_column(name, t, column) for name, column in zip(names, values.T, strict=True))
    return ChannelDescription(
        name=channel.name,
        samples=len(channel),
        start_s=float(t[0]),
        end_s=float(t[-1]),
        rate_Hz=1.0 / usual if usual > 0.0 else 0.0,
        gaps=int((steps > 1.5 * usual).sum()),
        longest_gap_s=float(steps.max(initial=0.0)),
        columns=columns,
        suspicious=tuple(_suspicions(channel, names, values)),
    )


def _column(name: str, t: Array, values: Array) -> ColumnDescription:
    return ColumnDescription(
        name,
        float(values.min()),
        float(values.max()),
        float(values.mean()),
        _noise(values),
        _main_frequency(t, values),
    )


def _noise(values: Array) -> float:
    """From third differences, which leave nothing of a slow motion; white noise grows by the root of 20."""
    if values.size < 8:
        return 0.0
    return float(1.4826 * np.median(np.abs(np.diff(values, 3))) / np.sqrt(20.0))


def _main_frequency(t: Array, values: Array) -> float | None:
    steps = np.diff(t)
    if values.size < 16 or np.ptp(steps) > 0.01 * steps.mean() or not np.ptp(values):
        return None
    spectrum = np.abs(np.fft.rfft((values - values.mean()) * np.hanning(values.size)))
    frequency = np.fft.rfftfreq(values.size, float(steps.mean()))
    return float(frequency[1 + int(np.argmax(spectrum[1:]))])


def _suspicions(channel: Channel, names: tuple[str, ...], values: Array) -> list[str]:
    found = []
    for name, column in zip(names, values.T, strict=True):
        if column.size > 1 and not np.ptp(column):
            found.append(f"{name} never changes: it is {column[0]:g} throughout")
        elif (run := _longest_run(column)) > _STUCK:
            found.append(f"{name} repeats one value {run} times in a row: the sensor may be stuck or saturated")
        elif jumps := _jumps(column):
            found.append(f"{name} jumps {jumps} times by more than {_JUMP:g} usual steps")
        if name.endswith("_rad") and np.abs(column).max() > 20.0:
            found.append(f"{name} reaches {np.abs(column).max():.3g} rad: are these degrees?")
    if channel.quantity == "attitude" and values.shape[1] == 4:
        off = np.abs(np.linalg.norm(values, axis=1) - 1.0).max()
        if off > 1e-3:
            found.append(f"{channel.name} is off the unit quaternions by up to {off:.2g}")
    return found


def _longest_run(column: Array) -> int:
    changes = np.flatnonzero(np.diff(column) != 0.0)
    edges = np.concatenate([[-1], changes, [column.size - 1]])
    return int(np.diff(edges).max())


def _jumps(column: Array) -> int:
    steps = np.abs(np.diff(column))
    usual = np.percentile(steps, 99) if steps.size > 100 else 0.0
    return int((steps > _JUMP * usual).sum()) if usual > 0.0 else 0
