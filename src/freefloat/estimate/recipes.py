"""Published methods, one function each: which equations, what is known, which estimator.

They take a problem as it is and change only what the publication prescribes. Most are linear, and none but the last
ones allows for what else data may hold; `MaximumLikelihood` does, and is the better choice wherever it applies.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Quantity
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.linear.structured import structured_least_squares
from freefloat.estimate.prior import UnknownBody
from freefloat.estimate.problem import Problem
from freefloat.estimate.structured.as_standard import standard_estimate
from freefloat.estimate.total_mass import mass_from_products, mass_from_ratio
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.models.names import ModelName
from freefloat.robot.parameters import PER_BODY


def naveen_momentum(problem: Problem) -> Estimate:
    """All minimal parameters from linear and angular momentum, wheels fixing the scale; v and w measured.

    B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space robot",
    Journal of Guidance, Control, and Dynamics, 2019.
    """
    return _least_squares(problem, "momentum")


@dataclass(frozen=True, eq=False)
class PublishedSteps:
    """Clusters of angular momentum and first moments over the mass, one after another, and the mass from both."""

    estimate: Estimate
    mass: Quantity

    @cached_property
    def whole(self) -> Estimate:
        """The clusters of momentum behind both: of these are free-flying matrices, code, URDFs and predictions made."""
        return standard_estimate(self.estimate)

    def mass_from_ratio(self, cluster: str) -> Quantity:
        """The total mass from a single product of first moments, as published."""
        return mass_from_ratio(self.estimate, cluster)


def christidi_two_steps(problem: Problem) -> PublishedSteps:
    """Angular momentum about the centre of mass, then the base's velocity, then the total mass.

    O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space manipulator
    systems", Robotics and Autonomous Systems, 2022; but momentum that is not known is estimated, where the authors
    take differences with the first sample, and the mass is that of all products together. The method `two-steps` is
    free of the bias by noisy rates, and finds mass and clusters by all products and what they are made of.
    """
    found = _least_squares(problem, "angular-momentum", "base-velocity")
    return PublishedSteps(found, mass_from_products(found))


def spirolazzi_known_load(problem: Problem) -> Estimate:
    """Angular momentum that is zero, its scale fixed by a load of known inertia.

    M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing", 2022. Of a load
    off its joint's axis every cluster holds the total mass, which is not known (eq. 5.6): then the minimal parameters
    that the clusters are made of are found instead, the mass among them. A load that an unknown link grips fixes
    nothing in one flight; in two, one of them without the load, it does. Bodies that come and go change the clusters
    about the centre of mass, so that linear momentum is needed then (v measured).
    """
    if any(not flight.momentum.is_zero for flight in problem.flights):
        raise InvalidProblem("a known load fixes the scale where momentum is zero; here it is not")
    if not problem.known:
        raise InvalidProblem("nothing is declared known, so nothing fixes the scale at zero momentum; declare the load")
    gripped = len({frozenset(flight.without) for flight in problem.flights}) > 1
    if gripped:
        return _least_squares(problem, "momentum")
    absent = next(iter({tuple(flight.without) for flight in problem.flights}))
    model = AngularMomentum(problem.robot, tuple(problem.known), (*problem.zero, *absent))
    if model.known_clusters().size:
        return _least_squares(problem, "angular-momentum")
    return structured_least_squares(problem)


def gautier_khalil_energy(problem: Problem) -> Estimate:
    """Energy that joint torques put in; no accelerations needed.

    M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
    International Journal of Robotics Research, 1992.
    """
    return _least_squares(problem, "energy")


def atkeson_torque(problem: Problem) -> Estimate:
    """Joint torques, and the wrench on the base where it moves; accelerations needed.

    C. G. Atkeson, C. H. An, J. M. Hollerbach, "Estimation of inertial parameters of manipulator loads and links",
    International Journal of Robotics Research, 1986.
    """
    return _least_squares(problem, "torque")


def ayusawa_base_rows(problem: Problem) -> Estimate:
    """The six equations of the base alone: forces from outside are measured, joint torques are not needed.

    K. Ayusawa, G. Venture, Y. Nakamura, "Identifiability and identification of inertial parameters using the
    underactuated base-link dynamics for legged multibody systems", International Journal of Robotics Research, 2014.
    """
    flights = tuple(replace(flight, samples=replace(flight.samples, torques=None)) for flight in problem.flights)
    return _least_squares(replace(problem, flights=flights), "torque")


def base_only(problem: Problem, relative_sd: float = 0.0, estimator: Estimator | None = None) -> Estimate:
    """The base's parameters, the arm being known to this standard deviation.

    O. Ma, H. Dang, K. Pham, "On-orbit identification of inertia properties of spacecraft using a robotic arm",
    Journal of Guidance, Control, and Dynamics, 2008.
    """
    if problem.robot.base == "fixed":
        raise InvalidProblem(
            "the base is fixed, so that its mass moves nothing and no reading shows it; allowed: a base that moves"
        )
    return _only(problem, [problem.robot.body_names[0]], relative_sd, estimator)


def target_only(
    problem: Problem,
    target: str,
    relative_sd: float = 0.0,
    estimator: Estimator | None = None,
    mass_kg: float | None = None,
    size_m: float = 1.0,
) -> Estimate:
    """The parameters of what the arm holds, base and arm being known to this standard deviation.

    mass_kg, size_m: how large it may be, about a standard deviation; its mass that of all else unless given. The
        robot's values of it are a guess to start from, and no CAD model's: a prior's spread is not that of the target.

    Y. Murotsu, K. Senda, M. Ozaki, S. Tsujio, "Parameter identification of unknown object handled by free-flying space
    robot", Journal of Guidance, Control, and Dynamics, 1994.
    """
    if problem.prior is not None:
        held = problem.robot.with_separate(problem.robot.separate | ({target} - set(problem.robot.body_names)))
        own = held.parameters[PER_BODY * held.body_names.index(target)] if target in held.body_names else 0.0
        body = UnknownBody(target, held.mass - own if mass_kg is None else mass_kg, size_m)
        problem = replace(problem, prior=problem.prior.with_unknown(body))
    return _only(problem, [target], relative_sd, estimator)


def _least_squares(problem: Problem, *models: ModelName) -> Estimate:
    return LeastSquares().estimate(replace(problem, models=models))


def _only(problem: Problem, unknown: Iterable[str], relative_sd: float, estimator: Estimator | None) -> Estimate:
    """An estimate with all bodies known but these; what the problem says of known ones stands."""
    bodies = set(unknown)
    robot = problem.robot.with_separate(problem.robot.separate | (bodies - set(problem.robot.body_names)))
    known = {name: problem.known.get(name, relative_sd) for name in robot.body_names if name not in bodies}
    return (estimator or MaximumLikelihood()).estimate(replace(problem, robot=robot, known=known))
