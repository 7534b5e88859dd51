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
from freefloat.estimate.likelihood.levenberg_marquardt import Fit, levenberg_marquardt
from freefloat.estimate.likelihood.likelihood import SETTLED, FlightLikelihood, Likelihood, Rows
from freefloat.estimate.likelihood.local_curves import LocalCurves
from freefloat.estimate.likelihood.noise_levels import spectral_level
from freefloat.estimate.likelihood.swing_discovery import with_oscillators
from freefloat.estimate.likelihood.transmitted_torques import transmitted_torques
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.uncertain import OPEN
from freefloat.estimate.unknowns import MOMENTUM, Unknowns

_NOTICED = 1.06  # times the noise that was declared: less is not worth a word
_FLAT = 1.5  # times its level at most frequencies: more is no noise
_SLACK = 1.5  # times the spread of the CAD model: its errors are not normal to the tail, and no mistake for that
_HARDLY = 1e-6  # of the information that was assumed
_STEPS, _WORTH = 12, 0.1  # of a fit that starts where another ended; less cost that one must promise
_ROOM = 50_000_000  # numbers of derivatives at a time
_ANY = 1.0  # spread of what is not fitted, which says nothing


def allowing_everything(problem: Problem, turning: bool = True) -> Problem:
    """The problem with every unknown that there could be; what is assumed of clusters is that of the fit.

    turning: whether momentum and a torque from outside are among them.
    """
    usual = problem.nuisances
    nuisances = Nuisances(**{name: _ANY if sd is None else sd for name, sd in vars(usual).items()})
    slow = {name: getattr(usual, name) for name in ("base_torque_Nm", "torque_walk_Nm_per_sqrt_s")}
    nuisances = replace(nuisances, **slow)  # which would explain what a constant torque does, and little else
    if not turning:
        nuisances = replace(nuisances, external_torque_Nm=usual.external_torque_Nm)
    known = {selector: spread or _ANY for selector, spread in problem.known.items()}
    wheels = tuple(replace(wheel, relative_sd=wheel.relative_sd or _ANY) for wheel in problem.robot.wheels)
    robot = replace(problem.robot, wheels=wheels)
    flights = tuple(map(_turning_freely, problem.flights)) if turning else problem.flights
    found = replace(problem, robot=robot, nuisances=nuisances, known=known, flights=flights, prior=None)
    vars(found)["minimal"] = problem.minimal  # what is allowed for beside clusters does not change them
    return found


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
    """A fit among all unknowns that there could be.

    given, end: what was fitted, and where that ended. among: its rows beside all unknowns. levels: noise of each row
    over what was declared, (rows,). fit: linear where it ended.
    """

    given: Likelihood
    end: Array
    among: Beside
    levels: Array
    fit: FittedRows

    def suspected(self, refit: bool, seek: bool = False) -> Suspected:
        """What is claimed to be wrong.

        refit: whether near rivals are told from each other by fits. seek: whether what swings is looked for.
        """
        among, likelihood = self.among, self.among.likelihood
        problem, unknowns = likelihood.problem, likelihood.unknowns
        given = self.among.compliances / self.levels[:, None]
        tried = list(alternatives(problem, unknowns, self.fit, self.among.channels, given))
        if self.fit.information[0, 0] > 0.0:
            tried += of_bodies(problem, self.fit)
        if seek:
            tried = with_oscillators(tried, self.fit, likelihood, among.point, among.channels)
        again = contenders(tried) if refit else []
        if len(again) > 1:
            still = self._without_turning()
            tried = [self._refitted(each, still) if any(each is one for one in again) else each for each in tried]
        found = claims(tried, self.fit)
        noisy = () if found.named else tuple(self._noisy())
        return Suspected(noisy, found.strange) if noisy else found

    def _noisy(self) -> Iterator[Cause]:
        """Sensors whose noise is white and larger than was declared, and encoders that leave more beside curves."""
        for channel in self.among.channels:
            left = channel.of(self.fit.left * self.levels)
            level = spectral_level(left)
            if level > _NOTICED and float(np.sqrt((left**2).mean())) < _FLAT * level:
                yield _louder(channel.sensor, level)
        curves = self.among.curves
        for flight, local in zip(self.given.flights, curves, strict=True):
            if local is not None and local.joints:
                level = float(np.sqrt((local.parts[0].level ** 2).mean()))
                if level > _NOTICED:
                    yield _louder("encoders" if len(curves) == 1 else f"encoders of {flight.flight.name}", level)

    def _without_turning(self) -> Everything | None:
        """The same beside all but momentum and a torque from outside; None if attitudes count even so.

        Without attitudes readings are predicted several times as fast.
        """
        if any(flight.turns for flight in self.given.flights):
            return None
        return _everything(self.given, self.end, beside(self.given, self.end, turning=False), self.among.noise)

    def _refitted(self, tried: Alternative, still: Everything | None) -> Alternative:
        """An alternative with what a fit that allows for it saves, not only to first order.

        still: the same without momentum and torque, for alternatives that are neither.
        """
        if tried.freed is None:
            return tried
        if still is not None:
            keys, known = _keys(self.among.likelihood.unknowns), _keys(still.among.likelihood.unknowns)
            if {keys[place] for place in np.flatnonzero(tried.freed.any(axis=1)).tolist()} <= set(known):
                lesser = replace(tried, freed=tried.freed[[keys.index(key) for key in known]])
                return replace(still._refitted(lesser, None), freed=tried.freed)
        freed = np.asarray(tried.freed.any(axis=1))
        active, likelihood, whole = self.fit.fitted | freed, self.among.likelihood, self.among.point
        hardly = _HARDLY * self.fit.information  # where the data do not tell, things stay where they were
        information = (self.fit.relaxed(tried.freed) + hardly + self.fit.steadying)[np.ix_(active, active)]

        def evaluate(at: Array, derivatives: bool) -> tuple[Array, Array]:
            point = np.array(whole)
            point[active] = at
            r, J = stacked(likelihood.rows(point, None if derivatives else 0))
            return r / self.levels, J[:, active] / self.levels[:, None] if derivatives else J

        def fit(start: Array) -> Fit:
            return levenberg_marquardt(evaluate, start, mean, information, most_iterations=_STEPS, worth=_WORTH)

        mean, point = (whole - self.fit.off)[active], np.array(whole)
        _bring(likelihood, self.among.curves, whole)
        found = fit(whole[active])
        point[active] = found.point
        if found.converged and SETTLED <= likelihood.settle(point) < np.inf:  # curves follow
            found = fit(found.point)
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
        if local is not None and (flight.local is not local or flight.curve_noise is None):
            flight.local = local
            flight.linearise(point, likelihood.phi(point))


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Rows of a fit with derivatives by all unknowns that there could be.

    likelihood, point: with all unknowns, and where in their space the fit ended, (w,). curves: of the joints there,
    where they are uncertain. rows: their residuals and derivatives. fitted: which unknowns were, (w,).
    """

    likelihood: Likelihood
    point: Array
    curves: tuple[LocalCurves | None, ...]
    rows: tuple[Rows, ...]
    fitted: NDArray[np.bool_]

    @property
    def noise(self) -> tuple[Array, ...]:
        """Of each channel's columns, over what was declared, (k,) each."""
        return tuple(_of_columns(part.values) for part in self.rows)

    @property
    def levels(self) -> Array:
        """Noise of each row over what was declared, (rows,)."""
        return self.of_rows(self.noise)

    def of_rows(self, noise: tuple[Array, ...]) -> Array:
        """Of each row what is given of its channel's column, (rows,)."""
        return np.concatenate([np.tile(level, len(part.values)) for level, part in zip(noise, self.rows, strict=True)])

    @property
    def channels(self) -> tuple[ChannelRows, ...]:
        """Where the rows of each sensor are."""
        return tuple(_channels(self.likelihood, self.rows))

    @property
    def compliances(self) -> Array:
        """Derivatives by how far each joint gives way under a unit of load, (rows, joints); zero without curves."""
        found, phi = list[Array](), self.likelihood.phi(self.point)
        by_flight = [self._compliances(flight, phi) for flight in self.likelihood.flights]
        joints = len(self.likelihood.problem.robot.joints)
        for part in self.rows:
            moved = by_flight[part.flight].get(part.channel)
            found.append(np.zeros((part.values.size, joints)) if moved is None else moved.reshape(-1, joints))
        return np.concatenate(found)

    def _compliances(self, flight: FlightLikelihood, phi: Array) -> dict[str, Array]:
        if not flight.seen_curves or flight.local is None or not flight.local.joints:
            return {}
        return flight.by_change_of_curves(transmitted_torques(flight, self.point, phi))


def beside(likelihood: Likelihood, point: Array, turning: bool = True) -> Beside:
    """The rows of a fit that ended at a point, beside all that it did not allow for; turning: see above."""
    problem = allowing_everything(likelihood.problem, turning)
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
    return _everything(likelihood, point, found, found.noise)


def _everything(likelihood: Likelihood, point: Array, found: Beside, noise: tuple[Array, ...]) -> Everything:
    (r, J), levels, size = stacked(found.rows), found.of_rows(noise), found.point.size
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
    return Everything(likelihood, point, found, levels, fit)


def _of_columns(values: Array) -> Array:
    """Noise of each column over what was declared, one or more, (k,)."""
    return np.array([spectral_level(column[:, None]) for column in values.T])


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
