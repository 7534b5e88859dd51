"""Flights as the search for faults reads them."""

import numpy as np
import pytest
from estimate.problems import make_case

from freefloat.estimate.causes.flight_view import FlightView
from freefloat.estimate.causes.possible_faults import no_fault


@pytest.mark.parametrize("base", ["free", "planar"])
def test_derivatives_of_what_the_gyro_should_read_are_those_of_differences(base):
    problem = make_case("angular-momentum", 2, base=base, momentum="unknown").problem
    view = FlightView(problem, problem.flights[0], no_fault(problem.robot))
    rng, count = np.random.default_rng(0), len(problem.minimal)
    point = np.concatenate([1e-5 * problem.cad, 1e-2 * rng.normal(size=view.extras)])

    def residual(at):
        return view.rows(at[:count], at[count:])[0]

    step = 1e-5 * np.eye(point.size)
    differences = [(residual(point - each) - residual(point + each)) / 2e-5 for each in step]
    derivative = view.rows(point[:count], point[count:])[1]
    np.testing.assert_allclose(derivative, np.stack(differences, axis=2), rtol=0, atol=1e-7)
