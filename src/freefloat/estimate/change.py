"""What changed between two flights: a target captured, propellant burnt, a tank filled.

The change is a body of its own, fixed to the one that changed, that was not there before: all flights are explained
together by one robot, so that whatever stayed the same is common to them and its uncertainty cancels. After the way
in which C. G. Atkeson, C. H. An, J. M. Hollerbach ("Estimation of inertial parameters of manipulator loads and
links", International Journal of Robotics Research, 1986) find a load: with it less without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.prior import UnknownBody
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknown_body import FoundBody, found_body, with_unknown_body

CHANGE = "change"


def change_between(
    problem: Problem,
    body: str,
    before: Iterable[str],
    mass_kg: float,
    size_m: float,
    estimator: Estimator | None = None,
) -> FoundBody:
    """What a body gained (or lost: then its mass is negative) between flights.

    before: names of the flights from before the change; all others are from after it.
    mass_kg, size_m: how large the change may be, about its standard deviation.
    estimator: maximum likelihood unless given.
    """
    changed = with_change(problem, body, before, mass_kg, size_m)
    return found_body((estimator or MaximumLikelihood()).estimate(changed), CHANGE)


def with_change(problem: Problem, body: str, before: Iterable[str], mass_kg: float, size_m: float) -> Problem:
    """The problem with what a body gained as a body of its own, as `change_between` has it."""
    earlier, names = set(before), {flight.name for flight in problem.flights}
    if not earlier or not earlier < names:
        raise InvalidProblem(
            f"flights before the change: {', '.join(sorted(earlier)) or 'none'}; allowed: some, but not all, of "
            f"{', '.join(sorted(names))}"
        )
    flights = tuple(
        replace(flight, without=(*flight.without, CHANGE)) if flight.name in earlier else flight
        for flight in problem.flights
    )
    change, prior = UnknownBody(CHANGE, mass_kg, size_m), problem.prior
    if prior is not None:
        prior = prior.with_unknown(change)
    guess = mass_kg if prior is None else 0.0  # without a prior, what the CAD model has is no more than a scale
    robot = with_unknown_body(problem.robot, body, change, guess)
    return replace(problem, robot=robot, flights=flights, prior=prior)
