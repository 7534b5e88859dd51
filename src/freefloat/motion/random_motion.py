"""Random motions within a robot's limits, for validation and as starting points of a search.

Draws come from a counter-based generator keyed by the seed and the channel's name: a channel moves the same
whatever else moves, on every machine. The sines are those with which M. Spirolazzi, "Free-floating robot
inertial parameter identification towards in orbit servicing", 2022, section 5.3.2, validates an estimate.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.motion.extremes import Extremes
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.limits import Limits, driven_or_wheel, limits_of
from freefloat.motion.quintic import ENDS
from freefloat.motion.trajectory import InvalidTrajectory, positive
from freefloat.robot.model import Robot
from freefloat.robot.parts import Wheel

_REACH = {"rad": math.pi, "m": 1.0}  # either way, where the robot gives no position limit
_NOTHING = 1e-200  # a motion may go one way only, and then needs no room the other way
_SEEDS = 2**64


def random_trajectory(
    robot: Robot,
    duration_s: float,
    seed: int,
    *,
    harmonics: int = 4,
    channels: Sequence[str] | None = None,
    fill: float = 0.9,
    start: ArrayLike | None = None,
    wheel_rates: ArrayLike | None = None,
) -> Fourier:
    """A random Fourier motion from rest to rest at one position, as large as the limits allow.

    channels: joints and wheels that move; `usual_channels` unless given. A wheel needs a largest rate.
    fill: the part of every limit that may be used, at most 1; positions about the middle of their range.
    start: positions at both ends, shape (channels,); unless given, as near to zero as the motion can be.
    wheel_rates: what the robot's wheels turn at already, shape (wheels,) [rad/s]; the motion is added to that.
    """
    names, limits = _channels(robot, channels, fill, wheel_rates)
    if harmonics < 1:
        raise InvalidTrajectory(f"harmonics is {harmonics}; allowed: 1 or more")
    rows = np.stack([_generator(seed, name).normal(size=2 * harmonics) for name in names], axis=1)
    unit = Fourier(names, rows, duration_s)
    extremes = unit.extremes()
    given = None if start is None else _start(start, limits)
    scale = _largest_scale(extremes, limits, given)
    home = np.clip(0.0, limits.lowest - scale * extremes.lowest, limits.highest - scale * extremes.highest)
    ends = np.zeros((ENDS, len(names)))
    ends[[0, 3]] = home if given is None else given
    return Fourier(names, rows * scale, duration_s, ends)


def random_sines(
    robot: Robot,
    duration_s: float,
    seed: int,
    *,
    channels: Sequence[str] | None = None,
    fill: float = 0.9,
    start: ArrayLike | None = None,
) -> PlainFourier:
    """Each channel moves as A sin(2 pi t / duration) about its start, A uniform within what the limits allow.

    channels, fill: as for `random_trajectory`. start: shape (channels,); unless given, the middle of
    the position limits (of wheels, zero).
    """
    names, limits = _channels(robot, channels, fill)
    centre = _middle(limits) if start is None else _start(start, limits)
    still, duration_s = np.zeros(len(names)), positive("duration_s", duration_s)
    sines = np.full(len(names), 2.0 * np.pi / duration_s)
    unit = PlainFourier(names, np.stack([still, sines, still]), duration_s, duration_s)
    uniform = np.array([_generator(seed, name).uniform(-1.0, 1.0) for name in names])
    amplitude = uniform * _largest_scale(unit.extremes(), limits, centre)
    return unit.with_coefficients([centre, sines * amplitude, still])


def usual_channels(robot: Robot) -> tuple[str, ...]:
    """What moves unless somebody says it: all driven joints; of a robot without any, all wheels."""
    return robot.driven_names or tuple(wheel.name for wheel in robot.wheels)


def _channels(
    robot: Robot, channels: Sequence[str] | None, fill: float, wheel_rates: ArrayLike | None = None
) -> tuple[tuple[str, ...], Limits]:
    """Names of what moves, and the part of its limits to use, with a reach of ours where there is none."""
    names = usual_channels(robot) if channels is None else tuple(channels)
    if not names:
        raise InvalidTrajectory(f"nothing of {robot.name} is to move; a random motion needs a joint or a wheel")
    if not 0.0 < fill <= 1.0:
        raise InvalidTrajectory(f"fill is {fill:g}; allowed: greater than 0, at most 1")
    for thing in (driven_or_wheel(robot, name) for name in names):
        if isinstance(thing, Wheel) and math.isinf(thing.max_rate):
            raise InvalidTrajectory(f"wheel {thing.name} has no largest rate; a random motion of it needs one")
    limits = _with_reach(robot, limits_of(robot, names))
    if wheel_rates is not None:
        limits = _beside(robot, limits, np.asarray(wheel_rates, float))
    return names, _narrowed(limits, fill)


def _beside(robot: Robot, limits: Limits, wheel_rates: Array) -> Limits:
    """The limits with what wheels turn at already taken off their rates."""
    if wheel_rates.shape != (len(robot.wheels),):
        raise ShapeError(f"wheel_rates must have shape {(len(robot.wheels),)}, found {wheel_rates.shape}")
    used = {wheel.name: abs(rate) for wheel, rate in zip(robot.wheels, wheel_rates.tolist(), strict=True)}
    left = limits.rate - np.array([used.get(name, 0.0) for name in limits.channels])
    return replace(limits, rate=np.maximum(left, 0.0))


def _narrowed(limits: Limits, fill: float) -> Limits:
    middle = _middle(limits)
    low, high = (middle + fill * (end - middle) for end in (limits.lowest, limits.highest))
    rate, acceleration = fill * limits.rate, fill * limits.acceleration
    return replace(limits, lowest=low, highest=high, rate=rate, acceleration=acceleration)


def _with_reach(robot: Robot, limits: Limits) -> Limits:
    """The limits with a reach of ours where a joint has none; wheels turn without end."""
    reach = np.array([_REACH[unit] for unit in limits.units])
    low, high = limits.lowest, limits.highest
    lowest = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2.0 * reach, -reach))
    highest = np.where(np.isfinite(high), high, np.where(np.isfinite(low), low + 2.0 * reach, reach))
    wheels = {wheel.name for wheel in robot.wheels}
    turns = np.array([name in wheels for name in limits.channels])
    return replace(limits, lowest=np.where(turns, low, lowest), highest=np.where(turns, high, highest))


def _middle(limits: Limits) -> Array:
    bounded = np.isfinite(limits.lowest)
    return 0.5 * (np.where(bounded, limits.lowest, 0.0) + np.where(bounded, limits.highest, 0.0))


def _start(start: ArrayLike, limits: Limits) -> Array:
    position = np.asarray(start, float)
    if position.shape != limits.lowest.shape:
        raise ShapeError(f"start must have shape {limits.lowest.shape}, found {position.shape}")
    outside = ~((position > limits.lowest) & (position < limits.highest))
    if outside.any():
        index = int(np.argmax(outside))
        raise InvalidTrajectory(
            f"{limits.channels[index]} starts at {position[index]:g}; allowed: between "
            f"{limits.lowest[index]:g} and {limits.highest[index]:g}, where it can move both ways"
        )
    return position


def _largest_scale(extremes: Extremes, limits: Limits, start: Array | None) -> Array:
    """The factor with which a motion about zero just meets its tightest limit, shape (channels,)."""
    if start is None:
        room = (limits.highest - limits.lowest) / (extremes.highest - extremes.lowest)
    else:
        down, up = np.maximum(-extremes.lowest, _NOTHING), np.maximum(extremes.highest, _NOTHING)
        room = np.minimum((start - limits.lowest) / down, (limits.highest - start) / up)
    return np.minimum(room, np.minimum(limits.rate / extremes.rate, limits.acceleration / extremes.acceleration))


def _generator(seed: int, name: str) -> np.random.Generator:
    if not 0 <= seed < _SEEDS:
        raise InvalidTrajectory(f"seed is {seed}; allowed: 0 to {_SEEDS - 1}")
    key = np.array([seed, zlib.crc32(f"motion of {name}".encode())], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key))
