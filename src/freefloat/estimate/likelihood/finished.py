"""The estimate that a fit is: covariance, budget, residual, nuisances, warnings.

Covariance is the inverse of the information at the maximum; the error budget splits it exactly by where
information came from: with G the covariance and L_s the information of source s, sum_s G L_s G = G. Where residuals
are not noise, blocks of time say how far the estimate moves by them (`time_blocks.py`), and intervals are as wide as
that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.whiteness import whiteness
from freefloat.estimate.causes.claims import NOTHING, Suspected
from freefloat.estimate.causes.diagnosis import diagnosed
from freefloat.estimate.causes.mistakes import Mistake
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import MODEL, Budget, ChannelResidual, Quantity, Residual, used_flights
from freefloat.estimate.likelihood.levenberg_marquardt import Fit, directions
from freefloat.estimate.likelihood.likelihood import Rows
from freefloat.estimate.likelihood.noise_levels import Levels, as_stated, level_of
from freefloat.estimate.likelihood.prior_spread import KINDS
from freefloat.estimate.problem import Problem
from freefloat.estimate.uncertain import OPEN
from freefloat.estimate.unknowns import JOINT_MOTION, Unknowns

HELD = 0.01  # information of a direction in units of the CAD model's spread: below, the data say nothing of it
_SILENT = (JOINT_MOTION,)  # nuisances that are no quantities to report
_FEWEST = 16


def stacked(rows: tuple[Rows, ...]) -> tuple[Array, Array]:
    """Residual, (rows,), and derivative of the prediction, (rows, unknowns), of all channels."""
    values = [part.values.reshape(-1) for part in rows]
    jacobians = [part.jacobian.reshape(-1, max(part.jacobian.shape[2], 1)) for part in rows]
    if len(rows) == 1:
        return values[0], jacobians[0]
    return np.concatenate(values), np.concatenate(jacobians)


def units_of(fitted: Fitted) -> Array | None:
    """Sizes of the clusters, NaN of everything else, where nothing but the data determines the clusters.

    All else has spreads of its own or is for the data to set: a direction of such unknowns alone is never held.
    """
    problem = fitted.problem
    if problem.prior is not None:
        return None
    units = np.full(len(fitted.unknowns), np.nan)
    units[: len(problem.minimal)] = np.sqrt(np.diagonal(problem.cad_covariance))
    return units


class Fitted(Protocol):
    """What was fitted: a problem and the vector of its unknowns."""

    problem: Problem
    unknowns: Unknowns


@dataclass(frozen=True, slots=True, eq=False)
class Doubts:
    """What a fit was not content with.

    stated: the problem as it was given. levels: by which sensors are noisier than declared. by_blocks: variance of all
    unknowns as blocks of time show it, (unknowns,), where residuals are not noise. suspected: what may be wrong.
    mistakes: of recordings or files, where they were looked for while it was fitted.
    """

    stated: Problem
    levels: Levels
    by_blocks: Array | None
    suspected: Suspected = NOTHING
    mistakes: tuple[Mistake, ...] | None = None


def finished(
    method: str,
    fitted: Fitted,
    fit: Fit,
    rows: tuple[Rows, ...],
    left: tuple[ChannelResidual, ...],
    model: str = "momentum",
    of_curves: Array | None = None,
    doubts: Doubts | None = None,
) -> Estimate:
    """The estimate that a fit is: covariance, budget, residual, nuisances, warnings.

    rows: weighted residuals there. left: the same in the sensors' units. of_curves: part of the noise's variance that
    errors of curves make, (clusters,).
    """
    problem, count = fitted.problem, len(fitted.problem.minimal)
    doubts = doubts or Doubts(problem, {}, None)
    promised = covariance_of(fitted, fit)
    wider = _wider(promised, doubts)
    covariance = promised * np.outer(wider, wider)
    flights = [flight.name for flight in problem.flights]
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
        residual=_residual(rows, fit, promised, doubts.levels),
        budget=_with_model(_budget(fitted, fit, promised, of_curves), wider[:count]),
        nuisances=_nuisances(fitted, fit, covariance),
        unseen=_unseen(fitted, fit),
        prior=problem.prior,
        flights=used_flights(problem.flights),
        residuals=tuple(as_stated(each, flights, doubts.levels) for each in left),
        notes=tuple(_widened_notes(wider[:count], problem, doubts)),
    )
    return diagnosed(estimate, doubts.stated, fitted.unknowns, fit.converged, doubts.suspected, doubts.mistakes)


def _wider(promised: Array, doubts: Doubts) -> Array:
    """Factor of each unknown's interval, one or more, (unknowns,)."""
    if doubts.by_blocks is None:
        return np.ones(len(promised))
    return np.sqrt(np.maximum(doubts.by_blocks / np.maximum(np.diagonal(promised), 1e-300), 1.0))


def _with_model(budget: Budget, wider: Array) -> Budget:
    """The budget with what blocks of time add, which no noise explains."""
    if (wider == 1.0).all():
        return budget
    kept = wider[:, None] ** -2.0
    return Budget((*budget.sources, MODEL), np.hstack([budget.shares * kept, 1.0 - kept]))


def _widened_notes(wider: Array, problem: Problem, doubts: Doubts) -> Iterator[str]:
    """By how much intervals and spreads were widened, and why."""
    for (flight, channel), level in doubts.levels.items():
        where = f" of {problem.flights[flight].name}" if len(problem.flights) > 1 else ""
        yield (
            f"{channel}{where} leaves up to {level.max():.3g} times the noise that was declared: it is weighed by what "
            "it leaves"
        )
    if (wider > 1.0).any():
        yield (
            f"what is left is not white: intervals are widened by what blocks of time disagree, {np.median(wider):.2g} "
            f"times in the middle and up to {wider.max():.2g} times"
        )
    given, used = doubts.stated.prior, problem.prior
    if given is not None and used is not None and given != used:
        parts = [(kind, getattr(used, kind) / getattr(given, kind)) for kind in KINDS if getattr(given, kind) > 0.0]
        listed = ", ".join(f"{kind} {factor:.2g} times" for kind, factor in parts if factor > 1.05)
        yield f"the data deny the CAD model's spreads, which were widened by evidence: {listed}"


def with_unknown_noise(estimate: Estimate) -> Estimate:
    """The estimate of a fit whose noise was taken from its residual, which then says nothing of the model."""
    return replace(
        estimate,
        residual=replace(estimate.residual, ratio=np.nan, by_channel={}),
        residuals=tuple(replace(each, noise=np.full(each.noise.shape, np.nan)) for each in estimate.residuals),
    )


def covariance_of(fitted: Fitted, fit: Fit) -> Array:
    """Of all unknowns; where nothing determines a direction, it is uncertain by so many of the CAD model's spreads."""
    units = units_of(fitted)
    if units is None:
        scale = np.sqrt(np.diagonal(fit.information))
        return np.linalg.inv(fit.information / np.outer(scale, scale)) / np.outer(scale, scale)
    return directions(fit.information, units, HELD).covariance(OPEN**-2.0)


def used_up(fit: Fit, covariance: Array) -> float:
    """Degrees of freedom that a fit takes from the rows: the trace of its hat matrix."""
    return float((covariance * fit.data).sum())


def _unseen(fitted: Fitted, fit: Fit) -> Array:
    """Held directions, as far as they are those of clusters, as rows in units of the CAD model's spread."""
    return fit.unseen[:, : len(fitted.problem.minimal)]


def _residual(rows: tuple[Rows, ...], fit: Fit, covariance: Array, levels: Levels) -> Residual:
    used = used_up(fit, covariance)
    total = sum(part.values.size for part in rows)
    over_stated = [part.values * level_of(part, levels) for part in rows]
    square = sum(float((values**2).sum()) for values in over_stated)
    by_channel = {
        name: np.concatenate([v.ravel() for part, v in zip(rows, over_stated, strict=True) if part.channel == name])
        for name in dict.fromkeys(part.channel for part in rows)
    }
    channels = {name: float(np.sqrt((values**2).mean())) for name, values in by_channel.items()}
    ratio = float(np.sqrt(square / max(total - used, 1.0)))
    return Residual(ratio, white(rows), total, fit.point.size, channels)


def white(rows: tuple[Rows, ...]) -> bool | None:
    """Whether no octave of any channel holds more than noise does; None if there are too few rows to tell."""
    tested = [part.alike[0].T for part in rows if len(part.values) >= _FEWEST]
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
