"""Maximum likelihood on published experiments: how accurate it is, and whether its intervals are honest."""

from dataclasses import replace

import numpy as np
import pytest
from drawn_flights import (
    CHRISTIDI_ZERO,
    christidi_everything_drawn,
    christidi_flight,
    drawn_cad,
    n1_everything_drawn,
    n1_flight,
    n1_real_arm,
    true_values,
)
from published_flights import SIMPLE, n1_leaders

from freefloat.estimate.bound import cramer_rao_bound
from freefloat.estimate.least_squares import LeastSquares
from freefloat.estimate.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.problem import Problem
from freefloat.estimate.total_least_squares import TotalLeastSquares
from freefloat.regressor.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.studies import study_robot

pytestmark = pytest.mark.slow
SMALL_ROWS = {7, 8, 11, 12, 15, 16}


# ---------------------------------------------------------------------- what is measured


def big_clusters(zero):
    """N1's angular momentum, and where its 24 big clusters are."""
    model = AngularMomentum(study_robot("spirolazzi_n1"), zero=zero)
    wanted = [name for name, entry in n1_leaders().items() if entry["table_row"] not in SMALL_ROWS]
    assert len(wanted) == 24
    return model, [model.minimal.leaders.index(name) for name in wanted]


def median_rms_pct(problems, robot, zero):
    """Median over the big clusters of the root mean square of relative errors over all runs, and the estimates."""
    model, big = big_clusters(zero)
    truth = model.values(robot.parameters)[big]
    estimates, errors = [], []
    for problem in problems:
        estimate = MaximumLikelihood().estimate(problem)
        theta = model.underlying.minimal.values(estimate.parameters)
        errors.append(model.structured(theta)[big] / truth - 1.0)
        estimates.append(estimate)
    return 100.0 * float(np.median(np.sqrt(np.mean(np.square(errors), axis=0)))), estimates


def n1_problems(runs, robot=None, zero=SIMPLE, **injected):
    """Runs on N1 with a CAD model drawn for each; the load is known."""
    for run in range(runs):
        rng = np.random.default_rng([run, 47])
        flight = n1_flight(rng, robot, **injected)
        cad = drawn_cad(study_robot("spirolazzi_n1"), rng, SIMPLE, ("load",))
        yield Problem(cad, (flight,), {"load": 0.0}, zero)


# ---------------------------------------------------------------------- honest intervals


@pytest.mark.parametrize(
    ("make", "study", "runs"),
    [(n1_everything_drawn, "spirolazzi_n1", 500), (christidi_everything_drawn, "christidi_servicer", 500)],
)
def test_intervals_cover_the_truth_and_errors_are_those_of_the_bound(make, study, runs):
    robot = study_robot(study)
    covered, beside, squares, information = [], [], [], None
    for run in range(runs):
        problem, drawn = make(run)
        truth = true_values(problem, robot)
        if information is None:
            information = np.linalg.inv(cramer_rao_bound(problem, truth).covariance)
        estimate = MaximumLikelihood().estimate(problem)
        error = estimate.values - truth
        low, high = estimate.interval(0.95).T
        covered.append((low <= truth) & (truth <= high))
        found = {name: estimate.value(name) for name in drawn}
        beside.append([abs(found[name][0] - value) <= 1.96 * found[name][1] for name, value in drawn.items()])
        squares.append(error @ information @ error / error.size)
    each = np.mean(covered, axis=0)
    assert 0.94 <= each.mean() <= 0.96
    for shares in (each, np.mean(beside, axis=0)):
        assert shares.min() >= 0.91
        assert shares.max() <= 0.985
    assert np.sqrt(np.mean(squares)) <= 1.10


# ---------------------------------------------------------------------- Spirolazzi, case study N1


def test_n1_with_the_thesis_simplifications():
    found, estimates = median_rms_pct(n1_problems(500), study_robot("spirolazzi_n1"), SIMPLE)
    assert found <= 0.115
    assert np.mean([estimate.residual.ratio for estimate in estimates]) == pytest.approx(1.0, abs=0.01)


def test_n1_as_it_really_is_needs_general_unknowns_with_a_soft_prior():
    real = n1_real_arm()
    general, estimates = median_rms_pct(n1_problems(100, real, zero=()), real, ())
    simplified, wrong = median_rms_pct(n1_problems(20, real), real, ())
    assert general <= 0.14
    assert simplified >= 3.0 * general
    ratios = [np.mean([estimate.residual.ratio for estimate in found]) for found in (estimates, wrong)]
    assert ratios[0] == pytest.approx(1.0, abs=0.01)
    assert ratios[1] > 1.1


@pytest.mark.parametrize(
    "injected", [{"late_s": 0.043}, {"zeros": 1e-3}, {"drift": 5e-5}], ids=lambda one: next(iter(one))
)
def test_n1_faults_of_clocks_and_zeros_cost_nothing(injected):
    robot, runs = study_robot("spirolazzi_n1"), 100
    plain, _ = median_rms_pct(n1_problems(runs), robot, SIMPLE)
    found, estimates = median_rms_pct(n1_problems(runs, **injected), robot, SIMPLE)
    assert found <= 2.0 * plain
    late = np.array([estimate.value("time offset")[0] for estimate in estimates])
    assert np.sqrt(np.mean((late - injected.get("late_s", 0.0)) ** 2)) <= 2e-4


def test_n1_total_least_squares_does_not_survive_a_lag():
    problem = replace(next(iter(n1_problems(1, late_s=0.043))), models=("angular-momentum",))
    model, big = big_clusters(SIMPLE)
    truth = dict(zip(model.minimal.leaders, model.values(), strict=True))
    for estimator, least in ((TotalLeastSquares(), 0.05), (LeastSquares(), 0.05)):
        estimate = estimator.estimate(problem)
        errors = [abs(estimate.value(model.minimal.leaders[k])[0] / truth[model.minimal.leaders[k]] - 1.0) for k in big]
        assert np.median(errors) > least


# ---------------------------------------------------------------------- Christidi-Loumpasefski, Papadopoulos


def test_christidi_clusters_first_moments_and_total_mass():
    robot = study_robot("christidi_servicer")
    angular, velocity = AngularMomentum(robot, zero=CHRISTIDI_ZERO), BaseVelocity(robot, zero=CHRISTIDI_ZERO)
    pi, eta, mass = [], [], []
    for run in range(100):
        rng = np.random.default_rng([run, 53])
        problem = Problem(drawn_cad(robot, rng, CHRISTIDI_ZERO), (christidi_flight(rng),), zero=CHRISTIDI_ZERO)
        phi = MaximumLikelihood().estimate(problem).parameters
        theta = angular.underlying.minimal.values(phi)
        pi.append(np.abs(angular.structured(theta) / angular.values() - 1.0))
        eta.append(np.abs(velocity.values(phi) / velocity.values() - 1.0))
        mass.append(abs(theta @ angular.underlying.mass / robot.mass - 1.0))
    assert 100.0 * np.mean(pi) <= 0.010
    assert 100.0 * np.mean(eta) <= 0.1
    assert 100.0 * np.mean(mass) <= 0.1
