"""Estimates of both steps as estimates of the clusters that momentum shows.

Whatever linear method found pi and eta of `angular-momentum + base-velocity`, their values and covariance are all that
the structure behind them needs. Known values with a standard deviation are the exception: how they moved both steps is
not kept in an estimate, and `two-steps` is the method then.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.stats import chi2

from freefloat.estimate.causes.advice import held_in_words
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Budget
from freefloat.estimate.estimated_clusters import refuse_other_clusters, spread_of
from freefloat.estimate.linear.seen_space import units_of_spread
from freefloat.estimate.structured.structure import Steps, Structure, StructuredFit, fitted
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.models.model import Momentum, NotApplicable

BOTH = "angular-momentum + base-velocity"
_BY_CHANCE = 1e-3


def standard_estimate(estimate: Estimate) -> Estimate:
    """The same estimate if its clusters are sums of standard parameters; that behind both steps; else refused."""
    if estimate.model != BOTH:
        refuse_other_clusters(estimate)
        return estimate
    _refuse_uncertain(estimate)
    robot, given = estimate.robot, (tuple(estimate.known), estimate.zero)
    shown, angular, velocity = Momentum(robot, *given), AngularMomentum(robot, *given), BaseVelocity(robot, *given)
    fixed = np.zeros(robot.parameters.size)
    fixed[shown.known_columns] = robot.parameters[shown.known_columns]
    structure = Structure(angular, velocity, shown.minimal, fixed)
    declared = np.zeros_like(fixed)
    declared[shown.unknown] = robot.parameters[shown.unknown]
    cad = shown.minimal.values(declared)
    spread = np.zeros((fixed.size, fixed.size))
    spread[np.ix_(shown.unknown, shown.unknown)] = spread_of(estimate).covariance(robot)[
        np.ix_(shown.unknown, shown.unknown)
    ]
    slope = structure.by_parameters(cad)
    units = units_of_spread(slope @ spread @ slope.T)
    steps = Steps(estimate.values, estimate.covariance, estimate.unseen, units)
    cad_covariance = shown.minimal.combine @ spread @ shown.minimal.combine.T
    fit = fitted(structure, steps, cad, cad_covariance, estimate.prior is not None)
    variances = np.column_stack([np.diagonal(fit.by_noise), np.diagonal(fit.by_prior)])
    said = _sentences(fit)
    return replace(
        estimate,
        model="momentum",
        minimal=shown.minimal,
        values=fit.z,
        covariance=fit.covariance,
        cad=cad,
        budget=Budget(("noise", "prior"), variances / np.maximum(variances.sum(axis=1, keepdims=True), 1e-300)),
        unseen=fit.unseen,
        held=held_in_words(shown.minimal.leaders, None, fit.unseen),
        warnings=(*estimate.warnings, *said),
        outcome="doubtful" if said and estimate.outcome == "good" else estimate.outcome,
    )


def _refuse_uncertain(estimate: Estimate) -> None:
    uncertain = [name for name, relative in estimate.known.items() if relative > 0.0]
    if uncertain:
        raise NotApplicable(
            f"the estimate of {estimate.model} does not keep how far {', '.join(uncertain)}, known within a standard "
            "deviation, moved it; allowed: known values without one, or the method two-steps"
        )


def _sentences(fit: StructuredFit) -> tuple[str, ...]:
    """What is to be said of how well both steps agree."""
    said: tuple[str, ...] = (
        () if fit.converged else ("the clusters behind angular momentum and base velocity did not settle",)
    )
    if fit.freedom > 0.5 and chi2.sf(fit.misfit, fit.freedom) < _BY_CHANCE:
        times = np.sqrt(fit.misfit / fit.freedom)
        said += (
            f"clusters of angular momentum and of base velocity contradict each other, by {times:.2g} times their "
            "standard deviations: no total mass and first moments have these products",
        )
    return said
