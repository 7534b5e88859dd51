"""Linear estimators: the truth without noise, honest intervals with it, and never a number in silence."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from estimators_listed import ESTIMATORS
from problems import MOMENTA, make_case, with_noise
from published_flights import naveen_errors, naveen_problem

from freefloat.estimate.bias_compensated import BiasCompensated
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.instrumental_variable import InstrumentalVariable
from freefloat.estimate.least_squares import LeastSquares
from freefloat.estimate.linear_solution import solution_of
from freefloat.estimate.linear_system import LinearSystem, plain_roots
from freefloat.estimate.total_least_squares import TotalLeastSquares
from freefloat.estimate.weighted import Weighted
from freefloat.regressor.model import NotApplicable

TREES = 30
PAIRS = [(name, model) for name, listed in ESTIMATORS.items() for model in listed.models]
EXACT = 1e-12  # noise that is declared for exact samples: methods that take off its effect take off nothing
LINEAR = (LeastSquares, Weighted, BiasCompensated, TotalLeastSquares, InstrumentalVariable)


def spread_of(equations):
    return np.sqrt(np.diagonal(equations.cad_covariance))


# ---------------------------------------------------------------------- without noise


@cache
def exact_case(model, seed):
    """An exact flight of a random tree with its scale fixed by wheels, by a known body, or by torques."""
    momentum = MOMENTA[seed % 3] if model not in ("energy", "torque") else "zero"
    alone = model == "angular-momentum" and momentum != "known"  # a known body fills no cluster of its own there
    scale = "known" if seed // 3 % 2 and not alone else "wheels"
    noise = {"energy": {"torques": EXACT}, "torque": {"torques": EXACT}}.get(model, {"v": EXACT, "w": EXACT})
    return make_case(model, seed, momentum=momentum, scale=scale, declared=noise, bodies=3 + seed % 3 if seed % 2 else None)


@pytest.mark.parametrize(("name", "model"), PAIRS)
def test_without_noise_every_estimator_finds_the_truth(name, model):
    listed = ESTIMATORS[name]
    for seed in range(TREES):
        case = exact_case(model, seed)
        estimate, equations = listed.make().estimate(case.problem), case.problem.equations()
        assert estimate.held == (), (seed, estimate.held)
        error = np.abs(estimate.values - case.truth(equations)) / spread_of(equations)
        assert error.max() < listed.tolerance, (seed, error.max())
