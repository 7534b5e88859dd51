"""The clusters that rows ask for: standard parameters, or those about the centre of mass, or both side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.estimate.prior import CadSpread
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.models.minimal import MinimalParameters

if TYPE_CHECKING:
    from freefloat.estimate.problem_data import ProblemData


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSet:
    """Clusters, what the CAD model says of them, and how they follow from standard parameters.

    minimal: c clusters. cad: their values, shape (c,). slope: their derivative by the unknown standard parameters
    at the CAD model, zero for the others, shape (c, 10 bodies).
    """

    minimal: MinimalParameters
    cad: Array
    slope: Array

    def covariance(self, problem: ProblemData) -> Array:
        """Of the CAD model's clusters, by the prior or else by default spreads, shape (c, c)."""
        return self.slope @ (problem.prior or CadSpread()).covariance(problem.robot) @ self.slope.T


def standard_clusters(problem: ProblemData) -> ClusterSet:
    """Those of momentum, energy and torque."""
    return ClusterSet(problem.minimal, problem.cad, _unknown_only(problem, problem.minimal.combine))


def angular_momentum_clusters(problem: ProblemData, model: AngularMomentum) -> ClusterSet:
    """Those about the centre of mass that are not known."""
    theta = model.underlying.minimal
    asked = model.asked_clusters()
    minimal = model.minimal
    chosen = MinimalParameters(minimal.names, minimal.kept[asked], minimal.combine[asked], minimal.gap)
    slope = model.jacobian(theta.values(model.standard(None)))[asked] @ theta.combine
    return ClusterSet(chosen, model.values()[asked], _unknown_only(problem, slope))


def base_velocity_clusters(problem: ProblemData, model: BaseVelocity) -> ClusterSet:
    """First moments over the total mass."""
    theta = model.underlying.minimal
    slope = model.jacobian(theta.values(model.standard(None))) @ theta.combine
    return ClusterSet(model.minimal, model.values(), _unknown_only(problem, slope))


def side_by_side(sets: Sequence[ClusterSet]) -> ClusterSet:
    """One set after another."""
    if len(sets) == 1:
        return sets[0]
    starts = np.cumsum([0, *(len(each.minimal.names) for each in sets[:-1])])
    minimal = MinimalParameters(
        tuple(name for each in sets for name in each.minimal.names),
        np.concatenate([each.minimal.kept + start for each, start in zip(sets, starts, strict=True)]),
        scipy.linalg.block_diag(*(each.minimal.combine for each in sets)),
        min(each.minimal.gap for each in sets),
    )
    return ClusterSet(minimal, np.concatenate([each.cad for each in sets]), np.vstack([each.slope for each in sets]))


def _unknown_only(problem: ProblemData, slope: Array) -> Array:
    masked = np.zeros_like(slope)
    masked[:, problem.unknown] = slope[:, problem.unknown]
    return masked
