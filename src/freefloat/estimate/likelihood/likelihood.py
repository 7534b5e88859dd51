"""The likelihood of measured base motion: weighted residuals of all flights, and their exact derivatives.

Every array of the samples that is measured with known noise is compared with its prediction
(`flight_readings.py`). Errors are white; a velocity that is an integrated acceleration has errors that walk, and is
compared by its changes from sample to sample. Where joint motion or wheel rates are known sample by sample only,
their errors go through the base's reaction into the weights, which stay fixed while a fit iterates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.dynamics.reaction import solve_base
from freefloat.estimate.estimate_parts import UNITS, ChannelResidual
from freefloat.estimate.likelihood.flight_readings import FlightReadings
from freefloat.estimate.likelihood.reaction import Targets, sensitivities
from freefloat.estimate.likelihood.unknowns import Unknowns, parameter_columns, unknowns_of
from freefloat.estimate.problem import Problem
from freefloat.models.model import NotApplicable

_NOTHING = 1e-4  # of a sensor's variance: errors of joints and wheels that do not matter
_FIRST_M_S = 1.0  # spread of the first of several velocities that are compared by their changes


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Residuals of one channel of one flight. values: measured less predicted over its standard deviation, (n, k).

    jacobian: derivative of the prediction over the same, (n, k, unknowns); empty if it was not asked for.
    """

    channel: str
    flight: int
    values: Array
    jacobian: Array


class Likelihood:
    """Residuals of a problem as a function of its unknowns."""

    def __init__(self, problem: Problem) -> None:
        if problem.robot.base == "fixed":
            raise NotApplicable(
                "a fixed base does not react: maximum likelihood on the base motion needs one that moves"
            )
        self.problem = problem
        self.unknowns: Unknowns = unknowns_of(problem)
        self.flights = tuple(
            FlightLikelihood(problem, self.unknowns, self.columns, index) for index in range(len(problem.flights))
        )

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """Standard parameters that are unknown: leaders of clusters, then known ones that may deviate."""
        return parameter_columns(self.problem, self.unknowns)

    def phi(self, point: Array) -> Array:
        """Standard parameters of a point in the space of unknowns, (10 bodies,)."""
        phi = np.array(self.problem.fixed)
        np.add.at(phi, self.columns, point[: self.columns.size])
        return phi

    def rows(self, point: Array, count: int | None = None) -> tuple[Rows, ...]:
        """Weighted residuals of all flights and channels.

        count: derivatives are by this many leading unknowns, by all unless given: zero for none, else at least all
        but the errors of the joints' curves.
        """
        phi, count = self.phi(point), len(self.unknowns) if count is None else count
        return tuple(rows for flight in self.flights for rows in flight.rows(point, phi, count))

    def left(self, rows: tuple[Rows, ...]) -> tuple[ChannelResidual, ...]:
        """The same residuals in the sensors' units."""
        return tuple(self.flights[part.flight].left(part) for part in rows)

    def start(self) -> Array:
        """The prior's mean, with momenta as the CAD model and the measured rates have them."""
        point = np.array(self.unknowns.mean)
        for flight in self.flights:
            flight.start(point, self.phi(point))
        return point

    def reweigh(self, point: Array) -> bool:
        """Set the weights anew for errors of joint motion as they act at this point; whether there are any."""
        matter = [flight.reweigh(point, self.phi(point)) for flight in self.flights]
        return any(matter)


class FlightLikelihood(FlightReadings):
    """Weighted residuals of one flight."""

    def __init__(self, problem: Problem, unknowns: Unknowns, columns: NDArray[np.int64], index: int) -> None:
        super().__init__(problem, unknowns, columns, index)
        self.weights: dict[str, Array] = {}

    def rows(self, point: Array, phi: Array, count: int) -> list[Rows]:
        """Residuals of all channels of this flight."""
        motion = self.motion(point, phi)
        G, alpha = None, None
        if count and self.grid.step == 1:  # rates alone: the gyro's gain goes first, as there are fewer columns then
            G = self._by_unknowns(point, motion, phi, count, self._gyro_gain(point)[0])
        elif count:
            G, alpha = self._through_attitude(motion, self._by_unknowns(point, motion, phi, count))
        compare = {"w": self._gyro, "v": self._velocity, "attitude": self._attitude, "position": self._position}
        R = motion.R[:: self.grid.step]
        return [self._weighted(name, *compare[name](point, motion, G, alpha), R) for name in self.channels]

    def _weighted(self, name: str, residual: Array, J: Array, R: Array) -> Rows:
        own = self.flight.readings(name)
        residual, J = residual[own], J[own]
        if self.walks(name):
            return self._differenced(name, residual, J, R[own], self.flight.t[own])
        if name in self.weights:
            W = self.weights[name][own]
            return Rows(name, self.index, (W @ residual[:, :, None])[..., 0], W @ J if J.size else J)
        sd = self._sd(name)
        if J.size:
            J /= sd[:, None]
        return Rows(name, self.index, residual / sd, J)

    def left(self, rows: Rows) -> ChannelResidual:
        """The residuals of a channel in its sensor's units; of a velocity whose errors walk, in those of its steps."""
        name, given = rows.channel, self.flight
        own = given.readings(name)
        components, t = tuple(AXES[axis] for axis in self.axes(name)), given.t[own]
        if self.walks(name):
            unit, ones = "standard deviations of a step", np.ones(rows.values.shape[1])
            return ChannelResidual(given.name, name, components, unit, t, rows.values, ones)
        sd = self._sd(name)
        residual = rows.values * sd
        if name in self.weights:
            roots = np.linalg.inv(self.weights[name][own])
            residual = (roots @ rows.values[:, :, None])[..., 0]
            sd = np.sqrt((roots**2).sum(axis=2).mean(axis=0))
        return ChannelResidual(given.name, name, components, UNITS[name], t, residual, sd)

    def _differenced(self, name: str, residual: Array, J: Array, R: Array, t: Array) -> Rows:
        """Changes from sample to sample in inertial axes: those of errors that walk are independent."""
        axes = np.ix_(np.arange(len(R)), self.sliding, self.sliding)

        def changes(values: Array) -> Array:
            inertial = R[axes] @ values
            inertial[1:] -= inertial[:-1].copy()
            return self._over_steps(name, inertial, t)

        whitened = changes(residual[:, :, None])[..., 0]
        return Rows(name, self.index, whitened, changes(J) if J.size else J)

    def _over_steps(self, name: str, values: Array, t: Array) -> Array:
        """Changes (n, k, c) whitened: steps of a walk, and white noise that neighbours share with opposite signs."""
        walk, white = (float(np.sqrt((level[name] ** 2).mean())) for level in (self.flight.walks, self.flight.noise))
        variance = np.concatenate([[_FIRST_M_S**2], walk**2 * np.diff(t) + 2.0 * white**2])
        if not white:
            return values / np.sqrt(variance)[:, None, None]
        band = np.zeros((2, variance.size))
        band[0], band[1, 1:-1] = variance, -(white**2)
        root = scipy.linalg.cholesky_banded(band, lower=True)
        solved, _ = scipy.linalg.lapack.dtbtrs(root, values.reshape(variance.size, -1), uplo="L")
        return np.asarray(solved).reshape(values.shape)

    def reweigh(self, point: Array, phi: Array) -> bool:
        """Add what errors of joints and wheels that were sampled one by one do to the base to the weights.

        Those of rates and velocities, that is; errors too small to matter change nothing. Whether any do.
        """
        spread = self._sampled_errors(point, np.where(self.present, phi, 0.0))
        matter = False
        for name, rows in (("w", slice(self.sliding.size, None)), ("v", slice(0, self.sliding.size))):
            if spread is not None and name in self.channels and not self.walks(name):
                own = np.diag(self._sd(name) ** 2)
                added = spread[:, rows, rows]
                if np.einsum("kii->i", added).max() > _NOTHING * len(added) * own.max():
                    self.weights[name] = np.linalg.inv(np.linalg.cholesky(added + own))
                    matter = True
        return matter

    def _sampled_errors(self, point: Array, phi: Array) -> Array | None:
        """Covariance of the base's velocities by errors of each sample's joints and wheels, (n, r, r)."""
        dofs, step = len(self.robot.joints), self.grid.step
        sd_q, sd_dq = self.flight.sd("q", dofs), self.flight.sd("dq", dofs)
        joints = self.place("joint motion") is None and bool(sd_q.any() or sd_dq.any())
        spins = self.flight.sd("wheel_rates", len(self.robot.wheels)) * self.robot.wheel_inertias
        if not joints and not spins.any():
            return None
        motion = self.motion(point, phi)
        by_wheels = motion.B[::step] @ (self.robot.wheel_axes.T * spins) if spins.any() else motion.B[::step, :, :0]
        spread = by_wheels @ by_wheels.swapaxes(1, 2)
        if joints:
            clock, targets, gain = self.clock(point), Targets(dofs, zeros=0), np.eye(self.allowed.size)
            none = np.zeros(0, np.int64)
            by_position = sensitivities(self.robot, motion, phi, none, self.present, clock, targets, gain)[::step]
            by_rate = solve_base(motion.A[::step], motion.A[::step, :, 6:], self.allowed)
            spread += (by_position * sd_q**2) @ by_position.swapaxes(1, 2)
            spread += (by_rate * sd_dq**2) @ by_rate.swapaxes(1, 2)
        return spread
