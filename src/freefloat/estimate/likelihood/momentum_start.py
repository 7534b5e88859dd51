"""A start for maximum likelihood: least squares on the angular momentum about the centre of mass.

With the measured rates put in, that momentum is nearly linear in the clusters,

    l(theta) = K_l theta + [s]x v,      v = -p / M,      dl/dtheta = K_l - [s]x K_p / M   (K at v and the measured w)

so that it leads from a CAD model that is far off to where the likelihood is well-behaved. Errors in variables
bias it a little: it is a start, not an estimate.
"""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.dynamics.momentum_rows import momentum_matrix, momentum_regressor, spin_momentum
from freefloat.dynamics.reaction import check_inertia, solve_base
from freefloat.dynamics.samples import Samples
from freefloat.estimate.likelihood.levenberg_marquardt import levenberg_marquardt
from freefloat.estimate.likelihood.likelihood import FlightLikelihood, Likelihood
from freefloat.estimate.unknowns import MOMENTUM
from freefloat.robot.rotations import rotations

_ITERATIONS = 12  # what is left after these matters little to a start


def momentum_start(likelihood: Likelihood) -> Array:
    """A point near the maximum of a likelihood, from the measured angular rates."""
    start, unknowns = likelihood.start(), likelihood.unknowns
    flights = [_Balance(likelihood, flight, start) for flight in likelihood.flights if flight.samples.w is not None]
    if not flights:
        return start
    information = np.array(unknowns.information)
    clusters = len(likelihood.problem.minimal)
    spread = np.diagonal(likelihood.problem.cad_covariance)
    information[:clusters, :clusters] = np.diag(1.0 / spread)  # wide enough to go far, tight enough to have a minimum
    flat = np.flatnonzero(np.diagonal(information) == 0.0)
    information[flat, flat] = 1e-12  # unknowns that this balance does not see stay where they are

    def evaluate(point: Array, derivatives: bool) -> tuple[Array, Array]:
        rows = [flight.rows(point) for flight in flights]
        return np.concatenate([r for r, _ in rows]), np.vstack([J for _, J in rows])

    return levenberg_marquardt(evaluate, start, start, information, most_iterations=_ITERATIONS).point


class _Balance:
    """Angular momentum of one flight, in units of the rates' noise."""

    def __init__(self, likelihood: Likelihood, flight: FlightLikelihood, start: Array) -> None:
        self.whole, self.flight, samples = likelihood, flight, flight.samples
        assert samples.w is not None
        assert samples.dq is not None
        self.q, self.dq, self.w = samples.q, samples.dq, samples.w
        self.R = rotations(integrate_rates(flight.flight.t, samples.w))
        self.spin = spin_momentum(flight.robot, samples)
        turning = np.zeros((len(samples), 6, 3))
        turning[:, [3, 4, 5], [0, 1, 2]] = 1.0
        inverse = solve_base(self._matrix(self.whole.phi(start)), turning, flight.allowed)
        sd = flight.flight.noise.get("w", np.ones(3))[flight.turning]
        self.weight = inverse[:, flight.sliding.size :][:, :, flight.turning] / sd[:, None]

    def _matrix(self, phi: Array) -> Array:
        return momentum_matrix(self.flight.robot, self.q, np.where(self.flight.present, phi, 0.0))

    def rows(self, point: Array) -> tuple[Array, Array]:
        """Missing momentum, (rows,), and its derivative, (rows, unknowns)."""
        flight, columns = self.flight, self.flight.columns
        A = self._matrix(self.whole.phi(point))
        check_inertia(A, flight.allowed)
        still = (A[:, :, 3:6] @ self.w[:, :, None] + A[:, :, 6:] @ self.dq[:, :, None])[..., 0]
        v = -still[:, :3] / A[:, :1, 0]
        v[:, np.setdiff1d(np.arange(3), flight.sliding)] = 0.0
        momentum = still[:, 3:] + (A[:, 3:, :3] @ v[:, :, None])[..., 0] + self.spin
        H, back = flight.total_momentum(point), self.R.swapaxes(1, 2)
        missing = (back @ H) - momentum
        K = momentum_regressor(flight.robot, Samples(self.q, self.dq, v=v, w=self.w), columns)
        K[:, :, ~flight.present[columns]] = 0.0
        K[:, np.setdiff1d(np.arange(3), flight.sliding)] = 0.0
        J = np.zeros((len(v), flight.turning.size, len(flight.unknowns)))
        moved = K[:, 3:] - A[:, 3:, :3] @ K[:, :3] / A[:, :1, :1]
        J[:, :, : columns.size] = moved[:, flight.turning]
        place = flight.place(MOMENTUM)
        if place is not None:
            J[:, :, place] = -back[:, flight.turning][:, :, flight.turning]
        r = (self.weight @ missing[:, flight.turning, None])[..., 0]
        return r.ravel(), (self.weight @ J).reshape(r.size, -1)
