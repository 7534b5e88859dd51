"""When the command began: on the clock of a recording that was started earlier.

First the best of a few hundred starts, then Gauss-Newton steps with the command's exact rates, the joints' zeros
left free. Before its start and after its end a command stays where it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.data.processing.projection_basis import chosen_motion
from freefloat.data.processing.resampling import CannotProcess
from freefloat.data.processing.spectrum import columns_of
from freefloat.motion.trajectory import Motion, Trajectory

_STARTS = 400
_ROWS = 1000  # samples that the search looks at
_BEYOND = 0.05  # of the command, by which it may have begun before the recording or ended after it
_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class CommandStart:
    """start_s: when the command began [s]. sd_s: its standard deviation [s]. misfit: rms of what is left."""

    start_s: float
    sd_s: float
    misfit: float


def find_start(command: Trajectory, t: ArrayLike, positions: ArrayLike, joints: Sequence[str]) -> CommandStart:
    """Find the start from joint positions, shape (n, joints) at times t, shape (n,) [s]."""
    times, x, names = np.asarray(t, float), columns_of(positions), tuple(joints)
    start = _coarse(command, times, x, names)
    for _ in range(_ROUNDS):
        step, sd, misfit = _step(command, times, x, names, start)
        start += step
        if abs(step) < 1e-3 * sd + 1e-12:
            break
    return CommandStart(start, sd, misfit)


def _coarse(command: Trajectory, times: Array, x: Array, names: tuple[str, ...]) -> float:
    """The best of evenly spaced starts [s]."""
    slack = _BEYOND * command.duration_s
    room = float(times[-1] - times[0]) - command.duration_s
    if room < -command.duration_s * 0.5:
        raise CannotProcess(
            f"the joints were recorded for {times[-1] - times[0]:.6g} s, less than half of the command's "
            f"{command.duration_s:.6g} s"
        )
    starts = times[0] + np.linspace(min(room, 0.0) - slack, max(room, 0.0) + slack, _STARTS)
    rows = np.linspace(0, times.size - 1, min(times.size, _ROWS)).astype(np.int64)
    since, seen = times[rows] - starts[:, None], x[rows] - x[rows].mean(axis=0)
    grid = np.linspace(0.0, command.duration_s, _ROWS + 1)
    asked = chosen_motion(command.evaluate(grid), command.channels, names).position
    cost = np.zeros(_STARTS)
    for one, other in zip(seen.T, asked.T, strict=True):
        away = one - np.interp(since, grid, other)  # (starts, rows); straight lines do for a search
        cost += ((away - away.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return float(starts[int(np.argmin(cost))])


def _step(
    command: Trajectory, times: Array, x: Array, names: tuple[str, ...], start: float
) -> tuple[float, float, float]:
    """A Gauss-Newton step, the standard deviation of the start [s], and the misfit."""
    motion = _held(command, times - start, names)
    away, slope = x - motion.position, -motion.rate
    away, slope = away - away.mean(axis=0), slope - slope.mean(axis=0)
    information = float((slope**2).sum())
    if information == 0.0:
        raise CannotProcess("the command moves none of the recorded joints; its start cannot be found")
    misfit = float(np.sqrt((away**2).mean()))
    return float((slope * away).sum()) / information, misfit / math.sqrt(information), misfit


def _held(command: Trajectory, since: Array, names: tuple[str, ...]) -> Motion:
    """The command at times since its start [s], at rest where it is before the start or after the end."""
    motion = command.evaluate(np.clip(since, 0.0, command.duration_s))
    moving = ((since >= 0.0) & (since <= command.duration_s))[:, None]
    chosen = chosen_motion(motion, command.channels, names)
    return Motion(since, chosen.position, chosen.rate * moving, chosen.acceleration * moving)
