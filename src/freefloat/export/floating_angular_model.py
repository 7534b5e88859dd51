"""The free-floating robot from clusters pi about the centre of mass, which angular momentum alone shows.

    T_cm = 1/2 (w, dq)^T [[D, D_q], [D_q^T, D_qq]] (w, dq)

is the kinetic energy of the motion about the centre of mass, and l_cm = D w + D_q dq the angular momentum; D, D_q and
D_qq are linear in pi (Christidi-Loumpasefski, Papadopoulos, RAS 2022, eq. 14 and 16; Spirolazzi's thesis, eq. 5.7).
T_cm = T - p^2 / 2M is a sum of the same candidates as l_cm, the product sigma_a sigma_b / M with -P_a . P_b, and the
same clusters are enough for it. Nothing here needs the total mass; where a point of the robot goes, other than how
it turns, cannot be told without it. Vectors are in base axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.energy import kinetic_energy_regressor
from freefloat.dynamics.momentum_rows import momentum_regressor, spin_momentum
from freefloat.dynamics.samples import Samples
from freefloat.errors import UnknownName
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_clusters import spread_of
from freefloat.estimate.uncertain import Judge, Uncertain, covariance_root
from freefloat.frozen import Content
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.models.model import NotApplicable
from freefloat.robot.base_axes import sliding_axes


@dataclass(frozen=True, eq=False)
class FloatingAngularModel(Content):
    """How an identified robot turns, each quantity with its uncertainty; q has shape (n, joints).

    A planar base turns about z alone: k = 1 angular velocity instead of k = 3. Known values count as exact.
    """

    estimate: Estimate

    def __post_init__(self) -> None:
        if self.estimate.minimal.names != self._model.candidates:
            raise NotApplicable(
                f"an estimate of {self.estimate.model} does not consist of clusters about the centre of mass; allowed: "
                "one of angular-momentum alone; FreeFlyingModel takes one of momentum, or of angular-momentum + "
                "base-velocity"
            )

    def matrix(self, q: ArrayLike) -> Uncertain:
        """[[D, D_q], [D_q^T, D_qq]], shape (n, k + joints, k + joints)."""
        rows = self._rows(read_only(q))
        return self._judge.judged(rows @ self._values, rows)

    def base_rate(self, samples: Samples) -> Uncertain:
        """Angular velocity of the base that joints and wheels cause when there is no momentum, shape (n, k)."""
        rows, robot = self._rows(samples.q), self.estimate.robot
        dq = samples.need("dq", "the base's reaction")
        H, k = rows @ self._values, self._axes.size
        right = -np.einsum("kij,kj->ki", H[:, :k, k:], dq)
        right -= spin_momentum(robot, samples)[:, self._axes]
        w = np.linalg.solve(H[:, :k, :k], right[..., None])[..., 0]
        moved = np.einsum("kijp,kj->kip", rows[:, :k], np.hstack([w, dq]))
        return self._judge.judged(w, -np.linalg.solve(H[:, :k, :k], moved))

    def reduced_inertia(self, q: ArrayLike) -> Uncertain:
        """D_qq - D_q^T D^-1 D_q: joint-space inertia of the free-floating robot, shape (n, joints, joints)."""
        rows, T, _ = self._reacting(read_only(q))
        reduced = np.einsum("kia,kijp,kjb->kabp", T, rows, T)
        return self._judge.judged(reduced @ self._values, reduced)

    def angular_jacobian(self, q: ArrayLike, body: str) -> Uncertain:
        """Angular velocity of a body per unit of each joint's rate, the base reacting, shape (n, 3, joints)."""
        robot, positions = self.estimate.robot, read_only(q)
        if body not in robot.tree.carried:
            raise UnknownName("body", body, robot.tree.carried)
        rows, T, inner = self._reacting(positions)
        k, carrier = self._axes.size, robot.tree.carried[body][0]
        value = np.zeros((*positions.shape[:1], 3, positions.shape[1]))
        slope = np.zeros((*value.shape, rows.shape[-1]))
        rest = read_only(np.zeros((len(positions), 3)))
        for joint, rate in enumerate(np.eye(positions.shape[1])):
            rates = read_only(np.broadcast_to(rate, positions.shape))
            value[:, :, joint] = kernels.sweep(robot.tree.arrays, positions, rates, rest, rest)[3][:, carrier]
        value[:, self._axes] += T[:, :k]
        moved = np.einsum("kijp,kjb->kibp", rows[:, :k], T)
        slope[:, self._axes] = -np.linalg.solve(inner, moved.reshape(*moved.shape[:2], -1)).reshape(moved.shape)
        return self._judge.judged(value, slope)

    # ------------------------------------------------------------------ pieces

    @cached_property
    def _model(self) -> AngularMomentum:
        estimate = self.estimate
        return AngularMomentum(estimate.robot, tuple(estimate.known), estimate.zero)

    @property
    def _axes(self) -> NDArray[np.int64]:
        return self._model._axes

    @cached_property
    def _asked(self) -> NDArray[np.int64]:
        """Places of the estimated clusters among all of the model; the others are known."""
        return np.searchsorted(self._model.minimal.kept, self.estimate.minimal.kept)

    @cached_property
    def _values(self) -> Array:
        """Candidates that move as the clusters do: each cluster at the place of its leader, zero elsewhere."""
        minimal, values = self._model.minimal, self._model.values()
        values[self._asked] = self.estimate.values
        candidates = np.zeros(len(minimal.names))
        candidates[minimal.kept] = values
        return candidates

    @cached_property
    def _judge(self) -> Judge:
        """Known clusters have no spread and are never unseen."""
        model, estimate = self._model, self.estimate
        theta = model.underlying.minimal
        cad = theta.values(model.standard(None))
        slope = (model.jacobian(cad) @ theta.combine)[self._asked][:, model.unknown]
        covariance = spread_of(estimate).covariance(model.robot)[np.ix_(model.unknown, model.unknown)]
        spread = np.sqrt(np.einsum("ij,jk,ik->i", slope, covariance, slope))
        placed = np.eye(len(model.minimal))[:, self._asked]
        sizes = np.abs(model._candidate_values(cad))
        sizes = np.maximum(sizes, 1e-6 * sizes.max())  # what the CAD model has as zero is unknown all the same
        root, unseen = covariance_root(estimate.stated_covariance), (estimate.unseen * spread).T
        return Judge(model.minimal, placed @ root, sizes, placed @ unseen)

    def _reacting(self, q: Array) -> tuple[Array, Array, Array]:
        """Rows of the matrix; T = [-D^-1 D_q; E], shape (n, k + joints, joints); and D."""
        rows = self._rows(q)
        H, k, joints = rows @ self._values, self._axes.size, q.shape[1]
        T = np.empty((len(q), k + joints, joints))
        T[:, :k], T[:, k:] = -np.linalg.solve(H[:, :k, :k], H[:, :k, k:]), np.eye(joints)
        return rows, T, H[:, :k, :k]

    def _rows(self, q: Array) -> Array:
        """Entries of the matrix per candidate, (n, k + joints, k + joints, candidates): energies of two motions."""
        size = self._axes.size + q.shape[1]
        unit = np.eye(size)
        own = [self._energy_rows(q, motion) for motion in unit]
        rows = np.empty((len(q), size, size, own[0].shape[-1]))
        for i in range(size):
            rows[:, i, i] = 2.0 * own[i]
            for j in range(i):
                rows[:, i, j] = rows[:, j, i] = (
                    self._energy_rows(q, np.eye(size)[i] + np.eye(size)[j]) - own[i] - own[j]
                )
        return rows

    def _energy_rows(self, q: Array, motion: Array) -> Array:
        """Columns of T_cm for all candidates at velocities (w, dq), shape (n, candidates)."""
        model, k = self._model, self._axes.size
        w = np.zeros((len(q), 3))
        w[:, self._axes] = motion[:k]
        samples = Samples(q, dq=np.broadcast_to(motion[k:], q.shape), v=np.zeros_like(w), w=w)
        columns = model.underlying.minimal.kept
        energy = kinetic_energy_regressor(model.robot, samples)[:, columns]
        free = sliding_axes(model.robot)  # what the base can do to keep the centre of mass
        P = momentum_regressor(model.robot, samples, columns[model._moments])[:, free]
        first, second = model.pairs.T
        product = -np.einsum("kia,kia->ka", P[..., first], P[..., second])
        product[:, first == second] /= 2.0
        return np.hstack([energy[:, model._inertias], energy[:, model._moments], product])
