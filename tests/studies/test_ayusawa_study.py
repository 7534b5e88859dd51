"""A design of the size of Ayusawa et al.: what its figures are. Gradient and full designs have tests of their own."""

import numpy as np
import pytest
from studies.figures_listed import AYUSAWA, usual

from freefloat.studies.ayusawa.experiment import STUDY, standing_plan
from freefloat.studies.catalogue import study_robot
from freefloat.studies.reproducing import reproduce


def test_the_limit_of_the_centre_of_mass_follows_from_the_robot():
    robot = study_robot(STUDY)
    bodies = np.array(robot.parameters).reshape(-1, 10)
    bodies[-1] *= 1.5  # one hand
    at_rest = np.zeros(standing_plan(robot).variables.size)
    margins = [standing_plan(each).task().margins(at_rest) for each in (robot, robot.with_parameters(bodies.ravel()))]
    assert not np.array_equal(*margins)


@pytest.mark.slow
def test_a_glance_has_all_figures():
    (study,) = reproduce(["ayusawa"], "glance")
    assert {check.name for check in study.checks} == AYUSAWA.names
    assert not any(check.comparable for check in study.checks)
    assert all(np.isfinite(check.ours).all() for check in study.checks)
    assert all(check.note for check in study.checks)


@pytest.mark.slow
def test_every_design_lowers_the_condition_number_and_beats_random_selection():
    designed, selected = (
        np.array(usual("ayusawa")[name].ours)
        for name in ("ayusawa.sequential.condition_numbers", "ayusawa.random_selection.condition_numbers")
    )
    assert (np.diff(designed) < 0.0).all()
    assert (designed < selected).all()
