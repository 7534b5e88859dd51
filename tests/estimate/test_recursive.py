"""The recursive filter: least squares over all rows, whatever their order, in a state that never grows."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from estimate.changing import changing_case
from estimate.problems import make_case, with_noise

from freefloat.errors import ShapeError
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.linear.recursive import Filter, Forgetting, Recursive, time_order
from freefloat.estimate.linear.seen_space import spread
from freefloat.estimate.linear.system import LinearSystem, plain_roots

COLUMNS = 12


def rows_of(seed, m=300, n=COLUMNS, condition=1e3):
    """Rows of a given condition number and columns of all sizes, the truth, right-hand side and its noise."""
    rng = np.random.default_rng(seed)
    inner = np.linalg.qr(rng.normal(size=(m, n)))[0] * np.geomspace(1.0, 1.0 / condition, n)
    matrix = inner @ np.linalg.qr(rng.normal(size=(n, n)))[0] * np.exp(3.0 * rng.normal(size=n))
    truth = rng.normal(size=n)
    sd = np.exp(rng.normal(size=m))
    return matrix, matrix @ truth + sd * rng.normal(size=m), sd, truth


def batch(matrix, right, sd):
    """Least squares over all rows at once, with covariance."""
    size = np.linalg.norm(matrix / sd[:, None], axis=0)
    q, r = np.linalg.qr(matrix / sd[:, None] / size)
    inverse = np.linalg.inv(r) / size[:, None]
    return inverse @ (q.T @ (right / sd)), inverse @ inverse.T


def off(filter_, values, covariance):
    """Largest difference of values in standard deviations, and of covariances relative to the variances."""
    sd = np.sqrt(np.diag(covariance))
    return (
        np.abs((filter_.values - values) / sd).max(),
        np.abs((filter_.covariance - covariance) / np.outer(sd, sd)).max(),
    )


@pytest.mark.parametrize("seed", range(10))
def test_rows_one_by_one_in_any_order_give_batch_least_squares(seed):
    matrix, right, sd, _ = rows_of(seed)
    expected = batch(matrix, right, sd)
    for order in (np.arange(300), np.arange(300)[::-1], np.random.default_rng(seed).permutation(300)):
        filter_ = Filter.start(COLUMNS)
        for i in order:
            filter_ = filter_.update(matrix[i], right[i], sd[i])
        assert max(off(filter_, *expected)) < 1e-9
        np.testing.assert_allclose(filter_.values, expected[0], rtol=1e-9)


@pytest.mark.parametrize("forgetting", [Forgetting(), Forgetting.over(rows=100.0), Forgetting.over(seconds=2.0)])
def test_many_rows_at_once_are_the_same_as_one_by_one(forgetting):
    matrix, right, sd, _ = rows_of(1)
    t = np.cumsum(np.random.default_rng(1).uniform(0.0, 0.1, 300))
    together = Filter.start(COLUMNS, forgetting).update(matrix, right, sd, t)
    alone = Filter.start(COLUMNS, forgetting)
    for i in range(300):
        alone = alone.update(matrix[i], right[i], sd[i], t[i])
    assert max(off(alone, together.values, together.covariance)) < 1e-9
    assert alone.ratio == pytest.approx(together.ratio, rel=1e-9)
    assert (alone.rows, alone.t_s) == (together.rows, together.t_s)
    assert alone.weight == pytest.approx(together.weight, rel=1e-12)


def test_ratio_is_the_root_mean_square_of_the_weighted_residuals():
    matrix, right, sd, _ = rows_of(2)
    filter_ = Filter.start(COLUMNS).update(matrix, right, sd)
    residual = (matrix @ filter_.values - right) / sd
    assert filter_.ratio == pytest.approx(np.sqrt(residual @ residual / (300 - COLUMNS)), rel=1e-9)


def test_forgetting_is_least_squares_with_fading_weights():
    matrix, right, sd, _ = rows_of(3)
    t = np.cumsum(np.random.default_rng(3).uniform(0.0, 0.1, 300))
    share = 0.99 ** np.arange(299, -1, -1) * 0.5 ** (t[-1] - t)
    expected = batch(matrix, right, sd / np.sqrt(share))
    filter_ = Filter.start(COLUMNS, Forgetting(per_row=0.99, per_second=0.5)).update(matrix, right, sd, t)
    assert max(off(filter_, *expected)) < 1e-9
    assert filter_.weight == pytest.approx(share.sum(), rel=1e-12)


def test_a_memory_of_a_length_forgets_all_but_one_part_in_e_in_that_length():
    assert Forgetting.over(seconds=60.0).per_second ** 60.0 == pytest.approx(np.exp(-1.0))
    assert Forgetting.over(rows=500.0).per_row ** 500.0 == pytest.approx(np.exp(-1.0))
    assert Forgetting.over() == Forgetting()


def test_for_constant_values_forgetting_scatters_with_half_the_variance_it_reports():
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(3000, 3))
    runs = [Filter.start(3, Forgetting.over(rows=200.0)).update(matrix, rng.normal(size=3000)) for _ in range(400)]
    scatter = np.mean([run.values @ np.linalg.solve(run.covariance, run.values) for run in runs]) / 3.0
    assert 0.45 < scatter < 0.55


# ---------------------------------------------------------------------- a million rows


def test_a_million_rows_of_a_poor_condition_leave_a_covariance_that_is_one():
    m, n = 1_000_000, 8
    rng = np.random.default_rng(6)
    matrix = rng.normal(size=(m, n)) @ np.linalg.qr(rng.normal(size=(n, n)))[0] * np.geomspace(1.0, 1e-3, n)
    matrix[:, 1] = matrix[:, 0] + 1e-6 * rng.normal(size=m)  # its square would keep four digits of twelve
    truth, sd = rng.normal(size=n), np.full(m, 1e-3)
    right = matrix @ truth + sd * rng.normal(size=m)
    filter_ = Filter.start(n).update(matrix, right, sd)
    expected = batch(matrix, right, sd)
    assert max(off(filter_, *expected)) < 1e-6
    np.testing.assert_array_equal(filter_.covariance, filter_.covariance.T)
    np.linalg.cholesky(filter_.covariance)
    wrong = filter_.values - truth
    assert wrong @ np.linalg.solve(filter_.covariance, wrong) < 30.0  # chi-square of 8, once in five thousand
    assert filter_.ratio == pytest.approx(1.0, abs=0.01)


def test_a_million_rows_in_batches_need_no_more_memory_than_the_first_batch():
    matrix, right, sd, _ = rows_of(7, m=10_000)
    filter_ = Filter.start(COLUMNS).update(matrix, right, sd)
    size = filter_.triangle.nbytes
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(99):
            filter_ = filter_.update(matrix, right, sd)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert filter_.rows == 1_000_000
    assert filter_.triangle.nbytes == size == 8 * (COLUMNS + 1) ** 2
    assert grown < 10 * size
    values, covariance = batch(matrix, right, sd)
    assert max(off(filter_, values, covariance / 100.0)) < 1e-9


# ---------------------------------------------------------------------- as an estimator

MODELS = ("momentum", "angular-momentum", "torque")
NOISE = {"w": 1e-5, "v": 1e-5, "dq": 1e-6, "torques": 1e-4}


def apart(first, second):
    """Largest difference of values and of standard deviations, in the latter."""
    sd = second.sd
    return max(np.abs((first.values - second.values) / sd).max(), np.abs(first.sd / sd - 1.0).max())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(5))
def test_on_random_trees_it_is_batch_least_squares(model, seed):
    problem = make_case(model, seed, noise=NOISE, momentum=("zero", "unknown")[seed % 2]).problem
    assert apart(Recursive().estimate(problem), LeastSquares().estimate(problem)) < 1e-7
    noiseless = make_case(model, seed)
    found, at_once = Recursive().estimate(noiseless.problem), LeastSquares().estimate(noiseless.problem)
    scale = spread(noiseless.problem.equations())
    assert np.abs((found.values - at_once.values) / scale).max() < 1e-9


@pytest.mark.parametrize("model", MODELS)
def test_on_random_trees_any_order_of_the_rows_gives_the_same(model):
    problem = make_case(model, 7, noise=NOISE).problem
    equations = problem.equations()
    system = LinearSystem.of(equations, plain_roots(equations))
    expected = system.least_squares()
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(system.F))
        filter_ = Filter.start(system.F.shape[1]).update(system.F[order], system.g[order, 0])
        np.testing.assert_allclose(filter_.values, expected.z[:, 0], rtol=1e-9, atol=1e-9 * np.abs(expected.z).max())
        np.testing.assert_allclose(
            np.sqrt(np.diag(filter_.covariance)), np.linalg.norm(expected.gain, axis=0), rtol=1e-9
        )


def test_rows_go_flight_by_flight_and_models_together_sample_by_sample():
    case = make_case(("momentum", "torque"), 3, flights=2, base="free")
    equations = case.problem.equations()
    order, passed = time_order(equations)
    assert sorted(order) == list(range(len(equations.right)))
    per_sample = sum(block.per_sample for block in equations.blocks if block.flight == 0)
    t = np.concatenate([np.repeat(flight.t, per_sample) for flight in case.problem.flights])
    np.testing.assert_allclose(passed[1:], np.maximum(np.diff(t), 0.0), atol=1e-12)
    first = {block.model: range(block.rows.start, block.rows.stop) for block in equations.blocks[:2]}
    assert {model for i in order[:per_sample] for model in first if i in first[model]} == {"momentum", "torque"}


def test_intervals_with_forgetting_are_those_of_the_scatter():
    case = make_case("momentum", 4, bodies=2, base="free", noise=NOISE)
    (flight,), (exact,) = case.problem.flights, case.exact
    truth, forgetful = case.truth(), Recursive(Forgetting.over(seconds=5.0))
    squares = []
    for seed in range(60):
        noisy = with_noise(exact, {name: NOISE[name] for name in ("w", "v", "dq")}, np.random.default_rng(seed))
        found = forgetful.estimate(replace(case.problem, flights=(replace(flight, samples=noisy),)))
        squares.append(((found.values - truth) / found.sd) ** 2)
    assert 0.8 < np.mean(squares) < 1.25


def test_after_refuelling_a_forgetful_filter_is_right_where_least_squares_is_wrong():
    case = changing_case(seed=5, at=lambda share: float(share > 0.4))
    scale = spread(case.problem.equations())
    forgetful = Recursive(Forgetting.over(seconds=1.0)).estimate(case.problem)
    wrong = np.abs((forgetful.values - case.after) / scale)
    plain = np.abs((LeastSquares().estimate(case.problem).values - case.after) / scale)
    assert np.median(wrong) < 0.01 * np.median(plain)
    assert wrong.max() < 0.01 * plain.max()
    assert "remembered" in forgetful.notes[0]


def test_a_memory_much_shorter_than_the_last_flight_holds_nothing_of_the_others():
    problem = make_case("momentum", 2, flights=2, base="free", noise=NOISE).problem
    forgetful = Recursive(Forgetting.over(seconds=2.0))
    both, last = forgetful.estimate(problem), forgetful.estimate(replace(problem, flights=problem.flights[1:]))
    first = forgetful.estimate(replace(problem, flights=problem.flights[:1]))
    spread = np.sqrt(np.diagonal(last.covariance))
    assert np.abs((both.values - last.values) / spread).max() < 1e-3
    assert np.abs((both.values - first.values) / spread).max() > 0.1


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", ["row", "right"])
def test_a_number_that_is_not_finite_is_refused_and_its_row_named(bad, place):
    matrix, right, sd, _ = rows_of(8)
    filter_ = Filter.start(COLUMNS).update(matrix, right, sd)
    before = np.array(filter_.triangle)
    (matrix[77] if place == "row" else right[77:])[0] = bad
    with pytest.raises(InvalidProblem, match=r"row 77 .*not finite"):
        filter_.update(matrix, right, sd)
    np.testing.assert_array_equal(filter_.triangle, before)


@pytest.mark.parametrize("sd", [0.0, -1.0, np.nan, np.inf])
def test_a_standard_deviation_that_is_none_is_refused(sd):
    with pytest.raises(InvalidProblem, match="more than zero"):
        Filter.start(2).update([1.0, 2.0], 1.0, sd)


def test_rows_beyond_what_numbers_can_square_are_refused():
    with pytest.raises(InvalidProblem, match="too large"):
        Filter.start(2).update([1e200, 2.0], 1.0)


def test_values_that_the_rows_do_not_show_are_refused_not_invented():
    filter_ = Filter.start(3)
    assert filter_.rank == 0
    filter_ = filter_.update([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 0.0]], [1.0, 2.0, 3.0])
    assert filter_.rank == 2
    for name in ("values", "covariance"):
        with pytest.raises(InvalidProblem, match="2 of 3 unknowns"):
            getattr(filter_, name)


def test_what_is_forgotten_altogether_is_refused_not_invented():
    filter_ = Filter.start(2, Forgetting.over(seconds=1.0)).update(np.eye(2), np.ones(2), t_s=0.0)
    np.testing.assert_allclose(filter_.values, 1.0)
    late = filter_.update([1.0, 0.0], 2.0, t_s=1e6)
    with pytest.raises(InvalidProblem, match="1 of 2 unknowns"):
        late.values  # noqa: B018


@pytest.mark.parametrize("t", [None, [1.0, 0.5], [0.0, np.nan], [-1.0, 0.0]])
def test_a_filter_that_forgets_with_time_needs_times_that_go_on(t):
    filter_ = Filter.start(2, Forgetting.over(seconds=1.0)).update([1.0, 0.0], 1.0, t_s=-0.5)
    with pytest.raises(InvalidProblem, match="time"):
        filter_.update(np.eye(2), np.ones(2), t_s=t)


@pytest.mark.parametrize("share", [0.0, 1.1, -1.0, np.nan])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(InvalidProblem, match="per_second"):
        Forgetting(per_second=share)


def test_no_rows_change_nothing():
    matrix, right, sd, _ = rows_of(9)
    filter_ = Filter.start(COLUMNS, Forgetting.over(seconds=1.0)).update(matrix, right, sd, 5.0)
    same = filter_.update(np.zeros((0, COLUMNS)), [], [], [])
    np.testing.assert_array_equal(same.triangle, filter_.triangle)
    assert (same.rows, same.weight, same.t_s) == (filter_.rows, filter_.weight, filter_.t_s)


def test_rows_of_another_width_are_refused():
    for rows in ([1.0, 2.0, 3.0], np.ones((4, 1)), np.ones((2, 2, 2))):
        with pytest.raises(ShapeError, match="for 2 unknowns, found"):
            Filter.start(2).update(rows, 1.0)
    with pytest.raises(ShapeError, match="right must have shape"):
        Filter.start(2).update(np.eye(2), np.ones(3))
