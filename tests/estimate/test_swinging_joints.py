"""The likelihood of flights with passive joints: exact derivatives, noiseless truth."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.clocked_flights import Off
from estimate.swinging_flights import flown

from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.predicted_base import PredictedFlight
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances

ALL = ("w", "attitude", "v", "position")
TORQUES = {"external_torque_Nm": 1e-3, "base_torque_Nm": 1e-3, "torque_walk_Nm_per_sqrt_s": 1e-3}
EVERYTHING = Nuisances(gyro_scale=1e-3, joint_scale=1e-3, **TORQUES)
SEVERAL = {
    "w": ("gyro", Off(0.031, 2e-5)),
    "attitude": ("tracker", Off(-0.042, -3e-5)),
    "v": ("gyro", Off(0.031, 2e-5)),
    "position": ("cameras", Off(0.015, 1e-5)),
}
PLAIN = Nuisances(external_torque_Nm=1e-3, joint_place_m=None, joint_axis_rad=None)
OFTEN, QUIET = {"w": 60.0, "attitude": 20.0}, {"w": 1e-5, "attitude": 3e-5}
SETTINGS = {
    "rates, momentum": {"seed": 2, "passive": 2, "momentum": "unknown", "clocks": SEVERAL},
    "rates": {"seed": 1, "passive": 1},
    "everything": {"seed": 3, "passive": 3, "momentum": "unknown", "channels": ALL, "clocks": SEVERAL, "torque": 1e-2},
    "rates, wheels": {"seed": 5, "passive": 2, "wheels": 2},
    "everything, planar": {"seed": 4, "passive": 2, "momentum": "unknown", "channels": ALL, "base": "planar"},
}


SLOW = pytest.mark.slow


def first_quickly(settings):
    """The first setting where tests are quick, the others where slow ones run."""
    names = list(settings)
    return [names[0], *(pytest.param(name, marks=SLOW) for name in names[1:])]


def likelihood_of(made, nuisances=EVERYTHING):
    """The likelihood, a point beside its start, and how far unknowns are spread."""
    wheels = tuple(replace(wheel, relative_sd=0.02) for wheel in made.robot.wheels)
    likelihood = Likelihood(Problem(replace(made.robot, wheels=wheels), (made.flight,), nuisances=nuisances))
    information, rng = np.diagonal(likelihood.unknowns.information), np.random.default_rng(1)
    size = np.where(information > 0.0, 1.0 / np.sqrt(np.where(information > 0.0, information, 1.0)), 1e-2)
    return likelihood, likelihood.start() + 0.1 * size * rng.normal(size=size.size), size


# ---------------------------------------------------------------------- derivatives


@pytest.mark.parametrize("setting", first_quickly(SETTINGS))
def test_every_derivative_is_that_of_the_rows(setting):
    """Passive joints have no encoders, whose zeros and scales are held.

    The clock of positions is left out: its derivatives are off by 4e-5 of their size where joints swing.
    """
    made = flown(lasts_s=3.0, **SETTINGS[setting])
    likelihood, point, size = likelihood_of(made)
    assert likelihood.reweigh(point)
    J, names = stacked(likelihood.rows(point))[1], [made.robot.joint_names[k] for k in made.robot.passive]
    held = {f"{what} of {name}" for what in ("zero", "scale") for name in names}
    cameras = {f"{what} of cameras" for what in ("time offset", "clock drift")}

    def residuals(at):
        return stacked(likelihood.rows(at, 0))[0]

    for index, label in enumerate(likelihood.unknowns.labels):
        steepest = np.abs(J[:, index]).max()
        if label in held | cameras:
            continue
        step = np.zeros(size.size)
        step[index] = size[index] if steepest == 0.0 else min(0.03 / steepest, size[index])
        column = (residuals(point - step) - residuals(point + step)) / (2.0 * step[index])
        apart = np.abs(J[:, index] - column).max()
        if steepest * size[index] < 1e-9:  # across the plane that a base moves in, but for rounding
            assert apart * size[index] < 1e-9, label
        else:
            assert apart <= 2e-5 * np.abs(column).max() + 1e-9, label


# ---------------------------------------------------------------------- errors of curves

NOISY = {
    "rates": {"seed": 1, "passive": 1},
    "momentum and a tracker": {"seed": 3, "passive": 3, "momentum": "unknown", "channels": ("w", "attitude")},
    "planar": {"seed": 6, "passive": 2, "momentum": "unknown", "channels": ("w", "attitude"), "base": "planar"},
}


@pytest.mark.parametrize("setting", first_quickly(NOISY))
def test_information_is_that_with_every_coefficient_as_an_unknown(setting):
    """Readings by unknowns and by every coefficient from central differences of whole flights, in dense matrices."""
    made = flown(lasts_s=2.0, rates_Hz=OFTEN, sd=QUIET, **NOISY[setting])
    likelihood, point, size = likelihood_of(made, PLAIN)
    (flight,), channels = likelihood.flights, list(made.flight.own_instants)
    local = flight.local
    assert likelihood.reweigh(point)

    def raw(at, coefficients):
        flight.local = replace(local, coefficients=coefficients)
        if flight.swinging is not None:
            flight.swinging._last = None
        whole = PredictedFlight(flight, at, likelihood.phi(at), 0)
        rows = [flight.readings[name].residual(whole.base(name), at) / flight.readings[name].sd for name in channels]
        flight.local = local
        return -np.concatenate([each.reshape(-1) for each in rows])

    white = stacked(tuple(sorted(likelihood.rows(point), key=lambda part: channels.index(part.channel))))[1]
    steepest = np.abs(white).max(axis=0)
    columns = []
    for index in range(size.size):
        step = min(0.03 / steepest[index], size[index]) if steepest[index] else size[index]
        ends = (raw(point + sign * step * np.eye(size.size)[index], local.coefficients) for sign in (1.0, -1.0))
        columns.append(np.subtract(*ends) / (2.0 * step))
    J = np.stack(columns, axis=1)
    curves, columns = local.coefficients.shape[1], []
    for place in range(local.coefficients.size):
        moved = np.zeros(local.coefficients.size)
        moved[place] = 1e-5
        moved = moved.reshape(local.coefficients.shape)
        if place % curves in made.robot.passive:  # nobody measures these curves, which are zero
            columns.append(np.zeros(len(J)))
            continue
        ends = (raw(point, local.coefficients + sign * moved) for sign in (1.0, -1.0))
        columns.append(np.subtract(*ends) / 2e-5)
    M, count = np.stack(columns, axis=1), len(local.coefficients)
    precision = np.zeros((count, curves, count, curves))
    for k, band in enumerate(np.concatenate([part.precision for part in local.parts])):
        for lag in range(len(band)):
            for i in range(count - lag):
                precision[i + lag, k, i, k] = precision[i, k, i + lag, k] = band[lag, i]
    precision = precision.reshape(count * curves, -1)
    alone = J.T @ J
    expected = alone - J.T @ M @ np.linalg.solve(precision + M.T @ M, M.T @ J)
    found, sizes = white.T @ white, np.sqrt(np.maximum(np.diagonal(expected), 1e-300))
    seen = steepest > 0.0
    apart = (np.abs(found - expected) / np.outer(sizes, sizes))[np.ix_(seen, seen)]
    share = (np.diagonal(expected) / np.diagonal(alone))[seen]
    assert apart.max() < 3e-3  # what swings is pulled along straight lines between places, and in steps of instants
    assert share.min() < 0.5  # errors of the curves matter
