"""Least squares on angular momentum in the minimal parameters behind its clusters, one linear system after another.

Where no cluster is made of known parameters alone, such as of a load off its joint's axis (M. Spirolazzi,
"Free-floating robot inertial parameter identification towards in orbit servicing", 2022, eq. 5.6, whose M_tot is not
known), the linear clusters are found up to a factor only. The minimal parameters are not: known ones enter them.

Rows and weights are the thesis': those of angular momentum, all alike, without a CAD model's spread. `two-steps`
(`structured/two_steps.py`) weighs by the sensors' noise and needs a velocity; neither can stand in for the other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.linear.linear_estimate import linear_estimate
from freefloat.estimate.linear.solution import Solution, solution_of
from freefloat.estimate.linear.system import LinearSystem, plain_roots
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.equations import Equations
from freefloat.estimate.rows.structured_angular import structured_equations

_NAME = "least-squares"
_MOST = 60  # linear systems, of which a handful are usual
_SETTLED = 1e-9  # of the CAD model's spread: a step that ends the search
_CLOSE = 0.1  # of a standard deviation: a step that the search may end before
_SHORTEST = 1e-4  # of a step: if not even so little of it helps, the search ends


def structured_least_squares(problem: Problem) -> Estimate:
    """Clusters of the momentum with the smallest sum of squared residuals of the angular momentum."""
    plain = problem.equations(("angular-momentum",))
    spread = np.sqrt(np.maximum(np.diagonal(problem.cad_covariance), 1e-300))
    equations, point = structured_equations(problem, plain, problem.cad), problem.cad
    for _ in range(_MOST):
        solution = _solved(equations)
        step = solution.x[: point.size] - point
        if np.abs(step / spread).max() < _SETTLED:
            break
        equations, point, moved = _along(problem, plain, equations, point, step, solution.x[point.size :])
        if not moved:
            break
    return linear_estimate(problem, equations, _NAME, _at(point, _solved(equations)))


def _at(point: Array, solution: Solution) -> Solution:
    """The solution where the search ended; with a warning if its next step would still go somewhere."""
    c = point.size
    step = np.abs(solution.x[:c] - point)
    if (step <= _CLOSE * np.sqrt(np.diagonal(solution.covariance)[:c])).all():
        return solution
    x = np.concatenate([point, solution.x[c:]])
    return replace(solution, x=x, warnings=(*solution.warnings, "the minimal parameters did not settle"))


def _solved(equations: Equations) -> Solution:
    system = LinearSystem.of(equations, plain_roots(equations))
    return solution_of(system, system.least_squares(), biased=True)


def _along(
    problem: Problem, plain: Equations, here: Equations, point: Array, step: Array, nuisances: Array
) -> tuple[Equations, Array, bool]:
    """As far along a step as the sum of squares falls, and whether it does."""
    before, length = _squares(here, point, nuisances), 1.0
    while length > _SHORTEST:
        there = point + length * step
        made = structured_equations(problem, plain, there)
        if _squares(made, there, nuisances) < before:
            return made, there, True
        length *= 0.5
    return here, point, False


def _squares(equations: Equations, point: Array, nuisances: Array) -> float:
    rest = equations.matrix @ np.concatenate([point, nuisances]) - equations.right
    return float(((rest / equations.sd) ** 2).sum())
