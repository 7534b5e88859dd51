"""Estimates that no robot can have: how far away the nearest is, at least."""

from dataclasses import replace

import numpy as np
import pytest
from validation.unseen_flights import estimated

from freefloat.estimate.causes.diagnosis import figures_of
from freefloat.estimate.causes.impossible import least_distance
from freefloat.estimate.causes.outcome import reasons_to_fail


@pytest.fixture(scope="module")
def estimate(tmp_path_factory):
    return estimated(tmp_path_factory.mktemp("small"))[1]


def test_a_right_estimate_is_not_away_from_robots_that_exist(estimate):
    assert least_distance(estimate) == 0.0


def test_a_negative_moment_of_inertia_is_as_far_away_as_its_interval_says(estimate):
    place = estimate.names.index("Izz_base")
    values = np.array(estimate.values)
    values[place] = -100.0
    away = least_distance(replace(estimate, values=values))
    assert away > 10.0
    assert any(
        "no robot that can exist" in said for said in reasons_to_fail(figures_of(replace(estimate, values=values)))
    )
    unsure = replace(estimate, values=values, covariance=4.0 * estimate.covariance)
    assert least_distance(unsure) == pytest.approx(0.5 * away, rel=1e-6)
