"""Random motions that fill their limits.

Every channel moves as far as its own limits allow, and the nearest motion that keeps all others counts. All channels
made smaller together until the first limit is kept, as `random_starts` are, show far less where channels are many: of
two arms of seven joints, condition numbers are about forty times as large.
"""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.solver.between_instants import mended
from freefloat.excitation.solver.nearest_within import nearest_within
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.motion.limits import limits_of

_SMALLER, _TIMES = 0.7, 8  # where no motion within the limits is near, and how often


def random_within(task: PlannedTask, rng: np.random.Generator, fill: float = 1.0) -> Array | None:
    """Coordinates of a random motion within the task's limits, also between instants; None where none was found.

    fill: the part of its own limits that every channel fills before the others are looked at.
    """
    y = _filling(task, rng.normal(size=task.variables.size)) * fill
    for _ in range(_TIMES):
        near = nearest_within(task, y)
        if near is not None:
            near, worst = mended(task, near)
            if worst >= 0.0:
                return near
        y = _SMALLER * y
    return None


def _filling(task: PlannedTask, direction: Array) -> Array:
    """The direction with each channel as large as its own limits allow, wherever it moves about."""
    variables, shape = task.variables, task.variables.shape
    columns = np.abs(variables.P.reshape(*variables.start.shape, -1)).sum(axis=0)
    own = np.argmax(columns, axis=0)  # the channel that a coordinate moves, (size,)
    moved, linear = (variables.P @ direction).reshape(variables.start.shape), task.linear
    limits = limits_of(task.conditions.robot, shape.channels)
    reaches = (linear.basis @ moved, linear.basis_rate @ moved, linear.basis_acceleration @ moved)
    spans = np.stack([np.ptp(reaches[0], axis=0), *(np.abs(each).max(axis=0) for each in reaches[1:])])
    rooms = np.stack([limits.highest - limits.lowest, limits.rate, limits.acceleration])
    scale = np.min(rooms / np.maximum(spans, 1e-300), axis=0)
    return direction * np.where(np.isfinite(scale), scale, 1.0)[own]
