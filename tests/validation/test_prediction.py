"""Predictions of random robots: exact for the true one, derivatives as they are, innovations that are N(0, 1)."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.problems import make_case
from scipy.stats import chi2, kstest

from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Residual
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.validation.base_motion import BaseMotionPrediction
from freefloat.validation.checks import innovations, nuisance_sizes
from freefloat.validation.fits import Freedom, fit
from freefloat.validation.judge import judged
from freefloat.validation.linear_rows import LinearPrediction

SD = 1e-4
RELATIVE = 1e-3  # standard deviation of the estimates


def truth_of(case, model):
    """An estimate that is right, and as sure as a thousandth."""
    problem = case.problem
    equations = problem.equations((model,))
    values = case.truth(equations)
    sd = RELATIVE * np.maximum(np.abs(values), 0.01 * np.abs(values).max())
    return Estimate(
        "given", model, problem.robot, problem.known, problem.zero, equations.minimal, values, np.diag(sd**2),
        equations.cad, Residual(1.0, True, 1, 1),
    )  # fmt: skip


def prediction_of(case, model, **nuisances):
    estimate = truth_of(case, model)
    given = replace(Nuisances.none(), **nuisances)
    if model == "momentum":
        robot = case.problem.robot.with_parameters(case.robot.parameters)
        whole = Problem(robot, case.problem.flights, prior=None, nuisances=given)
        return BaseMotionPrediction(whole, replace(estimate, robot=robot)), whole
    asked = replace(case.problem, nuisances=given, models=(model,))
    return LinearPrediction(asked, estimate, model), asked


CASES = [
    ("momentum", "free", {"w": SD}, "zero"),
    ("momentum", "free", {"w": SD, "v": SD, "attitude": SD}, "unknown"),
    ("momentum", "free", {"w": SD, "torques": 0.01}, "zero"),
    ("momentum", "planar", {"w": SD}, "known"),
    ("angular-momentum", "free", {"w": SD}, "zero"),
    ("angular-momentum", "free", {"w": SD}, "unknown"),
    ("torque", "fixed", {"torques": 0.01}, "zero"),
]


def test_the_cad_model_is_assumed_as_the_estimate_assumed_it():
    case = made("momentum", "free", {"w": SD}, "zero", 3)
    usual, problem = prediction_of(case, "momentum")
    wide = replace(usual.estimate, prior=CadSpread(0.3, 0.3, 0.3))
    claimed = BaseMotionPrediction(problem, wide).claimed
    size = np.linalg.norm(usual.claimed.cad_root, axis=1)
    assert np.allclose(np.linalg.norm(claimed.cad_root, axis=1), 3.0 * size, rtol=1e-6, atol=1e-6 * size.max())
    assert np.allclose(claimed.spread, 9.0 * usual.claimed.spread)


def made(model, base, noise, momentum, seed):
    models = "momentum" if model == "momentum" else model
    n = 1500 if "attitude" in noise else 240  # attitudes are integrated from sample to sample
    return make_case(models, seed, base=base, momentum=momentum, bodies=3, n=n, declared=noise)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("model", "base", "noise", "momentum"), CASES)
def test_the_true_robot_predicts_its_flight(model, base, noise, momentum, seed):
    case = made(model, base, noise, momentum, seed)
    prediction, _ = prediction_of(case, model)
    pinned = fit(
        prediction, Freedom.none(prediction.claimed.theta), prediction.start()[prediction.claimed.theta.size :]
    )
    assert np.abs(pinned.residual).max() < (0.1 if "attitude" in noise else 2e-3), "in units of the sensors' noise"
    assert {part.channel for part in pinned.rows} == set(noise)


@pytest.mark.parametrize(("model", "base", "noise", "momentum"), CASES)
def test_derivatives_are_those_of_the_prediction(model, base, noise, momentum):
    case = made(model, base, noise, momentum, 3)
    nuisances = {"gyro_bias_rad_s": 1e-3} if "w" in noise else {}
    prediction, _ = prediction_of(case, model, **nuisances)
    point = fit(
        prediction, Freedom.none(prediction.claimed.theta), prediction.start()[prediction.claimed.theta.size :]
    ).point
    J = stacked(prediction.rows(point, True))[1]
    rng, size = np.random.default_rng(5), np.maximum(np.abs(point), 1e-3)
    step = 1e-6 * size * rng.normal(size=point.size)
    ahead, behind = (stacked(prediction.rows(point + sign * step, False))[0] for sign in (1.0, -1.0))
    change = 0.5 * (behind - ahead)
    near = 2e-3 if "attitude" in noise else 2e-4  # derivatives of attitudes are integrated too: steps squared
    np.testing.assert_allclose(J @ step, change, atol=near * np.abs(change).max())


@pytest.mark.parametrize(("model", "base"), [("momentum", "free"), ("torque", "fixed")])
def test_innovations_of_estimates_that_err_as_they_say_are_standard_normal(model, base):
    noise = {"w": SD} if model == "momentum" else {"torques": 0.01}
    squares, count, probabilities = 0.0, 0, list[float]()
    for seed in range(24):
        case = make_case(model, seed, base=base, bodies=3, n=120, noise=noise)
        prediction, _ = prediction_of(case, model)
        claimed, rng = prediction.claimed, np.random.default_rng([seed, 3])
        moved = claimed.theta + claimed.root @ rng.normal(size=claimed.root.shape[1])
        within = fit(prediction, Freedom.within(moved, claimed.root), prediction.start()[claimed.theta.size :])
        z = innovations(within, np.ones(within.residual.size))
        squares, count = squares + float(z @ z), count + z.size
        probabilities.append(float(chi2.sf(z @ z, z.size)))
    assert count > 100
    assert chi2.ppf(1e-4, count) < squares < chi2.ppf(1.0 - 1e-4, count)
    assert kstest(probabilities, "uniform").pvalue > 1e-3


def test_biases_that_are_as_large_as_was_assumed_are_of_standard_size():
    sizes, sd = list[float](), SD / np.sqrt(240.0)  # the data tell about half of such a bias
    for seed in range(40):
        case = make_case("momentum", seed, base="free", bodies=3, n=240, noise={"w": SD})
        prediction, _ = prediction_of(case, "momentum", gyro_bias_rad_s=sd)
        prediction.mean = sd * np.random.default_rng([seed, 4]).normal(size=3)  # off as much as it may be
        claimed = prediction.claimed
        within = fit(prediction, Freedom.within(claimed.theta, claimed.root), prediction.mean)
        sizes.extend(nuisance_sizes(within, np.ones(within.residual.size)))
    assert len(sizes) == 120
    assert chi2.ppf(1e-4, 120) < np.square(sizes).sum() < chi2.ppf(1.0 - 1e-4, 120)


@pytest.mark.parametrize("wrong", [False, True])
def test_the_verdict_on_clusters_about_the_centre_of_mass(wrong):
    case = make_case("angular-momentum", 4, base="free", bodies=3, n=300, noise={"w": SD})
    prediction, problem = prediction_of(case, "angular-momentum", gyro_bias_rad_s=1e-3)
    estimate = truth_of(case, "angular-momentum")
    if wrong:
        values = np.array(estimate.values)
        values[0] *= 1.1
        estimate = replace(estimate, values=values)
        prediction = LinearPrediction(problem, estimate, "angular-momentum")
    found = judged(prediction, problem, estimate, 0.01)
    assert found.verdict == ("fail" if wrong else "pass"), str(found)
    if wrong:
        assert found.causes[0].name == estimate.names[0]
