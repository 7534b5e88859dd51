"""The total mass, which momentum about the centre of mass hardly shows: from two steps, or from a thruster's pulse.

After O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space manipulator
systems", Robotics and Autonomous Systems, 2022. The clusters pi of angular momentum hold products of first moments
over the mass, M eta_j eta_k, and the base's velocity shows eta. The authors divide one by the other (eq. 42); all
products together, by least squares, do better. A push of known impulse shows the mass alone (eq. 40).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Quantity
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.prior import known_covariance
from freefloat.models.angular_momentum import (
    AngularMomentum,
    BaseVelocity,
    MassNotVisible,
    clusters_per_mass,
    total_mass,
)
from freefloat.robot.parameters import INDEX, PER_BODY
from freefloat.robot.selection import select_parameters

_ROUNDING = 1e-9  # of a mass' weight, which is one


def mass_from_products(estimate: Estimate) -> Quantity:
    """The total mass from all products at once; the estimate is one of angular-momentum + base-velocity."""
    angular, velocity = _models(estimate)
    pi, eta = _clusters(estimate, angular)
    mass = total_mass(angular, pi, velocity, eta)
    pure, per_mass, slope = clusters_per_mass(angular, velocity, eta)
    square = per_mass @ per_mass
    by_pi = np.zeros(pi.size)
    by_pi[pure] = per_mass / square
    by_eta = slope.T @ (pi[pure] - 2.0 * mass * per_mass) / square
    return Quantity("total mass", mass, _sd(estimate, angular, by_pi, by_eta), "kg")


def mass_from_ratio(estimate: Estimate, cluster: str) -> Quantity:
    """The total mass from one cluster of angular momentum, by its name, as published (eq. 42)."""
    angular, velocity = _models(estimate)
    pi, eta = _clusters(estimate, angular)
    pure, per_mass, slope = clusters_per_mass(angular, velocity, eta)
    leaders = [angular.minimal.leaders[place] for place in pure]
    if cluster not in leaders or per_mass[leaders.index(cluster)] == 0.0:
        there = ", ".join(name for name, each in zip(leaders, per_mass, strict=True) if each) or "none"
        raise MassNotVisible(f"{cluster} is no product of first moments over the mass; there are: {there}")
    k = leaders.index(cluster)
    mass = float(pi[pure[k]] / per_mass[k])
    by_pi = np.zeros(pi.size)
    by_pi[pure[k]] = 1.0 / per_mass[k]
    return Quantity("total mass", mass, _sd(estimate, angular, by_pi, -mass * slope[k] / per_mass[k]), "kg")


def mass_of(estimate: Estimate) -> Quantity:
    """The total mass that an estimate shows: as one of its clusters, or from all products of two steps."""
    if not estimate.is_standard:
        return mass_from_products(estimate)
    robot = estimate.robot
    masses = np.zeros(robot.parameters.size)
    masses[INDEX["m"] :: PER_BODY] = 1.0
    known = select_parameters(robot, estimate.known)
    asked = np.array(masses)
    asked[np.union1d(known, select_parameters(robot, estimate.zero))] = 0.0
    weights = np.linalg.lstsq(estimate.minimal.combine.T, asked, rcond=None)[0]
    shown = np.abs(estimate.minimal.combine.T @ weights - asked).max() < _ROUNDING
    if not shown or estimate.open[np.abs(weights) > _ROUNDING].any():
        raise MassNotVisible("the estimate's data leave the total mass open")
    sd = float(np.sqrt(estimate.transformed(weights[None])[0, 0]))
    settled = np.zeros_like(masses)
    settled[known] = masses[known]
    of_known = float(np.sqrt(settled @ known_covariance(robot, estimate.known) @ settled))  # however they go together
    value = float(weights @ estimate.values + settled @ robot.parameters)
    return Quantity("total mass", value, sd + of_known, "kg")


def mass_from_pulse(
    force_N: ArrayLike,
    duration_s: float,
    velocity_change_m_s: ArrayLike,
    force_sd_N: float = 0.0,
    duration_sd_s: float = 0.0,
    velocity_sd_m_s: float = 0.0,
) -> Quantity:
    """The total mass from a thruster's pulse with the joints locked (eq. 40).

    force_N, velocity_change_m_s: of the thruster and of the centre of mass, both along the thruster, or both of
    shape (3,) in the same axes; what changes across the push tells nothing. sd: standard deviations, each component.
    """
    force, change = np.atleast_1d(np.asarray(force_N, float)), np.atleast_1d(np.asarray(velocity_change_m_s, float))
    if force.shape != change.shape or force.shape not in ((1,), (3,)):
        raise InvalidProblem(
            f"force and velocity change have {force.size} and {change.size} components; allowed: 1 or 3 of both"
        )
    spreads = (force_sd_N, duration_sd_s, velocity_sd_m_s)
    if not np.isfinite([*force, *change, duration_s, *spreads]).all() or min(spreads) < 0.0:
        raise InvalidProblem("a pulse has a number that is not finite, or a standard deviation below zero")
    size = float(np.linalg.norm(force))
    along = float(force @ change) / size if size > 0.0 else 0.0
    if not (along > 0.0 and duration_s > 0.0):
        raise InvalidProblem("a pulse shows the mass only if it lasts and moves the robot along its force")
    mass = size * duration_s / along
    shares = (force_sd_N / size, duration_sd_s / duration_s, velocity_sd_m_s / along)
    return Quantity("total mass", mass, mass * float(np.linalg.norm(shares)), "kg")


def _models(estimate: Estimate) -> tuple[AngularMomentum, BaseVelocity]:
    if estimate.model != "angular-momentum + base-velocity":
        raise InvalidProblem(f"the estimate is of {estimate.model}; allowed: angular-momentum + base-velocity")
    given = estimate.robot, tuple(estimate.known), estimate.zero
    return AngularMomentum(*given), BaseVelocity(*given)


def _clusters(estimate: Estimate, angular: AngularMomentum) -> tuple[Array, Array]:
    """All clusters of angular momentum, known ones included, and those of base velocity."""
    asked, pi = angular.asked_clusters(), angular.values()
    pi[asked] = estimate.values[: asked.size]
    return pi, estimate.values[asked.size :]


def _sd(estimate: Estimate, angular: AngularMomentum, by_pi: Array, by_eta: Array) -> float:
    """Standard deviation of a quantity with these derivatives."""
    slope = np.concatenate([by_pi[angular.asked_clusters()], by_eta])
    return float(np.sqrt(estimate.transformed(slope[None])[0, 0]))
