"""Output error and input error: noiseless truth, exact derivatives, honest intervals, and where to take them."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from agreement import assert_agree
from estimate.naveen_recordings import naveen_recordings
from estimate.problems import make_case, with_noise
from random_trees import random_robot, random_samples

from freefloat.data.processing.derivative_through_samples import ThroughSamples
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.likelihood.input_error import InputError
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.likelihood.output_error import OutputError
from freefloat.estimate.likelihood.torque_balance import TorqueBalance
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.linear.weighted import Weighted
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.models.model import NotApplicable

BASES = ("free", "planar", "fixed")
ALL_SEEN = (0, 3, 4, 7)  # trees of which torques show every cluster, whatever the base
BASE_MOTION = ("v", "w", "dv", "dw", "attitude", "position")


def truth_of(problem, robot):
    """Clusters of the robot that flew."""
    phi = np.zeros(robot.parameters.size)
    phi[problem.unknown] = robot.parameters[problem.unknown]
    return problem.minimal.values(phi)


def wrong_by(estimate, case):
    """Errors in units of the CAD model's spread."""
    spread = np.sqrt(np.diagonal(case.problem.cad_covariance))
    return np.abs(estimate.values - truth_of(case.problem, case.robot)) / spread


def with_flights(case, change):
    """The case with every flight changed."""
    return replace(case, problem=replace(case.problem, flights=tuple(change(each) for each in case.problem.flights)))


# ---------------------------------------------------------------------- output error


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("told", [{"w": 1e-6, "v": 1e-6}, {}], ids=["noise told", "noise not told"])
def test_output_error_finds_noiseless_truth_on_random_trees(seed, told):
    case = make_case("momentum", seed, declared=told, n=600)
    estimate = OutputError().estimate(case.problem)
    assert estimate.method == "output-error"
    assert estimate.unseen.shape[0] == 0
    assert wrong_by(estimate, case).max() < 1e-8


@pytest.mark.parametrize("momentum", ["unknown", "known"])
def test_output_error_finds_noiseless_truth_with_momentum_as_far_as_attitude_is_predicted(momentum):
    case = make_case("momentum", 4, momentum=momentum, n=3000, declared={"w": 1e-6})
    assert wrong_by(OutputError().estimate(case.problem), case).max() < 1e-7


def test_output_error_is_maximum_likelihood_without_prior_and_nuisances():
    case = make_case("momentum", 4, noise={"w": 1e-5, "q": 1e-6, "dq": 1e-6})
    told = replace(case.problem, nuisances=Nuisances())
    alone = with_flights(case, lambda flight: replace(flight, noise={"w": 1e-5})).problem
    output, likelihood = OutputError().estimate(told), MaximumLikelihood().estimate(replace(alone, prior=None))
    np.testing.assert_array_equal(output.values, likelihood.values)
    np.testing.assert_array_equal(output.covariance, likelihood.covariance)
    assert output.nuisances == ()


def test_output_error_without_told_noise_takes_it_from_the_residual():
    case = make_case("momentum", 4, noise={"w": 1e-5}, n=300)
    told = OutputError().estimate(case.problem)
    rates_only = replace(case.problem.flights[0].samples, v=None)
    silent = with_flights(case, lambda flight: replace(flight, samples=rates_only, noise={}))
    found = OutputError().estimate(silent.problem)
    np.testing.assert_allclose(found.values, told.values, atol=1e-3 * told.sd.max())
    assert np.median(found.sd / told.sd) == pytest.approx(told.residual.ratio, rel=0.02)
    assert np.isnan(found.residual.ratio)


def test_noisy_rates_naveen_at_20_hz_output_error_errs_less_than_least_squares():
    """The rates are compared, not multiplied: their noise is not in the matrix."""
    flown = naveen_recordings(0.05)
    output, least = (flown.errors(each.estimate(flown.problem(1))) for each in (OutputError(), LeastSquares()))
    assert np.median(output) < 0.4 * np.median(least)


def test_a_gyro_bias_moves_output_error_and_not_maximum_likelihood():
    case = make_case("momentum", 4, declared={"w": 1e-6}, n=300)
    (flight,) = case.problem.flights
    biased = with_flights(case, lambda _: replace(flight, samples=replace(flight.samples, w=flight.samples.w + 1e-4)))
    problem = replace(biased.problem, nuisances=replace(Nuisances.none(), gyro_bias_rad_s=1e-3))
    output, likelihood = (wrong_by(each.estimate(problem), case) for each in (OutputError(), MaximumLikelihood()))
    assert np.median(output) > 100.0 * np.median(likelihood)


# ---------------------------------------------------------------------- input error: torques and derivatives


def balance_of(robot, samples, columns=None, **flight):
    """The balance of one flight."""
    problem = Problem(robot, (Flight(samples, **flight),), models=("torque",))
    return TorqueBalance(problem, problem.flights[0], np.arange(robot.parameters.size) if columns is None else columns)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", range(6))
def test_eliminating_the_base_gives_the_torques_of_inverse_dynamics(seed, base):
    gravity = base == "fixed" or seed % 2 == 0
    robot = random_robot(seed, base=base, bodies=3 + seed, wheels=seed % 3, gravity=gravity)
    samples = random_samples(robot, 20, seed)
    unmeasured = replace(samples, v=None, dv=None, dw=None, attitude=None)
    assert_agree(balance_of(robot, unmeasured).torques(robot.parameters), samples.torques, 1e-9)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("rates", ["measured", "predicted"])
def test_the_derivative_by_parameters_is_that_of_the_torques(base, rates):
    robot = random_robot(5, base=base, bodies=5, wheels=2, gravity=base == "fixed")
    samples = random_samples(robot, 6, 1)
    samples = replace(samples, w=None if rates == "predicted" else samples.w, base_wrench=None)
    balance = balance_of(robot, samples, without=("body4",) if base == "free" else ())
    tau, slope = balance.with_derivative(robot.parameters)
    np.testing.assert_allclose(tau, balance.torques(robot.parameters), rtol=1e-12)
    for column in range(robot.parameters.size):
        step = 1e-4 * np.eye(robot.parameters.size)[column]
        ends = [balance.torques(robot.parameters + sign * step) for sign in (1.0, -1.0)]
        by_difference = (ends[0] - ends[1]) / 2e-4
        np.testing.assert_allclose(slope[..., column], by_difference, atol=1e-6 * np.abs(slope).max())
    assert np.abs(slope).max() > 0.0


# ---------------------------------------------------------------------- input error: truth


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", range(9))
def test_input_error_finds_noiseless_truth_on_random_trees(seed, base):
    """Torques of a free base with one or two joints do not show everything; what they do not show is left open."""
    case = make_case("torque", seed, base=base, prior=None)
    estimate = InputError().estimate(case.problem)
    assert (estimate.method, estimate.model) == ("input-error", "torque")
    assert wrong_by(estimate, case)[~estimate.open].max(initial=0.0) < 1e-8
    assert base == "planar" or len(estimate.unseen) == 0 or len(case.robot.joints) < 3
    if seed in ALL_SEEN or base == "fixed":
        assert not estimate.open.any()


@pytest.mark.parametrize("base", ["free", "planar"])
@pytest.mark.parametrize("seed", ALL_SEEN)
def test_at_zero_momentum_joints_and_torques_are_enough(seed, base):
    case = make_case("torque", seed, base=base, prior=None)
    nothing = dict.fromkeys(BASE_MOTION)
    blind = with_flights(case, lambda flight: replace(flight, samples=replace(flight.samples, **nothing)))
    estimate = InputError().estimate(blind.problem)
    assert wrong_by(estimate, case).max() < 1e-8
    assert "predicted at zero momentum" in estimate.notes[-1]


def test_flights_combine_and_a_body_may_be_absent_in_one():
    case = make_case("torque", 4, base="free", prior=None, flights=2)
    robot, (first, second) = case.robot, case.problem.flights
    there = np.arange(robot.parameters.size) < robot.parameters.size - 10  # the last body hangs on a tip
    moved = replace(first.samples, base_wrench=None)
    torques = balance_of(robot, moved).torques(np.where(there, robot.parameters, 0.0))
    lost = replace(first, samples=replace(moved, torques=torques), without=(robot.body_names[-1],))
    problem = replace(case.problem, flights=(lost, second))
    estimate = InputError().estimate(problem)
    spread = np.sqrt(np.diagonal(problem.cad_covariance))
    assert not estimate.open.any()
    assert (np.abs(estimate.values - truth_of(problem, robot)) / spread).max() < 1e-8


# ---------------------------------------------------------------------- input error: intervals

TORQUE_SD = 1e-3


def test_on_a_fixed_base_it_is_weighted_least_squares_on_torques():
    case = make_case("torque", 4, base="fixed", prior=None, noise={"torques": TORQUE_SD})
    ours, theirs = InputError().estimate(case.problem), Weighted().estimate(case.problem)
    np.testing.assert_allclose((ours.values - theirs.values) / theirs.sd, 0.0, atol=1e-6)
    np.testing.assert_allclose(ours.sd, theirs.sd, rtol=1e-6)


@cache
def scattered(told):
    """Errors of runs of a small robot, and its estimates; whether the noise was told."""
    case = make_case("torque", 3, base="free", bodies=4, n=200, prior=None)
    (flight,), rng, level = case.problem.flights, np.random.default_rng(1), {"torques": TORQUE_SD}
    noise = level if told else {}
    flown = [replace(flight, samples=with_noise(flight.samples, level, rng), noise=noise) for _ in range(25)]
    estimates = [InputError().estimate(replace(case.problem, flights=(each,))) for each in flown]
    return np.array([each.values for each in estimates]) - truth_of(case.problem, case.robot), estimates


@pytest.mark.parametrize("told", [True, False])
def test_errors_are_chi_squared_by_the_covariance(told):
    errors, estimates = scattered(told)
    squares = [error @ np.linalg.solve(each.covariance, error) for error, each in zip(errors, estimates, strict=True)]
    assert np.mean(squares) / errors.shape[1] == pytest.approx(1.0, abs=0.15)
    ratios = [each.residual.ratio for each in estimates]
    assert np.isnan(ratios).all() if not told else np.mean(ratios) == pytest.approx(1.0, abs=0.02)


def test_a_prior_holds_what_torques_do_not_show_and_known_values_widen_the_intervals():
    noise = {"torques": TORQUE_SD}
    case = make_case("torque", 5, base="free", bodies=3, noise=noise)
    assert len(InputError().estimate(replace(case.problem, prior=None)).unseen) > 0
    estimate = InputError().estimate(case.problem)
    assert len(estimate.unseen) == 0
    assert (wrong_by(estimate, case) < 3.0).all()
    exact = make_case("torque", 4, base="free", noise=noise, known={"body2": 0.0}).problem
    sure, unsure = (InputError().estimate(replace(exact, known={"body2": sd})) for sd in (0.0, 0.05))
    assert "body2" in unsure.budget.sources
    assert (unsure.sd > sure.sd * (1.0 - 1e-9)).all()
    assert (unsure.sd > 1.1 * sure.sd).any()


def test_noisy_base_rates_input_error_beats_least_squares_on_differentiated_ones():
    """Differentiated, the noise of rates drowns the base's rows; eliminated, it hardly matters."""
    case = make_case("torque", 4, base="free", n=600)
    noise = {"w": 1e-4, "v": 1e-4, "torques": TORQUE_SD}

    def measured(flight):
        samples = with_noise(flight.samples, noise, np.random.default_rng(2))
        rises = {f"d{name}": ThroughSamples().motion(flight.t, getattr(samples, name)).rate for name in ("v", "w")}
        return replace(flight, samples=replace(samples, **rises), noise={"torques": TORQUE_SD})

    noisy = with_flights(case, measured)
    errors = {each.name: wrong_by(each.estimate(noisy.problem), case) for each in (InputError(), LeastSquares())}
    assert np.median(errors["input-error"]) < 0.1 * np.median(errors["least-squares"])


# ---------------------------------------------------------------------- what is refused


def test_what_input_error_cannot_do_without_is_said_in_a_sentence():
    problem = make_case("torque", 4, base="free").problem
    (flight,) = problem.flights

    def refused(**changes):
        return replace(problem, flights=(replace(flight, samples=replace(flight.samples, **changes)),))

    with pytest.raises(NotApplicable, match="flight0: joint torques were not measured"):
        InputError().estimate(refused(torques=None))
    tumbling = replace(flight, samples=replace(flight.samples, w=None), momentum="unknown")
    with pytest.raises(NotApplicable, match="its momentum is not zero"):
        InputError().estimate(replace(problem, flights=(tumbling,)))
    torques = np.array(flight.samples.torques)
    torques[7, 0] = np.nan
    with pytest.raises(InvalidProblem, match="torques of sample 7 is not a finite number"):
        InputError().estimate(refused(torques=torques))
    exact = replace(flight, noise={"torques": 0.0})
    with pytest.raises(InvalidProblem, match="noise of torques is zero"):
        InputError().estimate(replace(problem, flights=(exact,)))


def test_a_fixed_base_has_no_output():
    with pytest.raises(NotApplicable, match="compares how the base moves, and a fixed base does not"):
        OutputError().estimate(make_case("torque", 4, base="fixed").problem)
