"""The base's rates from clusters alone: Eq. 5.8 of M. Spirolazzi's thesis (Politecnico di Milano, 2022).

At a total momentum of zero, Y(q, dq, w) pi = 0 is linear in w: M_b(q; pi) w = -Y(q, dq, 0) pi. Clusters that err a
little, by dpi, give rates that err by -M_b^-1 Y(q, dq, w) dpi, M_b and w being the true ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics import kernels, reaction_kernels
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.samples import Samples
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import cross_matrices


def reconstructed_rates(model: AngularMomentum, samples: Samples, pi: Array) -> Array:
    """Rates of a free base, (n, 3) [rad/s], for all clusters of the model pi, (c,), known ones included."""
    n = len(samples)
    resting = replace(samples, dq=np.zeros_like(samples.q))
    M_b = np.stack([model.rows(replace(resting, w=np.tile(axis, (n, 1)))) @ pi for axis in np.eye(3)], axis=2)
    right = -model.rows(replace(samples, w=np.zeros((n, 3)))) @ pi
    return np.asarray(np.linalg.solve(M_b, right[..., None])[..., 0], float)


@dataclass(frozen=True, slots=True, eq=False)
class RateSlopes:
    """Derivatives of the rates that a gyro shows at n samples, at the model's own robot and an aligned gyro.

    by_clusters: (n, 3, c). by_positions: of the joints, at given joint rates, (n, 3, joints). by_turn: of the gyro
    against the base, (n, 3, 3).
    """

    by_clusters: Array
    by_positions: Array
    by_turn: Array

    @classmethod
    def at(cls, model: AngularMomentum, samples: Samples) -> RateSlopes:
        """At the joints' motion, momentum zero."""
        robot, dq = model.robot, samples.need("dq", "the base's rates")
        A = momentum_matrix(robot, samples.q)
        v, w = base_reaction(robot, samples)
        lever = A[:, 3:, :3] / robot.mass  # the centre of mass x
        M_b = A[:, 3:, 3:6] - lever @ A[:, :3, 3:6]
        moved = np.empty((len(samples), 6, samples.q.shape[1]))
        poses = kernels.sweep(robot.tree.arrays, samples.q, dq, v, w)
        reaction_kernels.momentum_by_position(robot.tree.arrays, robot.parameters.reshape(-1, PER_BODY), *poses, moved)
        rows = model.rows(replace(samples, w=w))
        columns = np.concatenate([rows, moved[:, 3:] - lever @ moved[:, :3]], axis=2)
        slopes = np.asarray(-np.linalg.solve(M_b, columns), float)
        clusters = rows.shape[2]
        return cls(slopes[..., :clusters], slopes[..., clusters:], cross_matrices(w))
