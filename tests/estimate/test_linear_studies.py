"""Linear estimators on published experiments: what they reach there, with numbers."""

import numpy as np
import pytest
from published_flights import n1_leaders, n1_problem, naveen_errors, naveen_problem

from freefloat.estimate.bias_compensated import BiasCompensated
from freefloat.estimate.least_squares import LeastSquares


def naveen_runs(estimator, runs):
    """Median and largest relative error of each run, sampled at 0.01 s, each of shape (runs,)."""
    errors = [naveen_errors(estimator.estimate(naveen_problem(run, 0.01))) for run in range(runs)]
    return np.median(errors, axis=1), np.max(errors, axis=1)


@pytest.mark.slow
def test_naveen_least_squares_errs_as_published():
    median, _ = naveen_runs(LeastSquares(), 5)
    assert 0.015 <= np.median(median) <= 0.021


@pytest.mark.slow
def test_naveen_without_the_bias_of_noisy_rates_the_error_is_an_eighth():
    median, largest = naveen_runs(BiasCompensated(), 10)
    assert np.median(median) <= 0.003
    assert largest.mean() <= 0.35


def test_n1_condition_number_is_the_published_one():
    assert n1_problem(0).equations().condition == pytest.approx(298.2, abs=0.5)


@pytest.mark.slow
def test_n1_least_squares_scatters_as_published():
    estimates = [LeastSquares().estimate(n1_problem(run)) for run in range(100)]
    scatter = dict(zip(estimates[0].names, np.std([e.values for e in estimates], axis=0, ddof=1), strict=True))
    ratios = [scatter[name] / entry["sd"] for name, entry in n1_leaders().items()]
    assert len(ratios) == 30
    assert min(ratios) >= 0.8
    assert max(ratios) <= 1.25
