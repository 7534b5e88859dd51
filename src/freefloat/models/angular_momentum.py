"""Angular momentum about the centre of mass, and base velocity, for any tree without hand work.

With v0 = 0 (about the centre of mass it does not matter) and the minimal parameters of the momentum model,
sigma their first moments and M the total mass,

    l_cm = K_angular phi - (1/M) s x p,      s = S(q) sigma,    p = P(q, dq, w) sigma

is linear in the minimal inertias, the first moments, and the products sigma_a sigma_b / M with columns
-(S_a x p_b + S_b x p_a). Of these candidates an independent set is kept: inertias first, then products of
different bodies, which but for the sign are the columns of Christidi-Loumpasefski, Papadopoulos (RAS 2022) and
of Spirolazzi's thesis; first moments and products within one body are combinations of those, by the known
geometry.

The clusters are functions of far fewer unknowns, the minimal parameters themselves: `structured` and
`jacobian` give them and their exact derivative. Candidates are quadratic in the number of joints and listing them costs
the cube of that: beyond `MOST_CANDIDATES` it is refused, and `cluster_count` alone tells how many clusters there are
(`cluster_count.py`). The base velocity, v0 = v_cm - P sigma / M, gives sigma / M;
both together give the total mass from all products at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.dynamics.mass_centre import first_moment_regressor
from freefloat.dynamics.momentum_rows import momentum_regressor
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.states import random_states
from freefloat.errors import FreefloatError
from freefloat.models.closed_form_clusters import closed_form
from freefloat.models.cluster_count import count_clusters
from freefloat.models.leaders import typical_sizes
from freefloat.models.minimal import MinimalParameters
from freefloat.models.model import Model, NotApplicable
from freefloat.models.numerical import independent_columns
from freefloat.robot.base_axes import sliding_axes, turning_axes
from freefloat.robot.model import Robot
from freefloat.robot.parameters import INDEX, PER_BODY

MOST_CANDIDATES = 2500  # 31 revolute joints: under a minute and 1 GB; twice as many take eight times as long
_NEGLIGIBLE = 1e-11  # of the longest column: no column
_INERTIAS = tuple(INDEX[name] for name in ("Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"))


class TooManyClusters(FreefloatError):
    """A list of clusters that would take more memory and time than anybody has."""


@dataclass(frozen=True, slots=True, eq=False)
class Underlying:
    """The minimal parameters of a free or planar robot, sorted by what they are.

    minimal: of the momentum of a free base (for a planar one: of what moves in the plane).
    inertias, moments: positions among the clusters; `moments` have columns in the first moment.
    mass: coefficients of the total mass in the clusters, shape (clusters,).
    bodies: body of each cluster, shape (clusters,).
    """

    minimal: MinimalParameters
    inertias: NDArray[np.int64]
    moments: NDArray[np.int64]
    mass: Array
    bodies: NDArray[np.int64]


def underlying(robot: Robot) -> Underlying:
    """The unknowns behind angular momentum and base velocity."""
    if robot.base == "fixed":
        raise NotApplicable("a fixed base has no angular momentum to conserve; use energy or torque")
    if not robot.mass > 0.0:
        raise NotApplicable(f"{robot.name} has no mass, so nothing of it can be identified")
    minimal = closed_form(replace(robot, gravity=np.zeros(3)))
    parameter, body = minimal.kept % PER_BODY, minimal.kept // PER_BODY
    is_inertia = np.isin(parameter, _INERTIAS)
    is_base_mass = (parameter == INDEX["m"]) & (body == 0)
    mass = (parameter == INDEX["m"]).astype(float)  # a sliding body keeps its own mass, apart from the base's
    moments = np.flatnonzero(~is_inertia & ~is_base_mass)
    return Underlying(minimal, np.flatnonzero(is_inertia), moments, mass, body)


@dataclass(frozen=True, eq=False)
class AngularMomentum(Model):
    """Angular momentum about the centre of mass, base frame: three rows (a planar base: one), w measured."""

    @cached_property
    def underlying(self) -> Underlying:
        """The minimal parameters behind the clusters."""
        return underlying(self.robot)

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """Pairs of moments whose products are candidates, shape (pairs, 2), as positions among `moments`."""
        count = self._moments.size
        return np.array([(a, b) for a in range(count) for b in range(a, count)], dtype=np.int64).reshape(-1, 2)

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """Names of the candidate columns: inertias, moments, products; [name] is a minimal parameter."""
        leaders = [f"[{name}]" for name in self.underlying.minimal.leaders]
        linear = [leaders[index] for index in (*self._inertias, *self._moments)]
        moments = [leaders[index] for index in self._moments]
        return (*linear, *(f"{moments[a]}*{moments[b]}/M" for a, b in self.pairs))

    @cached_property
    def candidate_count(self) -> int:
        """Number of candidates, of which the clusters are made."""
        moments = int(self._moments.size)
        return int(self._inertias.size) + moments + moments * (moments + 1) // 2

    @cached_property
    def cluster_count(self) -> int | None:
        """Number of linear clusters; None for a planar base with more candidates than can be listed."""
        if self.robot.base == "free":
            kept = self.underlying.minimal.kept
            return count_clusters(self.robot, kept[self._inertias], kept[self._moments])
        return len(self.minimal) if self.candidate_count <= MOST_CANDIDATES else None

    @cached_property
    def minimal(self) -> MinimalParameters:
        """The linear clusters, over `candidates`."""
        if self.candidate_count > MOST_CANDIDATES:
            raise TooManyClusters(
                f"the clusters of angular momentum of {self.robot.name} cannot be listed: they are made of "
                f"{self.candidate_count} candidates; allowed: up to {MOST_CANDIDATES}"
            )
        count = len(self.candidates)
        states = random_states(self.robot, max(60, 2 * count // self._axes.size), seed=1)
        columns = self.candidate_rows(states)
        stacked = columns.reshape(columns.shape[0] * columns.shape[1], count)
        kinds = np.arange(count) < self._inertias.size  # products stay free of inertias, and so give the mass
        return independent_columns(stacked, self.candidates, self._preference(), self._candidate_sizes(), kinds)

    def candidate_rows(self, samples: Samples) -> Array:
        """Columns of all candidates, shape (n, rows, candidates)."""
        still = replace(samples, v=np.zeros((len(samples), 3)))
        columns = self.underlying.minimal.kept
        K = momentum_regressor(self.robot, still, columns)
        S = first_moment_regressor(self.robot, samples)[..., columns[self._moments]]
        P = K[:, :3, self._moments]
        first, second = self.pairs.T
        product = -np.cross(S[..., first], P[..., second], axis=1)
        product -= np.cross(S[..., second], P[..., first], axis=1)
        product[..., first == second] /= 2.0
        linear = K[:, 3:, np.concatenate([self._inertias, self._moments])]
        return np.concatenate([linear, product], axis=2)[:, self._axes]

    def rows(self, samples: Samples) -> Array:
        """Regressor of the clusters, shape (n, rows, clusters)."""
        return self.minimal.reduce(self.candidate_rows(samples))

    def values(self, parameters: ArrayLike | None = None) -> Array:
        """Clusters for given standard parameters, by default the robot's own, shape (clusters,)."""
        return self.structured(self.underlying.minimal.values(self.standard(parameters)))

    def structured(self, theta: ArrayLike) -> Array:
        """Clusters as functions of the underlying minimal parameters theta, shape (clusters,)."""
        return self.minimal.values(self._candidate_values(np.asarray(theta, float)))

    def jacobian(self, theta: ArrayLike) -> Array:
        """Derivative of `structured`, shape (clusters, len(theta))."""
        theta = np.asarray(theta, float)
        sigma, mass = theta[self._moments], float(self.underlying.mass @ theta)
        linear = np.concatenate([self._inertias, self._moments])
        count, (first, second) = linear.size, self.pairs.T
        derivative = np.zeros((count + first.size, theta.size))
        derivative[np.arange(count), linear] = 1.0
        product = count + np.arange(first.size)
        np.add.at(derivative, (product, self._moments[first]), sigma[second] / mass)
        np.add.at(derivative, (product, self._moments[second]), sigma[first] / mass)
        derivative[product] -= np.outer(sigma[first] * sigma[second] / mass**2, self.underlying.mass)
        return self.minimal.combine @ derivative

    def known_clusters(self) -> NDArray[np.int64]:
        """Positions of the clusters made of known parameters alone: they belong on the right-hand side."""
        used = self.used_parameters()
        return np.flatnonzero(~used[:, self.unknown].any(axis=1) & used[:, self.known_columns].any(axis=1))

    def asked_clusters(self) -> NDArray[np.int64]:
        """Positions of all others."""
        return np.setdiff1d(np.arange(len(self.minimal)), self.known_clusters())

    def used_parameters(self) -> NDArray[np.bool_]:
        """Which standard parameters each cluster depends on, shape (clusters, 10 bodies)."""
        weight: Array = np.abs(self.minimal.combine) @ self._parameters_of_candidates()
        return np.asarray(weight > 0.0, dtype=np.bool_)

    def visible_parameters(self) -> NDArray[np.bool_]:
        """Which standard parameters any cluster depends on, (10 bodies,): each column but zero is in some cluster."""
        columns = self.candidate_rows(random_states(self.robot, 3, seed=1))
        size = np.abs(columns).max(axis=(0, 1), initial=0.0)
        visible = size > _NEGLIGIBLE * size.max(initial=0.0)
        return np.asarray(self._parameters_of_candidates()[visible].any(axis=0), dtype=np.bool_)

    def _parameters_of_candidates(self) -> NDArray[np.bool_]:
        """Which standard parameters each candidate depends on, shape (candidates, 10 bodies)."""
        depends = self.underlying.minimal.combine != 0.0  # (theta, standard)
        depends[:, self.zero_columns] = False
        leaders = np.concatenate([self._inertias, self._moments])
        moments = depends[self._moments]
        everything = self.underlying.mass @ depends > 0.0  # M
        product = moments[self.pairs[:, 0]] | moments[self.pairs[:, 1]] | everything
        return np.vstack([depends[leaders], product])

    def _candidate_values(self, theta: Array) -> Array:
        sigma, mass = theta[self._moments], float(self.underlying.mass @ theta)
        first, second = self.pairs.T
        return np.concatenate([theta[self._inertias], sigma, sigma[first] * sigma[second] / mass])

    def _preference(self) -> NDArray[np.int64]:
        """Inertias; products of different bodies; moments; products within a body."""
        inertias, moments = self._inertias.size, self._moments.size
        bodies = self.underlying.bodies[self._moments][self.pairs]
        apart = bodies[:, 0] != bodies[:, 1]
        products = inertias + moments + np.arange(apart.size)
        linear = np.arange(inertias + moments)
        return np.concatenate([linear[:inertias], products[apart], linear[inertias:], products[~apart]])

    def _candidate_sizes(self) -> Array:
        """By which candidates are compared, as standard parameters are by `typical_sizes`, shape (candidates,)."""
        sizes = typical_sizes(self.robot)[self.underlying.minimal.kept]
        moments = sizes[self._moments]
        return np.concatenate([sizes[self._inertias], moments, moments[self.pairs].prod(axis=1)])

    @cached_property
    def _present(self) -> NDArray[np.bool_]:
        """Which minimal parameters are not zero by declaration."""
        combine = np.array(self.underlying.minimal.combine)
        combine[:, self.zero_columns] = 0.0
        return np.asarray(combine.any(axis=1), dtype=np.bool_)

    @cached_property
    def _inertias(self) -> NDArray[np.int64]:
        return self.underlying.inertias[self._present[self.underlying.inertias]]

    @cached_property
    def _moments(self) -> NDArray[np.int64]:
        return self.underlying.moments[self._present[self.underlying.moments]]

    @cached_property
    def _axes(self) -> NDArray[np.int64]:
        return turning_axes(self.robot)


@dataclass(frozen=True, eq=False)
class BaseVelocity(Model):
    """Velocity of the base origin against that of the centre of mass, which moves uniformly.

    v_base = v_cm - P sigma / M: rows linear in sigma / M. Of a tracked point r of the base, v_base is
    v_point - w x r.
    """

    @cached_property
    def underlying(self) -> Underlying:
        """The minimal parameters behind the clusters."""
        return underlying(self.robot)

    @cached_property
    def minimal(self) -> MinimalParameters:
        """The clusters, mass-normalised first moments, over the names [moment]/M."""
        names = tuple(f"[{self.underlying.minimal.leaders[index]}]/M" for index in self._moments)
        columns = self._all_rows(random_states(self.robot, 40 + 2 * len(names), seed=1))
        return independent_columns(columns.reshape(columns.shape[0] * columns.shape[1], len(names)), names)

    def rows(self, samples: Samples) -> Array:
        """Regressor of the clusters, shape (n, rows, clusters); v_base = v_cm + rows @ clusters."""
        return self.minimal.reduce(self._all_rows(samples))

    def values(self, parameters: ArrayLike | None = None) -> Array:
        """Clusters for given standard parameters, by default the robot's own, shape (clusters,)."""
        return self.structured(self.underlying.minimal.values(self.standard(parameters)))

    def structured(self, theta: ArrayLike) -> Array:
        """Clusters as functions of the underlying minimal parameters theta, shape (clusters,)."""
        theta = np.asarray(theta, float)
        return self.minimal.values(theta[self._moments] / (self.underlying.mass @ theta))

    def jacobian(self, theta: ArrayLike) -> Array:
        """Derivative of `structured`, d(sigma / M) = (d sigma - (sigma / M) dM) / M, shape (clusters, len(theta))."""
        theta, moments = np.asarray(theta, float), self._moments
        mass = float(self.underlying.mass @ theta)
        derivative = np.eye(theta.size)[moments] - np.outer(theta[moments] / mass, self.underlying.mass)
        return self.minimal.combine @ (derivative / mass)

    def used_parameters(self) -> NDArray[np.bool_]:
        """Which standard parameters each cluster depends on, shape (clusters, 10 bodies)."""
        depends = self.underlying.minimal.combine != 0.0
        depends[:, self.zero_columns] = False
        everything = self.underlying.mass @ depends > 0.0  # M
        moments = depends[self._moments] | everything
        weight: Array = np.abs(self.minimal.combine) @ moments
        return np.asarray(weight > 0.0, dtype=np.bool_)

    def _all_rows(self, samples: Samples) -> Array:
        still = replace(samples, v=np.zeros((len(samples), 3)))
        columns = self.underlying.minimal.kept[self._moments]
        return -momentum_regressor(self.robot, still, columns)[:, sliding_axes(self.robot)]

    @cached_property
    def _moments(self) -> NDArray[np.int64]:
        combine = np.array(self.underlying.minimal.combine)
        combine[:, self.zero_columns] = 0.0
        moments = self.underlying.moments
        return moments[combine[moments].any(axis=1)]


class MassNotVisible(FreefloatError):
    """The total mass cannot be had from these clusters."""


def clusters_per_mass(
    angular: AngularMomentum, velocity: BaseVelocity, eta: ArrayLike
) -> tuple[NDArray[np.int64], Array, Array]:
    """Clusters of angular momentum that are the total mass times a function of eta = sigma / M, those without inertias.

    Their positions, shape (k,), the function of each, (k,), and its derivative, (k, len(eta)).
    """
    combine, inertias, kept = angular.minimal.combine, angular._inertias.size, velocity.minimal.kept
    # A sliding body turns with its parent: base velocity shows only the sum of their moments. That is all that
    # the centre of mass and the linear momentum hold too, so the sum may stand for both.
    sigma = np.zeros(angular._moments.size)
    sigma[kept] = np.asarray(eta, float)
    linear = combine[:, inertias : inertias + sigma.size]
    hidden = linear - linear[:, kept] @ velocity.minimal.combine
    pure = ~combine[:, :inertias].any(axis=1) & (np.abs(hidden).max(axis=1, initial=0.0) < 1e-9)
    first, second = angular.pairs.T
    product = combine[pure][:, inertias + sigma.size :]
    per_mass = linear[pure] @ sigma + product @ (sigma[first] * sigma[second])
    slope = np.zeros((first.size, sigma.size))
    np.add.at(slope, (np.arange(first.size), first), sigma[second])
    np.add.at(slope, (np.arange(first.size), second), sigma[first])
    return np.flatnonzero(pure), per_mass, (linear[pure] + product @ slope)[:, kept]


def total_mass(angular: AngularMomentum, pi: ArrayLike, velocity: BaseVelocity, eta: ArrayLike) -> float:
    """Total mass [kg] from the clusters pi of angular momentum and eta = sigma / M of base velocity.

    Clusters without an inertia are M times a known function of eta; all of them together, by least squares.
    """
    pure, per_mass, _ = clusters_per_mass(angular, velocity, eta)
    if not per_mass.any():
        raise MassNotVisible("no cluster of angular momentum is free of inertias")
    return float(per_mass @ np.asarray(pi, float)[pure] / (per_mass @ per_mass))
