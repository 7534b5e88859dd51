"""Where an estimate and the CAD model balance: misfit of the clusters against distance of the bodies.

Both are in standard deviations. First comes the robot that keeps the clusters, or misses them least, and is then the
nearest to the CAD model; it is kept where another one is better by no more than one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from scipy.stats import chi2

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.physical.cone_program import minimise
from freefloat.estimate.physical.pseudo_inertia_program import Cones, Coordinates, NotSolved
from freefloat.estimate.physical.regularisers import Distance, TradeOff, nothing_fits
from freefloat.estimate.physical.torque_shape import covariance_by_torques

_CHANCE = 0.999
_WEIGHT = 1e-3  # of the distance from the CAD model against the misfit, where both cannot be had
_CONDITION = 1e-6
_FINEST = 1e-6  # smallest standard deviation of a cluster that counts, over the CAD model's spread
_SAME = 1.0  # of squared standard deviations: sums that differ by less are as good


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What is known of sums, in whitened coordinates: A x = r with covariance V, shapes (s, k), (s,), (s, s).

    with_prior: whether V already holds what the CAD model says, rather than the data's part alone.
    """

    A: Array
    r: Array
    V: Array
    with_prior: bool


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """Where the robot is, (k,), its misfit, and that of the one of least misfit; what was changed for the CAD model."""

    x: Array
    misfit: float
    least: float
    notes: tuple[str, ...] = ()


def seen_of(estimate: Estimate, coordinates: Coordinates, spread: Array) -> Seen:
    """The clusters in units of their spread in the CAD model, without directions that the data do not show."""
    combine = estimate.minimal.combine
    Q = scipy.linalg.null_space(estimate.unseen) if len(estimate.unseen) else np.eye(len(combine))
    slopes = combine @ coordinates.root / spread[:, None]
    difference = (estimate.values - combine @ coordinates.origin) / spread
    used_prior = _used_prior(estimate)
    before = combine @ coordinates.root @ coordinates.root.T @ combine.T
    own = covariance_by_torques(estimate, before if used_prior else None)
    covariance = own / np.outer(spread, spread) + _FINEST**2 * np.eye(len(combine))
    V = Q.T @ covariance @ Q
    if len(V) and np.linalg.eigvalsh(V)[0] <= 0.0:
        raise NotSolved(
            "the estimate's covariance has directions of negative variance, as that of one that failed may; allowed: a "
            "positive definite one"
        )
    return Seen(Q.T @ slopes, Q.T @ difference, V, used_prior)


def _used_prior(estimate: Estimate) -> bool:
    """Whether the CAD model was a soft prior of the estimate, so that its covariance holds it."""
    sources, shares = (estimate.budget.sources, estimate.budget.shares) if estimate.budget else ((), np.zeros((0, 0)))
    return "prior" in sources and bool(shares[:, sources.index("prior")].any())


def _whitened(seen: Seen, columns: Array) -> Array:
    """Columns in units of the data's standard deviations."""
    return np.asarray(scipy.linalg.solve_triangular(np.linalg.cholesky(seen.V), columns, lower=True))


def _nearest(seen: Seen, cones: Cones, asked: TradeOff) -> tuple[Array, bool]:
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
    if x is None and (asked.total_mass is not None or asked.inside):
        raise NotSolved(nothing_fits(asked))
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


def balance(seen: Seen, distance: Distance, cones: Cones, asked: TradeOff) -> Balance:
    """Where misfit and distance from the CAD model are in balance."""
    x, exact = _nearest(seen, cones, asked)
    least = 0.0 if exact else _misfit(seen, x)
    if asked.weight == 0.0 or (asked.regulariser == "euclidean" and not (seen.A.shape[1] - len(seen.r))):
        return Balance(x, least, least)
    D, right = _whitened(seen, seen.A), _whitened(seen, seen.r)
    if asked.regulariser == "euclidean":  # only what the sums leave open
        rows = np.sqrt(asked.weight) * scipy.linalg.null_space(seen.A).T
        traded = minimise(np.vstack([D, rows]), np.append(right, np.zeros(len(rows))), cones)
        square = [float(((rows @ each) ** 2).sum()) for each in (x, x if traded is None else traded)]
    else:
        traded = distance.nearest(D, right, asked.weight, cones)
        square = [asked.weight * distance.squared(each) for each in (x, x if traded is None else traded)]
    if traded is None:
        return Balance(x, least, least)
    misfit = _misfit(seen, traded)
    if least**2 + square[0] <= misfit**2 + square[1] + _SAME:
        return Balance(x, least, least)
    note = (
        f"the values of the estimate are moved by {misfit:.3g} standard deviations, to bodies nearer to the CAD model: "
        "those that keep them are too far from it to be believed"
    )
    return Balance(traded, misfit, least, (note,))


def near_masses(
    seen: Seen, distance: Distance, asked: TradeOff, chosen: Balance, bounds: tuple[Array, Array], ratio: float
) -> Balance:
    """The same with masses near the CAD model's, if that costs hardly more than chance.

    bounds: room + slope x >= 0. ratio: of what the estimate leaves to the sensors' noise; more than one, and the
    misfit counts the less.
    """
    room, slope = bounds
    if asked.weight == 0.0 or (room + slope @ chosen.x >= 0.0).all():
        return chosen
    try:
        nearer = balance(seen, distance, distance.cones.with_room(room, slope), asked)
    except NotSolved:
        return chosen
    allowed = (chance_of(seen) * np.fmax(ratio, 1.0)) ** 2
    return replace(nearer, least=chosen.least) if nearer.misfit**2 - chosen.misfit**2 <= allowed else chosen


def _misfit(seen: Seen, x: Array) -> float:
    return float(np.linalg.norm(_whitened(seen, seen.A @ x - seen.r)))


def chance_of(seen: Seen) -> float:
    """Misfit that is no more than chance."""
    return float(np.sqrt(chi2.ppf(_CHANCE, len(seen.r))))


def left_of_prior(seen: Seen) -> tuple[Array, Array]:
    """Variance after the data over that before, (s,), in directions Z, (s, s): Z^T S Z = E, Z^T M Z diagonal."""
    ratio, directions = scipy.linalg.eigh(seen.V, seen.A @ seen.A.T)
    return (ratio if seen.with_prior else ratio / (1.0 + ratio)), directions  # M = V, or M^-1 = V^-1 + S^-1
