"""What changed between two flights: a target captured, propellant burnt, a tank filled.

The change is a body of its own, fixed to the one that changed, that was not there before: all flights are explained
together by one robot, so that whatever stayed the same is common to them and its uncertainty cancels. After the way
in which C. G. Atkeson, C. H. An, J. M. Hollerbach ("Estimation of inertial parameters of manipulator loads and
links", International Journal of Robotics Research, 1986) find a load: with it less without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.parts import Body, Joint

CHANGE = "change"
_ROUNDING = 1e-9  # of the weights that make up a cluster


@dataclass(frozen=True, slots=True)
class ChangeSpread(CadSpread):
    """A CAD model's spread, but for the change, of which nothing is assumed but how large it may be.

    mass_kg, size_m: standard deviations of its mass, and of its first moments and inertias by that mass at this size.
    """

    mass_kg: float = 1.0
    size_m: float = 1.0

    def covariance(self, robot: Robot) -> Array:
        """Covariance of all standard parameters, shape (10 bodies, 10 bodies)."""
        covariance = CadSpread.covariance(self, robot)
        sd = self.mass_kg * np.repeat([1.0, self.size_m, self.size_m**2], [1, 3, 6])
        block = PER_BODY * robot.body_names.index(CHANGE) + np.arange(PER_BODY)
        covariance[np.ix_(block, block)] = np.diag(sd**2)
        return covariance


@dataclass(frozen=True, eq=False)
class Change:
    """A change of one body, in the frame of that body.

    estimate: of everything. names: of the change's standard parameters that the flights show.
    values, covariance: shape (k,), (k, k) [SI]. sd: shape (k,), infinite where the flights leave one open.
    """

    estimate: Estimate
    names: tuple[str, ...]
    values: Array
    covariance: Array
    sd: Array


def change_between(
    problem: Problem,
    body: str,
    before: Iterable[str],
    mass_kg: float,
    size_m: float,
    estimator: Estimator | None = None,
) -> Change:
    """What a body gained (or lost: then its mass is negative) between flights.

    before: names of the flights from before the change; all others are from after it.
    mass_kg, size_m: how large the change may be, about its standard deviation.
    estimator: maximum likelihood unless given.
    """
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
    prior = problem.prior
    if prior is not None:
        prior = ChangeSpread(prior.mass, prior.com, prior.inertia, mass_kg, size_m)
    guess = mass_kg if prior is None else 0.0  # without a prior, what the CAD model has is no more than a scale
    robot = _with_change(problem.robot, body, guess, size_m)
    found = (estimator or MaximumLikelihood()).estimate(replace(problem, robot=robot, flights=flights, prior=prior))
    return _of_change(found)


def _with_change(robot: Robot, body: str, mass_kg: float, size_m: float) -> Robot:
    """The robot with a further body, a ball at the origin of the one that changes."""
    robot.body(body)
    phi = mass_kg * np.concatenate([[1.0], np.zeros(3), np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0]) * size_m**2])
    changed = Body(CHANGE, body, Joint(CHANGE, "fixed"), parameters=phi)
    return replace(robot, bodies=(*robot.bodies, changed), separate=robot.separate | {CHANGE})


def _of_change(estimate: Estimate) -> Change:
    """The clusters that are one parameter of the change alone."""
    robot, minimal = estimate.robot, estimate.minimal
    own = np.arange(robot.parameters.size) // PER_BODY == robot.body_names.index(CHANGE)
    weight = np.abs(minimal.combine)
    alone = (np.abs(weight[:, own].sum(axis=1) - 1.0) < _ROUNDING) & (weight[:, ~own].sum(axis=1) < _ROUNDING)
    pure = np.flatnonzero(alone)
    names = tuple(estimate.names[place] for place in pure)
    covariance = estimate.covariance[np.ix_(pure, pure)]
    return Change(estimate, names, estimate.values[pure], covariance, estimate.sd[pure])
