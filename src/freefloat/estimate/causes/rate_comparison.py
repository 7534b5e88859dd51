"""How well recorded rates of the base, read in some way, agree with a robot's CAD model and its spread.

To first order in what is unknown (clusters, and the extras of each flight, `flight_view.py`),

    y = w + J d + e,      cost = |e / (share |y|)|^2 + d^T information d,

which is smallest for the plausible model that agrees best. Every axis counts alike, whatever its size.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.reaction import NotPossible
from freefloat.estimate.causes.flight_view import FlightView
from freefloat.estimate.causes.possible_faults import Fault, no_fault
from freefloat.estimate.flight import Flight
from freefloat.estimate.problem import Problem

_MOST = 5000  # samples of a flight that are looked at
_ALIGNED_RAD = 0.01  # standard deviation of a misalignment that is no fault
_NOTHING = 1e-200  # of information: what no reading shows
_FLAT = 1e-9  # of the data's information: what is assumed of something of which nothing is known


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well data and model agree.

    cost: of the best model; about one for data that it does not explain at all. left: share of the rates' power
    that this model leaves unexplained, beyond noise. spreads: mean square distance of its clusters from the CAD
    model, in units of its spread. explained: share of the power of rates that the CAD model itself explains; NaN
    where other things than rates are compared.
    turn: small rotation vector of the gyro against the base in the first flight [rad]. wheel: spin inertia times axis
    of a wheel that the robot file does not have, along axes that the base can turn about [kg m^2]; empty without one.
    """

    cost: float
    left: float
    spreads: float
    explained: float
    turn: tuple[float, ...] = ()
    wheel: tuple[float, ...] = ()


class RateComparison:
    """Recorded rates of a problem's flights against its CAD model."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        given = [_thinned(f) for f in problem.flights if f.samples.w is not None and f.samples.dq is not None]
        self.flights = [f for f in given if FlightView(problem, f, no_fault(problem.robot)).alive.any()]
        scale = np.sqrt(np.diagonal(problem.cad_covariance))
        self.information = np.linalg.inv(problem.cad_covariance / np.outer(scale, scale)) / np.outer(scale, scale)

    def agreement(self, fault: Fault, shares: Sequence[float], turn_sd: float = _ALIGNED_RAD) -> Agreement:
        """Agreement with the data once a fault is undone.

        shares: of the rates' size that count as one standard deviation, in one Gauss-Newton step each.
        turn_sd: of the gyro's misalignment [rad].
        """
        views = [FlightView(self.problem, flight, fault) for flight in self.flights]
        found, explained = Agreement(np.inf, 1.0, np.inf, 0.0), None
        deviation, extras = np.zeros(len(self.problem.minimal)), [view.first() for view in views]
        for share in shares:
            try:
                rows = [view.rows(deviation, extra) for view, extra in zip(views, extras, strict=True)]
            except NotPossible:
                break
            explained = _explained(views, [r for r, _ in rows]) if explained is None else explained
            deviation, extras, found = self._step(views, rows, [deviation, *extras], share, turn_sd)
        return replace(found, explained=explained or 0.0)

    def _step(
        self,
        views: list[FlightView],
        rows: list[tuple[Array, Array]],
        before: list[Array],
        share: float,
        turn_sd: float,
    ) -> tuple[Array, list[Array], Agreement]:
        """Clusters and extras after a step, and the agreement there as far as the prediction is linear."""
        count, edges = before[0].size, np.cumsum([0, *(part.size for part in before)])
        information = np.diag(np.concatenate([np.zeros(count), *(view.information(turn_sd) for view in views)]))
        information[:count, :count] = self.information
        A, y, total, noise = list[Array](), list[Array](), 0.0, 0.0
        for view, (residual, jacobian), start in zip(views, rows, edges[1:], strict=False):
            weight = view.weights(share)
            wide = np.zeros((*residual.shape, edges[-1]))
            wide[:, :, :count] = jacobian[:, :, :count]
            wide[:, :, start : start + jacobian.shape[2] - count] = jacobian[:, :, count:]
            A.append((wide * weight[:, None]).reshape(-1, edges[-1]))
            y.append((residual * weight).ravel())
            total += len(residual) * float(((view.size * weight) ** 2).sum())
            noise += len(residual) * float(((view.noise * weight) ** 2).sum())
        point = np.concatenate(before)
        step, left = least_step(np.vstack(A), np.concatenate(y), point, information)
        point = point + step
        parts = [point[a:b] for a, b in itertools.pairwise(edges)]
        held, away = float(point @ information @ point), float(parts[0] @ self.information @ parts[0]) / count
        turn, wheel = (tuple(parts[1][place].tolist()) for place in (views[0].turn, views[0].wheel))
        agreement = Agreement((left + held) / total, max(left - noise, 0.0) / total, away, 0.0, turn, wheel)
        return parts[0], parts[1:], agreement


def least_step(A: Array, y: Array, before: Array, information: Array) -> tuple[Array, float]:
    """The step that makes |y - A step|^2 + prior smallest, and what is left of the former."""
    N = A.T @ A + information
    size = np.diagonal(N)
    scale = np.sqrt(np.where(size > _NOTHING, size, 1.0))
    N /= np.outer(scale, scale)
    N[np.diag_indices_from(N)] += _FLAT
    step = np.linalg.solve(N, (A.T @ y - information @ before) / scale) / scale
    left = y - A @ step
    return step, float(left @ left)


def _explained(views: list[FlightView], residuals: list[Array]) -> float:
    """Share of the power of the rates that a prediction explains but for a bias, every axis counting alike."""
    left = [r.var(axis=0)[view.alive] / view.size[view.alive] ** 2 for view, r in zip(views, residuals, strict=True)]
    return 1.0 - float(np.mean(np.concatenate(left)))


def _thinned(flight: Flight) -> Flight:
    """The flight with no more samples than are worth looking at."""
    return replace(flight, samples=flight.samples[:: max(1, len(flight.samples) // _MOST)])
