"""Sequential quadratic programming with exact gradients, for smooth goals under thousands of limits on a grid.

Each step minimises a quadratic model of the goal within a box (trust region) subject to the linearised limits that the
box can reach (`quadratic_step.py`); where they cannot all be kept, the largest excess is kept small instead (elastic
mode, an exact penalty in the maximum norm). The model's curvature is learnt by damped BFGS updates of the Lagrangian
(R. Fletcher, "Practical Methods of Optimization", 1987, chapters 12 and 14; J. Nocedal, S. J. Wright, "Numerical
Optimization", 2006, chapter 18). Only rows near their bound enter a step, so the number of instants costs little.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.excitation.solver.quadratic_step import QuadraticStep

TOLERANCE = 1e-3  # a thousandth: of an accuracy or a condition number, whose logarithms are goals
_WIDEST = 2.0
_NARROWEST = 1e-9
_GOOD, _POOR = 0.7, 0.1  # obtained over predicted decrease
_PENALTY_MARGIN = 2.0
_LEAST = 0.1  # penalty, over the steepest slope of the goal, where no limit is met
_KEPT = 1e-9
_HIGHEST_PENALTY = 1e7
_INSISTENCE = 3  # tenfold penalties in vain
_PATIENCE = 15  # iterations
_NEARLY = 1e-2


class ConstrainedGoal(ABC):
    """A goal under limits, in coordinates y."""

    @abstractmethod
    def value(self, y: Array) -> tuple[float, Callable[[], Array]]:
        """The goal, and a function that gives its gradient (size,) there; infinite where it cannot be had."""

    @abstractmethod
    def margins(self, y: Array) -> Array:
        """Margins of all limits, not negative where kept, shape (m,)."""

    @abstractmethod
    def jacobian(self, y: Array, rows: NDArray[np.int64]) -> Array:
        """Derivative of chosen margins, shape (rows, size)."""

    @abstractmethod
    def near(self, margins: Array, radius: float) -> NDArray[np.int64]:
        """Rows whose margin may vanish within a step whose components are no larger than the radius."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchPoint:
    """Where a search is.

    optimality: largest component of the Lagrangian's gradient, over the size of the goal's. multipliers: of `rows`.
    curvature: as learnt so far, (size, size).
    """

    y: Array
    value: float
    margins: Array
    optimality: float
    iterations: int
    rows: NDArray[np.int64]
    multipliers: Array
    curvature: Array
    finished: str = ""

    @property
    def worst(self) -> float:
        """The smallest margin."""
        return float(self.margins.min(initial=np.inf))

    @property
    def feasible(self) -> bool:
        """Whether all limits are kept."""
        return self.worst >= -_KEPT


def minimise(
    task: ConstrainedGoal,
    start: Array,
    most_iterations: int = 300,
    tolerance: float = TOLERANCE,
    radius: float = 0.3,
    room: float = 1e-7,
    curvature: Array | None = None,
    watch: Callable[[SearchPoint], None] | None = None,
) -> SearchPoint:
    """A local minimum of the task's goal from this start.

    tolerance: on the goal; the search ends when many iterations together have not brought more, or when a step
        promises a hundredth of it.
    room: margin that steps aim to keep, so that rounding breaks no limit.
    curvature: to begin with, from an earlier search; learnt from nothing unless given.
    watch: called after every iteration with where the search is.
    """
    return _Search(task, np.array(start, float), tolerance, radius, room, curvature, watch).run(most_iterations)


class _Search:
    def __init__(
        self,
        task: ConstrainedGoal,
        y: Array,
        tolerance: float,
        radius: float,
        room: float,
        curvature: Array | None,
        watch: Callable[[SearchPoint], None] | None,
    ) -> None:
        self.task, self.tolerance, self.radius, self.room, self.watch = task, tolerance, radius, room, watch
        self.y, self.margins = y, task.margins(y)
        value, gradient = task.value(y)
        self.value, self.gradient = value, gradient()
        self.B = np.eye(y.size) * max(float(np.abs(self.gradient).max(initial=0.0)), 1e-3)
        self.penalty, self.learnt = 1.0, curvature is not None
        self.history: list[float] = []
        if curvature is not None:
            self.B = np.array(curvature)

    def run(self, most: int) -> SearchPoint:
        """Iterate until nothing more is promised."""
        none = np.zeros(0, dtype=np.int64)
        point = SearchPoint(self.y, self.value, self.margins, np.inf, 0, none, np.zeros(0), self.B)
        for iteration in range(1, most + 1):
            rows = self.task.near(self.margins, self.radius)
            J = self.task.jacobian(self.y, rows)
            step, excess, multipliers = self._insistent_step(rows, J)
            residual = self.gradient - J.T @ multipliers
            optimality = float(np.abs(residual).max(initial=0.0) / max(np.abs(self.gradient).max(initial=0.0), 1e-12))
            if excess <= _KEPT:  # else the multipliers are as large as the penalty, whatever it is
                steepest = float(np.abs(self.gradient).max(initial=0.0))
                self.penalty = max(0.5 * self.penalty, _PENALTY_MARGIN * float(multipliers.sum()), _LEAST * steepest)
            active = multipliers > 1e-9 * max(1.0, float(multipliers.max(initial=0.0)))
            said = (rows[active], multipliers[active])
            finished = self._try(step, excess, rows, J, multipliers)
            point = SearchPoint(self.y, self.value, self.margins, optimality, iteration, *said, self.B, finished)
            if self.watch is not None:
                self.watch(point)
            if finished:
                return point
            if self._stalled():
                return replace(point, finished="optimal")
        return replace(point, finished="iterations")

    def _stalled(self) -> bool:
        """Whether many iterations within the limits have brought next to nothing."""
        excess = max(0.0, -float(self.margins.min(initial=np.inf)))
        self.history.append(self.value + self.penalty * excess if excess < _NEARLY else np.inf)
        if len(self.history) <= _PATIENCE or excess > _KEPT:
            return False
        return bool(min(self.history[:-_PATIENCE]) - min(self.history) < self.tolerance)

    # ------------------------------------------------------------------ one step

    def _insistent_step(self, rows: NDArray[np.int64], J: Array) -> tuple[Array, float, Array]:
        """A step that leaves an excess only where a higher penalty would not remove it."""
        found, before, tries = self._step(J, self.margins[rows]), self.penalty, 0
        while found[1] > _KEPT and self.penalty < _HIGHEST_PENALTY and tries < _INSISTENCE:
            self.penalty, tries = 10.0 * self.penalty, tries + 1
            harder = self._step(J, self.margins[rows])
            if harder[1] <= 0.9 * found[1]:
                found, before, tries = harder, self.penalty, 0
        self.penalty = before
        return found

    def _step(self, J: Array, margins: Array) -> tuple[Array, float, Array]:
        """The step, the largest excess that it leaves in the linearised limits, and multipliers of the rows."""
        return QuadraticStep(self.B, self.gradient, J, margins - self.room, self.penalty, self.radius).solve()

    def _try(self, step: Array, excess: float, rows: NDArray[np.int64], J: Array, multipliers: Array) -> str:
        """Go there if it pays; the reason if the search has ended, else nothing."""
        before = max(0.0, self.room - float(self.margins.min(initial=np.inf)))
        promised = -float(self.gradient @ step + 0.5 * step @ self.B @ step) + self.penalty * (before - excess)
        enough = promised <= 0.01 * self.tolerance and before - excess < _KEPT
        if enough or self.radius < _NARROWEST:
            return "optimal" if before <= 10.0 * self.room else "infeasible"
        y, value, gradient, margins, obtained = self._obtained(step, before)
        ratio = obtained / max(promised, 1e-300)
        if ratio < _GOOD and float(margins.min(initial=np.inf)) < min(-before, -10.0 * self.room):
            # The limits bend away from the step: aim again with their margins where it led.
            corrected, _, _ = self._step(J, margins[rows] - J @ step)
            second = self._obtained(corrected, before)
            if second[4] > obtained:
                step, (y, value, gradient, margins, obtained) = corrected, second
                ratio = obtained / max(promised, 1e-300)
        longest = float(np.abs(step).max(initial=0.0))
        if ratio > _POOR:
            self._learn(step, y, gradient(), rows, J, multipliers)
            self.y, self.value, self.margins = y, value, margins
            if ratio > _GOOD and longest > 0.9 * self.radius:
                self.radius = min(_WIDEST, 2.0 * self.radius)
        else:
            self.radius = 0.4 * min(self.radius, longest) if longest > 0.0 else 0.4 * self.radius
        return ""

    def _obtained(self, step: Array, before: float) -> tuple[Array, float, Callable[[], Array], Array, float]:
        """Where a step leads: coordinates, goal, its gradient, margins, and the decrease of goal and penalty."""
        y = self.y + step
        margins = self.task.margins(y)
        value, gradient = self.task.value(y)
        after = max(0.0, self.room - float(margins.min(initial=np.inf)))
        return y, value, gradient, margins, self.value - value + self.penalty * (before - after)

    def _learn(
        self, step: Array, y: Array, gradient: Array, rows: NDArray[np.int64], J: Array, multipliers: Array
    ) -> None:
        """A damped BFGS update by the change of the Lagrangian's gradient."""
        active = multipliers > 1e-9
        change = gradient - self.gradient
        if active.any():
            there = self.task.jacobian(y, rows[active])
            change = change - (there - J[active]).T @ multipliers[active]
        self.gradient = gradient
        if not self.learnt:
            own = float(step @ change) / max(float(step @ step), 1e-300)
            if own > 0.0:
                self.B = np.eye(step.size) * own
            self.learnt = True
        Bs = self.B @ step
        curvature, product = float(step @ Bs), float(step @ change)
        theta = 1.0 if product >= 0.2 * curvature else 0.8 * curvature / (curvature - product)
        damped = theta * change + (1.0 - theta) * Bs
        self.B += np.outer(damped, damped) / float(step @ damped) - np.outer(Bs, Bs) / curvature
