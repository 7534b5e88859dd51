"""A humanoid of 34 joints on one foot, all of them moving: designs one after the other."""

import numpy as np
import pytest

from freefloat.excitation.finding import find_excitation, margins_of
from freefloat.studies.ayusawa.experiment import DESIGNS
from freefloat.studies.ayusawa.humanoid import humanoid, humanoid_plan

ITERATIONS, HARMONICS = 25, 5  # half the harmonics of the benchmark, which has selection beside it


def test_it_stands_at_home_and_has_the_size():
    robot, plan = humanoid(), humanoid_plan(harmonics=1)
    assert (len(robot.joints), robot.bodies[0].name, robot.base) == (34, "left_foot", "fixed")
    assert robot.mass == pytest.approx(39.0, abs=1.0)
    assert all(margin.kept for margin in margins_of(plan, plan.shape))


@pytest.mark.slow
def test_three_designs_keep_it_standing_and_each_betters_all_before():
    plan, found = humanoid_plan(harmonics=HARMONICS), []
    for stage in range(DESIGNS):
        designing = humanoid_plan(tuple(each.trajectory for each in found), HARMONICS)
        found.append(find_excitation(designing, 1, stage, workers=1, most_iterations=ITERATIONS, shakes=0))
        assert found[-1].feasible
    stacked = [each.condition_number for each in found]
    alone = [plan.condition_number(each.trajectory) for each in found]
    assert (np.diff(stacked) < 0.0).all()
    assert (np.array(stacked) <= alone).all()
