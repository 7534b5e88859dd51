"""When a thrown body flies: neither the hand that throws nor the one that catches is felt.

In free flight an accelerometer at r from the centre of mass feels

    dw x r + w x (w x r)

and a bias, whatever the motion. One r and one bias are fitted to means over short blocks of time, from the middle of
the recording outwards; a block belongs to the flight if it leaves no more than six times what such blocks usually
leave, or than half of what readings scatter by within it, as they do while a motor shakes. The flight is the longest
run of these blocks; where it ends before the recording does, one block more is cut as a margin.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.data.processing.resampling import resample, spline_through
from freefloat.data.recording import Recording
from freefloat.robot.rotations import cross_matrices
from freefloat.sensors.channel import Channel

_BLOCKS, _FEWEST = 100, 5  # in a recording; readings in one, at least
_ROUNDS = 6
_FAR = 6.0  # times the median of what blocks of the flight leave
_SHAKEN = 0.5  # of the scatter within a block: what its mean may be off by


def free_flight_span(recording: Recording) -> tuple[float, float] | None:
    """From when to when the body was in free flight [s]; None if gyro or accelerometer do not tell."""
    gyro, felt = (next(iter(recording.of_quantity(name)), None) for name in ("gyro", "accelerometer"))
    if gyro is None or felt is None:
        return None
    inside = felt.at_rows((felt.t >= gyro.t[0]) & (felt.t <= gyro.t[-1]))
    count = min(_BLOCKS, len(inside) // _FEWEST)
    if count < _BLOCKS // 4:
        return None
    rows = np.array_split(np.arange(len(inside)), count)
    shaken = np.array([np.linalg.norm(inside.of(AXES)[own].std(axis=0)) for own in rows])
    flies = _flying(*_blocks(gyro, inside, rows), _SHAKEN * shaken)
    first, last = _longest_run(flies)
    start = float(inside.t[0]) if first == 0 else float(inside.t[rows[first + 1][0]])
    end = float(inside.t[-1]) if last == count - 1 else float(inside.t[rows[last - 1][-1]])
    return (start, end) if end > start else None


def _blocks(gyro: Channel, felt: Channel, rows: list[NDArray[np.int64]]) -> tuple[Array, Array]:
    """Specific force of each block, (b, 3), and how it depends on r and the bias, (b, 3, 6)."""
    w = resample(gyro.t, gyro.of(AXES), felt.t)
    t = np.array([felt.t[own].mean() for own in rows])
    force, rate = (np.array([values[own].mean(axis=0) for own in rows]) for values in (felt.of(AXES), w))
    turning = cross_matrices(w)
    squared = np.array([(turning[own] @ turning[own]).mean(axis=0) for own in rows])
    change = spline_through(t, rate)(t, 1)
    return force, np.concatenate([squared + cross_matrices(change), np.tile(np.eye(3), (t.size, 1, 1))], axis=2)


def _flying(force: Array, by_place: Array, allowed: Array) -> NDArray[np.bool_]:
    """Which blocks one place and one bias explain, shape (b,); allowed: what each may leave in any case."""
    count = len(force)
    own = np.zeros(count, dtype=bool)
    own[count // 4 : -(count // 4)] = True
    for _ in range(_ROUNDS):
        x = np.linalg.lstsq(by_place[own].reshape(-1, 6), force[own].reshape(-1), rcond=None)[0]
        left = np.linalg.norm(force - by_place @ x, axis=1)
        own = left < np.maximum(_FAR * np.median(left[own]), allowed)
    return own


def _longest_run(flies: NDArray[np.bool_]) -> tuple[int, int]:
    """First and last block of the longest run; a single block that does not fit does not end it."""
    odd = ~flies
    ends = odd & (np.concatenate([odd[1:], [True]]) | np.concatenate([[True], odd[:-1]]))
    padded = np.concatenate([[True], ends, [True]])
    edges = np.flatnonzero(padded)
    longest = int(np.argmax(np.diff(edges)))
    return int(edges[longest]), int(edges[longest + 1]) - 2
