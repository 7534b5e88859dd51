"""How a linear method makes an estimate of its solution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.causes.advice import held_in_words, sentences, two_digits
from freefloat.estimate.causes.diagnosis import figures_of, linear_mistakes
from freefloat.estimate.causes.outcome import outcome_by, reasons_to_fail
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import MODEL, Budget, Quantity, used_flights
from freefloat.estimate.likelihood.finished import with_unknown_noise
from freefloat.estimate.likelihood.held_friction import with_rotor_words
from freefloat.estimate.linear.misfit import misfit
from freefloat.estimate.linear.solution import Solution
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.equations import Equations
from freefloat.robot.selection import select_parameters

LINEAR = (
    "linear methods add neither the prior nor nuisances to the data, but for an accelerometer's bias in rows of the "
    "base velocity"
)

_OF_TORQUES = ("torque", "energy")  # models whose rows hold torques of joints
_MOST_SHIFT = 0.5  # standard deviations by which a cluster may be expected to be shifted before no interval is stated


def linear_estimate(problem: Problem, equations: Equations, method: str, solution: Solution) -> Estimate:
    """The estimate that a solution of the equations is: intervals, budget, residual, warnings."""
    c = len(equations.minimal)
    parts = {"noise": solution.covariance} | covariance_by_known(problem, solution.by_known)
    unseen = solution.unseen if solution.unseen.size else np.zeros((0, c))
    residual, left = misfit(equations, solution.x, solution.x.size - len(unseen))
    if residual.white is False and solution.beyond_noise is not None:
        parts[MODEL] = solution.beyond_noise
    total = np.sum(list(parts.values()), axis=0)
    variances = np.column_stack([np.diagonal(part)[:c] for part in parts.values()])
    whole = variances.sum(axis=1, keepdims=True)
    shares = np.where(whole > 0.0, variances / np.where(whole > 0.0, whole, 1.0), np.eye(1, len(parts)))
    sd = np.sqrt(np.maximum(np.diagonal(total), 0.0))
    held = held_in_words(equations.minimal.leaders, equations.whole, unseen)
    mistakes, about_data = linear_mistakes(problem, equations, solution.x, sd, residual)
    about_fit = (
        () if mistakes else sentences(equations, sd, held, residual, solution.bias, MODEL in parts)
    )  # else they follow
    warnings = (*mistakes, *about_data, *about_fit, *_gains(problem, equations), *solution.warnings)
    no_interval = _biased(solution.bias, sd, c)
    found = Estimate(
        method=method,
        model=" + ".join(dict.fromkeys(block.model for block in equations.blocks)),
        robot=problem.robot,
        known=problem.known,
        zero=problem.zero,
        minimal=equations.minimal,
        values=solution.x[:c],
        covariance=total[:c, :c],
        cad=equations.cad,
        residual=residual,
        budget=Budget(tuple(parts), shares),
        nuisances=_quantities(equations, solution, sd),
        unseen=unseen,
        held=held,
        warnings=warnings,
        notes=(*solution.notes, *([no_interval] if no_interval else []), LINEAR),
        prior=problem.prior,
        flights=used_flights(problem.flights),
        residuals=left,
        no_interval=no_interval,
    )
    failures = () if mistakes else reasons_to_fail(figures_of(found))
    warned = (*warnings, *failures)
    judged = replace(found, warnings=warned, outcome=outcome_by((*mistakes, *failures), bool(warned)))
    told = with_rotor_words(judged, problem)
    return with_unknown_noise(told) if any(flight.torque_noise_left for flight in problem.flights) else told


def _biased(bias: Array | None, sd: Array, c: int) -> str:
    """Why a method that noise in its own columns shifts states no intervals; empty if the shift is small."""
    if bias is None or not (sd[:c] > 0.0).any():
        return ""
    shift = float((np.abs(bias[:c]) / np.where(sd[:c] > 0.0, sd[:c], np.inf)).max())
    if shift <= _MOST_SHIFT:
        return ""
    return (
        f"no intervals: noise in the measured rates is expected to shift clusters by up to {two_digits(shift)} of "
        "their standard deviations, which intervals would not hold; bias-compensated, total-least-squares and "
        "maximum-likelihood state them"
    )


def _gains(problem: Problem, equations: Equations) -> tuple[str, ...]:
    """A sentence on gains of torques that the mission says are uncertain."""
    compared = any(block.model in _OF_TORQUES for block in equations.blocks)
    if problem.nuisances.torque_gain is None or not compared:
        return ()
    return (
        "linear methods take gains of torques as exact, and intervals know nothing of what was said of them "
        "(`gain_relative_sd`, `torque_gain`); maximum-likelihood estimates them",
    )


def covariance_by_known(problem: Problem, by_known: Array | None) -> dict[str, Array]:
    """Covariance that each known selector with a standard deviation adds, shape (u, u) each.

    by_known: derivative of the unknowns by each of these values, shape (u, known); None if there are none.
    """
    if by_known is None:
        return {}
    uncertain = np.flatnonzero(problem.known_sd)
    added, counted = dict[str, Array](), set[int]()
    for selector in problem.known:
        own = [column for column in select_parameters(problem.robot, selector) if column not in counted]
        places = np.flatnonzero(np.isin(uncertain, own))
        if places.size:
            slope, columns = by_known[:, places], uncertain[places]
            added[selector] = slope @ problem.known_covariance[columns[:, None], columns] @ slope.T
            counted.update(own)
    return added


def _quantities(equations: Equations, solution: Solution, sd: Array) -> tuple[Quantity, ...]:
    """Nuisances; as clusters, they are open where more of them is held at the CAD model than the data leave."""
    c = len(equations.minimal)
    held, own = solution.held_sd, sd[c:]
    spread = own if not held.size else np.where(held > own, np.inf, np.hypot(own, held))
    named = zip(equations.nuisances, solution.x[c:], spread, equations.units, strict=True)
    return tuple(Quantity(name, float(value), float(error), unit) for name, value, error, unit in named)
