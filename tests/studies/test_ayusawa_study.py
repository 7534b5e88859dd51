"""A design of the size of Ayusawa et al.: what its figures are. Gradient and full designs have tests of their own."""

from functools import cache

import numpy as np
import pytest

from freefloat.studies import study_robot
from freefloat.studies.ayusawa.experiment import STUDY, standing_plan
from freefloat.studies.reproduce import reproduce

HOLD = {
    "ayusawa.gradient.relative_error",
    "ayusawa.gradient.forward_relative_error",
    "ayusawa.gradient.speed_ratio",
    "ayusawa.sequential.condition_numbers",
}
DO_NOT = {"ayusawa.random_selection.condition_number", "ayusawa.random_selection.condition_numbers"}


def test_the_limit_of_the_centre_of_mass_follows_from_the_robot():
    robot = study_robot(STUDY)
    bodies = np.array(robot.parameters).reshape(-1, 10)
    bodies[-1] *= 1.5  # one hand
    at_rest = np.zeros(standing_plan(robot).variables.size)
    margins = [standing_plan(each).task().margins(at_rest) for each in (robot, robot.with_parameters(bodies.ravel()))]
    assert not np.array_equal(*margins)


def test_a_glance_has_all_figures():
    (study,) = reproduce(["ayusawa"], "glance")
    assert {check.name for check in study.checks} == HOLD | DO_NOT
    assert not any(check.comparable for check in study.checks)
    assert all(np.isfinite(check.ours).all() for check in study.checks)
    assert all(check.note for check in study.checks)


@cache
def usual():
    (study,) = reproduce(["ayusawa"])
    return {check.name: check for check in study.checks}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(HOLD))
def test_as_usual_it_holds(name):
    assert usual()[name].holds


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DO_NOT))
def test_what_does_not_hold_says_why(name):
    assert not usual()[name].holds
    assert usual()[name].note


@pytest.mark.slow
def test_every_design_lowers_the_condition_number_and_beats_random_selection():
    designed, selected = (
        np.array(usual()[name].ours)
        for name in ("ayusawa.sequential.condition_numbers", "ayusawa.random_selection.condition_numbers")
    )
    assert (np.diff(designed) < 0.0).all()
    assert (designed < selected).all()
