"""Which errors of clusters torques hardly show: the shape of an estimate's covariance, beside its size.

Blocks of time say how large errors are, but there are fewer blocks than clusters, and directions in which these happen
to agree look sharp. Bodies that must move a little to exist would then be moved along directions that cost much torque.
What torques show of each direction is known better,

    N = sum_j M_j^T M_j / sd_j^2,       M_j the rows of joint j without what its friction and rotor could take,

sd_j what the fit leaves of its torque. The covariance is N^-1, made as large as the blocks say in the median, and with
what the CAD model said before where the estimate's holds that.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.dynamics.torque import torque_regressor
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.physical.drives import unknown_columns

_CHANNELS = ("torques", "joint_torques")  # of rows, and of the sensor itself
_SINGULAR = 1e-12


def covariance_by_torques(estimate: Estimate, before: Array | None = None) -> Array:
    """The estimate's covariance, (c, c), in the shape that torques give it; as it is, where it is not made of these.

    before: that of the CAD model, where the estimate's holds it.
    """
    joints = len(estimate.robot.joints)
    left = [each.residual for each in estimate.residuals if each.channel in _CHANNELS]
    motions = [flight.motion for flight in estimate.flights if flight.motion.ddq is not None]
    if estimate.robot.base != "fixed" or not motions or not left or any(each.shape[1] != joints for each in left):
        return estimate.covariance
    sd = np.sqrt(np.mean(np.concatenate(left) ** 2, axis=0))
    information = np.zeros_like(estimate.covariance)
    kept = estimate.minimal.kept
    rows = [torque_regressor(estimate.robot, motion)[:, 6:, kept] for motion in motions]
    for place in range(joints):
        M = np.vstack([each[:, place] for each in rows])
        F = np.vstack([unknown_columns(estimate, motion, place) for motion in motions])
        if F.size:
            Q = scipy.linalg.orth(F)
            M = M - Q @ (Q.T @ M)
        information += M.T @ M / max(float(sd[place]), 1e-300) ** 2
    size = np.sqrt(np.maximum(np.diagonal(information), 1e-300))
    scaled = information / np.outer(size, size)
    if not np.isfinite(scaled).all() or np.linalg.eigvalsh(scaled)[0] < _SINGULAR:
        return estimate.covariance
    covariance = np.linalg.inv(scaled) / np.outer(size, size)
    covariance = covariance * np.median(np.diagonal(estimate.covariance) / np.diagonal(covariance))
    if before is not None:  # V^-1 + S^-1, without inverses of what is all but singular
        covariance = covariance - covariance @ np.linalg.solve(covariance + before, covariance)
    return np.asarray(0.5 * (covariance + covariance.T))
