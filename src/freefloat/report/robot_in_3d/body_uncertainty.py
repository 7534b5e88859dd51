"""How well the centres of mass of single bodies are known, which data show in clusters only.

Of the standard parameters phi, with covariance S by the CAD model, the data show clusters C phi with covariance V,
which is the CAD model's in directions that were held. What is known of phi then is

    S - G C S + G V G^T,   G = S C^T (C S C^T)^-1            where V holds the CAD model as a prior already,
    S - S C^T (C S C^T + V)^-1 C S                           where V is the data's alone.

The centre of mass c = (m c) / m has the derivatives (-c, 1) / m by (m, m c).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_clusters import cad_spread, spread_of, total_covariance, undeclared
from freefloat.estimate.prior import known_covariance
from freefloat.robot.parameters import PER_BODY, com_of


def centre_covariances(estimate: Estimate, parameters: Array) -> Array | None:
    """Covariance of the centre of mass of each body, body frames, shape (bodies, 3, 3) [m^2].

    parameters: where it is taken, shape (10 bodies,). None where the estimate is not of standard parameters, or
    states no intervals.
    """
    if not estimate.is_standard or not np.isfinite(estimate.stated_covariance).all():
        return None
    P = _covariance(estimate, undeclared(estimate))
    bodies = parameters.reshape(-1, PER_BODY)
    found = np.zeros((len(bodies), 3, 3))
    for body, phi in enumerate(bodies):
        if phi[0] <= 0.0:
            continue
        slope = np.column_stack([-com_of(phi), np.eye(3)]) / phi[0]
        block = slice(PER_BODY * body, PER_BODY * body + 4)
        found[body] = slope @ P[block, block] @ slope.T
    return found


def _covariance(estimate: Estimate, columns: NDArray[np.int64]) -> Array:
    """Of all standard parameters, shape (10 bodies, 10 bodies); known ones have the spread they were given."""
    robot, C = estimate.robot, estimate.minimal.combine[:, columns]
    whole = spread_of(estimate).covariance(robot)
    S, V = whole[np.ix_(columns, columns)], total_covariance(estimate, cad_spread(estimate))
    CS = C @ S
    budget = estimate.budget
    if budget is not None and "prior" in budget.sources:
        G = np.linalg.lstsq(CS @ C.T, CS, rcond=None)[0].T
        P = S - G @ CS + G @ V @ G.T
    else:
        P = S - CS.T @ np.linalg.lstsq(CS @ C.T + V, CS, rcond=None)[0]
    found = np.zeros_like(whole)
    found[np.ix_(columns, columns)] = P
    return found + known_covariance(robot, estimate.known)
