"""A fit beside everything that may be wrong: the same flights with all unknowns there could be, linear at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.estimate.cause import Cause
from freefloat.estimate.causes.alternatives import Alternative, alternatives, of_bodies
from freefloat.estimate.causes.claims import Suspected, claims, contenders
from freefloat.estimate.causes.score import FittedRows
from freefloat.estimate.causes.spectral_lines import ChannelRows
from freefloat.estimate.flight import Flight
from freefloat.estimate.likelihood.finished import stacked, units_of
from freefloat.estimate.likelihood.levenberg_marquardt import levenberg_marquardt
from freefloat.estimate.likelihood.likelihood import Likelihood, Rows
from freefloat.estimate.likelihood.local_curves import LocalCurves
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.uncertain import OPEN
from freefloat.estimate.unknowns import MOMENTUM, Unknowns

LOUDER = 1.25  # times the noise that was declared: less is not worth a word
_FEWEST = 64  # rows of a column whose noise is looked at
_CLEAR = 5.0  # standard deviations of a level that chance hardly makes: about one over the root of the rows
_SETTLING = 3  # rounds in which curves of the joints follow a fit
_SLACK = 1.5  # times the spread of the CAD model: its errors are not normal to the tail, and no mistake for that
_HARDLY = 1e-6  # of the information that was assumed
_STEPS = 12  # of a fit that starts where another ended
_ROOM = 50_000_000  # numbers of derivatives at a time
_ANY = 1.0  # spread of what is not fitted, which says nothing


def allowing_everything(problem: Problem) -> Problem:
    """The problem with every unknown that there could be; what is assumed of clusters is that of the fit."""
    usual = problem.nuisances
    nuisances = Nuisances(**{name: _ANY if sd is None else sd for name, sd in vars(usual).items()})
    known = {selector: spread or _ANY for selector, spread in problem.known.items()}
    wheels = tuple(replace(wheel, relative_sd=wheel.relative_sd or _ANY) for wheel in problem.robot.wheels)
    robot = replace(problem.robot, wheels=wheels)
    flights = tuple(map(_turning_freely, problem.flights))
    return replace(problem, robot=robot, nuisances=nuisances, known=known, flights=flights, prior=None)


def _thinning(wide: Likelihood) -> int:
    """Of how many readings one is looked at, so that derivatives by all unknowns have room."""
    measured = [data.values.size for flight in wide.problem.flights for data in flight.measured.values()]
    return max(1, -(-sum(measured) * len(wide.unknowns) // _ROOM))


def _thinned(problem: Problem, every: int) -> Problem:
    flights = (
        replace(flight, own_instants={name: data.thinned(every) for name, data in flight.measured.items()})
        for flight in problem.flights
    )
    return replace(problem, flights=tuple(flights))


def _turning_freely(flight: Flight) -> Flight:
    return flight if flight.momentum.is_unknown else replace(flight, momentum=TotalMomentum.unknown())


@dataclass(frozen=True, slots=True, eq=False)
class Everything:
    """A fit among all unknowns that there could be. channels: where the rows of each sensor are.

    likelihood, point: with all unknowns, and where in their space the fit ended, (w,). curves: of the joints there,
    where they are uncertain. levels: of each row's noise over what was declared, (rows,).
    """

    likelihood: Likelihood
    point: Array
    curves: tuple[LocalCurves | None, ...]
    levels: Array
    fit: FittedRows
    channels: tuple[ChannelRows, ...]

    def suspected(self) -> Suspected:
        """What is claimed to be wrong."""
        problem = self.likelihood.problem
        tried = list(alternatives(problem, self.likelihood.unknowns, self.fit, self.channels))
        if self.fit.information[0, 0] > 0.0:
            tried += of_bodies(problem, self.fit)
        again = contenders(tried)
        if len(again) > 1:
            tried = [self._refitted(each) if any(each is one for one in again) else each for each in tried]
        found = claims(tried, self.fit)
        return found if found.causes else Suspected(tuple(self._noisy()), found.strange)

    def _noisy(self) -> Iterator[Cause]:
        """Sensors whose noise is white and larger than was declared, and encoders that leave more beside curves."""
        for channel in self.channels:
            level = float(np.sqrt((channel.of(self.levels)[0] ** 2).mean()))
            if level > LOUDER:
                yield _louder(channel.sensor, level)
        for flight, local in zip(self.likelihood.flights, self.curves, strict=True):
            if local is not None and local.joints:
                level = float(np.sqrt((local.parts[0].left ** 2).mean()))
                if level > LOUDER:
                    yield _louder("encoders" if len(self.curves) == 1 else f"encoders of {flight.flight.name}", level)

    def _refitted(self, tried: Alternative) -> Alternative:
        """An alternative with what a fit that allows for it saves, not only to first order."""
        if tried.freed is None:
            return tried
        freed = np.asarray(tried.freed.any(axis=1))
        active = self.fit.fitted | freed
        hardly = _HARDLY * self.fit.information  # where the data do not tell, things stay where they were
        information = (self.fit.relaxed(tried.freed) + hardly + self.fit.steadying)[np.ix_(active, active)]

        def evaluate(at: Array, derivatives: bool) -> tuple[Array, Array]:
            point = np.array(self.point)
            point[active] = at
            r, J = stacked(self.likelihood.rows(point, None if derivatives else 0))
            return r / self.levels, J[:, active] / self.levels[:, None] if derivatives else J

        mean, start = (self.point - self.fit.off)[active], self.point[active]
        _bring(self.likelihood, self.curves, self.point)
        for _ in range(_SETTLING if self.likelihood.has_local_curves else 1):
            found = levenberg_marquardt(evaluate, start, mean, information, most_iterations=_STEPS)
            start, point = found.point, np.array(self.point)
            point[active] = found.point
            self.likelihood.settle(point)
        if not found.converged:
            return tried
        off = found.point - mean
        cost = float(found.residual @ found.residual + off @ information @ off)
        amount = tried.score.amount
        if amount.size == freed.sum():
            amount = off[freed[active]]
        return replace(tried, score=replace(tried.score, gain=max(self.fit.cost - cost, 0.0), amount=amount))


def _louder(sensor: str, level: float) -> Cause:
    what = f"the noise of the {sensor} is {level:.2g} times what was said of it"
    return Cause("noise", sensor, what, level, np.nan, 1.0, cure="correct its noise in the mission file's sensors")


def _bring(likelihood: Likelihood, curves: tuple[LocalCurves | None, ...], point: Array) -> None:
    """Have curves of joints and wheels where a fit had them that ended at a point."""
    for flight, local in zip(likelihood.flights, curves, strict=True):
        flight.local = local
        if local is not None:
            flight.linearise(point, likelihood.phi(point))


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Rows of a fit with derivatives by all unknowns that there could be; fields as those of `Everything`.

    rows: their residuals and derivatives. fitted: which unknowns were, (w,).
    """

    likelihood: Likelihood
    point: Array
    curves: tuple[LocalCurves | None, ...]
    rows: tuple[Rows, ...]
    fitted: NDArray[np.bool_]

    @property
    def levels(self) -> Array:
        """Noise of each row over what was declared, (rows,)."""
        return np.concatenate([np.tile(_noise_levels(part.values), len(part.values)) for part in self.rows])

    @property
    def channels(self) -> tuple[ChannelRows, ...]:
        """Where the rows of each sensor are."""
        return tuple(_channels(self.likelihood, self.rows))


def beside(likelihood: Likelihood, point: Array) -> Beside:
    """The rows of a fit that ended at a point, beside all that it did not allow for."""
    problem = allowing_everything(likelihood.problem)
    wide = Likelihood(problem)
    every = _thinning(wide)
    if every > 1:
        wide = Likelihood(_thinned(problem, every))
    wide.beside = likelihood.beside
    at, fitted = _placed(likelihood, wide, point)
    for whole, own in zip(wide.flights, likelihood.flights, strict=True):
        whole.weights = {name: weights[::every] for name, weights in own.weights.items()}
    curves = tuple(None if flight.curve_noise is None else flight.local for flight in likelihood.flights)
    _bring(wide, curves, at)
    return Beside(wide, at, curves, wide.rows(at), fitted)


def everything_beside(likelihood: Likelihood, point: Array) -> Everything:
    """A fit that ended at a point, beside all that it did not allow for."""
    found = beside(likelihood, point)
    (r, J), levels, size = stacked(found.rows), found.levels, found.point.size
    information, off, units = np.zeros((size, size)), np.zeros(size), units_of(likelihood)
    places = np.flatnonzero(found.fitted)
    information[np.ix_(places, places)] = likelihood.unknowns.information
    clusters = slice(0, len(likelihood.problem.minimal))
    information[clusters, clusters] /= _SLACK**2
    off[places] = point - likelihood.unknowns.mean
    steadying = np.zeros((size, size))
    if units is not None:
        steadying[places, places] = np.where(np.isnan(units), 0.0, (OPEN * units) ** -2.0)
    fit = FittedRows(r / levels, J / levels[:, None], found.fitted, information, off, steadying)
    return Everything(found.likelihood, found.point, found.curves, levels, fit, found.channels)


def _noise_levels(values: Array) -> Array:
    """Noise of each column over what was declared, one or more, (k,): by the median of its spectrum."""
    n = len(values)
    if n < _FEWEST:
        return np.ones(values.shape[1])
    power = np.abs(np.fft.rfft(values, axis=0)[1:]) ** 2 / n
    level = np.sqrt(np.median(power, axis=0) / np.log(2.0))
    return np.where(level > 1.0 + _CLEAR / np.sqrt(n), level, 1.0)


def _channels(wide: Likelihood, rows: tuple[Rows, ...]) -> Iterator[ChannelRows]:
    start = 0
    for part in rows:
        flight, stop = wide.flights[part.flight], start + part.values.size
        name, width = part.channel, part.values.shape[1]
        yield ChannelRows(flight.readings[name].sensor, part.flight, slice(start, stop), width, flight.nodes[name].t)
        start = stop


def _placed(likelihood: Likelihood, wide: Likelihood, point: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The same point among all unknowns, and which of these were fitted."""
    found = dict(zip(_keys(likelihood.unknowns), point.tolist(), strict=True))
    keys = _keys(wide.unknowns)
    at = np.array([found.get(key, mean) for key, mean in zip(keys, wide.unknowns.mean.tolist(), strict=True)])
    fitted = np.array([key in found for key in keys])
    for flight in likelihood.flights:
        place = wide.unknowns.find(MOMENTUM, flight.index)
        if place is not None and flight.place(MOMENTUM) is None:
            at[place] = flight.flight.momentum.vector[flight.turning]
    return at, fitted


def _keys(unknowns: Unknowns) -> list[tuple[str, str]]:
    """What tells each unknown from all others."""
    return [(part.kind, label) for part in unknowns.parts for label in part.labels]
