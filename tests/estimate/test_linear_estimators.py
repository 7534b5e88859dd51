"""Linear estimators: the truth without noise, honest intervals with it, and never a number in silence."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from estimate.estimators_listed import ESTIMATORS
from estimate.naveen_recordings import naveen_recordings
from estimate.problems import MOMENTA, make_case, with_noise

from freefloat.dynamics.reaction import base_reaction
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.linear.bias_compensated import BiasCompensated
from freefloat.estimate.linear.instrumental_variable import InstrumentalVariable
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.linear.seen_space import spread
from freefloat.estimate.linear.solution import solution_of
from freefloat.estimate.linear.system import LinearSystem, plain_roots
from freefloat.estimate.linear.total_least_squares import TotalLeastSquares
from freefloat.estimate.linear.weighted import Weighted
from freefloat.models.model import NotApplicable
from freefloat.robot.rotations import rotations
from freefloat.studies.catalogue import study_robot

TREES = 30
PAIRS = [(name, model) for name, listed in ESTIMATORS.items() for model in listed.models]
EXACT = 1e-12  # noise that is declared for exact samples: methods that take off its effect take off nothing
LINEAR = (LeastSquares, Weighted, BiasCompensated, TotalLeastSquares, InstrumentalVariable)


# ---------------------------------------------------------------------- without noise


@cache
def exact_case(model, seed):
    """An exact flight of a random tree with its scale fixed by wheels, by a known body, or by torques.

    The problem, the true clusters, and the CAD model's spread of them.
    """
    momentum = MOMENTA[seed % 3] if model not in ("energy", "torque", "base-wrench") else "zero"
    alone = model == "angular-momentum" and momentum != "known"  # a known body fills no cluster of its own there
    scale = "known" if seed // 3 % 2 and not alone else "wheels"
    of_forces = {"energy": "torques", "torque": "torques", "base-wrench": "base_wrench"}
    noise = {of_forces[model]: EXACT} if model in of_forces else {"v": EXACT, "w": EXACT}
    bodies = 3 + seed % 3 if seed % 2 else None
    case = make_case(model, seed, momentum=momentum, scale=scale, declared=noise, bodies=bodies)
    equations = case.problem.equations()
    return case.problem, case.truth(equations), np.sqrt(np.diagonal(equations.cad_covariance))


@pytest.mark.parametrize(("name", "model"), PAIRS)
def test_without_noise_every_estimator_finds_the_truth(name, model):
    listed = ESTIMATORS[name]
    for seed in range(TREES):
        problem, truth, units = exact_case(model, seed)
        estimate = listed.make().estimate(problem)
        assert estimate.held == (), (seed, estimate.held)
        error = (np.abs(estimate.values - truth) / units).max()
        assert error < listed.tolerance, (seed, error)


@pytest.mark.parametrize("models", [("momentum", "torque"), ("angular-momentum", "base-velocity")], ids="+".join)
@pytest.mark.parametrize("estimator", [LeastSquares(), Weighted()], ids=lambda each: each.name)
def test_models_and_flights_combine(estimator, models):
    case = make_case(models, 2, base="free", flights=2, momentum="unknown")
    estimate, equations = estimator.estimate(case.problem), case.problem.equations()
    assert estimate.model == " + ".join(models)
    error = np.abs(estimate.values - case.truth(equations)) / np.sqrt(np.diagonal(equations.cad_covariance))
    assert error.max() < 1e-8


def test_an_unknown_momentum_is_reported_with_its_unit():
    case = make_case("angular-momentum", 3, momentum="unknown", base="free", noise={"w": 1e-6})
    known = make_case("angular-momentum", 3, momentum="known", base="free").problem.flights[0]
    inertial = rotations(known.samples.attitude)[0] @ known.momentum.vector
    found = LeastSquares().estimate(case.problem).nuisances
    assert [(quantity.name, quantity.unit) for quantity in found] == [(f"momentum {axis}", "N m s") for axis in "xyz"]
    for quantity, h in zip(found, inertial, strict=True):
        assert 0.0 < quantity.sd < 0.1
        assert abs(quantity.value - h) < 4.0 * quantity.sd


# ---------------------------------------------------------------------- with noise: beyond least squares


@pytest.mark.parametrize(
    ("estimator", "share"),
    [(Weighted(), 0.7), (BiasCompensated(), 0.4), (TotalLeastSquares(), 0.5), (InstrumentalVariable(), 0.4)],
    ids=lambda each: getattr(each, "name", ""),
)
def test_noisy_rates_naveen_at_20_hz_other_estimators_err_less_than_least_squares(estimator, share):
    """Errors in variables: noise of the base's own rates is in the matrix and draws least squares to zero."""
    assert np.median(errors_at_20_hz(estimator)) < share * np.median(errors_at_20_hz(LeastSquares()))


@cache
def errors_at_20_hz(estimator):
    flown = naveen_recordings(0.05)
    return tuple(np.median(flown.errors(estimator.estimate(flown.problem(run)))) for run in range(4))


def test_total_least_squares_finds_how_large_the_noise_is():
    problem = naveen_recordings(0.05).problem(0)
    flight = problem.flights[0]
    doubted = replace(flight, noise={name: 3.0 * sd for name, sd in flight.noise.items()})
    estimate = TotalLeastSquares().estimate(replace(problem, flights=(doubted,)))
    note, _ = estimate.notes
    level = float(note.removeprefix("noise is ").split()[0])
    assert level == pytest.approx(1.0 / 3.0, rel=0.05)
    told = TotalLeastSquares().estimate(problem)
    np.testing.assert_allclose(estimate.values, told.values, rtol=1e-6)


# ---------------------------------------------------------------------- with noise: honest intervals

SMALL = {"v": 2e-5, "w": 2e-5, "dq": 1e-5}


@cache
def scatter(estimator, model, runs=40):
    """Errors of a small robot's clusters, (runs, clusters), the estimates, and the case."""
    noise = {name: sd for name, sd in SMALL.items() if name != "v" or model != "angular-momentum"}
    case = make_case(model, 11, base="free", bodies=2, n=150, declared=noise)
    (flight,), truth, rng = case.problem.flights, case.truth(), np.random.default_rng(3)
    flown = [replace(flight, samples=with_noise(flight.samples, noise, rng)) for _ in range(runs)]
    estimates = [estimator.estimate(replace(case.problem, flights=(each,))) for each in flown]
    return np.array([estimate.values - truth for estimate in estimates]), estimates


@pytest.mark.parametrize(
    ("estimator", "model"),
    [
        *((each(), "momentum") for each in LINEAR),
        (Weighted(), "angular-momentum"),
        (LeastSquares(), "angular-momentum"),
    ],
    ids=lambda each: getattr(each, "name", each),
)
def test_errors_are_chi_squared_by_the_covariance(estimator, model):
    """All clusters together, for they err together: 40 runs tell the mean to about 6 %."""
    errors, estimates = scatter(estimator, model)
    squares = [e @ np.linalg.solve(found.covariance, e) for e, found in zip(errors, estimates, strict=True)]
    assert np.mean(squares) / errors.shape[1] == pytest.approx(1.0, abs=0.2)
    assert np.mean([found.residual.white for found in estimates]) > 0.9


def test_the_weighted_residual_is_as_large_as_the_noise_says():
    _, estimates = scatter(Weighted(), "momentum")
    assert np.mean([found.residual.ratio for found in estimates]) == pytest.approx(1.0, abs=0.01)


def test_without_known_noise_the_residuals_tell_the_covariance():
    case = make_case("momentum", 11, base="free", bodies=2, n=150, noise=SMALL)
    told = LeastSquares().estimate(case.problem)
    (flight,) = case.problem.flights
    untold = LeastSquares().estimate(replace(case.problem, flights=(replace(flight, noise={}),)))
    np.testing.assert_allclose(untold.values, told.values, rtol=1e-9)
    assert np.isnan(untold.residual.ratio)
    assert 0.5 < np.median(untold.sd / told.sd) < 2.0


def test_least_squares_knows_how_far_noise_draws_it():
    problem = naveen_recordings(0.02).problem(5)
    equations = problem.equations()
    system = LinearSystem.of(equations, plain_roots(equations))
    expected = solution_of(system, system.least_squares(), biased=True).bias
    found = LeastSquares().estimate(problem)
    error = found.values - problem.minimal.values(study_robot("naveen_dual_arm").parameters)
    drawn = np.abs(expected) > 5.0 * np.sqrt(np.diagonal(found.covariance))
    assert drawn.sum() >= 5
    np.testing.assert_allclose(error[drawn], expected[drawn], rtol=0.6)
    assert any("expected to shift" in sentence for sentence in found.warnings)
    assert np.isnan(found.sd).all(), "an interval would not hold the truth"
    assert found.no_interval in found.notes
    assert "no interval" in str(found)
    assert not any("expected to shift" in sentence for sentence in BiasCompensated().estimate(problem).warnings)


def test_a_constant_bias_of_the_gyro_is_not_white():
    case = make_case("angular-momentum", 11, base="free", bodies=2, n=300, noise={"w": 1e-5})
    (flight,) = case.problem.flights
    biased = replace(flight, samples=replace(flight.samples, w=flight.samples.w + 1e-4))
    estimate = LeastSquares().estimate(replace(case.problem, flights=(biased,)))
    assert estimate.residual.white is False
    assert estimate.outcome == "doubtful"
    assert any("not white" in sentence for sentence in estimate.warnings)
    assert LeastSquares().estimate(case.problem).residual.white is True


# ---------------------------------------------------------------------- known values


@pytest.mark.parametrize("estimator", [each() for each in LINEAR], ids=lambda each: each.name)
@pytest.mark.parametrize("model", ["momentum", "angular-momentum"])
def test_what_a_known_value_is_wrong_by_is_in_the_covariance(estimator, model):
    """A known value moved by its standard deviation moves the estimate by what the budget says."""
    known = {"body2.m": 0.01, "body2.Izz": 0.02}
    zero = () if model == "momentum" else ("body2.moments", "body2.products")
    case = known_case(model, known, zero)
    estimate = estimator.estimate(case.problem)
    robot, added = case.problem.robot, np.zeros_like(estimate.covariance)
    for name, relative in known.items():
        column = robot.parameter_names.index(f"{name.split('.')[1]}_body2")
        phi = np.array(robot.parameters)
        phi[column] *= 1.0 + relative
        step = estimator.estimate(replace(case.problem, robot=robot.with_parameters(phi))).values - estimate.values
        added += np.outer(step, step)
    by_source = estimate.budget.shares * np.diagonal(estimate.covariance)[:, None]
    assert estimate.budget.sources[0] == "noise"
    assert set(estimate.budget.sources[1:]) <= set(known)
    assert len(estimate.budget.sources) > 1
    np.testing.assert_allclose(estimate.budget.shares.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(by_source[:, 1:].sum(axis=1), np.diagonal(added), rtol=0.02, atol=1e-18)


def known_case(model, known, zero):
    return make_case(
        model, 8, base="free", bodies=3, scale="wheels", declared={"w": 1e-7, "v": 1e-7}, known=known, zero=zero
    )


# ---------------------------------------------------------------------- never a number in silence


@pytest.mark.parametrize("estimator", [each() for each in LINEAR], ids=lambda each: each.name)
@pytest.mark.parametrize("model", ["momentum", "angular-momentum"])
@pytest.mark.parametrize("noise", [{}, {"v": 1e-6, "w": 1e-6}], ids=["exact", "noisy"])
def test_a_scale_that_nothing_fixes_is_held_and_named(estimator, model, noise):
    case = make_case(model, 6, base="free", bodies=3, scale="nothing", noise=noise)
    estimate = estimator.estimate(case.problem)
    assert estimate.held == ("the common scale of all clusters",)
    assert estimate.unseen.shape == (1, len(estimate.values))
    assert estimate.outcome == "doubtful"
    assert any("spin a wheel" in sentence for sentence in estimate.warnings)
    if not estimate.no_interval:
        held = np.abs(estimate.unseen[0]) * np.sqrt(np.diagonal(case.problem.equations().cad_covariance))
        assert (estimate.sd >= 0.99 * held).all()
        assert np.isinf(estimate.sd).mean() > 0.5
    factor = estimate.values / case.truth()
    assert np.isfinite(estimate.values).all()
    assert np.median(np.abs(factor / np.median(factor) - 1.0)) < (1e-9 if not noise else 1e-2)


def test_a_scale_that_an_unknown_momentum_shares_is_held_at_the_clusters():
    """Clusters and momentum are known up to one factor: that of the CAD model's clusters, whatever it makes of h."""
    case = make_case("angular-momentum", 6, base="free", bodies=3, scale="nothing", momentum="unknown")
    estimate, equations = LeastSquares().estimate(case.problem), case.problem.equations()
    assert estimate.held == ("the common scale of all clusters",)
    assert np.abs(estimate.unseen @ ((estimate.values - estimate.cad) / spread(equations))).max() < 1e-6
    factor = estimate.values / case.truth(equations)
    np.testing.assert_allclose(factor, factor[0], rtol=1e-7)
    assert all(np.isfinite(quantity.value) for quantity in estimate.nuisances)


def test_a_scale_that_nothing_fixes_is_held_even_if_nobody_knows_the_noise():
    case = make_case("momentum", 6, base="free", bodies=3, scale="nothing", noise={"v": 1e-6, "w": 1e-6}, declared={})
    estimate = LeastSquares().estimate(case.problem)
    assert estimate.held == ("the common scale of all clusters",)
    assert np.linalg.norm(estimate.values) > 0.5 * np.linalg.norm(estimate.cad)


@pytest.mark.parametrize("estimator", [each() for each in LINEAR], ids=lambda each: each.name)
def test_what_a_resting_joint_hides_stays_at_the_cad_model_and_is_named(estimator):
    case = make_case("momentum", 6, base="free", bodies=4)
    samples = case.exact[0]
    q, dq = np.array(samples.q), np.array(samples.dq)
    q[:, -1] = dq[:, -1] = 0.0
    v, w = base_reaction(case.robot, replace(samples, q=q, dq=dq))
    flight = Flight(replace(samples, q=q, dq=dq, v=v, w=w), {"v": EXACT, "w": EXACT})
    problem = replace(case.problem, flights=(flight,))
    estimate, equations = estimator.estimate(problem), problem.equations()
    hidden = len(estimate.values) - equations.rank
    assert hidden > 0
    assert estimate.unseen.shape == (hidden, len(estimate.values))
    np.testing.assert_allclose(estimate.unseen @ estimate.unseen.T, np.eye(hidden), atol=1e-9)
    units = spread(equations)
    assert np.abs(estimate.unseen @ ((estimate.values - estimate.cad) / units)).max() < 1e-7
    assert len(estimate.held) == hidden
    shown = ~estimate.open
    assert shown.any()
    error = np.abs(estimate.values - case.truth(equations)) / units
    assert error[shown].max() < 1e-6
    assert error[~shown].max() > 1e-3


def test_nothing_moves_and_nothing_is_found():
    case = make_case("momentum", 6, base="free", bodies=3, scale="nothing")
    still = {name: np.zeros_like(getattr(case.exact[0], name)) for name in ("q", "dq", "v", "w")}
    flight = Flight(replace(case.exact[0], **still))
    estimate = LeastSquares().estimate(replace(case.problem, flights=(flight,)))
    assert estimate.outcome == "failed"
    np.testing.assert_allclose(estimate.values, estimate.cad, rtol=1e-12)
    assert np.isinf(estimate.sd).all()


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize("estimator", [BiasCompensated(), InstrumentalVariable(), TotalLeastSquares()])
def test_methods_for_noisy_rates_refuse_rows_that_are_not_linear_in_them(estimator):
    case = make_case("torque", 0, base="free", declared={"w": 1e-6, "torques": 1e-6})
    with pytest.raises(NotApplicable, match=r"momentum.*angular-momentum"):
        estimator.estimate(case.problem)


def test_a_scaling_that_does_not_exist_is_refused():
    with pytest.raises(InvalidProblem, match="allowed: sensors, plain"):
        TotalLeastSquares("columns")


def test_without_known_noise_compensation_says_that_there_was_none():
    case = make_case("momentum", 1)
    estimate = BiasCompensated().estimate(case.problem)
    assert "no bias could be taken off" in estimate.notes[0]
    assert "erring alike" in TotalLeastSquares().estimate(case.problem).notes[0]
