"""What clusters about the centre of mass and first moments over the mass are functions of.

The clusters pi of angular momentum and the first moments over the mass eta of the base's velocity are many more numbers
than there are unknowns: (n + 2)(2 n + 3) + 3 (n + 1) of a chain of n joints in space, against 10 + 7 n clusters z that
momentum shows. pi hold products of first moments over the mass, and eta these moments over the mass, so that

    (pi, eta) = f(z) + error,      covariance C of the error

is fitted by all products at once, weighted by the covariance that both steps have together:

    minimise (y - f(z))^T C^-1 (y - f(z)) + (z - z_cad)^T P^-1 (z - z_cad),      y = (pi, eta)

with the CAD model's spread P where the problem has one. The rows enter only by y and C: this is the fit of all
rows by z, but for the errors' second order. The total mass is one of z, and so is all that free-flying matrices need.
After O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space manipulator
systems", Robotics and Autonomous Systems, 2022, who take the mass from one product (eq. 32).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.estimate.likelihood.finished import HELD
from freefloat.estimate.likelihood.levenberg_marquardt import directions, levenberg_marquardt
from freefloat.estimate.uncertain import OPEN, inverse_of
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.models.minimal import MinimalParameters
from freefloat.models.model import NotApplicable

_EXACT = 1e-9  # of the CAD model's spread: what even exact data err by
_ROUNDING = 1e-14  # of the largest eigenvalue of a correlation matrix


@dataclass(frozen=True, eq=False)
class Structure:
    """Clusters of both models as functions of those that momentum shows.

    angular, velocity: of one robot with the same known and zero parameters. minimal: clusters that momentum shows.
    fixed: what is known at its place, zero elsewhere, (10 bodies,).
    """

    angular: AngularMomentum
    velocity: BaseVelocity
    minimal: MinimalParameters
    fixed: Array

    @cached_property
    def asked(self) -> NDArray[np.int64]:
        """Clusters of angular momentum that are not known."""
        return self.angular.asked_clusters()

    def clusters(self, z: Array) -> Array:
        """Pi that are not known, then eta, shape (m,)."""
        theta = self._theta(z)
        return np.concatenate([self.angular.structured(theta)[self.asked], self.velocity.structured(theta)])

    def by_parameters(self, z: Array) -> Array:
        """Derivative of the clusters by standard parameters, shape (m, 10 bodies)."""
        theta = self._theta(z)
        slope = np.vstack([self.angular.jacobian(theta)[self.asked], self.velocity.jacobian(theta)])
        return np.asarray(slope @ self.angular.underlying.minimal.combine)

    def slope(self, z: Array) -> Array:
        """Derivative of the clusters by z, shape (m, c)."""
        return self.by_parameters(z)[:, self.minimal.kept]

    def _theta(self, z: Array) -> Array:
        phi = np.array(self.fixed)
        phi[self.minimal.kept] += z
        theta = self.angular.underlying.minimal.values(phi)
        if not self.angular.underlying.mass @ theta > 0.0:
            raise NotApplicable(f"{self.angular.robot.name}: clusters without mass have no centre of it")
        return theta


@dataclass(frozen=True, eq=False)
class Steps:
    """What the two steps found.

    values: pi and eta, shape (m,). covariance: by noise, (m, m). unseen: directions of them that the rows do not show,
    orthonormal in the CAD model's spread, (u, m). units: that spread, (m,).
    """

    values: Array
    covariance: Array
    unseen: Array
    units: Array

    @cached_property
    def whitening(self) -> Array:
        """Rows by which errors of what was seen are independent and of size one, shape (m - u, m)."""
        seen = scipy.linalg.null_space(self.unseen) if self.unseen.size else np.eye(self.units.size)
        measured = seen.T / self.units
        covariance = measured @ self.covariance @ measured.T + _EXACT**2 * np.eye(len(measured))
        scale = np.sqrt(np.diagonal(covariance))
        values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
        values = np.maximum(values, _ROUNDING * max(float(values[-1]), 1.0))
        return np.asarray((vectors / np.sqrt(values)).T @ (measured / scale[:, None]))


@dataclass(frozen=True, eq=False)
class StructuredFit:
    """The clusters that momentum shows.

    z: shape (c,). by_noise, by_prior: parts of their covariance, (c, c) each. gain: z moves by gain times errors of pi
    and eta, (c, m). unseen: directions that nothing determines, orthonormal in the CAD model's spread, (u, c).
    misfit: sum of squares of what is left of pi and eta. freedom: what to expect of it. converged: whether it settled.
    """

    z: Array
    by_noise: Array
    by_prior: Array
    gain: Array
    unseen: Array
    misfit: float
    freedom: float
    converged: bool

    @property
    def covariance(self) -> Array:
        """By noise and prior, shape (c, c)."""
        return self.by_noise + self.by_prior


def fitted(structure: Structure, steps: Steps, cad: Array, cad_covariance: Array, prior: bool) -> StructuredFit:
    """The structure that both steps agree on.

    cad, cad_covariance: of the clusters that momentum shows, (c,) and (c, c). prior: whether these count as data.
    """
    whitening = steps.whitening
    units = None if prior else np.sqrt(np.diagonal(cad_covariance))
    information = inverse_of(cad_covariance) if prior else np.zeros_like(cad_covariance)

    def evaluate(z: Array, wanted: bool) -> tuple[Array, Array]:
        left = whitening @ (steps.values - structure.clusters(z))
        return left, whitening @ structure.slope(z) if wanted else np.zeros((0, 0))

    fit = levenberg_marquardt(evaluate, cad, cad, information, units, HELD)
    slope = whitening @ structure.slope(fit.point)
    known = slope.T @ slope + information
    total = inverse_of(known) if units is None else directions(known, units, HELD).covariance(OPEN**-2.0)
    by_prior = total @ information @ total
    used = float(np.trace(slope @ total @ slope.T))
    return StructuredFit(
        z=fit.point,
        by_noise=total - by_prior,
        by_prior=by_prior,
        gain=total @ slope.T @ whitening,
        unseen=fit.unseen,
        misfit=float(fit.residual @ fit.residual),
        freedom=max(len(whitening) - used, 0.0),
        converged=fit.converged,
    )
