"""A design as a task for the solver: an objective and limits of the motions of one shape, on a grid of instants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.excitation.limits.limit import Limit
from freefloat.excitation.planned_motion import Conditions, PlannedMotion
from freefloat.excitation.solver.objective import Objective
from freefloat.excitation.solver.sequential_quadratic import ConstrainedGoal
from freefloat.excitation.solver.variables import Variables
from freefloat.motion.trajectory import LinearMap

_NEAR, _LEAST = 0.25, 0.05  # margin within which rows enter a step of radius one, and a short one
_FAR, _CLOSE = 2.0, 0.02  # the same for lowest points, and for all points, of limits that are not linear


@dataclass(frozen=True, eq=False)
class PlannedTask(ConstrainedGoal):
    """An objective under limits.

    t: instants at which limits must be kept, shape (n,) [s]. tightened: by how much margin of each limit is wanted;
        none unless given.
    """

    objective: Objective
    limits: Sequence[Limit]
    conditions: Conditions
    variables: Variables
    t: ArrayLike
    tightened: Sequence[float] = ()

    @cached_property
    def linear(self) -> LinearMap:
        """From coefficients to the motion at the limits' instants."""
        return self.variables.shape.linear_map(self.t)

    def motion(self, y: Array) -> PlannedMotion:
        """The motion on the limits' grid; the last one is remembered."""
        last: dict[bytes, PlannedMotion] = self._memory
        key = y.tobytes()
        if key not in last:
            last.clear()
            coefficients = self.variables.coefficients(y)
            shape = self.variables.shape
            last[key] = PlannedMotion(self.conditions, shape.channels, self.linear, coefficients, shape)
        return last[key]

    @cached_property
    def _memory(self) -> dict[bytes, PlannedMotion]:
        return {}

    def value(self, y: Array) -> tuple[float, Callable[[], Array]]:
        """The goal, and its gradient by y."""
        value, slope = self.objective.value(self.variables.coefficients(y))
        return value, lambda: np.asarray(self.variables.P.T @ slope().ravel())

    def margins(self, y: Array) -> Array:
        """Of all limits, one after the other."""
        motion = self.motion(y)
        wanted = self.tightened or (0.0,) * len(self.limits)
        parts = [limit.margins(motion) - room for limit, room in zip(self.limits, wanted, strict=True)]
        return np.concatenate([np.zeros(0), *parts])

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the margins of each limit start, and where the last end, shape (limits + 1,)."""
        motion = self.motion(np.zeros(self.variables.size))
        sizes = [limit.margins(motion).size for limit in self.limits]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def _constant(self) -> dict[int, Array]:
        """Jacobians of limits that are linear, by their number."""
        motion = self.motion(np.zeros(self.variables.size))
        return {
            number: limit.jacobian(motion, np.arange(self.starts[number + 1] - self.starts[number])) @ self.variables.P
            for number, limit in enumerate(self.limits)
            if limit.linear
        }

    def jacobian(self, y: Array, rows: NDArray[np.int64]) -> Array:
        """Derivative of chosen margins by y."""
        found = np.zeros((rows.size, self.variables.size))
        owner = np.searchsorted(self.starts, rows, side="right") - 1
        for number in np.unique(owner).tolist():
            own = owner == number
            local = rows[own] - self.starts[number]
            if number in self._constant:
                found[own] = self._constant[number][local]
            else:
                found[own] = self.limits[number].jacobian(self.motion(y), local) @ self.variables.P
        return found

    @cached_property
    def _reach(self) -> Array:
        """By how much a step of one can change each margin; not a number for limits that are not linear."""
        reach = np.full(int(self.starts[-1]), np.nan)
        for number, J in self._constant.items():
            reach[self.starts[number] : self.starts[number + 1]] = np.abs(J).sum(axis=1)
        return reach

    @property
    def linear_rows(self) -> NDArray[np.bool_]:
        """Which margins are linear in y, shape (m,)."""
        return ~np.isnan(self._reach)

    def near(self, margins: Array, radius: float) -> NDArray[np.int64]:
        """Rows whose margin may vanish within a step whose components are no larger than the radius."""
        usual = max(_NEAR * min(radius, 1.0), _LEAST)
        linear = margins < np.minimum(np.where(self.linear_rows, self._reach * radius, -np.inf), usual)
        # Of curves, the lowest points suffice, for steps that are long as well; and all of what is near.
        ends = np.concatenate([[np.inf], margins, [np.inf]])
        lowest = (margins <= ends[:-2]) & (margins <= ends[2:])
        curved = (margins < _CLOSE) | (lowest & (margins < max(_LEAST, _FAR * radius)))
        return np.flatnonzero(linear | (curved & ~self.linear_rows))
