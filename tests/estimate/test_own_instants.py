"""Readings at instants and by clocks of their own: derivatives, noiseless truth, information as in dense algebra."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from estimate.clocked_flights import Off, flown
from estimate.curve_oracle import Oracle
from estimate.problems import cad_of

from freefloat.dynamics.orbit import Orbit
from freefloat.estimate.likelihood.curve_noise_kernels import by_curves, whiten
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.likelihood.predicted_base import PredictedFlight
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.simulation.simulate import Pulse

PULSES = (
    Pulse(1.3, 0.7, [4.0, -3.0, 2.0], [0.3, -0.2, 0.5], 0.01),
    Pulse(2.05, 1.1, [-2.0, 5.0, 1.0], [-0.4, 0.1, 0.2]),
    Pulse(3.9, 0.4, [4.0, -3.0, 2.0], [0.3, -0.2, 0.5], 0.01),
)
EARLY = (Pulse(0.0, 1.5, [4.0, -3.0, 2.0], [0.3, -0.2, 0.5], 0.01),)
ORBIT = Orbit(0.1, [0.6, 0.0, 0.8])  # a hundred times as fast as any, to be seen
TORQUES = {"external_torque_Nm": 1e-3, "base_torque_Nm": 1e-3, "torque_walk_Nm_per_sqrt_s": 1e-3}
EVERYTHING = Nuisances(gyro_scale=1e-3, joint_scale=1e-3, **TORQUES)
ALL = ("w", "attitude", "v", "position")
FORCE = ("w", "specific_force")
ONE = {name: ("base", Off(0.031, 2e-5)) for name in ALL}
SEVERAL = {
    "w": ("gyro", Off(0.031, 2e-5)),
    "attitude": ("tracker", Off(-0.042, -3e-5)),
    "v": ("gyro", Off(0.031, 2e-5)),
    "position": ("cameras", Off(0.015, 1e-5)),
    "wheels": ("wheels", Off(-0.023, 4e-5)),
    "specific_force": ("gyro", Off(0.031, 2e-5)),
}


# A position's straight line is that of its own clock, and so is the second in which a velocity changes.
STEADY = {**SEVERAL, "position": ("cameras", Off(0.015)), "specific_force": ("felt", Off(-0.011))}


# ---------------------------------------------------------------------- derivatives

SETTINGS = {
    "rates, one clock": {"channels": ("w",), "clocks": ONE},
    "rates, wheels by another": {"channels": ("w",), "clocks": SEVERAL},
    "rates of a planar base": {"channels": ("w",), "clocks": ONE, "base": "planar"},
    "bias that walks, momentum": {"channels": ("w",), "clocks": SEVERAL, "momentum": "unknown", "walk": 1e-5},
    "known momentum": {"channels": ("w", "attitude"), "clocks": SEVERAL, "momentum": "known"},
    "everything": {"channels": ALL, "clocks": SEVERAL, "momentum": "unknown"},
    "everything by one clock": {"channels": ALL, "clocks": ONE, "momentum": "unknown"},
    "everything, planar": {"channels": ALL, "clocks": SEVERAL, "momentum": "unknown", "base": "planar"},
    "an accelerometer": {"channels": FORCE, "clocks": SEVERAL, "momentum": "unknown"},
    "a fast accelerometer": {"channels": FORCE, "clocks": SEVERAL, "momentum": "unknown", "accelerometer_Hz": 800.0},
    "an accelerometer and pushes": {"channels": FORCE, "clocks": SEVERAL, "momentum": "unknown", "pulses": PULSES},
    "an accelerometer and pushes, planar": {"channels": FORCE, "clocks": ONE, "base": "planar", "pulses": PULSES},
    "an accelerometer, planar": {"channels": FORCE, "clocks": SEVERAL, "base": "planar"},
    "everything, without wheels": {"channels": ALL, "clocks": SEVERAL, "momentum": "unknown", "wheels": 0},
    "pushes": {"channels": ALL, "clocks": SEVERAL, "momentum": "unknown", "pulses": PULSES},
    "pushes of a planar base": {"channels": ALL, "clocks": ONE, "pulses": PULSES, "base": "planar"},
    "an orbit": {"channels": ALL, "clocks": SEVERAL, "momentum": "unknown", "orbit": ORBIT},
    "pushes in orbit": {"channels": ALL, "clocks": ONE, "momentum": "unknown", "orbit": ORBIT, "pulses": PULSES},
    "an orbit, by a gyro alone": {"channels": ("w",), "clocks": ONE, "orbit": ORBIT},
    "a push that is on at first": {"channels": ALL, "clocks": SEVERAL, "pulses": EARLY},
}


@pytest.mark.parametrize("curves", ["measured", "exact"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_every_derivative_is_that_of_the_rows(setting, curves):
    asked = SETTINGS[setting]
    if curves == "exact" and asked["channels"] == FORCE:
        asked = {**asked, "wheels": 0}  # cubics through samples of wheels have kinks, which an accelerometer feels
    made = flown(3, curves=curves, lasts_s=6.0, bodies=3, **asked)
    wheels = tuple(replace(wheel, relative_sd=0.02) for wheel in made.robot.wheels)
    problem = Problem(replace(made.robot, wheels=wheels), (made.flight,), nuisances=EVERYTHING)
    likelihood = Likelihood(problem)
    unknowns, rng = likelihood.unknowns, np.random.default_rng(1)
    information = np.diagonal(unknowns.information)
    size = np.where(information > 0.0, 1.0 / np.sqrt(np.where(information > 0.0, information, 1.0)), 1e-2)
    point = likelihood.start() + 0.1 * size * rng.normal(size=size.size)
    if curves == "measured":
        assert likelihood.reweigh(point)
    J = stacked(likelihood.rows(point))[1]

    def residuals(at):
        used = likelihood if curves == "measured" else Likelihood(problem)  # which remembers no instants nearby
        return stacked(used.rows(at, 0))[0]

    for index in np.flatnonzero(np.abs(J).max(axis=0) == 0.0):
        moved, here = point + size[index] * np.eye(size.size)[index], residuals(point)
        rounding = 1e-12 * np.abs(here).max()  # of geometry across the plane that a base moves in
        np.testing.assert_allclose(residuals(moved), here, 0.0, rounding, err_msg=unknowns.labels[index])
    for index in np.flatnonzero(np.abs(J).max(axis=0)):
        least = 0.1 / np.abs(J[:, index]).max()  # less than a reading's standard deviation
        # Tilts of a planar arm show by their squares alone: steps must not be larger than they are.
        step = (min(least, size[index]) if "tilt" in unknowns.labels[index] else least) * np.eye(size.size)[index]
        column = (residuals(point - step) - residuals(point + step)) / (2.0 * step[index])
        scale = np.abs(column).max()
        assert np.abs(J[:, index] - column).max() <= 5e-6 * scale + 1e-9, unknowns.labels[index]


def test_clocks_are_named_where_there_are_several():
    labels = {}
    for name, clocks in (("one", ONE), ("several", SEVERAL), ("none", {})):
        made = flown(3, channels=ALL, clocks=clocks, momentum="unknown", lasts_s=4.0, bodies=3)
        labels[name] = Likelihood(Problem(made.robot, (made.flight,))).unknowns.labels
    assert [label for label in labels["none"] if "time offset" in label or "clock drift" in label] == []
    assert {"time offset", "clock drift"} <= set(labels["one"])
    for clock in ("gyro", "tracker", "cameras", "wheels"):
        assert {f"time offset of {clock}", f"clock drift of {clock}"} <= set(labels["several"])
    assert "time offset" not in labels["several"]
    made = flown(3, channels=("w",), clocks=SEVERAL, wheels=0, lasts_s=4.0, bodies=3)
    labels = Likelihood(
        Problem(made.robot, (made.flight,))
    ).unknowns.labels  # without wheels there is no clock of theirs
    assert [label for label in labels if "time offset" in label] == ["time offset"]


# ---------------------------------------------------------------------- truth

CLOCKS_ONLY = replace(Nuisances.none(), time_offset_s=100.0, clock_drift=1.0)  # so wide that they draw nothing


@pytest.mark.parametrize(
    ("channels", "momentum", "base"),
    [
        (("w",), "zero", "free"),
        (("w",), "unknown", "free"),
        (("w", "attitude"), "known", "free"),
        (("w", "attitude"), "unknown", "free"),
        (("attitude",), "zero", "free"),
        (("w", "v"), "unknown", "free"),
        (ALL, "unknown", "free"),
        (ALL, "unknown", "planar"),
        (FORCE, "unknown", "free"),
        (FORCE, "zero", "planar"),
    ],
)
@pytest.mark.parametrize("seed", [0, 4])
def test_noiseless_truth_is_found_by_sensors_with_their_own_clocks(seed, channels, momentum, base):
    made = flown(seed, base, channels, momentum, STEADY, "exact", lasts_s=12.0, noisy=False, bodies=3)
    quiet = {name: replace(data, sd=1e-2 * data.sd) for name, data in made.flight.own_instants.items()}
    flight = replace(made.flight, own_instants=quiet)
    problem = Problem(cad_of(made.robot, {}, 0.05, seed), (flight,), prior=None, nuisances=CLOCKS_ONLY)
    estimate = MaximumLikelihood().estimate(problem)
    for channel, left in estimate.residual.by_channel.items():  # to some 1e-10 rad/s, rad, m/s, m, and 1e-7 m/s^2,
        assert left < (5e-3 if channel == "specific_force" else 1e-3)  # where cubics of wheels are differentiated
    truth = problem.minimal.values(made.robot.parameters)
    seen = np.abs(estimate.unseen).max(axis=0, initial=0.0) < 1e-6
    assert len(estimate.unseen) <= 2
    assert np.abs((estimate.values - truth) / estimate.sd)[seen].max(initial=0.0) < 1e-2
    found = {quantity.name: quantity for quantity in estimate.nuisances}
    for clock in {data.clock for data in quiet.values()} | {"wheels"}:
        off = next(off for name, off in STEADY.values() if name == clock)
        for kind, exact in (("time offset", off.offset), ("clock drift", off.drift)):
            quantity = found[f"{kind} of {clock}"]
            assert abs(quantity.value - exact) < 1e-2 * quantity.sd
            assert quantity.sd < 1e-3


# ---------------------------------------------------------------------- information

ORACLE_CASES = {
    "rates, one clock": {"channels": ("w",), "clocks": ONE, "wheels": 0},
    "rates, wheels by another": {"channels": ("w",), "clocks": SEVERAL},
    "momentum and a tracker": {"channels": ("w", "attitude"), "clocks": SEVERAL, "momentum": "unknown", "wheels": 0},
    "wheels, momentum and a tracker": {"channels": ("w", "attitude"), "clocks": SEVERAL, "momentum": "unknown"},
    "everything": {"channels": ALL, "clocks": SEVERAL, "momentum": "unknown"},
}


@dataclass(frozen=True)
class Dense:
    """A likelihood at a point, and the same with every coefficient as an unknown of its own, in dense matrices.

    by_unknowns, by_curves: derivatives of the readings over their noise, array by array. precision: of coefficients.
    """

    likelihood: Likelihood
    point: np.ndarray
    by_unknowns: np.ndarray
    by_curves: np.ndarray
    precision: np.ndarray

    @classmethod
    def of(cls, case):
        # so many instants that steps of the law between them are exact
        made = flown(3, lasts_s=2.2, bodies=3, rate_Hz=100.0, **ORACLE_CASES[case])
        nuisances = Nuisances(external_torque_Nm=1e-3, joint_place_m=None, joint_axis_rad=None)  # as the oracle has it
        problem = Problem(made.robot, (made.flight,), nuisances=nuisances)
        likelihood = Likelihood(problem)
        point, unknowns = likelihood.start(), likelihood.unknowns
        likelihood.reweigh(point)
        for _ in range(6):  # to where residuals are noise: those of attitudes are vectors of rotations
            r, J = stacked(likelihood.rows(point))
            right = J.T @ r + unknowns.information @ (unknowns.mean - point)
            point = point + np.linalg.solve(J.T @ J + unknowns.information, right)
        local = likelihood.flights[0].local
        oracle = Oracle(problem, unknowns, local.spline)
        by_unknowns, by_curves = oracle.derivatives(point, local.coefficients)
        size, curves = local.coefficients.shape
        precision = np.zeros((size, curves, size, curves))
        for k, band in enumerate(np.concatenate([part.precision for part in local.parts])):
            for lag in range(len(band)):
                for i in range(size - lag):
                    precision[i + lag, k, i, k] = precision[i, k, i + lag, k] = band[lag, i]
        assert likelihood.reweigh(point)
        return cls(likelihood, point, by_unknowns, by_curves, precision.reshape(size * curves, size * curves))

    def stacked(self, count=None):
        """Rows and derivatives of the likelihood, in the oracle's order of arrays."""
        rows = {part.channel: part for part in self.likelihood.rows(self.point, count)}
        parts = [rows[name] for name in self.likelihood.flights[0].measured]
        return stacked(tuple(parts))


@pytest.mark.parametrize("case", ORACLE_CASES)
def test_information_is_that_with_every_coefficient_as_an_unknown(case):
    dense = Dense.of(case)
    J, M = dense.by_unknowns, dense.by_curves
    alone = J.T @ J
    expected = alone - J.T @ M @ np.linalg.solve(dense.precision + M.T @ M, M.T @ J)
    white = dense.stacked()[1]
    found, size = white.T @ white, np.sqrt(np.diagonal(expected))
    assert (np.abs(found - expected) / np.outer(size, size)).max() < 1e-6
    share = np.diagonal(expected) / np.diagonal(alone)
    assert share.min() < 0.7  # errors of the curves matter


@pytest.mark.parametrize("case", ["rates, one clock", "wheels, momentum and a tracker"])
def test_curves_settle_where_all_readings_have_them(case):
    dense = Dense.of(case)
    flight, M = dense.likelihood.flights[0], dense.by_curves
    mean = flight.local.coefficients.reshape(-1)
    raw = {}
    for name, reading in flight.readings.items():
        base = PredictedFlight(flight, dense.point, dense.likelihood.phi(dense.point), 0).base(name)
        raw[name] = (reading.residual(base, dense.point) / reading.sd).reshape(-1)
    r = np.concatenate([raw[name] for name in flight.measured])
    step = np.linalg.solve(dense.precision + M.T @ M, M.T @ r)
    energy = ((r - M @ step) ** 2).sum() + step @ dense.precision @ step
    assert (dense.stacked(0)[0] ** 2).sum() == pytest.approx(energy, rel=1e-6)
    moved = dense.likelihood.settle(dense.point)
    assert moved == pytest.approx(np.sqrt(((M @ step) ** 2).mean()), rel=1e-5)
    found = flight.local.coefficients.reshape(-1) - mean
    apart = (found - step) @ dense.precision @ (found - step)
    assert apart < 1e-10 * (step @ dense.precision @ step)
    # from there on rows still count what the curves have moved by: as much energy, but for what is not linear
    assert (dense.stacked(0)[0] ** 2).sum() == pytest.approx(energy, rel=1e-3)
    assert dense.likelihood.settle(dense.point) < 1e-2 * moved


def test_curves_do_not_bend_to_a_model_that_is_far_off():
    made = flown(3, channels=("w",), lasts_s=4.0, bodies=3)
    wrong = made.robot.with_parameters(made.robot.parameters * np.repeat([1.0, 1.0, 3.0], 10))
    for robot, stays in ((made.robot, False), (wrong, True)):
        likelihood = Likelihood(Problem(robot, (made.flight,), nuisances=Nuisances.none()))
        point, (flight,) = likelihood.start(), likelihood.flights
        assert likelihood.reweigh(point)
        before = flight.local.coefficients
        moved = likelihood.settle(point)
        assert (moved == np.inf) == stays
        assert np.array_equal(flight.local.coefficients, before) == stays


# ---------------------------------------------------------------------- sensors that lag, errors that walk


def lagging(flight, response):
    """The flight with a gyro that shows means of instants."""
    return replace(flight, own_instants={"w": replace(flight.own_instants["w"], response=response)})


@pytest.mark.parametrize("momentum", ["zero", "unknown"])
@pytest.mark.parametrize("delays", [(0.0,), (0.01, 0.05, 0.09), (0.01, 0.1, 0.5)])
def test_rows_of_a_gyro_that_lags_are_white(momentum, delays):
    made = flown(3, channels=("w",), momentum=momentum, lasts_s=4.0, wheels=0, bodies=3)
    flight = lagging(made.flight, tuple((delay, 1.0 / len(delays)) for delay in delays))
    assert_white(Likelihood(Problem(made.robot, (flight,))))


def assert_white(likelihood):
    """That the filter's root, applied to both sides of the rows' covariance, leaves the unit matrix."""
    assert likelihood.reweigh(likelihood.start())
    noise = likelihood.flights[0].curve_noise
    count, curves = noise.local.coefficients.shape
    M = np.empty((noise.count, count * curves))
    for column, c in enumerate(np.eye(count * curves)):
        out = np.empty(noise.count)
        by_curves(noise.rows, c.reshape(count, curves), out)
        M[:, column] = out
    precision = np.zeros((count, curves, count, curves))
    for curve, band in enumerate(noise.local.parts[0].precision):
        dense = sum(np.diag(band[lag, : count - lag], -lag) for lag in range(len(band)))
        precision[:, curve, :, curve] = dense + np.tril(dense, -1).T
    V = np.eye(noise.count) + M @ np.linalg.solve(precision.reshape(count * curves, -1), M.T)
    half = np.array(V)
    whiten(noise.rows, half, noise.gains, noise.scales)
    both = np.ascontiguousarray(half.T)
    whiten(noise.rows, both, noise.gains, noise.scales)
    assert both == pytest.approx(np.eye(noise.count), abs=1e-8)


@pytest.mark.parametrize("rate_Hz", [23.0, 800.0])
def test_rows_of_an_accelerometer_beside_a_gyro_are_white(rate_Hz):
    """They see curves before and after their instants, the gyro's in between see them there only."""
    made = flown(3, channels=FORCE, momentum="unknown", lasts_s=2.5, wheels=0, bodies=3, accelerometer_Hz=rate_Hz)
    assert_white(Likelihood(Problem(made.robot, (made.flight,))))


def test_a_velocity_that_walks_stands_beside_curves():
    made = flown(3, channels=("w", "v"), momentum="zero", lasts_s=4.0, wheels=0, bodies=3)
    own = dict(made.flight.own_instants)
    own["v"] = replace(own["v"], walk=np.full(3, 1e-4))
    likelihood = Likelihood(Problem(made.robot, (replace(made.flight, own_instants=own),)))
    point = likelihood.start()
    likelihood.reweigh(point)
    first, again = (stacked(likelihood.rows(point)) for _ in range(2))
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
