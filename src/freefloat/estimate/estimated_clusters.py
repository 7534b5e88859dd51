"""What an estimate says of standard parameters, and what it leaves open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import ShapeError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.prior import CadSpread
from freefloat.regressor.model import NotApplicable
from freefloat.regressor.selection import select_parameters
from freefloat.robot.transform import Array


def refuse_other_clusters(estimate: Estimate) -> None:
    """Refuse clusters that are not sums of standard parameters, such as those about the centre of mass."""
    if estimate.minimal.names != estimate.robot.parameter_names:
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


def cad_spread(estimate: Estimate, prior: CadSpread | None = None) -> Array:
    """Standard deviation of each cluster in the CAD model, the unit of `Estimate.unseen`, shape (c,)."""
    columns = undeclared(estimate)
    combine = estimate.minimal.combine[:, columns]
    covariance = (prior or CadSpread()).covariance(estimate.robot)[np.ix_(columns, columns)]
    return np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", combine, covariance, combine), 1e-300))
