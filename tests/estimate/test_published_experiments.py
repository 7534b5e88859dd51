"""Maximum likelihood on published experiments: how accurate it is, and whether its intervals are honest."""

from functools import cache

import numpy as np
import pytest

from freefloat.estimate.bound.bound import cramer_rao_bound
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.linear.total_least_squares import TotalLeastSquares
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.studies.catalogue import study_robot
from freefloat.studies.christidi.servicer import Servicer
from freefloat.studies.simulated import true_clusters
from freefloat.studies.spirolazzi.cluster_table import SIMPLE, cluster_table
from freefloat.studies.spirolazzi.n1 import N1, real_arm
from freefloat.studies.spirolazzi.runs import big_relative_errors, estimated_clusters, median_rms

pytestmark = pytest.mark.slow


# ---------------------------------------------------------------------- what is measured


def big_clusters(zero):
    """N1's angular momentum, and where its 24 big clusters are."""
    model = AngularMomentum(study_robot("spirolazzi_n1"), zero=zero)
    return model, cluster_table("spirolazzi_n1").big_places(model.minimal.leaders)


def median_rms_pct(problems, robot, zero):
    """Median over the big clusters of the root mean square of relative errors over all runs, and the estimates."""
    model = AngularMomentum(robot, zero=zero)
    estimates = [MaximumLikelihood().estimate(problem) for problem in problems]
    return 100.0 * median_rms(big_relative_errors(model, estimated_clusters(model, estimates))), estimates


@cache
def n1():
    return N1(study_robot("spirolazzi_n1"))


def n1_everything_drawn(run):
    return n1().everything_drawn(run, on_paper=False)


# ---------------------------------------------------------------------- honest intervals


@cache
def christidi_servicer():
    return Servicer(study_robot("christidi_servicer"))


def christidi_everything_drawn(run):
    return christidi_servicer().everything_drawn(run, on_paper=False)


@pytest.mark.parametrize(
    ("make", "study", "runs"),
    [(n1_everything_drawn, "spirolazzi_n1", 500), (christidi_everything_drawn, "christidi_servicer", 500)],
)
def test_intervals_cover_the_truth_and_errors_are_those_of_the_bound(make, study, runs):
    robot = study_robot(study)
    covered, beside, squares, information = [], [], [], None
    for run in range(runs):
        problem, drawn = make(run)
        truth = true_clusters(problem, robot)
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
    found, estimates = median_rms_pct(map(n1().drawn, range(500)), n1().robot, SIMPLE)
    assert found <= 0.115
    assert np.mean([estimate.residual.ratio for estimate in estimates]) == pytest.approx(1.0, abs=0.01)


def test_n1_as_it_really_is_needs_general_unknowns_with_a_soft_prior():
    real = N1(real_arm(n1().robot))
    general, estimates = median_rms_pct((real.drawn(run, n1().robot, ()) for run in range(100)), real.robot, ())
    simplified, wrong = median_rms_pct((real.drawn(run, n1().robot) for run in range(20)), real.robot, ())
    assert general <= 0.14
    assert simplified >= 3.0 * general
    ratios = [np.mean([estimate.residual.ratio for estimate in found]) for found in (estimates, wrong)]
    assert ratios[0] == pytest.approx(1.0, abs=0.01)
    assert ratios[1] > 1.1


@pytest.mark.parametrize(
    "injected", [{"late_s": 0.043}, {"zeros": 1e-3}, {"drift": 5e-5}], ids=lambda one: next(iter(one))
)
def test_n1_faults_of_clocks_and_zeros_cost_nothing(injected):
    robot, runs = n1().robot, range(100)
    plain, _ = median_rms_pct(map(n1().drawn, runs), robot, SIMPLE)
    found, estimates = median_rms_pct((n1().drawn(run, **injected) for run in runs), robot, SIMPLE)
    assert found <= 2.0 * plain
    late = np.array([estimate.value("time offset")[0] for estimate in estimates])
    assert np.sqrt(np.mean((late - injected.get("late_s", 0.0)) ** 2)) <= 2e-4


def test_n1_total_least_squares_does_not_survive_a_lag():
    problem = n1().drawn(0, late_s=0.043)
    model, big = big_clusters(SIMPLE)
    truth = dict(zip(model.minimal.leaders, model.values(), strict=True))
    for estimator, least in ((TotalLeastSquares(), 0.05), (LeastSquares(), 0.05)):
        estimate = estimator.estimate(problem)
        errors = [abs(estimate.value(model.minimal.leaders[k])[0] / truth[model.minimal.leaders[k]] - 1.0) for k in big]
        assert np.median(errors) > least


# ---------------------------------------------------------------------- Christidi-Loumpasefski, Papadopoulos


def test_christidi_clusters_first_moments_and_total_mass():
    servicer = christidi_servicer()
    robot, angular, velocity = servicer.robot, servicer.clusters.angular, servicer.clusters.velocity
    pi, eta, mass = [], [], []
    for run in range(100):
        phi = MaximumLikelihood().estimate(servicer.drawn(run)[0]).parameters
        theta = angular.underlying.minimal.values(phi)
        pi.append(np.abs(angular.structured(theta) / angular.values() - 1.0))
        eta.append(np.abs(velocity.values(phi) / velocity.values() - 1.0))
        mass.append(abs(theta @ angular.underlying.mass / robot.mass - 1.0))
    assert 100.0 * np.mean(pi) <= 0.010
    assert 100.0 * np.mean(eta) <= 0.1
    assert 100.0 * np.mean(mass) <= 0.1
