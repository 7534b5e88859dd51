"""What an estimate says of standard parameters, and what it leaves open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.prior import CadSpread
from freefloat.models.model import NotApplicable
from freefloat.robot.selection import select_parameters


def refuse_other_clusters(estimate: Estimate) -> None:
    """Refuse clusters that are not sums of standard parameters, such as those about the centre of mass."""
    if not estimate.is_standard:
        raise NotApplicable(
            f"an estimate of {estimate.model} has clusters that are not sums of standard parameters; allowed: one by "
            "maximum likelihood, or of momentum, energy or torque"
        )
    if not (np.isfinite(estimate.values).all() and np.isfinite(estimate.covariance).all()):
        raise ShapeError("the estimate holds numbers that are not finite; allowed: finite values and covariance")


def undeclared(estimate: Estimate) -> NDArray[np.int64]:
    """Columns of the standard parameters that were declared neither known nor zero."""
    robot = estimate.robot
    declared = np.union1d(select_parameters(robot, estimate.known), select_parameters(robot, estimate.zero))
    return np.setdiff1d(np.arange(robot.parameters.size), declared)


def spread_of(estimate: Estimate) -> CadSpread:
    """The CAD model's spread that an estimate was made with; the usual one where it used none."""
    return estimate.prior or CadSpread()


def cad_covariance(estimate: Estimate, prior: CadSpread | None = None) -> Array:
    """Covariance of the clusters in the CAD model, shape (c, c); they hold nothing that was declared.

    prior: its spread, that with which the estimate was made unless given.
    """
    return (prior or spread_of(estimate)).of_clusters(estimate.robot, estimate.minimal.combine)


def cad_spread(estimate: Estimate, prior: CadSpread | None = None) -> Array:
    """Standard deviation of each cluster in the CAD model, the unit of `Estimate.unseen`, shape (c,)."""
    return np.sqrt(np.maximum(np.diagonal(cad_covariance(estimate, prior)), 1e-300))


def total_covariance(estimate: Estimate, spread: Array) -> Array:
    """Covariance of the clusters by the data, and by the CAD model along what these do not show, shape (c, c).

    spread: standard deviations of the clusters in the CAD model, shape (c,).
    """
    held = estimate.unseen * spread
    return estimate.covariance + held.T @ held
