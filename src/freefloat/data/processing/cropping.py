"""Crop to motion: a recording starts before the robot moves and ends after it has stopped."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.data.processing.spectrum import columns_of, noise_level
from freefloat.data.recording import Recording
from freefloat.errors import ShapeError

_SIGMAS = 8.0  # from where the joints were: a departure no noise makes
_AT_REST = 25  # samples at either end whose median is where the joints were


def moving_span(
    t: ArrayLike, positions: ArrayLike, margin_s: float = 1.0, noise_sd: ArrayLike | None = None
) -> tuple[float, float]:
    """From when to when something moves [s]: between leaving where it was and reaching where it stays.

    t: shape (n,) [s]. positions: shape (n, k). margin_s: kept before and after, for motion begins gently.
    noise_sd: of a sample, shape (k,); read from the spectrum unless given.
    """
    times, x = np.asarray(t, float), columns_of(positions)
    if times.size != x.shape[0]:
        raise ShapeError(f"positions must have shape ({times.size}, k), found {x.shape}")
    noise = noise_level(x) if noise_sd is None else np.asarray(noise_sd, float)
    tolerance = _SIGMAS * noise + 1e-9 * np.abs(x).max(axis=0)
    before, after = (np.median(part, axis=0) for part in (x[:_AT_REST], x[-_AT_REST:]))
    left = np.flatnonzero((np.abs(x - before) > tolerance).any(axis=1))
    unsettled = np.flatnonzero((np.abs(x - after) > tolerance).any(axis=1))
    if not left.size or not unsettled.size:
        return float(times[0]), float(times[-1])
    start, end = times[left[0]] - margin_s, times[unsettled[-1]] + margin_s
    return max(float(times[0]), float(start)), min(float(times[-1]), float(end))


def crop(recording: Recording, start_s: float, end_s: float) -> Recording:
    """The samples of all channels from start to end [s]; channels without any are left out."""
    kept = []
    for channel in recording:
        rows = np.flatnonzero((channel.t >= start_s) & (channel.t <= end_s))
        if rows.size:
            kept.append(channel.at_rows(rows))
    note = f"cropped to {start_s:.6g} ... {end_s:.6g} s"
    return Recording(
        {channel.name: channel for channel in kept}, recording.origin, recording.start_ns, (*recording.notes, note)
    )
