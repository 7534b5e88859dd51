"""The Kalman filter: maximum likelihood sample by sample, honest from the first sample on, and never indefinite."""

import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy.linalg
from estimate.estimates_made import wrong_cad
from estimate.problems import make_case, with_noise
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from scipy.spatial.transform import Rotation

from freefloat.compile_stamp import text_stamp
from freefloat.dynamics.reaction import base_reaction
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.kalman import kernel, prediction_kernel, second_order_kernel
from freefloat.estimate.kalman.kalman import Kalman
from freefloat.estimate.kalman.passes import KalmanRun
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem_data import Nuisances
from freefloat.models.model import NotApplicable

GYRO, TRACKER = 1e-5, 1e-4
BIAS = replace(Nuisances.none(), gyro_bias_rad_s=1e-3)
SAME = replace(BIAS, joint_zero_rad=1e-3, joint_zero_m=1e-3)  # all that the filter knows beside the clusters


def measured(case, seed=2, channels=("w",), bias=1e-4, **flight):
    """The problem of a case with noisy readings of these channels, the gyro's with a bias."""
    rng, levels = np.random.default_rng(seed), {"w": GYRO, "attitude": TRACKER}
    axes = np.array([0.0, 0.0, 1.0]) if case.robot.base == "planar" else np.ones(3)
    flights = []
    for each in case.problem.flights:
        samples = with_noise(each.samples, {"w": GYRO}, rng)
        turns = Rotation.from_rotvec(TRACKER * rng.normal(size=(len(samples), 3)) * axes)
        attitude = (Rotation.from_quat(samples.attitude) * turns).as_quat()
        samples = replace(samples, w=(samples.w + bias) * axes, attitude=attitude)
        flights.append(replace(each, samples=samples, noise={name: levels[name] for name in channels}, **flight))
    return replace(case.problem, flights=tuple(flights))


def truth_of(problem, robot):
    """Clusters of the robot that flew."""
    phi = np.zeros(robot.parameters.size)
    phi[problem.unknown] = robot.parameters[problem.unknown]
    return problem.minimal.values(phi)


def apart(first, second):
    """Largest difference of clusters in standard deviations, and of these."""
    return np.abs((first.values - second.values) / second.sd).max(), np.abs(first.sd / second.sd - 1.0).max()


# ---------------------------------------------------------------------- against maximum likelihood

SETTINGS = {
    "gyro": {"seed": 4},
    "gyro and star tracker": {"seed": 4, "channels": ("w", "attitude")},
    "unknown momentum": {"seed": 4, "momentum": "unknown"},
    "unknown momentum and star tracker": {"seed": 7, "momentum": "unknown", "channels": ("w", "attitude")},
    "known momentum": {"seed": 7, "momentum": "known"},
    "star tracker alone": {"seed": 7, "momentum": "unknown", "channels": ("attitude",)},
    "planar": {"seed": 3, "base": "planar", "momentum": "unknown", "channels": ("w", "attitude")},
    "two flights": {"seed": 7, "momentum": "unknown", "flights": 2},
    "known body with a spread": {"seed": 4, "scale": "known", "known": {"body4": 0.05}},
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_with_the_same_unknowns_it_is_maximum_likelihood(setting):
    given = {"base": "free", "bodies": 5, "n": 300, "nuisances": SAME, "cad_error": 0.02} | SETTINGS[setting]
    channels, seed = given.pop("channels", ("w",)), given.pop("seed")
    problem = measured(make_case("momentum", seed, **given), channels=channels)
    filtered, likely = Kalman().estimate(problem), MaximumLikelihood().estimate(problem)
    values, sds = apart(filtered, likely)
    assert values < 0.01
    assert sds < 0.01
    assert filtered.residual.ratio == pytest.approx(likely.residual.ratio, abs=0.01)
    assert filtered.residual.white == likely.residual.white
    shares = dict(zip(likely.budget.sources, likely.budget.shares.T, strict=True))
    for source, share in zip(filtered.budget.sources, filtered.budget.shares.T, strict=True):
        if source != "gyro bias" or "w" in channels:
            np.testing.assert_allclose(share, shares[source], atol=0.01)


def test_of_one_flight_everything_else_is_that_of_maximum_likelihood_too():
    case = make_case("momentum", 4, base="free", bodies=5, n=300, nuisances=SAME, momentum="unknown", cad_error=0.02)
    problem = measured(case, channels=("w", "attitude"))
    filtered, likely = Kalman().estimate(problem), MaximumLikelihood().estimate(problem)
    assert {each.name for each in filtered.nuisances} == {each.name for each in likely.nuisances}
    for each in filtered.nuisances:
        value, sd = likely.value(each.name)
        assert abs(each.value - value) < 0.01 * sd
        assert each.sd == pytest.approx(sd, rel=0.01)


def test_errors_of_sampled_joints_weigh_as_in_maximum_likelihood():
    problem = make_case("momentum", 4, n=300, noise={"w": GYRO, "q": GYRO, "dq": GYRO, "wheel_rates": 1e-3}).problem
    assert max(apart(Kalman().estimate(problem), MaximumLikelihood().estimate(problem))) < 0.01


def test_a_slow_star_tracker_is_read_once():
    case = make_case("momentum", 4, base="free", bodies=5, n=301, nuisances=BIAS, momentum="unknown", cad_error=0.02)
    problem = measured(case, channels=("w", "attitude"), every={"attitude": 20})
    assert max(apart(Kalman().estimate(problem), MaximumLikelihood().estimate(problem))) < 0.01
    readings = np.isfinite(Kalman(passes=1).track(problem).innovations)
    assert readings[:, :3].all()
    np.testing.assert_array_equal(readings[:, 3:].all(axis=1), np.arange(301) % 20 == 0)


def test_a_body_may_be_absent_in_a_flight():
    case = make_case("momentum", 4, base="free", flights=2, n=300, declared={"w": GYRO})
    robot, (first, second) = case.robot, case.problem.flights
    there = np.arange(robot.parameters.size) < robot.parameters.size - 10  # the last body hangs on a tip
    lighter = robot.with_parameters(np.where(there, robot.parameters, 0.0))
    v, w = base_reaction(lighter, first.samples)
    lost = replace(first, samples=replace(first.samples, v=v, w=w), without=(robot.body_names[-1],))
    problem = replace(case.problem, flights=(lost, second))
    assert max(apart(Kalman().estimate(problem), MaximumLikelihood().estimate(problem))) < 0.01


def test_without_a_prior_the_usual_spread_is_where_it_begins():
    problem = measured(make_case("momentum", 4, n=300, nuisances=BIAS))
    alone, usual = (Kalman().estimate(replace(problem, prior=prior)) for prior in (None, CadSpread()))
    np.testing.assert_array_equal(alone.values, usual.values)
    np.testing.assert_array_equal(alone.covariance, usual.covariance)


# ---------------------------------------------------------------------- truth and honesty


@pytest.mark.parametrize("seed", [0, 3, 4, 7, 9, 10, 12])
def test_noiseless_truth_is_found_on_random_trees(seed):
    """Where a gyro shows every cluster; the prior holds back by the square of the noise that is told."""
    case = make_case("momentum", seed, n=300, declared={"w": 1e-9})
    estimate = Kalman().estimate(case.problem)
    spread = np.sqrt(np.diagonal(case.problem.cad_covariance))
    assert (np.abs(estimate.values - truth_of(case.problem, case.robot)) / spread).max() < 1e-8


@cache
def drawn(run, passes):
    """Mean square error of one run by its covariance: tree, CAD model and noise are those of the run."""
    case = make_case("momentum", (0, 3, 4, 7)[run % 4], n=300, nuisances=BIAS)
    problem = measured(replace(case, problem=replace(case.problem, robot=wrong_cad(case.robot, run))), seed=run)
    error = (estimate := Kalman(passes=passes).estimate(problem)).values - truth_of(problem, case.robot)
    return float(error @ np.linalg.solve(estimate.covariance, error)) / error.size


def test_errors_are_chi_squared_by_the_covariance():
    assert np.mean([drawn(run, 10) for run in range(16)]) == pytest.approx(1.0, abs=0.2)


def test_after_one_pass_as_on_board_it_knows_how_little_it_knows():
    """Linear prediction alone would be wrong by hundreds of the standard deviations it claims."""
    squares = [drawn(run, 1) for run in range(16)]
    assert 0.2 < np.mean(squares) < 1.2
    assert max(squares) < 3.0


# ---------------------------------------------------------------------- the covariance


def test_after_a_hundred_thousand_samples_the_covariance_is_that_of_orthogonal_factors():
    """Squares of these rows would keep two digits; a weakly seen cluster would then have any variance."""
    case = make_case("momentum", 3, n=100_000, bodies=3, base="free", declared={"w": 1e-4}, cad_error=0.0)
    problem = case.problem
    last = KalmanRun(problem).again(problem.cad)
    covariance = last.root @ last.root.T
    np.testing.assert_array_equal(covariance, covariance.T)
    np.linalg.cholesky(covariance)
    units = np.sqrt(np.diagonal(problem.cad_covariance))
    prior = np.linalg.inv(np.linalg.cholesky(problem.cad_covariance))
    rows = np.vstack([stacked(Likelihood(problem).rows(problem.cad))[1], prior]) * units
    R = np.linalg.qr(rows)[1]
    assert np.linalg.cond(R) > 1e7
    root = scipy.linalg.solve_triangular(R, np.eye(len(R)))
    np.testing.assert_allclose(np.sqrt(np.diagonal(covariance)), np.linalg.norm(root, axis=1) * units, rtol=1e-4)


# ---------------------------------------------------------------------- the track


@cache
def tracked(passes):
    problem = measured(make_case("momentum", 4, base="free", n=200, nuisances=SAME, flights=2, momentum="unknown"))
    return problem, Kalman(passes=passes).track(problem), Kalman(passes=passes).estimate(problem)


@pytest.mark.parametrize("passes", [1, 10])
def test_a_track_ends_at_the_estimate(passes):
    _, track, estimate = tracked(passes)
    assert track.values.shape == track.sd.shape == (400, len(track.names))
    np.testing.assert_array_equal(track.values[-1, : len(estimate.values)], estimate.values)
    np.testing.assert_allclose(track.sd[-1, : len(estimate.values)], estimate.sd, rtol=1e-9)
    assert track.names[: len(estimate.names)] == estimate.names
    assert {each.name for each in estimate.nuisances} == set(track.names[len(estimate.names) :])


@pytest.mark.parametrize("passes", [1, 10])
def test_nothing_that_is_constant_becomes_less_certain(passes):
    _, track, _ = tracked(passes)
    for index, name in enumerate(track.names):
        if not name.startswith("gyro bias"):
            assert (np.diff(track.sd[:, index]) <= 1e-9 * track.sd[0, index]).all(), name


def test_what_belongs_to_a_flight_is_told_in_that_flight():
    _, track, _ = tracked(1)
    for flight in (0, 1):
        own = [
            index
            for index, name in enumerate(track.names)
            if name.startswith("gyro bias") and name.endswith(str(flight))
        ]
        assert len(own) == 3
        np.testing.assert_array_equal(np.isfinite(track.values[:, own]).all(axis=1), track.flight == flight)


def test_one_pass_knows_nothing_of_the_future():
    problem, track, _ = tracked(1)
    short = replace(problem.flights[0], samples=problem.flights[0].samples[:120], curves=None)
    early = Kalman(passes=1).track(replace(problem, flights=(short, *problem.flights[1:])))
    momenta = [index for index, name in enumerate(track.names) if "flight1" in name]
    for index in range(len(track.names)):
        if index not in momenta:
            np.testing.assert_allclose(early.values[:119, index], track.values[:119, index], rtol=1e-9, atol=1e-15)


def test_innovations_are_white_and_of_variance_one():
    case = make_case("momentum", 4, n=2000, nuisances=BIAS)
    problem = measured(replace(case, problem=replace(case.problem, robot=wrong_cad(case.robot, 1))))
    nu = Kalman().track(problem).innovations[:, :3]
    assert (nu**2).mean() == pytest.approx(1.0, abs=0.06)
    assert np.abs((nu[1:] * nu[:-1]).mean(axis=0)).max() < 4.0 / np.sqrt(2000)


# ---------------------------------------------------------------------- a bias that walks


@cache
def walking(seed, walk=3e-5):
    """A problem with a gyro whose bias walks, the true clusters, and the bias at the end."""
    case = make_case("momentum", seed, n=600, nuisances=BIAS)
    rng, (flight,) = np.random.default_rng([seed, 3]), case.problem.flights
    step = walk * np.sqrt(flight.t[1] - flight.t[0])
    bias = 1e-3 * rng.normal(size=3) + np.cumsum(step * rng.normal(size=(600, 3)), axis=0)
    samples = with_noise(flight.samples, {"w": GYRO, "v": GYRO}, rng)
    samples = replace(samples, w=samples.w + bias)
    told = replace(flight, samples=samples, noise={"w": GYRO, "v": GYRO}, walks={"w": walk})
    return replace(case.problem, flights=(told,)), truth_of(case.problem, case.robot), bias[-1]


@pytest.mark.parametrize("seed", [3, 7, 12])
def test_a_gyro_bias_that_walks_the_filter_follows_and_beats_least_squares(seed):
    problem, truth, bias = walking(seed)
    filtered, least = Kalman().estimate(problem), LeastSquares().estimate(problem)
    spread = np.sqrt(np.diagonal(problem.cad_covariance))
    errors = [np.median(np.abs(each.values - truth) / spread) for each in (filtered, least)]
    assert errors[0] < 0.1 * errors[1]
    found = [filtered.value(f"gyro bias {axis}") for axis in "xyz"]
    assert max(abs(value - end) / sd for (value, sd), end in zip(found, bias, strict=True)) < 4.0
    assert filtered.residual.white
    assert filtered.residual.ratio == pytest.approx(1.0, abs=0.06)


def test_intervals_are_honest_where_the_bias_walks():
    squares = []
    for seed in (0, 3, 4, 7, 10, 12):
        problem, truth, _ = walking(seed)
        estimate = Kalman().estimate(problem)
        error = estimate.values - truth
        squares.append(float(np.mean((error / estimate.sd) ** 2)))
    assert 0.6 < np.mean(squares) < 1.5


def test_a_slow_walk_costs_what_it_costs_maximum_likelihood():
    problem, _, _ = walking(4, walk=1e-6)
    gyro_only = replace(problem, flights=(replace(problem.flights[0], noise={"w": GYRO}),))
    assert apart(Kalman().estimate(problem), MaximumLikelihood().estimate(gyro_only))[1] < 0.05


# ---------------------------------------------------------------------- what is refused or said


def test_what_the_filter_cannot_do_is_said_in_a_sentence():
    problem = measured(make_case("momentum", 4, n=60))
    with pytest.raises(InvalidProblem, match="makes 0 passes; allowed: one or more"):
        Kalman(passes=0)
    with pytest.raises(NotApplicable, match="compares how the base moves, and a fixed base does not"):
        Kalman().estimate(make_case("torque", 4, base="fixed").problem)
    with pytest.raises(InvalidProblem, match="neither angular rates nor attitude"):
        Kalman().estimate(replace(problem, flights=(replace(problem.flights[0], noise={}),)))
    w = np.array(problem.flights[0].samples.w)
    w[5] = np.nan
    broken = replace(problem.flights[0], samples=replace(problem.flights[0].samples, w=w))
    for verb in (Kalman().estimate, Kalman().track):
        with pytest.raises(InvalidProblem, match="w of sample 5 is not a finite number"):
            verb(replace(problem, flights=(broken,)))


def test_passes_that_did_not_settle_and_readings_that_were_not_used_are_told():
    case = make_case("momentum", 4, n=300, declared={"w": GYRO, "v": GYRO})
    estimate = Kalman(passes=2).estimate(case.problem)
    assert any("allow more passes" in sentence for sentence in estimate.warnings)
    assert any("v not used" in sentence for sentence in estimate.notes)
    assert estimate.outcome != "good"


# ---------------------------------------------------------------------- the compile cache


def test_only_the_filter_is_cached_and_its_stamp_covers_all_it_calls():
    own = (kernel, prediction_kernel, second_order_kernel)
    called = set()
    for module in own:
        for name, function in vars(module).items():
            if isinstance(function, Dispatcher) and function is not kernel.run:
                called.add(function.py_func.__module__)
                uncached = isinstance(function._cache, NullCache)
                assert uncached == (function.py_func.__module__ in {each.__name__ for each in own}), name
    modules = [sys.modules[name] for name in sorted(called - {kernel.__name__})]
    assert kernel.run.py_func.__closure__[0].cell_contents == text_stamp(*modules)
