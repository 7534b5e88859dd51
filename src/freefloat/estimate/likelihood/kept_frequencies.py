"""Steps of a search along which passive joints keep the frequencies that a linear step gives them.

Data show a frequency, k / M, far better than stiffness k or inertia M. A straight step that changes both by a third
moves it by a tenth, to second order only, which over a minute is several swings: it would be cut to a tenth. So where
parameters go straight, springs go along the curve on which k / M and d / M change as the straight step has them change
at its beginning,

    k' = M' (k / M + dk / M - k dM / M^2).

M is what a passive joint feels on a base that gives way, the others standing still, a mean over postures of a flight:
M = lambda^T H lambda, lambda = (-A_b^-1 A_p, e_p), least by lambda, so that dM = lambda^T dH lambda.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.dynamics.reaction import six_rows, solve_base
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.unknowns import SPRINGS
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY

_POSTURES = 16


@dataclass(frozen=True, slots=True, eq=False)
class KeptFrequencies:
    """Of one robot. springs: where stiffness and damping are among the unknowns. q: postures, (m, joints)."""

    likelihood: Likelihood
    robot: Robot
    springs: slice
    q: Array

    @classmethod
    def of(cls, likelihood: Likelihood) -> KeptFrequencies | None:
        """None where nothing swings, or springs are known."""
        robot, springs = likelihood.problem.robot, likelihood.unknowns.find(SPRINGS)
        if springs is None:
            return None
        flight = likelihood.problem.flights[0]
        t = np.linspace(flight.t[0], flight.t[-1], _POSTURES)
        q = np.array(likelihood.flights[0].joint_motion_at("postures", t)[0].position)
        q[:, robot.passive] = 0.0
        return cls(likelihood, robot, springs, read_only(q))

    def moved(self, point: Array, step: Array) -> Array:
        """Where a step leads from a point, both of all or of some leading unknowns, (k,)."""
        found, own = point + step, self.springs
        if own.stop > point.size:
            return found
        before, after = (self._parameters(each) for each in (point, found))
        weights, M = self.inertia(before)
        _, M_after = self.inertia(after)
        if not (M_after > 0.0).all() or not (M > 0.0).all():
            return found
        dM = self._along(weights, after - before)
        springs, change = (each[own].reshape(2, -1) for each in (point, step))
        found[own] = (M_after * (springs / M + change / M - springs * dM / M**2)).reshape(-1)
        return found

    def inertia(self, phi: Array) -> tuple[Array, Array]:
        """Lambda, (m, 6 + joints, passive), and what passive joints feel, a mean over postures, (passive,)."""
        robot, allowed, m = self.robot, allowed_rows(self.robot), len(self.q)
        passive = robot.passive
        weights = np.zeros((m, 6 + self.q.shape[1], passive.size))
        if allowed.size:
            A = momentum_matrix(robot, self.q, phi)
            weights[:, :6] = -six_rows(solve_base(A, A[:, :, 6 + passive], allowed), allowed)
        weights[:, 6 + passive, np.arange(passive.size)] = 1.0
        return weights, self._along(weights, phi)

    def _along(self, weights: Array, phi: Array) -> Array:
        """Mean of lambda^T H lambda over postures, H that of parameters phi, (passive,)."""
        m, dofs = len(self.q), 6 + self.q.shape[1]
        H = np.empty((m, dofs, dofs))
        kernels.mass_matrix(self.robot.tree.arrays, self.q, read_only(phi).reshape(-1, PER_BODY), H)
        return np.asarray(np.einsum("mip,mij,mjp->p", weights, H, weights) / m)

    def _parameters(self, point: Array) -> Array:
        """Standard parameters at a point of which only leading unknowns may be there, (10 bodies,)."""
        flight, likelihood = self.likelihood.flights[0], self.likelihood
        return np.where(flight.present, likelihood.phi(point), 0.0)
