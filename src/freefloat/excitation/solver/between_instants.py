"""What a motion does between the instants at which a search looked, and the least change that mends it.

Limits are looked at on a finer grid and at the true extremes of every channel. What is broken there by little is mended
by Newton's method: the smallest change of the coordinates that keeps the linearised limits, a few times.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.excitation.solver.quadratic_step import QuadraticStep
from freefloat.motion.trajectory import Trajectory

_FINER = 8  # instants of the check per instant of the grid
_TIMES = 4
_CLOSE, _NEARBY = 1e-3, 0.02  # margins that enter a mending step: all that are close, the lowest of those nearby
_ROOM = 1e-4  # margin that a mending step aims to keep; half of it must be left, for what the finer grid misses
_LONGEST = 0.05
_PENALTY = 1e4


def between(task: PlannedTask, y: Array) -> tuple[Array, Array]:
    """The smallest margin of each limit at all instants that can be looked at, and where limits are broken most [s]."""
    motion = looked_at_closely(task, y)
    margins = [limit.margins(motion) for limit in task.limits]
    broken = [
        limit.instants(motion)[(each < 0.0) & _lowest(each)] for limit, each in zip(task.limits, margins, strict=True)
    ]
    worst = np.array([each.min(initial=np.inf) for each in margins])
    return worst, np.unique(np.concatenate([np.zeros(0), *broken]))


def mended(task: PlannedTask, y: Array) -> tuple[Array, float]:
    """Coordinates near y that keep all limits, if there are any so near, and their smallest margin."""
    for _ in range(_TIMES):
        motion = looked_at_closely(task, y)
        parts = [limit.margins(motion) for limit in task.limits]
        if min((each.min(initial=np.inf) for each in parts), default=np.inf) >= 0.5 * _ROOM:
            break
        chosen = [np.flatnonzero((each < _CLOSE) | (_lowest(each) & (each < _NEARBY))) for each in parts]
        near = [(limit, each, rows) for limit, each, rows in zip(task.limits, parts, chosen, strict=True) if rows.size]
        margins = np.concatenate([each[rows] for _, each, rows in near])
        J = np.vstack([limit.jacobian(motion, rows) for limit, _, rows in near])
        unit, nothing = np.eye(y.size), np.zeros(y.size)
        step = QuadraticStep(unit, nothing, J @ task.variables.P, margins - _ROOM, _PENALTY, _LONGEST)
        y = y + step.solve()[0]
    return y, float(between(task, y)[0].min(initial=np.inf))


def looked_at_closely(task: PlannedTask, y: Array) -> PlannedMotion:
    """The motion on the finer grid and at its extremes."""
    return replace(task, t=fine_instants(np.asarray(task.t), task.variables.trajectory(y))).motion(y)


def fine_instants(grid: Array, trajectory: Trajectory) -> Array:
    """A finer grid, and the extremes of every channel, shape (m,) [s]."""
    extremes, shares = trajectory.extremes(), np.arange(_FINER) / _FINER
    fine = (grid[:-1, None] + np.diff(grid)[:, None] * shares).ravel()
    own = [getattr(extremes, name) for name in ("lowest_at", "highest_at", "rate_at", "acceleration_at")]
    return np.union1d(np.append(fine, grid[-1]), np.concatenate(own))


def _lowest(margins: Array) -> NDArray[np.bool_]:
    """Where margins are no higher than beside."""
    beside = np.concatenate([[np.inf], margins, [np.inf]])
    return (margins <= beside[:-2]) & (margins <= beside[2:])
