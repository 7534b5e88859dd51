"""The base's motion as an estimate of standard parameters predicts it; joint torques too, where they were measured.

Theta are all clusters that the flights' momentum holds, those of known bodies included.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.estimate.causes.alternatives import alternatives
from freefloat.estimate.causes.claims import NOTHING, Suspected, claims
from freefloat.estimate.causes.score import FittedRows
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import UNITS, ChannelResidual
from freefloat.estimate.estimated_clusters import cad_covariance, spread_of, total_covariance, undeclared
from freefloat.estimate.estimated_springs import spring_spreads
from freefloat.estimate.likelihood.everything import beside
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.likelihood import FlightLikelihood, Likelihood, Rows
from freefloat.estimate.likelihood.maximum_likelihood import with_finer_curves
from freefloat.estimate.likelihood.noise_levels import Levels, as_stated, spectral_levels, with_levels
from freefloat.estimate.likelihood.predicted_base import PredictedFlight
from freefloat.estimate.predicted_motion import BaseMotion
from freefloat.estimate.prior import known_covariance
from freefloat.estimate.problem import Problem
from freefloat.estimate.uncertain import root_of
from freefloat.estimate.unknowns import SPRINGS
from freefloat.robot.selection import select_parameters
from freefloat.validation.joint_torques import JointTorques
from freefloat.validation.prediction import (
    ClaimedClusters,
    PredictedMomentum,
    PredictedReading,
    UnfitEstimate,
    largest_turn_rad,
)

_ROUNDING = 1e-8


class BaseMotionPrediction:
    """Rates, velocity, attitude and position of the base, and torques of the joints, by standard parameters."""

    noise_is_left = False

    def __init__(self, problem: Problem, estimate: Estimate, levels: Levels | None = None) -> None:
        self.problem, self.estimate, self.levels = problem, estimate, levels or Levels()
        self.likelihood = Likelihood(problem)
        self.count = len(problem.minimal)
        self.claimed = _claimed_by(problem, estimate)
        parts = self.likelihood.unknowns.parts[1:]
        self.kinds = tuple(part.kind for part in parts for _ in part.labels)
        self.mean = self.likelihood.unknowns.mean[self.count :]
        self.information = self._information()
        self.torques = tuple(JointTorques.of(problem, estimate, flight) for flight in self.likelihood.flights)

    def _information(self) -> Array:
        """Of all but clusters before the data, springs being known as well as the estimate has them."""
        information = np.array(self.likelihood.unknowns.information[self.count :, self.count :])
        springs, spreads = self.likelihood.unknowns.find(SPRINGS), spring_spreads(self.estimate)
        if springs is not None and spreads is not None:
            place = np.arange(springs.start, springs.stop) - self.count
            information[place, place] = 1.0 / spreads**2
        return information

    # ------------------------------------------------------------------ rows

    def start(self) -> Array:
        """The estimate, nothing else, and momenta as they fit it; weights are set there."""
        point = np.concatenate([self.claimed.theta, self.mean])
        for flight in self.likelihood.flights:
            flight.start(point, self.likelihood.phi(point))
        self.likelihood.reweigh(point)
        return point

    def rows(self, point: Array, derivatives: bool) -> tuple[Rows, ...]:
        """Weighted residuals of the base's channels, then those of torques."""
        found, phi = self.likelihood.rows(point, None if derivatives else 0), self.likelihood.phi(point)
        torques = (each.rows(phi, point, self.count, derivatives) for each in self.torques if each is not None)
        return (*found, *torques)

    def finer(self) -> BaseMotionPrediction | None:
        """The same with joints' curves on knots half as far apart; None if there are none, or too few readings."""
        problem = with_finer_curves(self.problem)
        return None if problem is None else BaseMotionPrediction(problem, self.estimate, self.levels)

    def as_noisy(self, rows: tuple[Rows, ...]) -> BaseMotionPrediction | None:
        """The same with sensors that rows show to be noisier than declared weighed by that; None if none is."""
        levels = spectral_levels(tuple(part for part in rows if part.channel != "torques"))
        return BaseMotionPrediction(with_levels(self.likelihood, levels), self.estimate, levels) if levels else None

    def settle(self, point: Array) -> float:
        """Bring joints' curves to what all readings make likely at a point; how far readings move, in their noise."""
        return self.likelihood.settle(point)

    # ------------------------------------------------------------------ in the sensors' units

    def readings(self, point: Array) -> tuple[PredictedReading, ...]:
        """Measured values and residuals of every channel, in the order of the rows."""
        return tuple(self._reading(part) for part in self.rows(point, False))

    def _reading(self, rows: Rows) -> PredictedReading:
        flight = self.likelihood.flights[rows.flight]
        given, name = flight.flight, rows.channel
        if name == "torques":
            own = given.readings(name)
            entry = self.torques[rows.flight]
            assert entry is not None
            sd, joints = entry.sd, self.problem.robot.joint_names
            noise, residual = np.sqrt((sd[own] ** 2).mean(axis=0)), rows.values * sd[own]
            measured = given.samples.need("torques", "validation")[own]
            signal, unit = measured.std(axis=0), UNITS[name]
            left = ChannelResidual(given.name, name, joints, unit, given.t[own], residual, noise, signal=signal)
            return PredictedReading.of(left, measured)
        left = as_stated(flight.left(rows), [each.name for each in self.problem.flights], self.levels)
        if flight.readings[name].steps:  # compared by its changes: measured is what is left of them
            return PredictedReading.of(left, left.residual)
        return PredictedReading.of(left, flight.seen(name))

    def momentum(self, point: Array, readings: tuple[PredictedReading, ...]) -> tuple[PredictedMomentum, ...]:
        """Inertia about the centre of mass times measured less predicted rates."""
        found = []
        for reading, flight, (motion, at) in self._rates(point, readings):
            A = flight.nodes["w"].at_rows(motion.A[at])
            D = A[:, 3:, 3:6] - A[:, 3:, :3] @ A[:, :3, 3:6] / A[:, :1, :1]
            wide, noise = np.zeros((len(D), 3)), np.zeros(3)
            wide[:, flight.turning], noise[flight.turning] = reading.residual, reading.noise
            spread = np.sqrt(((D * noise) ** 2).sum(axis=2).mean(axis=0))
            found.append(PredictedMomentum(reading.flight, reading.t, (D @ wide[:, :, None])[..., 0], spread))
        return tuple(found)

    def turned_away_rad(self, point: Array, readings: tuple[PredictedReading, ...]) -> float | None:
        """Largest angle between attitudes integrated from predicted and from measured rates, sensor errors undone."""
        angles = []
        for reading, flight, (motion, at) in self._rates(point, readings):
            w = flight.nodes["w"].at_rows(motion.w[at])
            measured = np.array(w)
            measured[:, flight.turning] += reading.residual
            angles.append(largest_turn_rad(reading.t, w, measured))
        return max(angles, default=None)

    def _rates(
        self, point: Array, readings: tuple[PredictedReading, ...]
    ) -> Iterator[tuple[PredictedReading, FlightLikelihood, tuple[BaseMotion, NDArray[np.int64] | slice]]]:
        """Gyro readings, their flight, and its motion with which of its instants are theirs."""
        phi = self.likelihood.phi(point)
        turned = [flight for flight in self.likelihood.flights if "w" in flight.channels]
        rates = [reading for reading in readings if reading.channel == "w"]
        for reading, flight in zip(rates, turned, strict=True):
            yield reading, flight, PredictedFlight(flight, point, phi, 0).motion_of("w")

    def suspected(self, point: Array, root: Array, xi: Array) -> Suspected:
        """What may be wrong with the flights, by the base's channels."""
        found, m = beside(self.likelihood, point), root.shape[1]
        (r, J), levels = stacked(found.rows), found.levels
        moved = np.hstack([J[:, : self.count] @ root, J[:, self.count :]]) / levels[:, None]
        shift, beyond = m - self.count, found.fitted[self.count :]
        fitted = np.concatenate([np.ones(m, dtype=bool), beyond])
        information, off = np.zeros((fitted.size, fitted.size)), np.zeros(fitted.size)
        own, others = np.arange(m), m + np.flatnonzero(beyond)
        information[own, own], off[own] = 1.0, xi
        information[np.ix_(others, others)], off[others] = self.information, point[self.count :] - self.mean
        fit = FittedRows(r / levels, moved, fitted, information, off, np.zeros_like(information))
        if not fit.is_usable:
            return NOTHING
        unknowns, given = found.likelihood.unknowns.shifted(shift), found.compliances / levels[:, None]
        return claims(list(alternatives(self.problem, unknowns, fit, found.channels, given)), fit)

    def on(self, problem: Problem) -> BaseMotionPrediction:
        """What the same estimate predicts of other flights."""
        return BaseMotionPrediction(problem, self.estimate)

    def shifted(self, parameters: Array) -> Array | None:
        """Theta of standard parameters."""
        return self.problem.minimal.values(parameters)


def _claimed_by(problem: Problem, estimate: Estimate) -> ClaimedClusters:
    full, own = problem.minimal, estimate.minimal
    known = select_parameters(estimate.robot, tuple(estimate.known))
    by_cluster = full.combine[:, own.kept]
    _refuse_hidden(problem, estimate, by_cluster)
    given, spread = known_covariance(estimate.robot, estimate.known), cad_covariance(estimate)
    roots = (
        by_cluster @ root_of(total_covariance(estimate, np.sqrt(np.diagonal(spread)))),
        full.combine[:, known] @ root_of(given[np.ix_(known, known)]),
    )
    cad = full.combine @ spread_of(estimate).covariance(estimate.robot) @ full.combine.T
    theta = full.values(estimate.parameters)
    root = np.hstack(roots)
    return ClaimedClusters(
        estimate.names,
        estimate.formulas,
        estimate.values,
        estimate.sd,
        theta,
        by_cluster,
        root,
        root_of(cad),
        spread,
    )


def _refuse_hidden(problem: Problem, estimate: Estimate, by_cluster: Array) -> None:
    """Refuse flights without a body that the estimate does not tell from the one that carries it."""
    unknown = undeclared(estimate)
    missing = problem.minimal.combine[:, unknown] - by_cluster @ estimate.minimal.combine[:, unknown]
    if np.abs(missing).max(initial=0.0) > _ROUNDING * max(1.0, float(np.abs(by_cluster).max(initial=0.0))):
        bodies = ", ".join(sorted({name for flight in problem.flights for name in flight.without}))
        raise UnfitEstimate(
            f"the estimate does not tell {bodies or 'all bodies'} apart from what carries it, so that it predicts no "
            "motion without it; allowed: recordings with it, or an estimate for which it was known"
        )
