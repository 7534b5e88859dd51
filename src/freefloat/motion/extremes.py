"""True extremes of curves, also between samples.

Between two neighbouring zeros of its derivative a function is monotone and crosses zero at most once. So the
zeros of a high derivative, bracketed on nodes and polished, bracket those of the next lower one, and so on
down to the rate, whose zeros are where the position is extreme. For polynomials of degree five the fourth
derivative is a line, the ends of a piece are nodes enough, and nothing can be missed. Other smooth curves need
nodes fine enough to part the zeros of their fourth derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array

Index = NDArray[np.int64]
Curve = Callable[[Array, Index, int], Array]  # times, which curve, order of derivative -> values, all (n,)

HIGHEST = 4  # order of the derivative with which the search begins
_CLOSE = 1e-10  # of a bracket, in time; an extreme's value is then exact
_MOST_STEPS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Extremes:
    """The farthest that each channel goes, and when; all of shape (channels,).

    lowest, highest: position [rad or m].
    rate, acceleration: largest magnitude [per s, per s^2].
    lowest_at, highest_at, rate_at, acceleration_at: time of each [s].
    """

    lowest: Array
    highest: Array
    rate: Array
    acceleration: Array
    lowest_at: Array
    highest_at: Array
    rate_at: Array
    acceleration_at: Array


def smooth_extremes(curve: Curve, nodes: Array, curves: int) -> Extremes:
    """Extremes of smooth curves over the span of `nodes`, times in increasing order."""
    t = np.tile(nodes, curves)
    which = np.repeat(np.arange(curves), nodes.size)
    found: dict[str, Array] = {}
    for order in range(HIGHEST, -1, -1):
        values = curve(t, which, order)
        found |= _farthest(values, t, which, order)
        if order:
            t, which = _with_zeros(curve, order, t, which, values)
    return Extremes(**found)


def polynomial_extremes(polynomials: Array, lengths: Array) -> Extremes:
    """Extremes of each piece and channel, arrays of shape (pieces, channels), times from the piece's start.

    polynomials: coefficients of 1, s, s^2, ..., shape (pieces, degree + 1, channels), s in [0, 1].
    lengths: duration of each piece [s], shape (pieces,).
    """
    pieces, _, channels = polynomials.shape
    flat = polynomials.transpose(1, 0, 2).reshape(-1, pieces * channels)  # powers down
    derivatives = [np.polynomial.polynomial.polyder(flat, order) for order in range(HIGHEST + 2)]

    def curve(s: Array, which: Index, order: int) -> Array:
        values = np.polynomial.polynomial.polyval(s, derivatives[order][:, which], tensor=False)
        return np.asarray(values, np.float64)

    unit = smooth_extremes(curve, np.array([0.0, 1.0]), pieces * channels)
    shaped = {field.name: getattr(unit, field.name).reshape(pieces, channels) for field in fields(unit)}
    length = lengths[:, None]
    times = {name: values * length for name, values in shaped.items() if name.endswith("_at")}
    per_second = {"rate": shaped["rate"] / length, "acceleration": shaped["acceleration"] / length**2}
    return Extremes(**shaped | times | per_second)


def piecewise_extremes(polynomials: Array, breaks: Array) -> Extremes:
    """Extremes of pieces joined at `breaks` [s], shape (pieces + 1,)."""
    each = polynomial_extremes(polynomials, np.diff(breaks))
    columns = np.arange(polynomials.shape[2])
    found: dict[str, Array] = {}
    for name in ("lowest", "highest", "rate", "acceleration"):
        values, times = getattr(each, name), getattr(each, f"{name}_at") + breaks[:-1, None]
        best = values.argmin(axis=0) if name == "lowest" else values.argmax(axis=0)
        found |= {name: values[best, columns], f"{name}_at": times[best, columns]}
    return Extremes(**found)


def side_by_side(parts: Sequence[Extremes]) -> Extremes:
    """The extremes of several sets of channels as those of one."""
    names = [field.name for field in fields(Extremes)]
    return Extremes(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _farthest(values: Array, t: Array, which: Index, order: int) -> dict[str, Array]:
    """What the values of a derivative say about the extremes of its order."""
    sought = {
        0: {"lowest": -values, "highest": values},
        1: {"rate": np.abs(values)},
        2: {"acceleration": np.abs(values)},
    }
    found: dict[str, Array] = {}
    for name, height in sought.get(order, {}).items():
        last = np.flatnonzero(np.diff(which, append=-1))  # of each curve, in sorted order
        best = np.lexsort((height, which))[last]
        found |= {name: -height[best] if name == "lowest" else height[best], f"{name}_at": t[best]}
    return found


def _with_zeros(curve: Curve, order: int, t: Array, which: Index, values: Array) -> tuple[Array, Index]:
    """The times of each curve and, in order among them, the zeros of its derivative of this order."""
    change = (which[1:] == which[:-1]) & (np.sign(values[1:]) * np.sign(values[:-1]) < 0)
    at = which[:-1][change]
    zeros = _polished(curve, order, at, t[:-1][change], t[1:][change], values[1:][change] > 0)
    t, which = np.concatenate([t, zeros]), np.concatenate([which, at])
    sorting = np.lexsort((t, which))
    return t[sorting], which[sorting]


def _polished(curve: Curve, order: int, at: Index, left: Array, right: Array, rising: NDArray[np.bool_]) -> Array:
    """The one zero in each bracket, by Newton's method, and by halving where that would leave the bracket."""
    enough = _CLOSE * (right - left)
    zero = 0.5 * (left + right)
    for _ in range(_MOST_STEPS):
        value, slope = curve(zero, at, order), curve(zero, at, order + 1)
        after = (value > 0) == rising
        left, right = np.where(after, left, zero), np.where(after, zero, right)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = zero - value / slope
        better = np.where((newton >= left) & (newton <= right), newton, 0.5 * (left + right))
        moved, zero = np.abs(better - zero), better
        if (moved <= enough).all():
            break
    return zero
