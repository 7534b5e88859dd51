"""Rows of all unknowns of a planned flight: those of the bound, and their way back against central differences."""

import numpy as np
import pytest
from agreement import assert_agree
from estimate.bound_oracle.flight import information
from excitation.planned_cases import CASES, PUSHED, planned

from freefloat.estimate.bound.bound import cramer_rao_bound
from freefloat.excitation.goals.accuracy import Accuracy, Unseen
from freefloat.excitation.solver.objective import Expected, GoalOnRows, Worst

every_case = pytest.mark.parametrize("case", [*CASES, *PUSHED], ids=str)
STEP, DIRECTIONS = 1e-3, 5


def along(function, at, directions):
    """Central differences, of order six, of a function along directions."""

    def difference(d, steps):
        return function(at + steps * STEP * d) - function(at - steps * STEP * d)

    weights = {1: 45.0, 2: -9.0, 3: 1.0}
    return np.array([sum(w * difference(d, k) for k, w in weights.items()) / (60.0 * STEP) for d in directions])


def directions_of(coefficients, seed=0):
    rng = np.random.default_rng(seed)
    return np.abs(coefficients).max(axis=0) * rng.normal(size=(DIRECTIONS, *coefficients.shape))


@every_case
def test_the_way_back_is_the_derivative_of_the_rows(case):
    robot, motion, rows, conditions = planned(case, 41)
    linear = motion.linear_map(rows.flight.t)

    def filled(coefficients):
        return rows.fill(conditions.samples(motion.channels, linear.motion(coefficients)))

    here = filled(motion.coefficients)
    Z = np.random.default_rng(1).normal(size=here.matrix.shape)
    found = here.pull_back(Z).by_coefficients(robot, motion.channels, linear)
    chosen = directions_of(motion.coefficients)
    expected = along(lambda c: float((Z * filled(c).matrix).sum()), motion.coefficients, chosen)
    assert_agree((chosen * found).sum(axis=(1, 2)), expected, 1e-6)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rows_hold_the_information_of_another_derivation(case):
    """It takes another path, of higher order in time."""
    _, motion, rows, conditions = planned(case, 401)
    samples = conditions.samples(motion.channels, motion.evaluate(rows.flight.t))
    C = rows.fill(samples).matrix
    expected = information(rows.problem, rows.problem.cad)[0]
    size = np.sqrt(np.maximum(np.diagonal(expected), 1e-30))
    assert np.abs((C.T @ C - expected) / np.outer(size, size)).max() < 3e-4


def accuracy_on(case, n=41):
    _, motion, rows, conditions = planned(case, n)
    prior = rows.unknowns.information
    goal = Accuracy(prior, np.eye(prior.shape[0])[: len(rows.problem.minimal)])
    return motion, GoalOnRows(rows, goal, conditions, motion.channels, motion.linear_map(rows.flight.t))


@every_case
def test_predicted_accuracy_has_an_exact_gradient(case):
    motion, objective = accuracy_on(case)
    chosen = directions_of(motion.coefficients)
    expected = along(lambda c: objective.value(c)[0], motion.coefficients, chosen)
    slope = objective.value(motion.coefficients)[1]()
    assert_agree((chosen * slope).sum(axis=(1, 2)), expected, 1e-6)


@pytest.mark.parametrize("case", [CASES[0], *(case for case in CASES if case.clocks), *PUSHED], ids=str)
def test_predicted_accuracy_is_that_of_the_bound(case):
    """Rates without momentum need no attitude; else a design's steps are of second order."""
    motion, objective = accuracy_on(case, 401)
    bound = cramer_rao_bound(objective.rows.problem)
    sd = objective.goal.sd(objective.matrix(motion.coefficients))
    np.testing.assert_allclose(sd, bound.sd, rtol=2e-4 if objective.rows.turns else 1e-6)


def test_steps_of_a_design_are_of_second_order_with_several_clocks():
    case = next(case for case in CASES if len(set(case.clocks.values())) == 5)
    away = []
    for n in (201, 401):
        motion, objective = accuracy_on(case, n)
        bound = cramer_rao_bound(objective.rows.problem)
        away.append(np.abs(objective.goal.sd(objective.matrix(motion.coefficients)) / bound.sd - 1.0).max())
    assert 3.0 < away[0] / away[1] < 5.0


@pytest.mark.parametrize("several", [Expected, Worst])
def test_robust_objectives_have_exact_gradients(several):
    motion, objective = accuracy_on(CASES[0])
    weighted = GoalOnRows(
        objective.rows,
        Accuracy(objective.goal.prior, objective.goal.of, np.arange(1.0, objective.goal.of.shape[0] + 1.0)),
        objective.conditions,
        objective.channels,
        objective.linear,
    )
    both = several([objective, weighted])
    chosen = directions_of(motion.coefficients)
    expected = along(lambda c: both.value(c)[0], motion.coefficients, chosen)
    assert_agree((chosen * both.value(motion.coefficients)[1]()).sum(axis=(1, 2)), expected, 1e-6)
    values = [member.value(motion.coefficients)[0] for member in (objective, weighted)]
    assert min(values) - 1e-12 <= both.value(motion.coefficients)[0] <= max(values) + 1e-12


def test_what_nothing_shows_is_refused_only_if_asked_for():
    C = np.array([[1.0, 0.0], [2.0, 0.0]])
    assert Accuracy(np.zeros((2, 2)), np.array([[1.0, 0.0]])).sd(C) == pytest.approx(1.0 / np.sqrt(5.0))
    with pytest.raises(Unseen):
        Accuracy(np.zeros((2, 2)), np.eye(2)).sd(C)
