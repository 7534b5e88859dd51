"""Error-state extended Kalman filter: attitude, gyro bias and parameters together, sample by sample as on board.

Gyro and star tracker are compared with the base motion that the clusters predict (`dynamics/reaction.py`) at the
estimate of the moment. States: clusters and known parameters that may deviate, joint zeros, momentum where it is
unknown, the gyro's bias, which walks, the first attitude, the error of the predicted attitude. The CAD model's spread
is the covariance to begin with; what is kept is its triangle (`triangle_kernel.py`).

A filter takes the derivatives of a reading once, at an estimate that is still poor, and keeps them for ever. So the
first pass takes what linear prediction leaves out for noise of the sensor (`second_order_kernel.py`): it learns
slowly, but knows how little it knows. Each further pass starts again from the CAD model and its spread, with all
derivatives at the estimate of the pass before: a Gauss-Newton step (iterated filter: Bell, Cathey, IEEE Transactions
on Automatic Control, 1993). Passes end at maximum likelihood with the same unknowns; noiseless truth is met as far as
the prior allows. It beats least squares where the gyro's bias walks.

    Kalman(passes=1).track(problem)      # what a filter on board would have said after each sample
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.data.processing.whiteness import whiteness
from freefloat.dynamics.reaction import NotPossible
from freefloat.estimate.causes.diagnosis import diagnosed
from freefloat.estimate.causes.suspicions import refuse_fixed_base, refuse_unusable
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Budget, ChannelResidual, Quantity, Residual, used_flights
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import InvalidProblem, refuse_pushed
from freefloat.estimate.kalman.passes import KalmanRun, Pass
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import uncertain_wheels
from freefloat.sensors.gyro import BIAS as GYRO_BIAS

_MEASURED = "the filter takes joints as they were measured"
_FEWEST = 16  # samples of a test for whiteness
_SETTLED = 0.01  # standard deviations by which the last pass may move a cluster


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """What the filter said after each of n samples, flights one after another.

    names: clusters first, then everything else. t: shape (n,) [s]; flight: number of the flight, shape (n,).
    values, sd: shape (n, names) [SI]; NaN outside the flight that something belongs to.
    innovations: what each reading added to its prediction, over its standard deviation, shape (n, channels): white and
        of variance one if all is as assumed; NaN where nothing was read.
    """

    names: tuple[str, ...]
    t: Array
    flight: NDArray[np.int64]
    values: Array
    sd: Array
    channels: tuple[str, ...]
    innovations: Array


@dataclass(frozen=True)
class Kalman(Estimator):
    """Error-state extended Kalman filter.

    passes: through the data, at most: one as on board, more until none moves a cluster by a hundredth of its standard
        deviation.
    """

    name: ClassVar[str] = "kalman"

    passes: int = 10

    def __post_init__(self) -> None:
        if self.passes < 1:
            raise InvalidProblem(f"a Kalman filter makes {self.passes} passes; allowed: one or more")

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters as the filter has them after the last sample."""
        run = self._run(problem)
        last, moved = self._passes(run)
        covariance, count = last.root @ last.root.T, len(run.problem.minimal)
        innovations = last.innovations if last.follows else run.check(last.shared)
        estimate = Estimate(
            method=self.name,
            model="momentum",
            robot=problem.robot,
            known=problem.known,
            zero=problem.zero,
            minimal=run.problem.minimal,
            values=last.shared[:count],
            covariance=covariance[:count, :count],
            cad=run.problem.cad,
            residual=_residual(run, last, covariance, innovations),
            budget=_budget(run, last, covariance),
            nuisances=_nuisances(run, last),
            warnings=_unsettled(moved),
            notes=_unused(problem),
            prior=problem.prior,
            flights=used_flights(problem.flights),
            residuals=_left(run, innovations),
        )
        return diagnosed(estimate, run.problem, run.unknowns, converged=True)

    def track(self, problem: Problem) -> Track:
        """What the filter says after each sample, in its last pass."""
        run = self._run(problem)
        last, flights = self._passes(run)[0], run.problem.flights
        axes = [AXES[axis] for axis in run.likelihood.flights[0].turning]
        return Track(
            names=run.unknowns.labels,
            t=np.concatenate([flight.t for flight in flights]),
            flight=np.concatenate([np.full(flight.t.size, index) for index, flight in enumerate(flights)]),
            values=last.values,
            sd=last.sd,
            channels=tuple(f"{sensor} {axis}" for sensor in ("gyro", "star tracker") for axis in axes),
            innovations=last.innovations,
        )

    def _run(self, problem: Problem) -> KalmanRun:
        """The filter of a problem, unless it is none for filters."""
        problem.refuse_passive(_MEASURED)
        refuse_unusable(problem)
        refuse_fixed_base(problem, self.name)
        refuse_pushed(problem.flights)
        return KalmanRun(problem)

    def _passes(self, run: KalmanRun) -> tuple[Pass, float]:
        """The last pass, and by how many standard deviations it moved a cluster at most; zero if it was the first."""
        last, moved, count = run.first(), 0.0, len(run.problem.minimal)
        for _ in range(self.passes - 1):
            try:
                before, last = last, run.again(last.shared)
            except NotPossible:  # the data led astray: the pass before is what there is
                return last, np.inf
            sd = np.linalg.norm(last.root[:count], axis=1)
            moved = float(np.max(np.abs(last.shared - before.shared)[:count] / np.maximum(sd, 1e-300)))
            if moved < _SETTLED:
                break
        return last, moved


def _left(run: KalmanRun, innovations: Array) -> tuple[ChannelResidual, ...]:
    """Innovations of each flight's gyro and star tracker, in standard deviations."""
    found, start = list[ChannelResidual](), 0
    for own in run.likelihood.flights:
        flight, width = own.flight, own.turning.size
        part = innovations[start : start + flight.t.size]
        start += flight.t.size
        components = tuple(AXES[axis] for axis in own.turning)
        for place, channel in enumerate(("w", "attitude")):
            values = part[:, place * width : (place + 1) * width]
            read = np.isfinite(values).all(axis=1)
            if read.any():
                unit, t = "standard deviations of an innovation", flight.t[read]
                found.append(ChannelResidual(flight.name, channel, components, unit, t, values[read], np.ones(width)))
    return tuple(found)


def _residual(run: KalmanRun, last: Pass, covariance: Array, innovations: Array) -> Residual:
    """Innovations of the first pass as they came, of later ones with the estimate as the certain truth."""
    used = 0.0 if last.follows else float(last.shared.size)
    if not last.follows:
        for part in run.shared_parts:
            used -= float((part.information * covariance[part.place, part.place]).sum())
    columns = [column[np.isfinite(column)] for column in innovations.T]
    axes, every = len(columns) // 2, np.concatenate(columns)
    channels = {"w": np.concatenate(columns[:axes]), "attitude": np.concatenate(columns[axes:])}
    white = [whiteness(column, noise_sd=1.0).white for column in columns if column.size >= _FEWEST]
    return Residual(
        ratio=float(np.sqrt((every**2).sum() / max(every.size - used, 1.0))),
        white=all(white) if white else None,
        rows=every.size,
        unknowns=len(run.unknowns),
        by_channel={name: float(np.sqrt((each**2).mean())) for name, each in channels.items() if each.size},
    )


def _budget(run: KalmanRun, last: Pass, covariance: Array) -> Budget:
    """Noise as the filter carried it along, beliefs about constant states by their information, the bias the rest."""
    count = len(run.problem.minimal)
    parts: dict[str, Array] = {"noise": np.diagonal(last.noise)[:count]}
    for part in run.shared_parts:
        block = covariance[:count, part.place]
        share = ((block @ part.information) * block).sum(axis=1)
        parts[part.source] = parts.get(part.source, np.zeros(count)) + share
    rest = np.maximum(np.diagonal(covariance)[:count] - sum(parts.values()), 0.0)
    source = GYRO_BIAS if run.problem.nuisances.gyro_bias_rad_s is not None else "noise"
    parts[source] = parts.get(source, np.zeros(count)) + rest
    whole = np.maximum(sum(parts.values()), 1e-300)
    return Budget(tuple(parts), np.column_stack([share / whole for share in parts.values()]))


def _nuisances(run: KalmanRun, last: Pass) -> tuple[Quantity, ...]:
    """Everything but the clusters, as the filter last had it: the bias at the end of its flight."""
    found = []
    for part in run.unknowns.parts[1:]:
        places = range(part.place.start, part.place.stop)
        for label, unit, index in zip(part.labels, part.units, places, strict=True):
            row = np.flatnonzero(np.isfinite(last.values[:, index]))[-1]
            found.append(Quantity(label, float(last.values[row, index]), float(last.sd[row, index]), unit))
    return tuple(found)


def _unsettled(moved: float) -> tuple[str, ...]:
    if moved < _SETTLED:
        return ()
    if np.isinf(moved):
        return ("a pass led to parameters without a positive inertia: the values are those of the pass before",)
    return (f"the last pass still moved a cluster by {moved:.2g} standard deviations: allow more passes",)


def _unused(problem: Problem) -> tuple[str, ...]:
    unused = sorted({name for flight in problem.flights for name in ("v", "position") if name in flight.noise})
    said = [f"the filter reads gyro and star tracker: {' and '.join(unused)} not used"] if unused else []
    if uncertain_wheels(problem.robot).size:
        said.append("the filter takes spin inertias of wheels to be exact")
    return tuple(said)
