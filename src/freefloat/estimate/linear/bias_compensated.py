"""Bias-compensated weighted least squares: errors in variables of known size.

Measured rates stand in the matrix too, so that the products of least squares hold squares of their errors. These do
not average out, but their mean is known (`rate_noise`) and is taken off:

    (G^T W G - sum_c sd_c^2 G_c^T W G_c) x = G^T W b - sum_c sd_c^2 G_c^T W b_c

with weights W as of `weighted`, at the estimate itself. See W. A. Fuller, "Measurement error models", Wiley, 1987,
section 2.2 (method of moments), and T. Söderström, "Errors-in-variables methods in system identification",
Springer, 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.linear.linear_estimate import linear_estimate
from freefloat.estimate.linear.reweighting import reweighted
from freefloat.estimate.linear.solution import Solution, solution_of
from freefloat.estimate.linear.system import LinearFit, LinearSystem
from freefloat.estimate.linear.weighted import least_squares
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.equations import Equations
from freefloat.estimate.rows.model_rows import instead
from freefloat.models.model import NotApplicable


@dataclass(frozen=True)
class BiasCompensated(Estimator):
    """Weighted least squares without the bias by noisy rates. rounds: most renewals of the weights."""

    name: ClassVar[str] = "bias-compensated"

    rounds: int = 10

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters free of the bias; as `weighted` where the noise is not known, and then it says so."""
        equations = problem.equations()
        return linear_estimate(problem, equations, self.name, compensated_solution(problem, equations, self.rounds))


def compensated_solution(problem: Problem, equations: Equations, rounds: int) -> Solution:
    """The solution free of the bias. rounds: most renewals of the weights."""
    if not all(stack.rate_linear for stack in equations.stacks):
        raise NotApplicable(
            "bias compensation needs rows that are linear in the measured rates; "
            + instead(problem.robot, "these are momentum, angular-momentum and base-velocity")
        )
    rough = reweighted(equations, None, least_squares, rounds)
    if not equations.noise_known:
        notes = ("the sensors' noise is not known, so that no bias could be taken off: this is least squares",)
        return solution_of(rough.system, rough.fit, biased=False, notes=notes)
    found = reweighted(equations, rough.system, _compensated, rounds)
    return solution_of(found.system, found.fit, biased=False, warnings=found.warnings)


def _compensated(system: LinearSystem, x: Array) -> LinearFit:
    assert system.noise is not None
    return system.compensated(system.noise)
