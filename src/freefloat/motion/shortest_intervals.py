"""The shortest interval in which a quintic joins two points within limits.

M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
1992, section 5.2, with what is misprinted there set right: rates are extreme where
3 a3 + 6 a4 u + 10 a5 u^2 = 0, accelerations where the jerk is zero, a3 + 4 a4 u + 10 a5 u^2 = 0; and the
largest acceleration does not always fall as the interval grows (moving by 1 with rates of 1 at both ends needs
none in 1 s, but 1.4 in 2 s). So admissible lengths may form several ranges, and the first must not be stepped
over.

At a given fraction s of the interval, position, rate and acceleration depend on its length u as

    (c0 + c1 u + c2 u^2) / u^order

Where one of them is beyond its limit at some s, it stays so until the next root of a quadratic equation: no
length before that root is admissible. From a short length on, each step goes to the farthest such root. The
steps shrink as those of Newton's method do, and they never pass an admissible length.
"""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.motion.extremes import Extremes, polynomial_extremes
from freefloat.motion.limits import Limits
from freefloat.motion.quintic import quintic_basis, quintic_polynomials
from freefloat.motion.trajectory import InvalidTrajectory

SHORTEST_S = 1e-3  # no interval is shorter, however near the points
_ROUNDING = 1e-10  # of a limit
_CANCELLED = 1e-13  # of the terms that add up to a value
_MOST_STEPS = 200


def shortest_intervals(positions: Array, rates: Array, accelerations: Array, limits: Limits) -> Array:
    """Lengths of the intervals between points, as short as the limits allow, shape (points - 1,) [s].

    positions, rates, accelerations: at the points, shape (points, channels) [rad or m, per s, per s^2].
    """
    if len(positions) < 2 or not positions.shape == rates.shape == accelerations.shape:
        raise ShapeError("positions, rates and accelerations must be given at the same two or more points")
    _refuse_points_beyond(positions, rates, accelerations, limits)
    points = np.stack([positions, rates, accelerations], axis=1)  # (points, 3, channels)
    ends = np.concatenate([points[:-1], points[1:]], axis=1)
    lengths = np.full(len(ends), SHORTEST_S)
    for _ in range(_MOST_STEPS):
        farther = _next_lengths(ends, lengths, limits)
        never = np.argwhere(np.isinf(farther))
        if never.size:
            interval, channel = never[0]
            name = limits.channels[channel]
            pair = f"points {interval} and {interval + 1}"
            raise InvalidTrajectory(f"{pair} cannot be joined within the limits of {name}")
        longest = farther.max(axis=1)
        if (longest <= lengths).all():
            return lengths
        lengths = np.maximum(lengths, longest)
    raise InvalidTrajectory(f"no admissible interval was found in {_MOST_STEPS} steps")


def _refuse_points_beyond(positions: Array, rates: Array, accelerations: Array, limits: Limits) -> None:
    """Whatever a point itself exceeds, no interval can mend."""
    still = np.zeros(positions.shape[1])
    at_points = Extremes(
        positions.min(axis=0),
        positions.max(axis=0),
        np.abs(rates).max(axis=0),
        np.abs(accelerations).max(axis=0),
        *[still] * 4,
    )
    for fault in limits.margins(at_points).faults():
        raise InvalidTrajectory(f"at the points, {fault}")


def _next_lengths(ends: Array, lengths: Array, limits: Limits) -> Array:
    """The length before which no channel's worst fault ends, shape (intervals, channels); 0 without fault."""
    found = polynomial_extremes(quintic_polynomials(ends, lengths), lengths)
    scale = lengths[:, None]
    checks = [
        (0, found.lowest_at / scale, limits.lowest, -1.0),
        (0, found.highest_at / scale, limits.highest, 1.0),
        *((1, found.rate_at / scale, sign * limits.rate, sign) for sign in (-1.0, 1.0)),
        *((2, found.acceleration_at / scale, sign * limits.acceleration, sign) for sign in (-1.0, 1.0)),
    ]
    cuts = [_cut(ends, lengths, order, s, limit, sign) for order, s, limit, sign in checks]
    return np.max(cuts, axis=0)


def _cut(ends: Array, lengths: Array, order: int, s: Array, limit: Array, sign: float) -> Array:
    """Where the value at s comes back to its limit, (intervals, channels); 0 where it is not beyond."""
    intervals, _, channels = ends.shape
    basis = quintic_basis(s.ravel(), order, 1.0).reshape(intervals, channels, 6)
    parts = basis * ends.transpose(0, 2, 1)
    c = parts[..., :3] + parts[..., 3:]  # of 1, u, u^2
    u = np.broadcast_to(lengths[:, None], (intervals, channels))
    terms = c * np.stack([u ** (power - order) for power in range(3)], axis=-1)
    bounded = np.isfinite(limit)
    finite = np.where(bounded, limit, 0.0)
    slack = _ROUNDING * np.abs(finite) + _CANCELLED * np.abs(terms).sum(axis=-1)
    beyond = bounded & (sign * (terms.sum(axis=-1) - finite) > slack)
    c[..., order] -= finite
    return np.where(beyond, _next_root(c[..., 0], c[..., 1], c[..., 2], u), 0.0)


def _next_root(c0: Array, c1: Array, c2: Array, u: Array) -> Array:
    """The least root of c0 + c1 x + c2 x^2 that is greater than u; infinite where there is none."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Written so that neither root loses digits, nor c2 = 0 its only one.
        half = -0.5 * (c1 + np.copysign(np.sqrt(c1 * c1 - 4.0 * c0 * c2), c1))
        roots = np.stack([half / c2, c0 / half])
        return np.where(roots > u, roots, np.inf).min(axis=0)
