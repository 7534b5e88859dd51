"""Whether an estimate is far from every robot that can exist, as far as that is quickly seen.

Kinetic energy is positive whatever a robot does. Where the estimate gives a motion negative energy, u^T H u < 0 with
the mass matrix H at a recorded configuration, every possible robot is at least so many standard deviations of
u^T H u away. It is a bound from below: the nearest possible robot itself takes a semidefinite program, which export
and `physically-consistent` solve.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import torque_regressor
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_clusters import cad_spread, total_covariance
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot

_INSTANTS = 5  # of each flight
_ROUNDING = 1e-12  # of the largest energy: what moves nothing but a body without mass has none
_SHOWN = 1e-6  # of a row's size: energies that clusters do not hold are left aside


def least_distance(estimate: Estimate) -> float:
    """Standard deviations to the nearest robot that can exist, at least; NaN where nothing can be said."""
    finite = np.isfinite(estimate.values).all() and np.isfinite(estimate.covariance).all()
    if not (estimate.is_standard and estimate.flights and finite) or estimate.no_interval:
        return np.nan
    covariance, phi = total_covariance(estimate, cad_spread(estimate)), estimate.parameters
    found = 0.0
    for flight in estimate.flights:
        every = np.linspace(0, len(flight.motion) - 1, min(_INSTANTS, len(flight.motion))).round().astype(int)
        for Y in _mass_matrix_rows(estimate.robot, flight.motion.q[every]):
            values, vectors = np.linalg.eigh(Y @ phi)
            for value, u in zip(values, vectors.T, strict=True):
                row = np.einsum("i,ijp,j->p", u, Y, u)
                if value < -_ROUNDING * abs(values[-1]) and _is_held(estimate, row):
                    own = estimate.minimal.reduce(row)
                    found = max(found, -float(value) / max(float(np.sqrt(own @ covariance @ own)), 1e-300))
    return found


def _is_held(estimate: Estimate, row: Array) -> bool:
    """Whether the clusters and what was declared known hold a sum of parameters, (10 bodies,)."""
    minimal = estimate.minimal
    used = np.abs(minimal.combine).sum(axis=0) > 0.0
    rest = (row - minimal.reduce(row) @ minimal.combine)[used]
    return bool(np.abs(rest).max(initial=0.0) <= _SHOWN * np.abs(row).max(initial=0.0))


def _mass_matrix_rows(robot: Robot, q: Array) -> Array:
    """What makes mass matrices of parameters, as far as the base can move, (n, dofs, dofs, 10 bodies)."""
    afloat, rest = replace(robot, base="free", gravity=np.zeros(3)), np.zeros((len(q), 3))
    still = Samples(q, dq=np.zeros_like(q), v=rest, w=rest)
    moving = np.concatenate([allowed_rows(robot), 6 + np.arange(q.shape[1])])
    columns = []
    for unit in np.eye(6 + q.shape[1])[moving]:
        rise = np.broadcast_to(unit, (len(q), unit.size))
        accelerated = replace(still, dv=rise[:, :3], dw=rise[:, 3:6], ddq=rise[:, 6:])
        columns.append(torque_regressor(afloat, accelerated)[:, moving])
    return np.stack(columns, axis=2)
