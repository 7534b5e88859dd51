"""Input error: measured joint torques against those that the motion needs, the base's acceleration eliminated.

W. Rackl, R. Lampariello, A. Albu-Schäffer, "Parameter identification methods for free-floating space robots with
direct torque sensing", IFAC Symposium on Automatic Control in Aerospace, 2013: the base takes the acceleration that
balances it at the parameters in question (`torque_balance.py`), so that neither its acceleration nor its velocity need
be measured, and no noisy rate is differentiated. On a fixed base it is weighted least squares on torques: C. G.
Atkeson, C. H. An, J. M. Hollerbach, "Estimation of inertial parameters of manipulator loads and links", International
Journal of Robotics Research, 1986. Joint motion and measured angular rates count as exact; the residual tells where
they are not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.estimate.causes.diagnosis import refuse_too_few
from freefloat.estimate.causes.suspicions import refuse_unusable
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import ChannelResidual, torque_unit
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import Flight, InvalidProblem, refuse_pushed
from freefloat.estimate.likelihood.finished import HELD, finished, stacked, units_of, with_unknown_noise
from freefloat.estimate.likelihood.levenberg_marquardt import Fit, levenberg_marquardt
from freefloat.estimate.likelihood.likelihood import Rows
from freefloat.estimate.likelihood.torque_balance import TorqueBalance
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.unknowns import parameter_columns, unknowns_of

_FIRST, _LEAST = 1e-3, 1e-10  # standard deviation of torques over their size: first guess, and rounding
_ROUNDS, _SETTLED = 8, 0.02


@dataclass(frozen=True)
class InputError(Estimator):
    """Joint torques that the motion needs against measured ones."""

    name: ClassVar[str] = "input-error"

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters with which the motion needs the measured torques, with the problem's prior.

        Where the noise of torques is not known in every flight, it is taken from the residual, joint by joint.
        """
        problem.refuse_passive("input error compares torques of all joints where these were measured")
        refuse_unusable(problem)
        refuse_pushed(problem.flights)
        if problem.friction:
            raise InvalidProblem(
                "input-error takes friction and rotors as the robot file has them; allowed: `friction: []`, or "
                "maximum-likelihood or weighted, which estimate them"
            )
        fitted = _Torques(problem)
        refuse_too_few(sum(balance.measured.size for balance in fitted.balances), fitted.problem)
        with one_blas_thread():
            return self._estimate(fitted)

    def _estimate(self, fitted: _Torques) -> Estimate:
        if fitted.sd is not None:
            return self._finished(fitted, fitted.fit(fitted.sd), fitted.sd)
        sd = _FIRST * fitted.sizes
        fit = fitted.fit(sd)
        for _ in range(_ROUNDS):
            before, sd = sd, np.maximum(fitted.scatter(fit), _LEAST * fitted.sizes)
            fit = fitted.fit(sd, fit.point)
            if (np.abs(sd - before) <= _SETTLED * before).all():
                break
        return with_unknown_noise(self._finished(fitted, fit, sd))

    def _finished(self, fitted: _Torques, fit: Fit, sd: Array) -> Estimate:
        rows = fitted.rows(fit.point, sd, False)
        found = finished(self.name, fitted, fit, rows, fitted.left(rows, sd), model="torque")
        names = [balance.flight.name for balance in fitted.balances if balance.predicts]
        note = f"rates of the base in {', '.join(names)} were not measured: predicted at zero momentum"
        return replace(found, notes=(*found.notes, note)) if names else found


class _Torques:
    """Residuals of the torques of a problem as a function of its unknowns."""

    def __init__(self, problem: Problem) -> None:
        self.problem = replace(problem, models=("torque",), nuisances=Nuisances.none())
        without_sensors = tuple(_silent(flight) for flight in problem.flights)
        self.unknowns = unknowns_of(replace(self.problem, flights=without_sensors))
        self.columns = parameter_columns(self.problem, self.unknowns)
        self.balances = tuple(TorqueBalance(self.problem, flight, self.columns) for flight in problem.flights)
        measured = np.concatenate([balance.measured for balance in self.balances])
        size = np.sqrt(np.mean(measured**2, axis=0))
        self.sizes = np.broadcast_to(np.maximum(size, 1e-6 * max(size.max(), 1e-300)), (len(self.balances), size.size))
        self.sd = self._known_sd()

    def _known_sd(self) -> Array | None:
        """Standard deviation of each joint's torque in each flight; None if it is not known in every flight."""
        flights = self.problem.flights
        if not all("torques" in flight.noise for flight in flights):
            return None
        sd = np.array([flight.noise["torques"] for flight in flights])
        if not (sd > 0.0).all():
            raise InvalidProblem("noise of torques is zero; allowed: greater than zero, or none to take the residual's")
        return sd

    def _phi(self, point: Array) -> Array:
        clusters = len(self.problem.minimal)
        phi = self.problem.standard(point[:clusters])
        phi[self.columns[clusters:]] += point[clusters:]
        return phi

    def rows(self, point: Array, sd: Array, derivatives: bool) -> tuple[Rows, ...]:
        """Weighted residuals of all flights; sd of each joint's torque in each, shape (flights, joints)."""
        phi, found = self._phi(point), list[Rows]()
        for index, balance in enumerate(self.balances):
            own = balance.flight.readings("torques")
            if derivatives:
                tau, slope = balance.with_derivative(phi)
                slope = slope[own] / sd[index][:, None]
            else:
                tau, slope = balance.torques(phi), np.zeros((0, 0, 0))
            found.append(Rows("torques", index, (balance.measured - tau)[own] / sd[index], slope))
        return tuple(found)

    def left(self, rows: tuple[Rows, ...], sd: Array) -> tuple[ChannelResidual, ...]:
        """The same residuals as torques [N m or N]."""
        robot, found = self.problem.robot, list[ChannelResidual]()
        unit = torque_unit(robot)
        for part, noise in zip(rows, sd, strict=True):
            flight = self.balances[part.flight].flight
            own, names = flight.readings("torques"), robot.joint_names
            signal, residual = self.balances[part.flight].measured[own].std(axis=0), part.values * noise
            found.append(
                ChannelResidual(flight.name, "torques", names, unit, flight.t[own], residual, noise, signal=signal)
            )
        return tuple(found)

    def fit(self, sd: Array, start: Array | None = None) -> Fit:
        """The unknowns that explain the torques best."""

        def evaluate(point: Array, derivatives: bool) -> tuple[Array, Array]:
            return stacked(self.rows(point, sd, derivatives))

        mean, information, units = self.unknowns.mean, self.unknowns.information, units_of(self)
        point = mean if start is None else start
        if units is not None and start is None:  # first as if the CAD model were a prior, for it is far from linear
            point = levenberg_marquardt(evaluate, point, mean, information + np.diag(units**-2.0)).point
        return levenberg_marquardt(evaluate, point, mean, information, units, HELD)

    def scatter(self, fit: Fit) -> Array:
        """Root mean square of each joint's residual, with regard to what was fitted, (flights, joints), all alike."""
        rest = np.concatenate([part.values for part in self.rows(fit.point, np.ones_like(self.sizes), False)])
        spare = max(rest.size - (fit.point.size - len(fit.unseen)), 1)
        return np.broadcast_to(np.sqrt((rest**2).mean(axis=0) * rest.size / spare), self.sizes.shape)


def _silent(flight: Flight) -> Flight:
    """The flight as far as it bears on the parameters alone."""
    bare = replace(flight, noise={}, walks={}, own_instants=None, wheels=None)
    return replace(bare, momentum=TotalMomentum.zero(), curves=None)
