"""The Cramér-Rao bound: how accurate the parameters can become at best, for a flight that was flown or is planned.

The inverse of the Fisher information of the very likelihood that maximum likelihood on the base's motion maximises,
with all its unknowns (H. Cramér, "Mathematical Methods of Statistics", 1946; with priors on nuisances: H. L. Van
Trees, "Detection, Estimation, and Modulation Theory", 1968):

    problem = planned_problem(robot, trajectory, sensors, known={"load": 0.002})
    bound = cramer_rao_bound(problem)
    print(dict(zip(bound.names, bound.relative)))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.estimate.estimate_parts import Quantity
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.likelihood.likelihood import FlightLikelihood, Likelihood
from freefloat.estimate.likelihood.predicted_base import PredictedFlight
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import MOMENTUM, Unknowns
from freefloat.frozen import Content
from freefloat.models.model import NotApplicable
from freefloat.robot.rotations import turned
from freefloat.sensors.reading import DRIFT_VELOCITY

_UNSEEN = 1e-6  # of the largest singular value in units of the CAD model's spread; its square, of information
_REDUNDANT = 1e-9  # of the largest singular value of nuisance columns of unit length
_TOUCHED = 1e-6
_EXACT = 1e-14  # of the largest eigenvalue of the prior's correlation


@dataclass(frozen=True, eq=False)
class Bound(Content):
    """The smallest covariance that an unbiased estimate can have.

    names: of the c clusters. values: at which the bound holds, (c,).
    nuisances: all further unknowns with their standard deviations, infinite where nothing shows them.
    information: of the data alone, without priors, clusters then nuisances, (c + m, c + m).
    full_covariance: clusters then nuisances, (c + m, c + m), directions that nothing shows left out.
    unseen: those directions of the clusters, orthonormal in units of the CAD model's spread, (k, c); none if there
        is a prior.
    """

    names: tuple[str, ...]
    values: Array
    nuisances: tuple[Quantity, ...]
    information: Array
    full_covariance: Array
    unseen: Array

    def __post_init__(self) -> None:
        self._protect("values", "information", "full_covariance", "unseen")

    @property
    def covariance(self) -> Array:
        """Of the clusters, shape (c, c)."""
        return self.full_covariance[: len(self.names), : len(self.names)]

    @property
    def nuisance_names(self) -> tuple[str, ...]:
        """Names of the further unknowns."""
        return tuple(quantity.name for quantity in self.nuisances)

    @cached_property
    def open(self) -> NDArray[np.bool_]:
        """Clusters that an unseen direction touches, shape (c,)."""
        return np.asarray(np.abs(self.unseen).max(axis=0, initial=0.0) > _TOUCHED)

    @cached_property
    def sd(self) -> Array:
        """Standard deviations, shape (c,); infinite for clusters that the data leave open."""
        return np.where(self.open, np.inf, np.sqrt(np.diagonal(self.covariance)))

    @cached_property
    def relative(self) -> Array:
        """Standard deviations over the sizes of the values, shape (c,); infinite for a value of zero."""
        size = np.abs(self.values)
        return np.where(size > 0.0, self.sd / np.where(size > 0.0, size, 1.0), np.inf)


def cramer_rao_bound(
    problem: Problem, theta: ArrayLike | None = None, nuisances: Mapping[str, float] | None = None
) -> Bound:
    """The bound at true clusters theta, shape (c,), by default those of the CAD model.

    nuisances: true values by name (`Bound.nuisance_names`), zero unless given; but an unknown momentum and velocity
    of the centre of mass are what the samples show of them at theta. Errors of an attitude, position, bias or
    acceleration enter linearly: their values make no difference.
    """
    if problem.robot.base == "fixed":
        raise NotApplicable("a fixed base does not react, so its motion says nothing of the parameters; use torque")
    values = problem.cad if theta is None else np.array(theta, float)
    if values.shape != problem.cad.shape:
        raise ShapeError(f"theta must have shape {problem.cad.shape}, found {values.shape}")
    likelihood = Likelihood(problem, rotation_seen=False)
    point, given = _point(likelihood.unknowns, values, nuisances or {})
    for flight in likelihood.flights:
        _put_shown(likelihood, flight, point, given)
    likelihood.reweigh(point)
    return _Elimination(problem, likelihood.unknowns, _data_factor(likelihood, point)).bound(point)


def _point(unknowns: Unknowns, theta: Array, nuisances: Mapping[str, float]) -> tuple[Array, NDArray[np.bool_]]:
    """True values of all unknowns, and which of them were given."""
    point, labels = np.array(unknowns.mean), np.array(unknowns.labels)
    point[: theta.size] = theta
    given = np.arange(point.size) < theta.size
    for name, value in nuisances.items():
        found = (labels == name) & (np.arange(point.size) >= theta.size)
        if not found.any():
            known = ", ".join(labels[theta.size :].tolist())
            raise InvalidProblem(f"no nuisance is called {name!r}; this problem has: {known or 'none'}")
        point[found], given[found] = value, True
    return point, given


def _put_shown(likelihood: Likelihood, flight: FlightLikelihood, point: Array, given: NDArray[np.bool_]) -> None:
    """Put what the samples show of a momentum and of a velocity of the centre of mass that were not given."""
    if not flight.readings:
        raise InvalidProblem(
            f"{flight.flight.name}: no measured base motion has a noise level; allowed: at least one with `noise`"
        )
    momentum, drift = flight.place(MOMENTUM), flight.place(DRIFT_VELOCITY)
    if momentum is not None and not given[momentum].any():
        flight.start(point, likelihood.phi(point))
    if drift is not None and not given[drift].any() and "v" in flight.measured:
        base = PredictedFlight(flight, point, likelihood.phi(point), 0).base("v")
        inertial = flight.setting.first_attitude(point) @ base.R
        away = flight.measured["v"].values - base.v
        if base.pushed_velocity is not None:
            away = away - turned(base.R.swapaxes(1, 2), base.pushed_velocity)
        point[drift] = (inertial @ away[:, :, None])[..., 0].mean(axis=0)[flight.sliding]


def _data_factor(likelihood: Likelihood, point: Array) -> Array:
    """A matrix whose square is the information of the data, shape (rows, unknowns)."""
    factors = [np.zeros((0, point.size))]
    for rows in likelihood.expected(point):
        touched = np.flatnonzero(rows.any(axis=(0, 1)))
        R = np.asarray(np.linalg.qr(rows[:, :, touched].reshape(-1, touched.size), mode="r"), float)
        factor = np.zeros((R.shape[0], point.size))
        factor[:, touched] = R
        factors.append(factor)
    return np.vstack(factors)


@dataclass(frozen=True, slots=True, eq=False)
class _Elimination:
    """From information to covariance: the nuisances are eliminated first, then directions that nothing shows.

    factor: of the data's information, (rows, unknowns).
    """

    problem: Problem
    unknowns: Unknowns
    factor: Array

    def bound(self, point: Array) -> Bound:
        """The bound at these values of the unknowns."""
        c = len(self.problem.minimal)
        N, size = self._nuisances(c)
        U, s, V_t = np.linalg.svd(N, full_matrices=False)
        shown = s > _REDUNDANT * s.max(initial=0.0)
        U, inverse = U[:, shown], V_t[shown].T / s[shown]
        scale = self._spread()
        Z = np.zeros((N.shape[0], scale.shape[1]))
        Z[: self.factor.shape[0]] = self.factor[:, :c] @ scale
        root, unseen = self._clusters(Z - U @ (U.T @ Z))
        whole = np.vstack([scale @ root, -(inverse @ (U.T @ Z) @ root) / size[:, None]])
        covariance = whole @ whole.T
        covariance[c:, c:] += inverse @ inverse.T / np.outer(size, size)
        hidden = np.abs(V_t[~shown]).max(axis=0, initial=0.0) > _TOUCHED
        sd = np.where(hidden, np.inf, np.sqrt(np.diagonal(covariance)[c:]))
        information = self.factor.T @ self.factor
        quantities = self._quantities(point, sd)
        return Bound(self.problem.minimal.leaders, point[:c], quantities, information, covariance, unseen)

    def _nuisances(self, c: int) -> tuple[Array, Array]:
        """Columns of the nuisances with rows for what is assumed beforehand, made of unit length; their lengths."""
        rows = [self.factor[:, c:]]
        for part in self.unknowns.parts[1:]:
            if part.information.any():
                root = np.zeros((len(part.labels), rows[0].shape[1]))
                root[:, part.place.start - c : part.place.stop - c] = np.linalg.cholesky(part.information).T
                rows.append(root)
        columns = np.vstack(rows)
        size = np.linalg.norm(columns, axis=0)
        size = np.where(size > 0.0, size, 1.0)
        return columns / size, size

    def _spread(self) -> Array:
        """A root of the CAD model's covariance, in whose units the clusters are: diagonal where it is no prior."""
        covariance = self.problem.cad_covariance
        sd = np.sqrt(np.diagonal(covariance))
        if self.problem.prior is None:
            return np.diag(sd)
        sd = np.where(sd > 0.0, sd, 1.0)
        values, vectors = np.linalg.eigh(covariance / np.outer(sd, sd))
        counts = values > _EXACT * values[-1]  # what the CAD model knows exactly stays as it is
        return sd[:, None] * vectors[:, counts] * np.sqrt(values[counts])

    def _clusters(self, Z: Array) -> tuple[Array, Array]:
        """A root of the clusters' covariance in units of the spread, (width, k), and unseen directions."""
        width, has_prior = Z.shape[1], self.problem.prior is not None
        _, s, W_t = np.linalg.svd(np.vstack([Z, np.eye(width) * has_prior]), full_matrices=False)
        seen = s > (0.0 if has_prior else _UNSEEN * s.max(initial=0.0))
        unseen = np.zeros((0, len(self.problem.minimal))) if has_prior else W_t[~seen]
        return W_t[seen].T / s[seen], unseen

    def _quantities(self, point: Array, sd: Array) -> tuple[Quantity, ...]:
        """The nuisances with what can be known of them."""
        c = point.size - sd.size
        units = [unit for part in self.unknowns.parts[1:] for unit in part.units]
        named = zip(self.unknowns.labels[c:], point[c:].tolist(), sd.tolist(), units, strict=True)
        return tuple(Quantity(*each) for each in named)
