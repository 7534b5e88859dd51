"""A smooth path through points with given rates that keeps all limits everywhere.

After M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
International Journal of Robotics Research, 1992, section 5: quintics from point to point, as short as the limits allow,
from rest to rest. One quintic cannot always do it: two points with the same rate but little way between them make it
swing out, beyond a position limit. Then the robot stops on the way, twice:

    stop after a:  q_a + dq_a u / 2,      start before b:  q_b - dq_b u / 2,      u = 3/2 max_j |dq_j| / (highest ddq_j)

The rate then falls or rises as 3 s^2 - 2 s^3, without turning, and the acceleration just meets its limit. So every
point farther than `stopping_distance` from the position limits can be left and reached within them.
"""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.motion.limits import Limits
from freefloat.motion.quintic_points import QuinticPoints
from freefloat.motion.shortest_intervals import shortest_intervals
from freefloat.motion.trajectory import InvalidTrajectory

_STEEPEST = 1.5 * (1.0 + 1e-6)  # largest slope of 3 s^2 - 2 s^3, and room for rounding


def stopping_distance(limits: Limits) -> Array:
    """How far from its position limits a channel must stay to be stopped from any rate, (channels,) [rad or m].

    Zero where no channel has an acceleration limit.
    """
    return 0.5 * _STEEPEST * limits.rate * float((limits.rate / limits.acceleration).max())


def joined_points(limits: Limits, positions: Array, rates: Array, ends: Array | None = None) -> QuinticPoints:
    """From rest through all points, in their order, to rest.

    positions, rates: shape (points, channels) [rad or m, per s].
    ends: position of rest before and after, shape (channels,); where the first point is approached from, and the
        last one left to, unless given.
    """
    if not np.isfinite(limits.acceleration).all():
        raise InvalidTrajectory("a channel has no acceleration limit; a smooth path through points needs one")
    still = np.zeros_like(positions[:1])
    parts = [_run_up(limits, positions[0], rates[0]), (positions[:1], rates[:1])]
    for index in range(len(positions) - 1):
        pair = slice(index, index + 2)
        parts += _stops(limits, positions[pair], rates[pair])
        parts.append((positions[index + 1 : index + 2], rates[index + 1 : index + 2]))
    parts.append(_way_out(limits, positions[-1], rates[-1]))
    if ends is not None:
        parts = [(ends[None], still), *parts, (ends[None], still)]
    q, dq = (np.vstack([part[which] for part in parts]) for which in (0, 1))
    new = np.concatenate([[True], (np.diff(q, axis=0) != 0.0).any(axis=1) | (np.diff(dq, axis=0) != 0.0).any(axis=1)])
    q, dq = q[new], dq[new]  # what stops where it is needs no time
    lengths = shortest_intervals(q, dq, np.zeros_like(q), limits)
    return QuinticPoints.from_points(limits.channels, np.concatenate([[0.0], np.cumsum(lengths)]), q, dq)


def _stops(limits: Limits, positions: Array, rates: Array) -> list[tuple[Array, Array]]:
    """Where to rest between two points: nowhere, if one quintic joins them within the limits."""
    try:
        shortest_intervals(positions, rates, np.zeros_like(positions), limits)
    except InvalidTrajectory:
        return [_way_out(limits, positions[0], rates[0]), _run_up(limits, positions[1], rates[1])]
    return []


def _way_out(limits: Limits, position: Array, rate: Array) -> tuple[Array, Array]:
    """The point of rest after a point, and its rates, each of shape (1, channels)."""
    return (position + 0.5 * _stopping_time(limits, rate) * rate)[None], np.zeros((1, rate.size))


def _run_up(limits: Limits, position: Array, rate: Array) -> tuple[Array, Array]:
    """The point of rest before a point, and its rates, each of shape (1, channels)."""
    return (position - 0.5 * _stopping_time(limits, rate) * rate)[None], np.zeros((1, rate.size))


def _stopping_time(limits: Limits, rate: Array) -> float:
    return _STEEPEST * float((np.abs(rate) / limits.acceleration).max())
