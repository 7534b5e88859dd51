"""Two steps and the structure behind them: angular momentum, the base's velocity, and what both are functions of.

    step 1   Y pi  = -h         (angular momentum about the centre of mass, wheels h)
    step 2   W eta = v - v_cm   (the base's velocity)
    then     (pi, eta) = f(z)   (`structure.py`)

Steps are free of the bias by noisy rates (`bias_compensated`) and use neither the prior nor accelerations. What comes
of them are the clusters of momentum, of which free-flying matrices, code, URDFs and predictions are made.
After O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space manipulator
systems", Robotics and Autonomous Systems, 2022.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.stats import chi2

from freefloat.arrays import Array
from freefloat.estimate.causes.advice import held_in_words
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Budget
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.linear.bias_compensated import compensated_solution
from freefloat.estimate.linear.linear_estimate import covariance_by_known, linear_estimate
from freefloat.estimate.linear.seen_space import spread
from freefloat.estimate.linear.solution import Solution
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.angular_momentum import AngularMomentumRows
from freefloat.estimate.rows.base_velocity import BaseVelocityRows
from freefloat.estimate.rows.equations import Equations
from freefloat.estimate.structured.structure import Steps, Structure, StructuredFit, fitted
from freefloat.models.names import ModelName

ROWS: tuple[ModelName, ...] = ("angular-momentum", "base-velocity")
_BY_CHANCE = 1e-3


@dataclass(frozen=True)
class TwoSteps(Estimator):
    """Angular momentum, base velocity, and the clusters of momentum behind both. rounds: most renewals of weights."""

    name: ClassVar[str] = "two-steps"

    rounds: int = 10

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters that momentum shows; the rows are always those of angular-momentum and base-velocity."""
        asked = replace(problem, models=ROWS)
        equations = asked.equations()
        solution, structure = compensated_solution(equations, self.rounds), _structure(asked, equations)
        m = len(equations.minimal)
        steps = Steps(solution.x[:m], solution.covariance[:m, :m], solution.unseen, spread(equations))
        fit = fitted(structure, steps, asked.cad, asked.cad_covariance, asked.prior is not None)
        on_rows = linear_estimate(asked, equations, self.name, _of_rows(asked, solution, structure, steps, fit))
        return _estimate(asked, on_rows, structure, solution, fit)


def _structure(problem: Problem, equations: Equations) -> Structure:
    """Of the models that the rows were made with."""
    angular, velocity = equations.stacks[0].sources
    assert isinstance(angular, AngularMomentumRows)
    assert isinstance(velocity, BaseVelocityRows)
    return Structure(angular.model, velocity.model, problem.minimal, problem.fixed)


def _by_known(problem: Problem, solution: Solution, structure: Structure, fit: StructuredFit) -> Array | None:
    """Derivative of z by known values that have a standard deviation, shape (c, known).

    These move the rows' right-hand sides, and what pi and eta are for given z.
    """
    if solution.by_known is None:
        return None
    m, uncertain = fit.gain.shape[1], np.flatnonzero(problem.known_sd)
    return fit.gain @ (solution.by_known[:m] - structure.by_parameters(fit.z)[:, uncertain])


def _of_rows(
    problem: Problem, solution: Solution, structure: Structure, steps: Steps, fit: StructuredFit
) -> Solution:
    """The solution of the rows that has the structure: other unknowns go along as errors of both go together."""
    m = steps.values.size
    slope, joint = structure.slope(fit.z), solution.covariance[m:, :m] @ steps.whitening.T @ steps.whitening
    step = structure.clusters(fit.z) - steps.values
    S = slope @ fit.covariance @ slope.T
    covariance = np.block(
        [
            [S, S @ joint.T],
            [joint @ S, solution.covariance[m:, m:] + joint @ (S - steps.covariance) @ joint.T],
        ]
    )
    by_known = None
    if solution.by_known is not None:
        uncertain, moved = np.flatnonzero(problem.known_sd), _by_known(problem, solution, structure, fit)
        own = slope @ moved + structure.by_parameters(fit.z)[:, uncertain]
        by_known = np.vstack([own, solution.by_known[m:] + joint @ (own - solution.by_known[:m])])
    x = np.concatenate([steps.values + step, solution.x[m:] + joint @ step])
    return Solution(x, covariance, by_known, warnings=solution.warnings, notes=solution.notes)


def _estimate(
    problem: Problem, on_rows: Estimate, structure: Structure, solution: Solution, fit: StructuredFit
) -> Estimate:
    """The estimate of momentum's clusters; residuals, nuisances and doubts are those of the rows."""
    parts = {"noise": fit.by_noise}
    if problem.prior is not None:
        parts["prior"] = fit.by_prior
    parts |= covariance_by_known(problem, _by_known(problem, solution, structure, fit))
    variances = np.column_stack([np.diagonal(part) for part in parts.values()])
    shares = variances / np.maximum(variances.sum(axis=1, keepdims=True), 1e-300)
    said = structure_sentences(fit)
    return replace(
        on_rows,
        model="momentum",
        minimal=problem.minimal,
        values=fit.z,
        covariance=np.sum(list(parts.values()), axis=0),
        cad=problem.cad,
        budget=Budget(tuple(parts), shares),
        unseen=fit.unseen,
        held=held_in_words(problem.minimal.leaders, None, fit.unseen),
        warnings=(*on_rows.warnings, *said),
        outcome="doubtful" if said and on_rows.outcome == "good" else on_rows.outcome,
    )


def structure_sentences(fit: StructuredFit) -> tuple[str, ...]:
    """What is to be said of how well both steps agree."""
    said = () if fit.converged else ("the clusters behind angular momentum and base velocity did not settle",)
    if fit.freedom > 0.5 and chi2.sf(fit.misfit, fit.freedom) < _BY_CHANCE:
        times = np.sqrt(fit.misfit / fit.freedom)
        said += (
            f"clusters of angular momentum and of base velocity contradict each other, by {times:.2g} times their "
            "standard deviations: no total mass and first moments have these products",
        )
    return said
