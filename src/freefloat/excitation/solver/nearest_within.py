"""The motion nearest to a given one that keeps all limits on the grid.

By Newton's method, each step the smallest change that keeps the linearised limits.
"""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.excitation.solver.quadratic_step import QuadraticStep

_TIMES = 30
_NEARBY, _CLOSE = 0.1, 2e-3  # margins that enter a step: the lowest points of those nearby, all that are close
_MOST_ROWS = 900  # the lowest of them
_ROOM = 2e-3  # margin that a step aims to keep
_LONGEST, _PENALTY = 0.5, 1e4


def nearest_within(task: PlannedTask, y: Array) -> Array | None:
    """Coordinates that keep the task's limits at its instants, shape (size,); None if none are found near y."""
    for _ in range(_TIMES):
        margins = task.margins(y)
        if margins.min(initial=np.inf) >= 0.0:
            return y
        beside = np.concatenate([[np.inf], margins, [np.inf]])
        lowest = (margins <= beside[:-2]) & (margins <= beside[2:])
        rows = np.flatnonzero((lowest & (margins < _NEARBY)) | (margins < _CLOSE))
        rows = np.sort(rows[np.argsort(margins[rows], kind="stable")[:_MOST_ROWS]])
        unit, nothing = np.eye(y.size), np.zeros(y.size)
        step = QuadraticStep(unit, nothing, task.jacobian(y, rows), margins[rows] - _ROOM, _PENALTY, _LONGEST)
        y = y + step.solve()[0]
    return None
