"""Ordinary least squares: all rows of a model count alike.

With a column scaling, by orthogonal factors; what the rows do not show stays at the CAD model. Errors of the measured
rates are in the matrix too and draw the estimate towards zero, by an amount that more data does not cure; the estimate
says when that exceeds its standard deviations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.linear.linear_estimate import linear_estimate
from freefloat.estimate.linear.solution import solution_of
from freefloat.estimate.linear.system import LinearSystem, plain_roots
from freefloat.estimate.problem import Problem


@dataclass(frozen=True)
class LeastSquares(Estimator):
    """Least squares over the rows of the problem's models."""

    name: ClassVar[str] = "least-squares"

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters with the smallest sum of squared residuals."""
        equations = problem.equations()
        system = LinearSystem.of(equations, plain_roots(equations))
        return linear_estimate(problem, equations, self.name, solution_of(system, system.least_squares(), biased=True))
