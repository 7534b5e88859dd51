"""Essential parameters of an arm: the fewest clusters without which torques are predicted no worse.

Torques at the instants that an estimate keeps, row by row over what is left of the joint's torque, are

    A theta + F psi,

A the regressor of the clusters, F friction and rotors that were estimated. Friction is fitted anew whatever clusters
there are, so only what A has beside F counts. With N = A^T A of that, the torques without cluster k, the others fitted
anew, leave theta_k^2 / (N^-1)_kk more. The cluster of which that is least is dropped, again and again, until what is
left would grow by more than one per cent.

After M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
IJRR 1992, and C. M. Pham, M. Gautier, "Essential parameters of robots", CDC 1991.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.torque import torque_regressor
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import UsedFlight
from freefloat.estimate.estimated_drives import drive_columns
from freefloat.robot.selection import select_parameters

_GROWTH = 0.01  # of what is left of the torques, root mean square
_UNSEEN = 1e-10  # of the largest eigenvalue of the scaled N: directions that the motion does not show


@dataclass(frozen=True, slots=True)
class Essential:
    """Names of the clusters that torques need, and how many there are in all."""

    names: tuple[str, ...]
    clusters: int

    @property
    def sentence(self) -> str:
        """For the notes of an estimate."""
        listed = ", ".join(self.names) or "none"
        return (
            f"essential: {len(self.names)} of {self.clusters} clusters predict torques as well as all do, within "
            f"{100.0 * _GROWTH:g} % of what is left of them: {listed}"
        )


def essential_clusters(estimate: Estimate) -> Essential | None:
    """The clusters that torques of a robot on the ground need; None where an estimate says nothing of torques."""
    left = estimate.torque_left
    used = [flight for flight in estimate.flights if flight.motion.ddq is not None]
    if estimate.robot.base != "fixed" or left is None or not used or not estimate.is_standard or not left.all():
        return None
    A, motions = np.concatenate([_regressor(estimate, flight) for flight in used]), [flight.motion for flight in used]
    N = np.zeros((len(estimate.values), len(estimate.values)))
    for joint, size in enumerate(left):
        drive = np.concatenate([drive_columns(estimate, motion, joint) for motion in motions])
        beside = _beside(A[:, joint], drive) / size
        N += beside.T @ beside
    kept = _fewest(N, estimate.values, ((1.0 + _GROWTH) ** 2 - 1.0) * A.shape[0] * A.shape[1])
    names = tuple(name for name, needed in zip(estimate.names, kept, strict=True) if needed)
    return Essential(names, len(estimate.values))


def _regressor(estimate: Estimate, flight: UsedFlight) -> Array:
    """Torques per unit of each cluster at the instants of a flight that are kept, shape (n, joints, c)."""
    regressor = np.array(torque_regressor(estimate.robot, flight.motion)[:, 6:])
    regressor[:, :, select_parameters(estimate.robot, flight.without)] = 0.0
    return np.asarray(regressor[:, :, estimate.minimal.kept])


def _beside(A: Array, F: Array) -> Array:
    """What columns A have that columns F have not, shape of A."""
    if not F.shape[1]:
        return A
    Q, R = np.linalg.qr(F)
    size = np.abs(np.diagonal(R))
    Q = Q[:, size > _UNSEEN * max(float(size.max()), 1e-300)]
    return np.asarray(A - Q @ (Q.T @ A))


def _fewest(N: Array, values: Array, allowed: float) -> Array:
    """Which clusters are left, (c,), when dropped ones cost no more than is allowed, in squares of rows."""
    scale = np.sqrt(np.maximum(np.diagonal(N), 1e-300))
    eigenvalues, vectors = np.linalg.eigh(N / np.outer(scale, scale))
    spread = (vectors / np.maximum(eigenvalues, _UNSEEN * max(float(eigenvalues[-1]), 1e-300))) @ vectors.T
    point, kept, spent = values * scale, np.ones(len(values), bool), 0.0
    while kept.any():
        places = np.flatnonzero(kept)
        costs = point[places] ** 2 / np.diagonal(spread)[places]
        least = int(np.argmin(costs))
        spent, place = spent + float(costs[least]), places[least]
        if spent > allowed:
            break
        along = spread[:, place] / spread[place, place]
        point = point - along * point[place]
        spread = spread - np.outer(along, spread[place])
        kept[place] = False
    return kept
