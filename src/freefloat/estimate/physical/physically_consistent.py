"""Physically consistent estimates: the robot that can exist and explains the data best.

Data show clusters theta of standard parameters, not the parameters. Of all parameters phi of bodies that can exist
(pseudo-inertias positive definite) some have the smallest misfit

    d^2 = (combine phi - theta)^T C^-1 (combine phi - theta),

and of those some are the nearest to the CAD model in units of its spread, which so decides only what the data leave
open. But where clusters are a little wrong, bodies that have them exactly may be far from anything believed: links of
100 kg whose first moments cancel. So both are traded against each other,

    d^2 + weight D^2,       D the distance from the CAD model (`regularisers.py`),

and the first robot is kept where its sum is larger by no more than one. With the Euclidean distance D counts only what
the clusters leave open, and bodies that may have these clusters near the CAD model keep them.

If the smallest d^2 is more than chance (chi-square, 99.9 %), no physical robot explains the data: the geometry, a known
value or the model is wrong, and the bodies that hit the limit say where.

After Wensing, Kim, Slotine, "Linear matrix inequalities for physically consistent inertial parameter
identification" (RA-L 2018), and Sousa, Cortesao, "Physical feasibility of robot base inertial parameter
identification: a linear matrix inequality approach" (IJRR 2014).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_clusters import cad_spread, spread_of, undeclared
from freefloat.estimate.estimated_springs import estimated_springs
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.physical.balance import Balance, Seen, balance, chance_of, left_of_prior, near_masses, seen_of
from freefloat.estimate.physical.drives import drives_beside, with_sizes
from freefloat.estimate.physical.masses import MassBefore, masses_before
from freefloat.estimate.physical.pieces import with_physical_pieces
from freefloat.estimate.physical.pseudo_inertia_program import (
    AT_LIMIT,
    Coordinates,
    cad_coordinates,
    frames_of,
    physical_cones,
)
from freefloat.estimate.physical.regularisers import (
    Distance,
    TradeOff,
    mass_rows,
    relative_spread,
    with_masses,
)
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.structured.as_standard import standard_estimate
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, can_exist
from freefloat.robot.selection import select_parameters

_MOSTLY = 0.5


@dataclass(frozen=True, eq=False)
class PhysicalRobot:
    """A robot that can exist, as near to an estimate as such robots come.

    robot: with these values, friction and rotors of its joints fitted again beside them, and springs as found.
    parameters: its standard parameters, shape (10 bodies,).
    clusters: its clusters, those of the estimate, shape (c,).
    misfit: distance d of these from the estimate's, in standard deviations; zero if they are the same.
    explains: whether the least misfit that a physical robot has is no more than chance.
    growth: what is left of the data over what the estimate leaves.
    at_limit: bodies whose pseudo-inertia is all but singular.
    prior_share: part of each parameter's variance (given the data) in that before the data, shape (10 bodies,): one
        where the value is the CAD model's alone, zero where it is the data's or was declared.
    from_prior: parameters that are mostly the CAD model's. masses: what each body weighs, and did in the CAD model.
    warnings, notes: sentences.
    """

    robot: Robot
    parameters: Array
    clusters: Array
    misfit: float
    explains: bool
    growth: float
    at_limit: tuple[str, ...]
    prior_share: Array
    from_prior: tuple[str, ...]
    masses: tuple[MassBefore, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def physical_robot(
    estimate: Estimate, prior: CadSpread | None = None, trade_off: TradeOff | None = None
) -> PhysicalRobot:
    """The physical robot that is nearest to an estimate and to the CAD model, as these are traded against each other.

    prior: how far the CAD model is trusted; as when the estimate was made unless given.
    trade_off: what nearness to the CAD model is worth, and what else is known of the bodies.
    """
    estimate, asked = standard_estimate(estimate), trade_off or TradeOff()
    robot, unknown, spread = estimate.robot, _unknown(estimate), prior or spread_of(estimate)
    covariance = spread.covariance(robot)
    coordinates = cad_coordinates(frames_of(robot), _origin(estimate), covariance, unknown)
    bodies = np.unique(unknown // PER_BODY).tolist()
    cones = with_masses(physical_cones(robot, coordinates, bodies, asked.inside), coordinates, asked)
    seen = seen_of(estimate, coordinates, cad_spread(estimate, prior))
    trust = relative_spread(covariance, frames_of(robot)[:, 3, 3] ** 2)[bodies]
    distance = Distance(asked.regulariser, cones, coordinates.root.shape[1], trust)
    chosen = balance(seen, distance, cones, asked)
    if asked.mass_factor is not None:
        open_bodies = {body.name for body in spread.unknown}
        bounded = [body for body in bodies if robot.body_names[body] not in open_bodies]
        bounds = mass_rows(coordinates, asked.mass_factor, bounded)
        chosen = near_masses(seen, distance, asked, chosen, bounds, estimate.residual.ratio)
    phi = coordinates.origin + coordinates.root @ chosen.x
    if chosen.misfit == 0.0 and not len(estimate.unseen):
        phi[estimate.minimal.kept] += estimate.values - estimate.minimal.values(phi)  # rounding
    at_limit = tuple(np.array(cones.bodies)[cones.smallest(chosen.x) < AT_LIMIT].tolist())
    return _told(estimate, seen, coordinates, phi, chosen, at_limit)


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


def _told(
    estimate: Estimate, seen: Seen, coordinates: Coordinates, phi: Array, chosen: Balance, at_limit: tuple[str, ...]
) -> PhysicalRobot:
    """The result, with what there is to say about it."""
    bound, misfit = chance_of(seen), chosen.least
    explains = misfit <= bound
    share = _prior_share(seen, coordinates, undeclared(estimate))
    names = np.array(estimate.robot.parameter_names)
    shown = np.isin(np.arange(share.size), _unknown(estimate))  # else in no sum, such as a body that is bolted down
    from_prior = tuple(names[(share > _MOSTLY) & shown].tolist())
    robot = with_physical_pieces(estimate.robot, phi).with_drives(drives_beside(estimate, phi))
    robot = robot.with_springs(estimated_springs(estimate))
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
    masses = masses_before(estimate.robot, phi, share)
    notes += [*chosen.notes, *(each.sentence for each in masses)]
    return PhysicalRobot(
        robot,
        phi,
        clusters,
        chosen.misfit,
        explains,
        _growth(estimate, chosen.misfit),
        at_limit,
        share,
        from_prior,
        masses,
        tuple(warnings),
        tuple(notes),
    )


def _growth(estimate: Estimate, misfit: float) -> float:
    """What is left of the data over what the estimate leaves: squares grow by that of the misfit."""
    ratio = estimate.residual.ratio
    left = (ratio if np.isfinite(ratio) else 1.0) * np.sqrt(max(estimate.residual.rows, 1))
    return float(np.hypot(1.0, misfit / np.maximum(left, 1e-300)))


def _prior_share(seen: Seen, coordinates: Coordinates, columns: NDArray[np.int64]) -> Array:
    """Variance of each parameter after the data over that before, (10 bodies,); zero where it was declared.

    With S = A A^T the prior covariance of the sums and M that after the data, the parameters' falls from
    S0 = root root^T by G^T (S - M) G, G = S^-1 A root^T.
    """
    before = (coordinates.root**2).sum(axis=1)
    left, directions = left_of_prior(seen)
    gained = (1.0 - left) @ (directions.T @ seen.A @ coordinates.root.T) ** 2
    share = np.zeros_like(before)
    share[columns] = 1.0  # of bodies in no cluster too
    moving = before > 0.0
    share[moving] = np.clip(1.0 - gained[moving] / before[moving], 0.0, 1.0)
    return share


def _prior_sentence(coordinates: Coordinates, seen: Seen, from_prior: tuple[str, ...]) -> str:
    unknowns, shown = coordinates.root.shape[1], len(seen.r)
    if seen.with_prior:  # only what the data say more of than it does
        shown = int((left_of_prior(seen)[0] < _MOSTLY).sum())
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

    start: the other estimator; least squares unless given. trade_off: as for `physical_robot`.
    Covariance and residuals are those of the start: what the limits change in them is not counted.
    """

    name: ClassVar[str] = "physically-consistent"

    start: Estimator | None = None
    trade_off: TradeOff = field(default_factory=TradeOff)

    @property
    def reads_own_instants(self) -> bool:
        """As the other estimator."""
        return self.start is not None and self.start.reads_own_instants

    def estimate(self, problem: Problem) -> Estimate:
        """Estimate the clusters of a problem."""
        found = self._start().estimate(problem)
        physical = physical_robot(found, problem.prior, self.trade_off)
        residual = found.residual
        return replace(
            found,
            method=self.name,
            values=physical.clusters,
            nuisances=with_sizes(found.nuisances, physical.robot),
            residual=replace(residual, ratio=residual.ratio * physical.growth),
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
