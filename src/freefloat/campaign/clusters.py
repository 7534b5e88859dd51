"""What the methods of a campaign are held against: true values, units of errors, and the Cramér-Rao bound.

Methods differ in their clusters: linear ones on a gyro's data estimate those of the angular momentum about the centre
of mass, maximum likelihood those of standard parameters. The latter give the former (`AngularView`), not the other way
round, so that methods are compared by clusters of angular momentum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.campaign.manifest import ClustersSection
from freefloat.errors import FreefloatError
from freefloat.estimate.bound.bound import Bound, cramer_rao_bound
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.cluster_sets import (
    ClusterSet,
    angular_momentum_clusters,
    base_velocity_clusters,
    side_by_side,
    standard_clusters,
)
from freefloat.estimate.uncertain import root_of
from freefloat.estimate.unknowns import parameter_columns, unknowns_of
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity

ANGULAR = "angular-momentum"
_COUNTS = 0.05  # of a standard deviation


@dataclass(frozen=True, slots=True, eq=False)
class AngularView:
    """An estimate of standard parameters as clusters of the angular momentum about the centre of mass.

    model: of the true robot; what it takes from it is its geometry. unknown: clusters that are not known, shape (k,).
    known_root: of the covariance that what is known has, shape (10 bodies, u).
    """

    model: AngularMomentum
    unknown: NDArray[np.int64]
    known_root: Array

    @classmethod
    def of(cls, problem: Problem) -> AngularView:
        """For the robot of a problem, with what it declares known or zero."""
        model = AngularMomentum(problem.robot, tuple(problem.known), problem.zero)
        unknown = model.asked_clusters()
        return cls(model, unknown, root_of(problem.known_covariance))

    def slope(self, phi: Array) -> Array:
        """Derivative of the clusters by standard parameters, at these, shape (k, 10 bodies)."""
        theta = self.model.underlying.minimal
        return self.model.jacobian(theta.values(phi))[self.unknown] @ theta.combine

    def seen(self, estimate: Estimate) -> tuple[Array, Array]:
        """Values and standard deviations, shape (k,) each.

        Where errors of what is known count, the standard deviation is not a number: an estimate does not say how they
        go with those of its clusters.
        """
        if estimate.model == ANGULAR:
            return estimate.values, estimate.sd
        phi = estimate.parameters
        slope = self.slope(phi)
        sd = np.sqrt(np.diagonal(estimate.transformed(slope[:, estimate.minimal.kept])))
        mixed = np.linalg.norm(slope @ self.known_root, axis=1) > _COUNTS * sd
        value = self.model.structured(self.model.underlying.minimal.values(phi))[self.unknown]
        return value, np.where(mixed, np.nan, sd)


def comparison(estimates: Mapping[str, Estimate], problem: Problem) -> AngularView | None:
    """The view in which methods with different clusters are compared; None where there is no need, or no way."""
    kinds = {estimate.names for estimate in estimates.values()}
    comparable = all(estimate.model == ANGULAR or estimate.is_standard for estimate in estimates.values())
    return AngularView.of(problem) if len(kinds) > 1 and comparable and problem.robot.base != "fixed" else None


def answers(
    estimates: Mapping[str, Estimate], problem: Problem, view: AngularView | None
) -> tuple[dict[str, ClustersSection], ClustersSection | None]:
    """What each method is held against, and what all are that are compared.

    estimates: by method, of one recording; their CAD model, and that of the problem, is the true robot.
    """
    bound = _bound(problem)
    by_method = {method: _section(estimate, problem, bound) for method, estimate in estimates.items()}
    if view is None:
        return by_method, None
    clusters = _angular(problem, view)
    return by_method, _made(ANGULAR, clusters.minimal.leaders, clusters.cad, clusters, problem, bound)


def _angular(problem: Problem, view: AngularView) -> ClusterSet:
    """With the derivatives by what is known as well."""
    return replace(angular_momentum_clusters(problem, view.model), slope=view.slope(view.model.standard(None)))


def _bound(problem: Problem) -> Bound | None:
    try:
        return cramer_rao_bound(problem)
    except FreefloatError:  # a fixed base, or flights without a gyro: there is none
        return None


def _section(estimate: Estimate, problem: Problem, bound: Bound | None) -> ClustersSection:
    clusters = _clusters(estimate, problem)
    known = clusters if clusters.minimal.leaders == estimate.names else None
    return _made(estimate.model, estimate.names, estimate.cad, known, problem, bound)


def _clusters(estimate: Estimate, problem: Problem) -> ClusterSet:
    """How the estimate's clusters follow from standard parameters."""
    if estimate.is_standard:
        return standard_clusters(problem)
    sets = dict[str, ClusterSet]()
    for name in estimate.model.split(" + "):
        if name == ANGULAR:
            sets[name] = _angular(problem, AngularView.of(problem))
        elif name == "base-velocity":
            velocity = BaseVelocity(problem.robot, tuple(problem.known), problem.zero)
            sets[name] = base_velocity_clusters(problem, velocity)
        else:
            sets["standard"] = standard_clusters(problem)
    return side_by_side(tuple(sets.values()))


def _spread(clusters: ClusterSet, problem: Problem) -> Array:
    """Standard deviations of the clusters in the CAD model, by what is not known, shape (c,)."""
    slope = np.zeros_like(clusters.slope)
    slope[:, problem.unknown] = clusters.slope[:, problem.unknown]
    return np.sqrt(np.maximum(np.diagonal(replace(clusters, slope=slope).covariance(problem)), 0.0))


def _made(
    model: str,
    names: tuple[str, ...],
    truth: Array,
    clusters: ClusterSet | None,
    problem: Problem,
    bound: Bound | None,
) -> ClustersSection:
    """clusters: None if how these follow from standard parameters is not known: neither spread nor bound."""
    spread, sd = np.zeros(truth.size), np.full(truth.size, np.nan)
    if clusters is not None:
        spread = _spread(clusters, problem)
    unit = np.maximum(np.abs(truth), spread)
    if clusters is not None and bound is not None:
        columns = parameter_columns(problem, unknowns_of(problem))
        slope, covariance = clusters.slope[:, columns], bound.full_covariance[: columns.size, : columns.size]
        sd = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", slope, covariance, slope), 0.0))
        hidden = np.flatnonzero(bound.open)
        sd = np.where(np.abs(slope[:, hidden]).max(axis=1, initial=0.0) > 0.0, np.nan, sd)
    return ClustersSection(
        model=model,
        names=list(names),
        truth=truth.tolist(),
        unit=np.where(unit > 0.0, unit, 1.0).tolist(),
        bound=[value if np.isfinite(value) and value > 0.0 else None for value in sd.tolist()],
    )
