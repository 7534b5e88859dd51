"""Cycloidal intervals that try combinations of directions.

    q(t) = q_i + (q_f - q_i) / T_p [t - T_p / (2 pi) sin(2 pi t / T_p)]        in each interval of length T_p

After B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space
robot", 2019, eqs. 28 to 31. Every interval starts where the last one ended and moves each joint and wheel by
its range, forwards or backwards. So two numbers a channel, start and range, make a whole motion. Eq. 31 prints
the end of the interval before the first, which does not exist: the first one, too, moves from its start.

In general an interval moves a channel by a step of any size, and one basis (a constant and the ramp of each
interval) serves all channels; `seed_map` leads from starts and ranges to those coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.motion.extremes import Extremes, Index
from freefloat.motion.trajectory import InvalidTrajectory, Motion, Trajectory, matrix, numbers, positive

_MOST_CHANNELS = 20  # half a million intervals


@dataclass(frozen=True, eq=False)
class Cycloid(Trajectory):
    """Intervals of equal length, at rest at their ends.

    coefficients: start, then the step of each interval, shape (1 + intervals, channels) [rad or m].
    interval_s: length of each interval.
    """

    kind: ClassVar[str] = "cycloid"

    duration_s: float = field(init=False)
    interval_s: float

    def __post_init__(self) -> None:
        super().__post_init__()
        intervals = self.coefficients.shape[0] - 1
        if intervals < 1:
            raise ShapeError("coefficients must be a start and at least one step, found fewer rows than two")
        length = positive("interval_s", self.interval_s)
        self._keep(interval_s=length, duration_s=intervals * length)

    @classmethod
    def from_seeds(
        cls,
        channels: Sequence[str],
        start: ArrayLike,
        ranges: ArrayLike,
        directions: ArrayLike,
        interval_s: float,
    ) -> Self:
        """From two seeds a channel, each of shape (channels,) [rad or m], and the direction in each interval.

        directions: +1 or -1, shape (intervals, channels), as `direction_combinations` gives them.
        """
        first, moved = (numbers(name, each) for name, each in (("start", start), ("ranges", ranges)))
        signs = matrix("directions", directions, len(channels))
        if not first.shape == moved.shape == signs.shape[1:]:
            raise ShapeError(f"start and ranges must have shape {signs.shape[1:]}")
        if (np.abs(signs) != 1.0).any():
            raise InvalidTrajectory("directions hold a number that is neither +1 nor -1; allowed: those two")
        coefficients = np.einsum("ksn,sn->kn", seed_map(signs), np.stack([first, moved]))
        return cls(tuple(channels), coefficients, interval_s)

    @property
    def directions(self) -> Array:
        """The direction of each channel in each interval, +1, -1 or (no motion) 0, (intervals, channels)."""
        return np.sign(self.coefficients[1:])

    def evaluate(self, t: ArrayLike) -> Motion:
        """The motion at times t, shape (n,) [s]."""
        times = self.instants(t)
        interval, s = self._place(times)
        start, step = np.cumsum(self.coefficients, axis=0)[interval], self.coefficients[1 + interval]
        position, rate, acceleration = (_ramp(s, order, self.interval_s)[:, None] * step for order in range(3))
        return Motion(times, start + position, rate, acceleration)

    def _place(self, t: Array) -> tuple[Index, Array]:
        """The interval that each time is in, and how far it has gone, 0 to 1, each of shape (n,)."""
        interval = np.clip(np.floor(t / self.interval_s).astype(np.int64), 0, len(self.coefficients) - 2)
        return interval, t / self.interval_s - interval

    def _basis(self, t: Array, order: int) -> Array:
        interval, s = self._place(t)
        past = np.arange(len(self.coefficients)) <= interval[:, None]  # the start is past from the beginning
        basis = np.where(past & (order == 0), 1.0, 0.0)
        basis[np.arange(t.size), 1 + interval] = _ramp(s, order, self.interval_s)
        return basis

    def _settings(self) -> dict[str, Any]:
        return {"interval_s": self.interval_s}

    def extremes(self) -> Extremes:
        """How far, how fast and how hard each channel goes: known in closed form, eqs. 33 to 35."""
        points = np.cumsum(self.coefficients, axis=0)
        steps = np.abs(self.coefficients[1:])
        low, high, longest = points.argmin(axis=0), points.argmax(axis=0), steps.argmax(axis=0)
        step = steps.max(axis=0)
        return Extremes(
            lowest=points.min(axis=0),
            highest=points.max(axis=0),
            rate=2.0 * step / self.interval_s,
            acceleration=2.0 * np.pi * step / self.interval_s**2,
            lowest_at=low * self.interval_s,
            highest_at=high * self.interval_s,
            rate_at=(longest + 0.5) * self.interval_s,
            acceleration_at=(longest + 0.25) * self.interval_s,
        )


def _ramp(s: Array, order: int, length: float) -> Array:
    """Derivative in time of this order, 0 to 2, of the way from 0 to 1, shape (n,)."""
    turn = 2.0 * np.pi * (s % 1.0)  # after a whole turn at rest exactly
    if order == 0:
        return s - np.sin(turn) / (2.0 * np.pi)
    return (1.0 - np.cos(turn)) / length if order == 1 else 2.0 * np.pi * np.sin(turn) / length**2


def direction_combinations(channels: int) -> Array:
    """All combinations of directions, +1 or -1, shape (2^(channels - 1), channels).

    The first channel always moves forwards. The others count in binary, the second channel the most
    significant bit, a bit of 0 forwards. The publication prints no order; with this one its robot shows 11, 20,
    39 and 46 significant singular values after 1, 3, 20 and 40 intervals, where it prints 11, 20, 38 and 46.
    """
    if not 1 <= channels <= _MOST_CHANNELS:
        raise InvalidTrajectory(f"{channels} channels; allowed: 1 to {_MOST_CHANNELS} to combine directions")
    shifts = np.arange(channels - 1, -1, -1)
    bits = np.arange(2 ** (channels - 1))[:, None] >> shifts & 1
    return np.where(bits, -1.0, 1.0)


def seed_map(directions: Array) -> Array:
    """From the seeds (start, range) of each channel to its coefficients, shape (1 + intervals, 2, channels)."""
    intervals, channels = directions.shape
    seeds = np.zeros((1 + intervals, 2, channels))
    seeds[0, 0] = 1.0
    seeds[1:, 1] = directions
    return seeds
