"""A fit beside everything that may be wrong: the same flights with all unknowns there could be, linear at its end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.estimate.causes.score import FittedRows
from freefloat.estimate.flight import Flight
from freefloat.estimate.likelihood.finished import stacked, units_of
from freefloat.estimate.likelihood.likelihood import Likelihood, Rows
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.unknowns import MOMENTUM, Unknowns
from freefloat.estimate.uncertain import OPEN

_ANY = 1.0  # spread of what is not fitted, which says nothing


def allowing_everything(problem: Problem) -> Problem:
    """The problem with every unknown that there could be."""
    usual = problem.nuisances
    nuisances = Nuisances(**{name: _ANY if sd is None else sd for name, sd in vars(usual).items()})
    known = {selector: spread or _ANY for selector, spread in problem.known.items()}
    wheels = tuple(replace(wheel, relative_sd=wheel.relative_sd or _ANY) for wheel in problem.robot.wheels)
    robot = replace(problem.robot, wheels=wheels)
    flights = tuple(map(_turning_freely, problem.flights))
    return replace(problem, robot=robot, nuisances=nuisances, known=known, flights=flights)


def _turning_freely(flight: Flight) -> Flight:
    return flight if flight.momentum.is_unknown else replace(flight, momentum=TotalMomentum.unknown())


def fitted_rows(likelihood: Likelihood, point: Array) -> tuple[Unknowns, FittedRows, tuple[Rows, ...]]:
    """All unknowns, the fit among them, and its residuals by channel."""
    wide = Likelihood(allowing_everything(likelihood.problem))
    at, fitted = _placed(likelihood, wide, point)
    for whole, own in zip(wide.flights, likelihood.flights, strict=True):
        whole.local, whole.weights = own.local, own.weights
        if own.curve_noise is not None:
            whole.linearise(at, wide.phi(at))
    rows = wide.rows(at)
    r, J = stacked(rows)
    information, off, units = np.zeros((at.size, at.size)), np.zeros(at.size), units_of(likelihood)
    places = np.flatnonzero(fitted)
    information[np.ix_(places, places)] = likelihood.unknowns.information
    off[places] = point - likelihood.unknowns.mean
    steadying = np.zeros((at.size, at.size))
    if units is not None:
        steadying[places, places] = np.where(np.isnan(units), 0.0, (OPEN * units) ** -2.0)
    return wide.unknowns, FittedRows(r, J, fitted, information, off, steadying), rows


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
