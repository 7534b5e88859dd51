"""Weighted least squares: rows count by what the sensors' noise does to them.

In each sample the rows err by J e, where e are the sensors' errors and J the exact derivatives of the rows by the
measured numbers, at the estimate. The rows of a sample are weighted by the inverse of their full covariance
J diag(sd^2) J^T, which depends on the estimate and is renewed until that settles (iteratively reweighted least
squares; for momentum models also M. Spirolazzi's weighting by the inverse of the locked inertia). It does not cure the
bias by noise in the matrix itself; see `bias_compensated`. Energy and torque rows are weighted at the CAD model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.linear.linear_estimate import linear_estimate
from freefloat.estimate.linear.reweighting import reweighted
from freefloat.estimate.linear.solution import solution_of
from freefloat.estimate.linear.system import LinearFit, LinearSystem
from freefloat.estimate.problem import Problem


@dataclass(frozen=True)
class Weighted(Estimator):
    """Least squares with weights by the sensors' noise. rounds: most renewals of the weights."""

    name: ClassVar[str] = "weighted"

    rounds: int = 20

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters with the smallest weighted sum of squared residuals."""
        equations = problem.equations()
        found = reweighted(equations, None, least_squares, self.rounds)
        solution = solution_of(found.system, found.fit, biased=True, warnings=found.warnings)
        return linear_estimate(problem, equations, self.name, solution)


def least_squares(system: LinearSystem, x: Array) -> LinearFit:
    """The fit of a system, wherever its rows were weighed."""
    return system.least_squares()
