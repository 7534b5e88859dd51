"""Physically consistent estimates: the robot that can exist and explains the data best.

Data show clusters theta of standard parameters, not the parameters. Of all parameters phi of bodies that can exist
(pseudo-inertias positive definite), those with the smallest misfit

    d^2 = (combine phi - theta)^T C^-1 (combine phi - theta)

are wanted, and of those the ones nearest to the CAD model in units of its spread: the CAD model decides only what the
data leave open. If some physical robot has exactly these clusters, d is zero and the clusters are kept. If the
smallest d^2 is more than chance (chi-square, 99.9 %), no physical robot explains the data: the geometry, a known value
or the model is wrong, and the bodies that hit the limit say where.

After Wensing, Kim, Slotine, "Linear matrix inequalities for physically consistent inertial parameter
identification" (RA-L 2018), and Sousa, Cortesao, "Physical feasibility of robot base inertial parameter
identification: a linear matrix inequality approach" (IJRR 2014).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.stats import chi2

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_clusters import cad_spread, spread_of, undeclared
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.physical.pieces import with_physical_pieces
from freefloat.estimate.physical.pseudo_inertia_program import (
    LEAST,
    Cones,
    Coordinates,
    NotSolved,
    cad_coordinates,
    minimise,
    physical_cones,
)
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.structured.as_standard import standard_estimate
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, can_exist
from freefloat.robot.selection import select_parameters
from freefloat.robot.shapes import Ellipsoid

_CHANCE = 0.999
_AT_LIMIT = 100.0 * LEAST
_WEIGHT = 1e-3  # of the distance from the CAD model against the misfit, where both cannot be had
_CONDITION = 1e-6
_FINEST = 1e-6  # smallest standard deviation of a cluster that counts, over the CAD model's spread
_MOSTLY = 0.5


@dataclass(frozen=True, eq=False)
class PhysicalRobot:
    """A robot that can exist, as near to an estimate as such robots come.

    robot: with these values. parameters: its standard parameters, shape (10 bodies,).
    clusters: its clusters, those of the estimate, shape (c,).
    misfit: distance d of these from the estimate's, in standard deviations; zero if they are the same.
    explains: whether the misfit is no more than chance.
    at_limit: bodies whose pseudo-inertia is all but singular.
    prior_share: part of each parameter's variance (given the data) in that before the data, shape (10 bodies,): one
        where the value is the CAD model's alone, zero where it is the data's or was declared.
    from_prior: parameters that are mostly the CAD model's.
    warnings, notes: sentences.
    """

    robot: Robot
    parameters: Array
    clusters: Array
    misfit: float
    explains: bool
    at_limit: tuple[str, ...]
    prior_share: Array
    from_prior: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What is known of sums, in whitened coordinates: A x = r with covariance V, shapes (s, k), (s,), (s, s).

    with_prior: whether V already holds what the CAD model says, rather than the data's part alone.
    """

    A: Array
    r: Array
    V: Array
    with_prior: bool


def physical_robot(
    estimate: Estimate, prior: CadSpread | None = None, inside: Mapping[str, Ellipsoid] | None = None
) -> PhysicalRobot:
    """The physical robot nearest to an estimate, and among those equally near the one nearest to the CAD model.

    prior: how far the CAD model is trusted in what the data leave open; as when the estimate was made unless given.
    inside: ellipsoids, in the frames of moving bodies, that these bodies do not reach out of.
    """
    estimate = standard_estimate(estimate)
    robot, unknown = estimate.robot, _unknown(estimate)
    covariance = (prior or spread_of(estimate)).covariance(robot)
    coordinates = cad_coordinates(robot, _origin(estimate), covariance, unknown)
    bodies = np.unique(unknown // PER_BODY).tolist()
    cones = physical_cones(robot, coordinates, bodies, inside or {})
    seen = _seen(estimate, coordinates, cad_spread(estimate, prior))
    x, exact = _nearest(seen, cones)
    phi = coordinates.origin + coordinates.root @ x
    if exact and not len(estimate.unseen):
        phi[estimate.minimal.kept] += estimate.values - estimate.minimal.values(phi)  # rounding
    misfit = 0.0 if exact else float(np.linalg.norm(_whitened(seen, seen.A @ x - seen.r)))
    at_limit = tuple(np.array(cones.bodies)[cones.smallest(x) < _AT_LIMIT].tolist())
    return _told(estimate, seen, coordinates, phi, misfit, at_limit)


def _unknown(estimate: Estimate) -> NDArray[np.int64]:
    """Columns that may change: neither declared nor of a body that is in no cluster at all."""
    shown = np.abs(estimate.minimal.combine).sum(axis=0).reshape(-1, PER_BODY).any(axis=1)
    return np.intersect1d(undeclared(estimate), np.flatnonzero(np.repeat(shown, PER_BODY)))


def _origin(estimate: Estimate) -> Array:
    """CAD values, zeros where they were declared, and what was known as the data corrected it, where that can be."""
    phi = np.array(estimate.robot.parameters)
    known = select_parameters(estimate.robot, estimate.known)
    phi[np.setdiff1d(select_parameters(estimate.robot, estimate.zero), known)] = 0.0
    for body in np.unique(known // PER_BODY):
        block = slice(PER_BODY * body, PER_BODY * (body + 1))
        own = known[known // PER_BODY == body]
        corrected = np.array(phi)
        corrected[own] = estimate.parameters[own]
        if own.size < PER_BODY or can_exist(corrected[block]) or not can_exist(phi[block]):
            phi = corrected
    return phi


def _seen(estimate: Estimate, coordinates: Coordinates, spread: Array) -> _Seen:
    """The clusters in units of their spread in the CAD model, without directions that the data do not show."""
    combine = estimate.minimal.combine
    Q = scipy.linalg.null_space(estimate.unseen) if len(estimate.unseen) else np.eye(len(combine))
    slopes = combine @ coordinates.root / spread[:, None]
    difference = (estimate.values - combine @ coordinates.origin) / spread
    covariance = estimate.covariance / np.outer(spread, spread) + _FINEST**2 * np.eye(len(combine))
    V = Q.T @ covariance @ Q
    if len(V) and np.linalg.eigvalsh(V)[0] <= 0.0:
        raise NotSolved(
            "the estimate's covariance has directions of negative variance, as that of one that failed may; allowed: a "
            "positive definite one"
        )
    return _Seen(Q.T @ slopes, Q.T @ difference, V, _used_prior(estimate))


def _used_prior(estimate: Estimate) -> bool:
    """Whether the CAD model was a soft prior of the estimate, so that its covariance holds it."""
    sources, shares = (estimate.budget.sources, estimate.budget.shares) if estimate.budget else ((), np.zeros((0, 0)))
    return "prior" in sources and bool(shares[:, sources.index("prior")].any())


def _whitened(seen: _Seen, columns: Array) -> Array:
    """Columns in units of the data's standard deviations."""
    return np.asarray(scipy.linalg.solve_triangular(np.linalg.cholesky(seen.V), columns, lower=True))


def _nearest(seen: _Seen, cones: Cones) -> tuple[Array, bool]:
    """Where the nearest physical robot is, and whether its clusters are exactly those of the data."""
    Q, R = scipy.linalg.qr(seen.A.T)
    rank = len(seen.r)
    start = Q[:, :rank] @ scipy.linalg.solve_triangular(R[:rank], seen.r, trans="T")  # nearest of all robots
    if cones.hold(start):
        return start, True
    free = Q[:, rank:]
    if free.size:
        step = minimise(np.eye(free.shape[1]), np.zeros(free.shape[1]), cones.along(start, free))
        if step is not None:
            return start + free @ step, True
    x = _least_misfit(_whitened(seen, seen.A), _whitened(seen, seen.r), cones)
    if x is None:
        raise NotSolved(
            "no physical robot agrees with what was declared known or zero; allowed: values with which every body can "
            "have a positive definite pseudo-inertia"
        )
    return x, False


def _least_misfit(D: Array, right: Array, cones: Cones) -> Array | None:
    """The x of least misfit |D x - right|, and where several have it the smallest; None if there is none.

    Both at once, by a small weight on |x|: first one with which the program is well conditioned, then one that
    costs a share of the misfit that nobody sees.
    """
    count, best, weight = D.shape[1], None, max(_WEIGHT, _CONDITION * float(np.linalg.norm(D, 2)))
    while True:
        x = minimise(np.vstack([D, weight * np.eye(count)]), np.concatenate([right, np.zeros(count)]), cones)
        if x is None:
            return best
        best = x
        finer = _WEIGHT * max(1.0, 0.1 * float(np.linalg.norm(D @ x - right)))
        if finer >= weight:
            return best
        weight = finer


def _told(
    estimate: Estimate, seen: _Seen, coordinates: Coordinates, phi: Array, misfit: float, at_limit: tuple[str, ...]
) -> PhysicalRobot:
    """The result, with what there is to say about it."""
    bound = float(np.sqrt(chi2.ppf(_CHANCE, len(seen.r))))
    explains = misfit <= bound
    share = _prior_share(seen, coordinates, undeclared(estimate))
    names = np.array(estimate.robot.parameter_names)
    from_prior = tuple(names[share > _MOSTLY].tolist())
    robot = with_physical_pieces(estimate.robot, phi)
    clusters = estimate.minimal.values(phi)
    warnings, notes = [], [_prior_sentence(coordinates, seen, from_prior)]
    limit = f", with {', '.join(at_limit)} at the limit of what bodies can be" if at_limit else ""
    if not explains:
        warnings.append(
            f"no physical robot explains these data: the nearest is {misfit:.3g} standard deviations away, and chance "
            f"would give at most {bound:.3g}{limit}; look for a wrong geometry, a wrong known value, or an effect that "
            "the model leaves out"
        )
    elif misfit > 0.0:
        notes.append(f"the nearest physical robot is {misfit:.3g} standard deviations away, no more than noise{limit}")
    elif at_limit:
        notes.append(
            f"the data put {', '.join(at_limit)} at the limit of what bodies can be: a sheet, a rod or a point"
        )
    return PhysicalRobot(
        robot, phi, clusters, misfit, explains, at_limit, share, from_prior, tuple(warnings), tuple(notes)
    )


def _prior_share(seen: _Seen, coordinates: Coordinates, columns: NDArray[np.int64]) -> Array:
    """Variance of each parameter after the data over that before, (10 bodies,); zero where it was declared.

    With S = A A^T the prior covariance of the sums and M that after the data, the parameters' falls from
    S0 = root root^T by G^T (S - M) G, G = S^-1 A root^T.
    """
    before = (coordinates.root**2).sum(axis=1)
    left, directions = _left(seen)
    gained = (1.0 - left) @ (directions.T @ seen.A @ coordinates.root.T) ** 2
    share = np.zeros_like(before)
    share[columns] = 1.0  # of bodies in no cluster too
    moving = before > 0.0
    share[moving] = np.clip(1.0 - gained[moving] / before[moving], 0.0, 1.0)
    return share


def _left(seen: _Seen) -> tuple[Array, Array]:
    """Variance after the data over that before, (s,), in directions Z, (s, s): Z^T S Z = E, Z^T M Z diagonal."""
    ratio, directions = scipy.linalg.eigh(seen.V, seen.A @ seen.A.T)
    return (ratio if seen.with_prior else ratio / (1.0 + ratio)), directions  # M = V, or M^-1 = V^-1 + S^-1


def _prior_sentence(coordinates: Coordinates, seen: _Seen, from_prior: tuple[str, ...]) -> str:
    unknowns, shown = coordinates.root.shape[1], len(seen.r)
    if seen.with_prior:  # only what the data say more of than it does
        shown = int((_left(seen)[0] < _MOSTLY).sum())
    if not from_prior:
        return f"all {unknowns} parameters are the data's"
    return (
        f"the data show {shown} sum{'' if shown == 1 else 's'} of {unknowns} parameters; how these are shared out is "
        f"the CAD model's, and so are mostly: {', '.join(from_prior)}"
    )


# ---------------------------------------------------------------------- as an estimator


@dataclass(frozen=True)
class PhysicallyConsistent(Estimator):
    """Another estimator's clusters, moved to the nearest that some physical robot has.

    start: the other estimator; least squares unless given. inside: as for `physical_robot`.
    Covariance and residuals are those of the start: what the limits change in them is not counted.
    """

    name: ClassVar[str] = "physically-consistent"

    start: Estimator | None = None
    inside: Mapping[str, Ellipsoid] = field(default_factory=dict)

    @property
    def reads_own_instants(self) -> bool:
        """As the other estimator."""
        return self.start is not None and self.start.reads_own_instants

    def estimate(self, problem: Problem) -> Estimate:
        """Estimate the clusters of a problem."""
        found = self._start().estimate(problem)
        physical = physical_robot(found, problem.prior, self.inside)
        residual = found.residual
        moved = np.hypot(residual.ratio, physical.misfit / np.sqrt(residual.rows))  # d^2 is what squares grow by
        return replace(
            found,
            method=self.name,
            values=physical.clusters,
            residual=replace(residual, ratio=float(moved)),
            outcome=found.outcome if physical.explains or found.outcome == "failed" else "doubtful",
            warnings=(*found.warnings, *physical.warnings),
            notes=(*found.notes, *physical.notes),
            origin={**found.origin, "start": found.method},
        )

    def _start(self) -> Estimator:
        if self.start is not None:
            return self.start
        from freefloat.estimate.linear.least_squares import LeastSquares

        return LeastSquares()
