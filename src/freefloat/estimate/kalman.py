"""Error-state extended Kalman filter: attitude, gyro bias and parameters together, sample by sample as on board.

The gyro and the star tracker are compared with the base motion that the clusters predict (`reaction.py`), at the
estimate of that moment. States: clusters and known parameters that may deviate, joint zeros, momentum where it is
unknown, the gyro's bias (which walks), the first attitude, and the error of the predicted attitude. The CAD model's
spread is the covariance to begin with; the triangle of the covariance is what is kept (`kalman_kernel.py`).

A filter linearises a reading once, at an estimate that is still poor. Two things mend that. In the first pass the gain
is smaller where the prediction, not the sensor, is the uncertain part (underweighting: Zanetti, DeMars, Bishop, Journal
of Guidance, Control, and Dynamics, 2010). Later passes start again from the CAD model and its spread but take all
derivatives at the last pass's estimate, each a Gauss-Newton step (iterated filter: Bell, Cathey, IEEE Transactions on
Automatic Control, 1993), so that they end at maximum likelihood with the same unknowns. With three passes noiseless
truth is met to 1e-6 of the CAD model's spread where predicted attitude does not matter.

    Kalman(passes=1).track(problem)      # what a filter on board would have said after each sample
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.estimate.estimate import Budget, Estimate, Quantity, Residual
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.kalman_run import KalmanRun, Pass
from freefloat.estimate.problem import Problem
from freefloat.experiment.processing.whiteness import whiteness
from freefloat.robot.transform import Array

_FEWEST = 16  # samples of a test for whiteness
_SETTLED = 0.1  # standard deviations that the last pass may move a cluster by


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """What the filter said after each of n samples, flights one after another.

    names: clusters first, then everything else. t: shape (n,) [s]; flight: number of the flight, shape (n,).
    values, sd: shape (n, names) [SI]; NaN outside the flight that something belongs to.
    innovations: what each reading added to the prediction, over its standard deviation: white, of variance one, if
        all is as believed, shape (n, readings); channels: what the readings are.
    """

    names: tuple[str, ...]
    t: Array
    flight: NDArray[np.int64]
    values: Array
    sd: Array
    innovations: Array
    channels: tuple[str, ...]


@dataclass(frozen=True)
class Kalman(Estimator):
    """Error-state extended Kalman filter.

    passes: through the data; one as on board, more to settle on the maximum of the likelihood.
    """

    name: ClassVar[str] = "kalman"

    passes: int = 4

    def __post_init__(self) -> None:
        if self.passes < 1:
            raise InvalidProblem(f"a Kalman filter needs at least one pass; found {self.passes}")

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters as the filter has them after the last sample."""
        run = KalmanRun(problem)
        before, last = self._passes(run)
        covariance = last.root @ last.root.T
        count = len(run.problem.minimal)
        return Estimate(
            method=self.name,
            model="momentum",
            robot=problem.robot,
            known=problem.known,
            zero=problem.zero,
            minimal=run.problem.minimal,
            values=last.shared[:count],
            covariance=covariance[:count, :count],
            cad=run.problem.cad,
            residual=_residual(run, last),
            budget=_budget(run, last, covariance),
            nuisances=_nuisances(run, last),
            warnings=_unsettled(before, last, count),
            notes=_unused(problem),
        )

    def track(self, problem: Problem) -> Track:
        """What the filter says after each sample, in its last pass."""
        run = KalmanRun(problem)
        last = self._passes(run)[1]
        flights = run.problem.flights
        axes = [("x", "y", "z")[axis] for axis in run.likelihood.flights[0].turning]
        return Track(
            names=run.unknowns.labels,
            t=np.concatenate([flight.t for flight in flights]),
            flight=np.concatenate([np.full(flight.t.size, index) for index, flight in enumerate(flights)]),
            values=last.values,
            sd=last.sd,
            innovations=last.innovations,
            channels=tuple(f"{sensor} {axis}" for sensor in ("gyro", "star tracker") for axis in axes),
        )

    def _passes(self, run: KalmanRun) -> tuple[Pass | None, Pass]:
        """The last pass and the one before it."""
        before, last = None, run.first()
        for _ in range(self.passes - 1):
            before, last = last, run.again(last.shared)
        return before, last


def _residual(run: KalmanRun, last: Pass) -> Residual:
    """Innovations: white and of variance one if all is as believed, whatever was fitted."""
    columns = [column[np.isfinite(column)] for column in last.innovations.T]
    axes = len(columns) // 2
    channels = {"w": np.concatenate(columns[:axes]), "attitude": np.concatenate(columns[axes:])}
    every = np.concatenate(columns)
    white = [whiteness(column, noise_sd=1.0).white for column in columns if column.size >= _FEWEST]
    return Residual(
        ratio=float(np.sqrt((every**2).mean())),
        white=all(white) if white else None,
        rows=every.size,
        unknowns=len(run.unknowns),
        by_channel={name: float(np.sqrt((each**2).mean())) for name, each in channels.items() if each.size},
    )


def _budget(run: KalmanRun, last: Pass, covariance: Array) -> Budget:
    """Noise as the filter carried it along, what was believed of constant states by their information, bias the rest."""
    count = len(run.problem.minimal)
    parts, variance = {"noise": np.diagonal(last.noise)[:count]}, np.diagonal(covariance)[:count]
    for part in run.unknowns.parts:
        if part.flight is None:
            block = covariance[:count, part.place]
            share = ((block @ part.information) * block).sum(axis=1)
            parts[part.source] = parts.get(part.source, 0.0) + share
    rest = np.maximum(variance - sum(parts.values()), 0.0)
    source = "gyro bias" if run.problem.nuisances.gyro_bias_rad_s is not None else "noise"
    parts[source] = parts.get(source, 0.0) + rest
    whole = np.maximum(sum(parts.values()), 1e-300)
    return Budget(tuple(parts), np.column_stack([share / whole for share in parts.values()]))


def _nuisances(run: KalmanRun, last: Pass) -> tuple[Quantity, ...]:
    """Everything but the clusters, as it was when the filter last had it."""
    found = []
    for part in run.unknowns.parts[1:]:
        for label, index in zip(part.labels, range(part.place.start, part.place.stop), strict=True):
            row = np.flatnonzero(np.isfinite(last.values[:, index]))[-1]
            found.append(Quantity(label, float(last.values[row, index]), float(last.sd[row, index]), part.unit))
    return tuple(found)


def _unsettled(before: Pass | None, last: Pass, count: int) -> tuple[str, ...]:
    if before is None:
        return ()
    sd = np.linalg.norm(last.root[:count], axis=1)
    moved = float(np.max(np.abs(last.shared - before.shared)[:count] / np.maximum(sd, 1e-300)))
    if moved <= _SETTLED:
        return ()
    return (f"the last pass still moved a cluster by {moved:.2g} standard deviations: allow more passes",)


def _unused(problem: Problem) -> tuple[str, ...]:
    unused = sorted({name for flight in problem.flights for name in ("v", "position") if name in flight.noise})
    return (f"the filter reads gyro and star tracker: {' and '.join(unused)} not used",) if unused else ()
