"""When an inertial sensor is at rest: where the variance of its readings in a moving window is that of rest.

After D. Tedaldi, A. Pretto, E. Menegatti (IEEE ICRA 2014, section III-B): the magnitude of the variances of the
three axes, against a multiple of what it is in a first interval that is known to be static.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.data.processing.resampling import CannotProcess
from freefloat.errors import ShapeError


def static_intervals(
    t: ArrayLike,
    values: ArrayLike,
    initial_s: float,
    window_s: float = 1.0,
    factor: float = 4.0,
    shortest_s: float = 0.5,
) -> Array:
    """Start and end of every interval at rest, shape (k, 2) [s].

    values: readings of three axes, shape (n, 3) at times t, shape (n,) [s].
    initial_s: length of the rest at the beginning. window_s: over which variances are taken.
    factor: times the variance of the initial rest that still counts as rest.
    shortest_s: intervals shorter than this are left out; they are a window shorter than the rest itself.
    """
    times, x = np.asarray(t, float), np.asarray(values, float)
    if x.shape != (times.size, 3):
        raise ShapeError(f"values must have shape ({times.size}, 3), found {x.shape}")
    half = max(1, round(0.5 * window_s / float(np.median(np.diff(times)))))
    first = x[times <= times[0] + initial_s]
    if first.shape[0] < 4 * half or times.size < 4 * half:
        raise CannotProcess(f"the initial rest of {initial_s:g} s is shorter than two windows of {window_s:g} s")
    limit = factor * float(np.linalg.norm(first.var(axis=0)))
    still = _magnitude(x, half) <= limit
    edges = np.flatnonzero(np.diff(np.concatenate([[False], still, [False]]).astype(np.int8)))
    begin, end = edges[::2], edges[1::2] - 1
    # Only the centres of quiet windows count: their last halves may already hold the gentle start of a turn.
    intervals = np.stack([times[begin], times[end]], axis=1)
    return intervals[intervals[:, 1] - intervals[:, 0] >= shortest_s]


def interval_means(t: ArrayLike, values: ArrayLike, intervals: Array) -> Array:
    """Mean of the values, (n, 3) at times t, over each interval, shape (k, 3)."""
    times, x = np.asarray(t, float), np.asarray(values, float)
    first, last = np.searchsorted(times, intervals[:, 0]), np.searchsorted(times, intervals[:, 1], side="right")
    if (first >= last).any():
        raise CannotProcess("a static interval holds no sample")
    return np.array([x[i:j].mean(axis=0) for i, j in zip(first.tolist(), last.tolist(), strict=True)])


def _magnitude(x: Array, half: int) -> Array:
    """Norm of the three variances in a window of 2 half + 1 samples about each, infinite near the ends, (n,)."""
    centred = x - x.mean(axis=0)
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(centred, axis=0)])
    squares = np.concatenate([np.zeros((1, 3)), np.cumsum(centred**2, axis=0)])
    size = 2 * half + 1
    mean, square = (sums[size:] - sums[:-size]) / size, (squares[size:] - squares[:-size]) / size
    inner = np.linalg.norm(np.maximum(square - mean**2, 0.0), axis=1)
    # The first and the last full window stand for the half windows outside them.
    return np.pad(inner, (half, half), mode="edge")
