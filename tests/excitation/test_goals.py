"""Goals: their derivatives against central differences, and what their values must obey."""

from typing import get_args

import numpy as np
import pytest
from agreement import assert_agree

from freefloat.errors import ShapeError
from freefloat.excitation.goals.a_optimal import AOptimal
from freefloat.excitation.goals.by_name import goal_named
from freefloat.excitation.goals.condition_number import ConditionNumber, ayusawa_gradient, true_condition_number
from freefloat.excitation.goals.d_optimal import DOptimal
from freefloat.excitation.goals.e_optimal import EOptimal
from freefloat.excitation.goals.equilibrium import WithEquilibrium, equilibrium
from freefloat.excitation.goals.frobenius import Frobenius
from freefloat.excitation.goals.goal import Goal, Joined
from freefloat.excitation.goals.names import GoalName
from freefloat.excitation.goals.scaled_columns import ScaledColumns
from freefloat.excitation.goals.signal import WithSignal
from freefloat.excitation.goals.spectral import SingularValues

STEP = 1e-6
TOLERANCE = 1e-6
WEIGHTS = np.array([0.5, 2.0, 1.0, 3.0, 0.1])
SPECTRAL = [
    DOptimal(),
    AOptimal(),
    EOptimal(),
    EOptimal(p=2.0),
    ConditionNumber(),
    ConditionNumber(p=1.0),
    ConditionNumber(p=4.0),
    Frobenius(),
]
GOALS = [
    *SPECTRAL,
    AOptimal(WEIGHTS),
    WithEquilibrium(ConditionNumber(), 0.15),
    WithEquilibrium(DOptimal(), 2.0, p=4.0),
    ScaledColumns(ConditionNumber(), WEIGHTS),
    ScaledColumns(ConditionNumber()),
    ScaledColumns(AOptimal()),
    WithSignal(ConditionNumber(), 0.3, signals=2),
    Joined(ConditionNumber(), np.random.default_rng(5).normal(size=(4, 5))),
]


def random_matrix(seed, rows=14, columns=5, spread=1.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)) * 10.0 ** rng.uniform(-spread, spread, columns)


def with_singular_values(sigma, rows=20, seed=0):
    rng = np.random.default_rng(seed)
    U, _ = np.linalg.qr(rng.normal(size=(rows, len(sigma))))
    V, _ = np.linalg.qr(rng.normal(size=(len(sigma), len(sigma))))
    return U * sigma @ V.T


def slope_along(function, C, direction, step=STEP):
    return (function(C + step * direction) - function(C - step * direction)) / (2.0 * step)


def central_differences(function, C):
    found = np.empty_like(C)
    for index in np.ndindex(*C.shape):
        direction = np.zeros_like(C)
        direction[index] = 1.0
        found[index] = slope_along(function, C, direction)
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: f"{goal.name} {getattr(goal, 'p', '')}")
def test_the_derivative_is_that_of_the_value(goal, seed):
    C = random_matrix(seed, columns=7 if isinstance(goal, WithSignal) else 5, spread=0.3)
    _, Z = goal(C)
    assert_agree(Z.reshape(1, -1), central_differences(lambda D: goal(D)[0], C).reshape(1, -1), TOLERANCE, 1.0)


def test_an_ill_conditioned_matrix_has_exact_derivatives_too():
    C = with_singular_values(np.array([1e3, 10.0, 1.0, 1e-2, 1e-3]))
    direction = random_matrix(3, *C.shape) * 1e-3
    for goal in SPECTRAL:
        expected = slope_along(lambda D, goal=goal: goal(D)[0], C, direction, step=1e-4)
        assert (goal(C)[1] * direction).sum() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("sigma", [[9.0, 3.0, 2.0, 2.0, 2.0], [9.0, 9.0, 5.0, 4.0, 2.0], [3.0, 3.0, 3.0, 3.0, 3.0]])
def test_at_repeated_singular_values_the_soft_condition_number_has_its_derivative(sigma):
    C, rng = with_singular_values(np.array(sigma)), np.random.default_rng(1)
    for goal in (ConditionNumber(), EOptimal(), Frobenius()):
        _, Z = goal(C)
        size = np.linalg.norm(Z) + 1.0 / sigma[-1]
        for _ in range(50):
            direction = rng.normal(size=C.shape)
            expected = slope_along(lambda D, goal=goal: goal(D)[0], C, direction, step=1e-5)
            assert abs((Z * direction).sum() - expected) < 1e-6 * size * np.linalg.norm(direction)


def test_at_a_repeated_singular_value_equation_17_is_wrong_in_most_directions():
    C, rng = with_singular_values(np.array([9.0, 3.0, 2.0, 2.0, 2.0])), np.random.default_rng(2)
    Z = ayusawa_gradient(C)
    wrong = 0
    for _ in range(200):
        direction = rng.normal(size=C.shape)
        step = 1e-6
        ahead = (true_condition_number(C + step * direction) - true_condition_number(C)) / step
        wrong += abs((Z * direction).sum() - ahead) > 1e-2 * abs(ahead)
    assert wrong > 180


@pytest.mark.parametrize("smallest", [1.0, 1e-3])
def test_elsewhere_equation_17_is_the_derivative_of_the_condition_number(smallest):
    C = with_singular_values(np.array([9.0, 7.0, 3.0, 2.0, smallest]))
    expected = central_differences(true_condition_number, C)
    assert_agree(ayusawa_gradient(C).reshape(1, -1), expected.reshape(1, -1), TOLERANCE, 1.0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("p", [1.0, 4.0, 16.0, 64.0])
def test_soft_values_are_bounded_by_the_true_ones(p, seed):
    C = random_matrix(seed)
    soft, true = np.exp(ConditionNumber(p)(C)[0]), np.linalg.cond(C)
    assert true <= soft * (1 + 1e-12) <= 5 ** (2.0 / p) * true * (1 + 1e-9)
    soft, true = np.exp(-EOptimal(p)(C)[0]), np.linalg.svd(C)[1][-1]
    assert 5 ** (-1.0 / p) * true * (1 - 1e-9) <= soft <= true * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_reports_are_the_numbers_of_linear_algebra(seed):
    C = random_matrix(seed)
    A = C.T @ C
    covariance = np.linalg.inv(A)
    assert ConditionNumber().report(C) == pytest.approx(np.linalg.cond(C))
    assert true_condition_number(C) == pytest.approx(np.linalg.cond(C))
    assert EOptimal().report(C) == pytest.approx(np.linalg.norm(C, -2))
    assert AOptimal().report(C) == pytest.approx(np.sqrt(np.trace(covariance)))
    assert AOptimal(WEIGHTS).report(C) == pytest.approx(np.sqrt(WEIGHTS**2 @ np.diag(covariance)))
    assert Frobenius().report(C) == pytest.approx(np.linalg.cond(A, "fro"))
    assert DOptimal().report(C) == pytest.approx(np.linalg.det(covariance) ** 0.1)


@pytest.mark.parametrize("seed", range(5))
def test_values_are_logarithms_of_reports(seed):
    C = random_matrix(seed)
    assert DOptimal()(C)[0] == pytest.approx(-np.linalg.slogdet(C.T @ C)[1] / 5)
    assert AOptimal()(C)[0] == pytest.approx(np.log(np.trace(np.linalg.inv(C.T @ C))))
    assert Frobenius()(C)[0] == pytest.approx(np.log(np.linalg.cond(C.T @ C, "fro")))


def test_equilibrium_is_the_ratio_of_extreme_entries_that_are_not_zero():
    C = random_matrix(6)
    true = np.abs(C).max() / np.abs(C).min()
    assert equilibrium(C) == pytest.approx(true)
    soft = np.exp(WithEquilibrium(DOptimal(), 1.0)(C)[0] - DOptimal()(C)[0])
    assert true <= soft <= C.size ** (2 / 16) * true
    holed = C.copy()
    holed[3, 2] = 0.0
    assert equilibrium(holed) <= true
    value, Z = WithEquilibrium(DOptimal(), 1.0)(holed)
    assert np.isfinite(value)
    assert Z[3, 2] == DOptimal()(holed)[1][3, 2]


@pytest.mark.parametrize("goal", [ScaledColumns(ConditionNumber()), ScaledColumns(DOptimal())], ids=lambda g: g.name)
def test_with_columns_of_length_one_units_do_not_matter(goal):
    C = random_matrix(7)
    assert goal(C * WEIGHTS)[0] == pytest.approx(goal(C)[0])
    assert goal(C)[0] == pytest.approx(goal.goal(C / np.linalg.norm(C, axis=0))[0])


def test_the_signal_term_is_the_inverse_of_the_mean_square_signal():
    C, rng = random_matrix(8), np.random.default_rng(8)
    h = rng.normal(size=(14, 2))
    value, Z = WithSignal(ConditionNumber(), 3.0, signals=2)(np.hstack([C, h / np.sqrt(h.size)]))
    assert value == pytest.approx(ConditionNumber()(C)[0] + 3.0 / (h**2).mean())
    np.testing.assert_allclose(Z[:, :5], ConditionNumber()(C)[1], rtol=1e-9, atol=1e-12)


def test_joined_rows_count_as_if_flown_together():
    first, second = random_matrix(9), random_matrix(10)
    value, Z = Joined(ConditionNumber(), first)(second)
    together, whole = ConditionNumber()(np.vstack([first, second]))
    assert value == together
    np.testing.assert_array_equal(Z, whole[14:])


def test_fewer_rows_than_columns_are_refused():
    with pytest.raises(ShapeError, match="at least as many rows as columns"):
        ConditionNumber()(np.ones((3, 5)))


def test_a_matrix_without_full_rank_has_a_large_but_finite_condition_number():
    C = random_matrix(11)
    C[:, 1] = C[:, 0]
    value, Z = ConditionNumber()(C)
    assert np.log(1e12) < value < np.log(1e20)
    assert np.isfinite(Z).all()
    assert np.isfinite(ConditionNumber()(np.zeros((6, 5)))[0])


def test_singular_values_agree_with_those_of_the_library():
    for spread in (0.1, 3.0):
        C = random_matrix(12, spread=spread)
        np.testing.assert_allclose(SingularValues.of(C).sigma, np.linalg.svd(C, compute_uv=False), rtol=1e-9)


@pytest.mark.parametrize("name", get_args(GoalName))
def test_every_goal_has_a_class_in_the_file_of_its_name_and_says_what_its_value_means(name):
    kind = goal_named(name)
    assert issubclass(kind, Goal)
    assert kind.__module__ == f"freefloat.excitation.goals.{name.replace('-', '_')}"
    assert kind.words(0.5) != kind.words(0.6)
    assert kind.of_sensors == (name in ("accuracy", "worst-accuracy", "reveal"))


def test_a_goal_of_ones_own_need_not_say_what_its_value_means():
    assert Goal.words(0.123456789) == "0.12346"
