"""Directions of the clusters in which data say less than was known before, and whether any motion would say more.

With a prior of covariance S the estimate has covariance C. In a direction x with C S^-1 x = mu x the data hold
1 / mu - 1 times the prior's information, everything else being estimated along: near none where mu is one. Without a
prior they are the directions that were not moved in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.estimate.causes.advice import held_in_words
from freefloat.estimate.causes.suspicions import nothing_known, wheels_turn
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import MODEL
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.uncertain import NEARLY_EXACT
from freefloat.models.identifiable import Measurement, identifiability
from freefloat.models.model import NotApplicable
from freefloat.models.names import OF_FORCES

_LITTLE = 0.1  # of the prior's information: below, a direction rests on the prior
_NOTHING = 1e-4  # below, the data do not show it at all


@dataclass(frozen=True, slots=True)
class WeakDirections:
    """In words. held: those that rest on the CAD model; lost: those of them that the data do not show at all."""

    held: tuple[str, ...]
    lost: tuple[str, ...]


def weak_directions(estimate: Estimate, problem: Problem) -> WeakDirections:
    """What an estimate takes from the CAD model."""
    covariance = problem.spread_of_clusters(estimate.prior or CadSpread())  # as wide as the data let it be
    sd = np.sqrt(np.diagonal(covariance))
    whole = estimate.cad / sd if nothing_known(problem) else None
    if problem.prior is None:
        words = held_in_words(estimate.names, whole, estimate.unseen)
        return WeakDirections(words, words)
    least = 1.0 / (1.0 + _LITTLE)
    uncertain = _uncertain(covariance) / sd[:, None]
    inside = (uncertain.T @ each @ uncertain for each in (_promised(estimate), covariance))
    mu, X = scipy.linalg.eigh(*inside, subset_by_value=(least, np.inf), check_finite=False)
    if not mu.size:
        return WeakDirections((), ())
    rows: Array = (covariance @ uncertain @ X).T[::-1] / sd  # least known first
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    nothing = int((mu > 1.0 / (1.0 + _NOTHING)).sum())
    lost = held_in_words(estimate.names, whole, rows[:nothing])
    return WeakDirections((*lost, *held_in_words(estimate.names, None, rows[nothing:])), lost)


def _uncertain(covariance: Array) -> Array:
    """Directions in units of a spread that it leaves open, (c, k): not those in which a point has to be one."""
    sd = np.sqrt(np.diagonal(covariance))
    values, vectors = np.linalg.eigh(covariance / np.outer(sd, sd))
    return np.asarray(vectors[:, values > 10.0 * NEARLY_EXACT * values[-1]])


def _promised(estimate: Estimate) -> Array:
    """Covariance without what was added because the model is wrong: of that, data are no less."""
    budget = estimate.budget
    if budget is None or MODEL not in budget.sources:
        return estimate.covariance
    kept = np.sqrt(np.maximum(1.0 - budget.shares[:, budget.sources.index(MODEL)], 0.0))
    return np.asarray(estimate.covariance * np.outer(kept, kept))


def never_shown(problem: Problem) -> int:
    """How many directions no motion shows with these sensors, this momentum and these wheels."""
    measured = {name for flight in problem.flights for name in flight.noise}
    momenta = {flight.momentum.kind for flight in problem.flights}
    measurement = Measurement(
        velocity=bool({"v", "position"} & measured),
        torque=bool(OF_FORCES & set(problem.models)),
        momentum="unknown" if "unknown" in momenta else "known" if "known" in momenta else "zero",
        wheels=_wheels(problem),
        thruster=bool({"v", "position"} & measured) and any(flight.pulses for flight in problem.flights),
    )
    try:
        answer = identifiability(problem.robot, measurement, tuple(problem.known), problem.zero)
    except NotApplicable:
        return 0
    return answer.of - answer.rank


def _wheels(problem: Problem) -> Literal["still", "constant", "varying"]:
    turning = [flight.samples.wheel_rates for flight in problem.flights if wheels_turn(flight)]
    rates = [each for each in turning if each is not None]
    if not rates:
        return "still"
    return "varying" if any(np.ptp(each, axis=0).any() for each in rates) else "constant"
