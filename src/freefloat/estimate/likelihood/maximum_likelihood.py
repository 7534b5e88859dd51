"""Maximum likelihood on the measured base motion: the default.

The base's rates (and velocities, attitude, position where they are measured) are compared with those that the
clusters predict, everything else that the data may hold being estimated along: biases, time offset and drift,
misalignment, joint zeros, errors of the joints' curves, momentum, external torque. The CAD model is a soft prior,
known values have spreads; both are as much data as any sensor. Because the measured rates do not enter the
regressor, their noise does not shrink the estimates, as it does in least squares (errors in variables).

Covariance is the inverse of the information at the maximum; the error budget splits it exactly by where
information came from: with G the covariance and L_s the information of source s, sum_s G L_s G = G.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.whiteness import whiteness
from freefloat.dynamics.reaction import NotPossible
from freefloat.estimate.causes.diagnosis import diagnosed, refuse_too_few
from freefloat.estimate.causes.suspicions import refuse_unusable
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Budget, ChannelResidual, Quantity, Residual, used_flights
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.likelihood.levenberg_marquardt import Fit, directions, levenberg_marquardt
from freefloat.estimate.likelihood.likelihood import SETTLED, SETTLING, Likelihood, Rows
from freefloat.estimate.likelihood.momentum_start import momentum_start
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.estimate.problem import Problem
from freefloat.estimate.recorded_flight import on_finer_knots
from freefloat.estimate.unknowns import JOINT_MOTION, Unknowns

HELD = 0.01  # information of a direction in units of the CAD model's spread: below, the data say nothing of it
_ROUNDS = 3  # of weights that depend on the estimate
_SILENT = (JOINT_MOTION,)  # nuisances that are no quantities to report
_FEWEST = 16
_REFINEMENTS = 2  # of the joints' curves, at most
_BAD = 3.0  # root mean square of the weighted residual above which another start is tried


@dataclass(frozen=True)
class MaximumLikelihood(Estimator):
    """The default estimator.

    huber: residuals beyond this many standard deviations count less (robust loss); None for none.
    """

    name: ClassVar[str] = "maximum-likelihood"

    huber: float | None = None

    @property
    def reads_own_instants(self) -> bool:
        """Yes."""
        return True

    def estimate(self, problem: Problem) -> Estimate:
        """Estimate the clusters of a problem.

        Where a residual is coloured and joints are curves, these get knots half as far apart, a few times.
        """
        refuse_unusable(problem)
        likelihood = Likelihood(problem)
        refuse_too_few(_measured(likelihood), problem)
        with one_blas_thread():
            fit, rows = self._fit(likelihood, likelihood.start())
            for _ in range(_REFINEMENTS if likelihood.has_local_curves else 0):
                fine = white(rows) is not False or not np.isfinite(likelihood.unsettled)
                finer = None if fine else with_finer_curves(likelihood.problem)
                if finer is None:
                    break
                likelihood = Likelihood(finer)
                fit, rows = self._fit(likelihood, fit.point)
            of_curves = _curve_share(likelihood, fit) if likelihood.has_local_curves else None
            found = finished(self.name, likelihood, fit, rows, likelihood.left(rows), of_curves=of_curves)
            return _with_curve_words(found, problem, likelihood)

    def _fit(self, likelihood: Likelihood, point: Array) -> tuple[Fit, tuple[Rows, ...]]:
        weighted = likelihood.reweigh(point)
        fit = self._from(likelihood, point)
        if not _plausible(fit):
            with suppress(NotPossible):
                other = self._from(likelihood, momentum_start(likelihood))
                fit = min(fit, other, key=lambda found: float(found.residual @ found.residual))
        if likelihood.has_local_curves:
            fit = self._with_curves(likelihood, fit)
        else:
            for _ in range(_ROUNDS - 1 if weighted or self.huber else 0):
                likelihood.reweigh(fit.point)
                fit = self._from(likelihood, fit.point)
        return fit, likelihood.rows(fit.point, count=0)

    def _with_curves(self, likelihood: Likelihood, fit: Fit) -> Fit:
        """The fit, and the curves that all sensors make most likely with it."""
        for _ in range(SETTLING):
            likelihood.unsettled = likelihood.settle(fit.point)
            if not np.isfinite(likelihood.unsettled):
                break
            fit = self._from(likelihood, fit.point)
            if likelihood.unsettled < SETTLED:
                break
        return fit

    def _from(self, likelihood: Likelihood, point: Array) -> Fit:
        """The fit that starts from a point: first without, then with errors of the joints' curves."""
        unknowns, units = likelihood.unknowns, units_of(likelihood)
        weights = None if self.huber is None else _huber_weights(likelihood.rows(point, count=0), self.huber)

        def fit(start: Array, count: int, information: Array, held_units: Array | None) -> Fit:
            def evaluate(at: Array, derivatives: bool) -> tuple[Array, Array]:
                r, J = stacked(likelihood.rows(np.concatenate([at, start[count:]]), count if derivatives else 0))
                return (r, J) if weights is None else (r * weights, J * weights[: len(J), None])

            own = slice(0, count)
            shown = None if held_units is None else held_units[own]
            return levenberg_marquardt(evaluate, start[own], unknowns.mean[own], information[own, own], shown, HELD)

        if units is not None:  # first as if the CAD model were a prior: far from it nothing is nearly linear
            soft = unknowns.information + np.diag(np.where(np.isnan(units), 0.0, units**-2.0))
            point = np.concatenate([fit(point, unknowns.coarse, soft, None).point, point[unknowns.coarse :]])
        if unknowns.coarse < point.size:
            rough = fit(point, unknowns.coarse, unknowns.information, units).point
            point = np.concatenate([rough, point[unknowns.coarse :]])
        return fit(point, point.size, unknowns.information, units)


def with_finer_curves(problem: Problem) -> Problem | None:
    """The problem with joints' curves on knots half as far apart; None if there are none, or too few readings."""
    flights = [on_finer_knots(flight) for flight in problem.flights]
    if all(flight is None for flight in flights):
        return None
    chosen = (finer or given for finer, given in zip(flights, problem.flights, strict=True))
    return replace(problem, flights=tuple(chosen))


def _with_curve_words(estimate: Estimate, problem: Problem, likelihood: Likelihood) -> Estimate:
    """The estimate with what there is to say of the curves: knots that were refined, curves that did not settle."""
    notes = () if likelihood.problem is problem else tuple(_knots_noted(likelihood))
    if likelihood.unsettled < SETTLED:
        return replace(estimate, notes=(*estimate.notes, *notes))
    why = f"they still move readings by {likelihood.unsettled:.2g} of their noise"
    if not np.isfinite(likelihood.unsettled):
        why = "readings contradict the model by far, so that they are those of the encoders alone"
    return replace(
        estimate,
        outcome="doubtful" if estimate.outcome == "good" else estimate.outcome,
        warnings=(*estimate.warnings, f"curves of the joints have not settled: {why}"),
        notes=(*estimate.notes, *notes),
    )


def _knots_noted(likelihood: Likelihood) -> Iterator[str]:
    """Where knots are that were refined."""
    for flight in likelihood.flights:
        if flight.local is not None:
            yield (
                f"{flight.flight.name}: what was left was coloured, so that curves got finer knots: every "
                f"{flight.local.spline.spacing_s:.3g} s, {flight.local.spline.count} coefficients each"
            )


def _curve_share(likelihood: Likelihood, fit: Fit) -> Array:
    """Variance of clusters that errors of the joints' and wheels' curves make, (clusters,)."""
    top = _covariance(likelihood, fit)[: len(likelihood.problem.minimal)]
    found = np.zeros(len(top))
    for flight in likelihood.flights:
        found += flight.curve_share(likelihood.phi(fit.point), fit.point, top)
    return found


def _measured(likelihood: Likelihood) -> int:
    """How many values were measured."""
    return sum(
        reading.data.t.size * int(reading.axes.size)
        for flight in likelihood.flights
        for reading in flight.readings.values()
    )


def _huber_weights(rows: tuple[Rows, ...], huber: float) -> Array:
    size = np.abs(np.concatenate([part.values.ravel() for part in rows]))
    return np.sqrt(np.minimum(1.0, huber / np.maximum(size, 1e-300)))


def _plausible(fit: Fit) -> bool:
    return fit.converged and float(fit.residual @ fit.residual) < _BAD**2 * fit.residual.size


def stacked(rows: tuple[Rows, ...]) -> tuple[Array, Array]:
    """Residual, (rows,), and derivative of the prediction, (rows, unknowns), of all channels."""
    values = [part.values.reshape(-1) for part in rows]
    jacobians = [part.jacobian.reshape(-1, max(part.jacobian.shape[2], 1)) for part in rows]
    if len(rows) == 1:
        return values[0], jacobians[0]
    return np.concatenate(values), np.concatenate(jacobians)


def units_of(fitted: Fitted) -> Array | None:
    """Sizes of the unknowns, where nothing but the data determines the clusters."""
    problem, unknowns = fitted.problem, fitted.unknowns
    if problem.prior is not None:
        return None
    known = np.diagonal(unknowns.information)
    units = np.where(known > 0.0, 1.0 / np.sqrt(np.where(known > 0.0, known, 1.0)), np.nan)
    units[: len(problem.minimal)] = np.sqrt(np.diagonal(problem.cad_covariance))
    return units


class Fitted(Protocol):
    """What was fitted: a problem and the vector of its unknowns."""

    problem: Problem
    unknowns: Unknowns


def finished(
    method: str,
    fitted: Fitted,
    fit: Fit,
    rows: tuple[Rows, ...],
    left: tuple[ChannelResidual, ...],
    model: str = "momentum",
    of_curves: Array | None = None,
) -> Estimate:
    """The estimate that a fit is: covariance, budget, residual, nuisances, warnings.

    rows: weighted residuals there. left: the same in the sensors' units. of_curves: part of the noise's variance that
    errors of curves make, (clusters,).
    """
    problem, count = fitted.problem, len(fitted.problem.minimal)
    covariance = _covariance(fitted, fit)
    estimate = Estimate(
        method=method,
        model=model,
        robot=problem.robot,
        known=problem.known,
        zero=problem.zero,
        minimal=problem.minimal,
        values=fit.point[:count],
        covariance=covariance[:count, :count],
        cad=problem.cad,
        residual=_residual(rows, fit, covariance),
        budget=_budget(fitted, fit, covariance, of_curves),
        nuisances=_nuisances(fitted, fit, covariance),
        unseen=_unseen(fitted, fit),
        prior=problem.prior,
        flights=used_flights(problem.flights),
        residuals=left,
    )
    return diagnosed(estimate, problem, fitted.unknowns, fit.converged)


def with_unknown_noise(estimate: Estimate) -> Estimate:
    """The estimate of a fit whose noise was taken from its residual, which then says nothing of the model."""
    return replace(
        estimate,
        residual=replace(estimate.residual, ratio=np.nan, by_channel={}),
        residuals=tuple(replace(each, noise=np.full(each.noise.shape, np.nan)) for each in estimate.residuals),
    )


def _covariance(fitted: Fitted, fit: Fit) -> Array:
    """Of all unknowns, in the directions that the data or the prior determine."""
    units = units_of(fitted)
    if units is None:
        scale = np.sqrt(np.diagonal(fit.information))
        return np.linalg.inv(fit.information / np.outer(scale, scale)) / np.outer(scale, scale)
    found = directions(fit.information, units, HELD)
    root = found.seen / np.sqrt(found.values)
    return root @ root.T


def _unseen(fitted: Fitted, fit: Fit) -> Array:
    """Held directions, as far as they are those of clusters, as rows in units of the CAD model's spread."""
    return fit.unseen[:, : len(fitted.problem.minimal)]


def _residual(rows: tuple[Rows, ...], fit: Fit, covariance: Array) -> Residual:
    used = float((covariance * fit.data).sum())
    total = sum(part.values.size for part in rows)
    square = sum(float((part.values**2).sum()) for part in rows)
    channels = {part.channel: float(np.sqrt((part.values**2).mean())) for part in rows}
    ratio = float(np.sqrt(square / max(total - used, 1.0)))
    return Residual(ratio, white(rows), total, fit.point.size, channels)


def white(rows: tuple[Rows, ...]) -> bool | None:
    """Whether no octave of any channel holds more than noise does; None if there are too few rows to tell."""
    tested = [part.values.T for part in rows if len(part.values) >= _FEWEST]
    return all(whiteness(column, noise_sd=1.0).white for part in tested for column in part) if tested else None


def _budget(fitted: Fitted, fit: Fit, covariance: Array, of_curves: Array | None) -> Budget:
    count = len(fitted.problem.minimal)
    top = covariance[:count]
    parts = {"noise": ((top @ fit.data) * top).sum(axis=1)}
    if of_curves is not None and of_curves.any():
        parts = {"noise": np.maximum(parts["noise"] - of_curves, 0.0), "encoders": of_curves}
    for part in fitted.unknowns.parts:
        if part.information.any():
            block = top[:, part.place]
            share = ((block @ part.information) * block).sum(axis=1)
            parts[part.source] = parts.get(part.source, 0.0) + share
    variance = np.maximum(sum(parts.values()), 1e-300)
    return Budget(tuple(parts), np.column_stack([share / variance for share in parts.values()]))


def _nuisances(fitted: Fitted, fit: Fit, covariance: Array) -> tuple[Quantity, ...]:
    found = []
    sd = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    for part in fitted.unknowns.parts[1:]:
        if part.kind in _SILENT:
            continue
        places = range(part.place.start, part.place.stop)
        for label, unit, index in zip(part.labels, part.units, places, strict=True):
            found.append(Quantity(label, float(fit.point[index]), float(sd[index]), unit))
    return tuple(found)
