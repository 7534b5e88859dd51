"""Adaline and Hopfield-Tank: they find what least squares finds, and what they have in hand beyond it."""

import numpy as np
import pytest
from estimate.changing import changing_case
from estimate.problems import make_case
from scipy.optimize import lsq_linear

from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.linear.adaline import Adaline
from freefloat.estimate.linear.adaline_kernel import learn, response
from freefloat.estimate.linear.hopfield_tank import HopfieldTank, Network, within
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.linear.seen_space import spread

MODELS = ("momentum", "angular-momentum", "torque")
NOISE = {"w": 1e-5, "v": 1e-5, "dq": 1e-6, "torques": 1e-4}
POOR = {"w": 1e-3, "v": 1e-3}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(4))
def test_on_random_trees_both_find_what_least_squares_finds(model, seed):
    problem = make_case(model, seed, noise=NOISE, momentum=("zero", "unknown")[seed % 2]).problem
    batch = LeastSquares().estimate(problem)
    for estimator, tolerance in ((Adaline(), 0.03), (HopfieldTank(), 1e-7)):
        found = estimator.estimate(problem)
        assert np.abs((found.values - batch.values) / batch.sd).max() < tolerance
        np.testing.assert_allclose(found.covariance, batch.covariance, rtol=0.01, atol=1e-6 * batch.covariance.max())
        assert found.warnings == batch.warnings
        for ours, theirs in zip(found.nuisances, batch.nuisances, strict=True):
            assert abs(ours.value - theirs.value) < tolerance * theirs.sd


@pytest.mark.parametrize("estimator", [Adaline(), HopfieldTank()])
def test_what_the_data_do_not_show_stays_at_the_cad_model_and_is_named(estimator):
    problem = make_case("momentum", 1, scale="nothing", base="free").problem
    found, batch = estimator.estimate(problem), LeastSquares().estimate(problem)
    assert len(found.unseen) == 1
    assert found.held == batch.held
    scale = spread(problem.equations())
    assert np.abs(found.unseen @ ((found.values - found.cad) / scale)).max() < 1e-8
    assert np.abs((found.values - batch.values) / scale).max() < 1e-8


# ---------------------------------------------------------------------- Adaline


def test_adaline_comes_nearer_the_more_epochs_it_has():
    problem = make_case("momentum", 2, noise=NOISE).problem
    batch = LeastSquares().estimate(problem)
    off = [
        np.abs((Adaline(epochs=epochs).estimate(problem).values - batch.values) / batch.sd).max()
        for epochs in (8, 40, 200)
    ]
    assert off[0] > 3.0 * off[1] > 9.0 * off[2]


def test_adaline_says_when_it_has_not_learnt_and_how_far_it_is_at_most():
    problem = make_case("momentum", 0, noise=NOISE).problem
    batch = LeastSquares().estimate(problem)
    found = Adaline(whitening="columns").estimate(problem)
    (sentence,) = (sentence for sentence in found.warnings if "neuron" in sentence)
    stated = float(sentence.split("up to ")[1].split()[0])
    actual = np.abs((found.values - batch.values) / batch.sd).max()
    assert actual > 10.0
    assert stated == pytest.approx(actual, rel=0.06)  # two digits are printed


def test_scaled_columns_suffice_where_columns_hardly_depend_on_each_other():
    problem = make_case("torque", 1, noise=NOISE).problem
    assert problem.equations().scaled_condition < 2.0
    batch, found = LeastSquares().estimate(problem), Adaline(whitening="columns").estimate(problem)
    assert np.abs((found.values - batch.values) / batch.sd).max() < 0.03


def test_the_response_of_a_pass_is_its_derivative_by_the_right_hand_side():
    rng = np.random.default_rng(0)
    rows, right, change = rng.normal(size=(50, 4)), rng.normal(size=50), rng.normal(size=50)
    order = rng.permutation(50)
    ends = []
    for b in (right, right + change):
        ends.append(np.zeros(4))
        learn(rows, b, order, 0.05, ends[-1])
    np.testing.assert_allclose(ends[1] - ends[0], response(rows, order, 0.05).T @ change, rtol=1e-12)


def test_one_row_at_the_full_rate_is_fulfilled_at_once():
    row, weights = np.array([[3.0, 4.0]]), np.zeros(2)
    learn(row, np.array([50.0]), np.array([0]), 1.0 / 25.0, weights)
    np.testing.assert_allclose(weights, [6.0, 8.0])


def test_while_tanks_are_filled_a_tracking_adaline_is_right_where_least_squares_is_wrong():
    case = changing_case(seed=5, at=lambda share: share, repeats=40, n=8000, segments=400)
    scale = spread(case.problem.equations())
    wrong, plain = (
        np.abs((estimator.estimate(case.problem).values - case.after) / scale)
        for estimator in (Adaline(tracks=True), LeastSquares())
    )
    assert np.median(wrong) < 0.1 * np.median(plain)
    assert wrong.max() < 0.2 * plain.max()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"rate": 2.0}, "rate of 2.0"),
        ({"rate": np.nan}, "rate of nan"),
        ({"epochs": 1}, "epochs are 1"),
        ({"whitening": "some"}, "allowed: full, columns"),
    ],
)
def test_settings_that_do_not_learn_are_refused(settings, sentence):
    with pytest.raises(InvalidProblem, match=sentence):
        Adaline(**settings)


# ---------------------------------------------------------------------- Hopfield-Tank


def rows_of(seed, noise, reach, n=30, m=200, condition=1e3, uneven=2.0):
    """Rows with columns of all sizes, right-hand side, truth, and bounds about it, off centre."""
    rng = np.random.default_rng(seed)
    inner = np.linalg.qr(rng.normal(size=(m, n)))[0] * np.geomspace(1.0, 1.0 / condition, n)
    matrix = inner @ np.linalg.qr(rng.normal(size=(n, n)))[0] * np.exp(uneven * rng.normal(size=n))
    truth = rng.normal(size=n)
    low, high = truth - reach * rng.uniform(1.0, 2.0, n), truth + reach * rng.uniform(1.0, 2.0, n)
    return matrix, matrix @ truth + noise * rng.normal(size=m), truth, (low + high) / 2.0, (high - low) / 2.0


@pytest.mark.parametrize("seed", range(20))
def test_the_network_finds_exact_truth_within_wide_bounds(seed):
    matrix, right, truth, centre, half = rows_of(seed, 0.0, 10.0)
    x, rests = within(matrix, right, centre, half)
    assert rests
    assert np.abs((x - truth) / half).max() < 1e-8


def constrained(matrix, right, centre, half):
    """The network's answer, whether it rests, and the least squares within bounds by active sets."""
    other = lsq_linear(matrix, right, (centre - half, centre + half), method="bvls", tol=1e-15, max_iter=1000)
    assert (other.active_mask != 0).any()
    return *within(matrix, right, centre, half), other.x


@pytest.mark.parametrize("seed", range(20))
def test_at_its_bounds_the_network_finds_the_constrained_minimum(seed):
    matrix, right, _, centre, half = rows_of(seed, 1e-2, 0.3)
    x, rests, other = constrained(matrix, right, centre, half)
    assert rests
    assert np.abs((x - other) / half).max() < 1e-9
    assert ((centre - half <= x) & (x <= centre + half)).all()


@pytest.mark.parametrize(
    ("seed", "n", "reach", "uneven"), [(0, 150, 0.3, 3.0), (1, 150, 0.3, 3.0), (120, 60, 0.1, 4.0)]
)
def test_many_neurons_with_columns_of_very_different_size_find_it_too(seed, n, reach, uneven):
    matrix, right, _, centre, half = rows_of(seed, 1e-2, reach, n, 5 * n, 1e2, uneven)
    x, rests, other = constrained(matrix, right, centre, half)
    assert rests
    assert np.abs((x - other) / half).max() < 1e-7


def test_a_network_that_has_no_time_to_come_to_rest_says_so(monkeypatch):
    monkeypatch.setattr("freefloat.estimate.linear.hopfield_tank._STEPS", 2)
    found = HopfieldTank().estimate(make_case("momentum", 3, base="free").problem)
    assert any("did not come to rest" in sentence for sentence in found.warnings)
    assert found.outcome == "doubtful"


@pytest.mark.parametrize("seed", range(5))
def test_energy_falls_with_every_step_however_long(seed):
    matrix, right, _, centre, half = rows_of(seed, 1e-2, 0.3)
    size = np.linalg.norm(matrix * half, axis=0)
    network = Network(matrix * half / size, size, right - matrix @ centre)
    for h in (1e-3, 1.0, 1e3, 1e6):
        u = np.random.default_rng(seed).normal(size=half.size)
        for _ in range(3):
            after = network._step(u, h)
            assert np.linalg.norm(network.lacks(after)) < np.linalg.norm(network.lacks(u))
            u = after


def test_short_steps_follow_the_neurons_equation():
    matrix, right, _, centre, half = rows_of(0, 1e-2, 0.3)
    size = np.linalg.norm(matrix * half, axis=0)
    network = Network(matrix * half / size, size, right - matrix @ centre)
    u, h = np.random.default_rng(0).normal(size=half.size), 1e-7
    force = network.synapses.T @ network.lacks(u) / network.weight
    np.testing.assert_allclose((network._step(u, h) - u) / h, force, rtol=1e-3, atol=1e-5 * np.abs(force).max())


def test_with_poor_data_the_network_stays_within_bounds_and_nearer_the_truth():
    better = []
    for seed in range(8):
        case = make_case("momentum", seed, base="free", noise=POOR)
        scale, truth = spread(case.problem.equations()), case.truth()
        bounded, plain = HopfieldTank(spreads=3.0).estimate(case.problem), LeastSquares().estimate(case.problem)
        assert np.abs((bounded.values - bounded.cad) / scale).max() <= 3.0 + 1e-9
        wrong, plainly = (np.linalg.norm((each.values - truth) / scale) for each in (bounded, plain))
        if np.abs((plain.values - plain.cad) / scale).max() < 3.0:
            assert wrong == pytest.approx(plainly, rel=1e-6)
            continue
        better.append(wrong / plainly)
        assert any("stopped at 3 spreads" in sentence for sentence in bounded.warnings)
    assert len(better) >= 3
    assert max(better) < 1.0
    assert np.median(better) < 0.8


@pytest.mark.parametrize("spreads", [0.0, -1.0, np.inf, np.nan])
def test_bounds_that_are_none_are_refused(spreads):
    with pytest.raises(InvalidProblem, match="spreads"):
        HopfieldTank(spreads)
