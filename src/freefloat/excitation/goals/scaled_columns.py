"""Columns measured in units of one's choice before a goal looks at them.

The condition number depends on the units of the unknowns; the determinant does not. With `scale` = 1 / |theta| the
unknowns become relative to the values theta; with the columns' own norms all columns get length one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.goal import Goal


@dataclass(frozen=True, eq=False)
class ScaledColumns(Goal):
    """A goal for C / scale.

    scale: of each column, shape (c,), none zero; the columns' own norms unless given.
    """

    goal: Goal
    scale: Array | None = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of the goal itself."""
        return f"{self.goal.name}, columns scaled"

    def __call__(self, C: Array) -> tuple[float, Array]:
        """The value for a matrix C, shape (m, c), and its derivative, in the same shape."""
        if self.scale is not None:
            value, Z = self.goal(C / self.scale)
            return value, Z / self.scale
        norms = np.maximum(np.linalg.norm(C, axis=0), np.finfo(float).tiny)
        units = C / norms
        value, Z = self.goal(units)
        return value, (Z - units * (Z * units).sum(axis=0)) / norms  # a column's length no longer counts
