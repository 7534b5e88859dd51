"""Selection from random motions: what is kept, what is drawn, and designs that are made so."""

from dataclasses import replace

import numpy as np
import pytest
from excitation.small_plans import small_plan
from standing_mission import MISSION, write_standing_mission

import freefloat as ff
from freefloat.excitation.goals.condition_number import true_condition_number
from freefloat.excitation.limits.infeasible import Infeasible
from freefloat.excitation.plan import InvalidPlan
from freefloat.excitation.procedures.random_selection import in_order, select_motions
from freefloat.excitation.procedures.selected_excitation import find_selection
from freefloat.excitation.solver.random_within import random_within
from freefloat.mission.designing import plan_of
from freefloat.motion.consecutive import Consecutive
from freefloat.motion.trajectory import InvalidTrajectory

MATRICES = np.random.default_rng(3).normal(size=(12, 8, 6)) * np.geomspace(1.0, 0.01, 6)


def together(chosen):
    return true_condition_number(np.vstack([MATRICES[number] for number in chosen]))


def test_no_exchange_of_one_motion_betters_the_set_that_is_kept():
    found = select_motions(len(MATRICES), 3, together)
    assert found.value == together(found.chosen)
    assert found.updates > 0
    for place in range(3):
        for number in set(range(len(MATRICES))) - set(found.chosen):
            exchanged = (*found.chosen[:place], number, *found.chosen[place + 1 :])
            assert together(exchanged) >= found.value


def test_the_set_is_limited_and_taken_whole_where_there_are_no_more():
    assert select_motions(2, 3, together).chosen == (0, 1)
    with pytest.raises(InvalidTrajectory, match="0 of 5 random motions; allowed: 1 or more"):
        select_motions(5, 0, together)


def test_motions_are_told_in_the_order_in_which_they_help():
    order = in_order((0, 4, 7), together)
    assert sorted(order) == [0, 4, 7]
    assert together(order[:2]) == min(together((order[0], other)) for other in order[1:])


@pytest.mark.parametrize("seed", range(3))
def test_random_motions_keep_all_limits_and_are_nearly_as_large_as_one_allows(seed):
    plan = small_plan()
    task = plan.limits_task()
    y = random_within(task, np.random.default_rng(seed))
    margins = task.margins(y)
    assert margins.min() >= 0.0
    assert margins.min() < 0.05
    half = random_within(task, np.random.default_rng(seed), fill=0.5)
    assert np.linalg.norm(half) < np.linalg.norm(y)


@pytest.fixture(scope="module")
def mission(tmp_path_factory):
    text = MISSION.replace("{harmonics: 3}", "{kind: selection, motions: 2, draws: 3, harmonics: 3}")
    return ff.load_mission(write_standing_mission(tmp_path_factory.mktemp("selection"), text))


def test_a_mission_is_designed_by_selection(mission, tmp_path):
    told = []
    found = ff.design(mission, watch=told.append)
    assert found.feasible
    assert isinstance(found.trajectory, Consecutive)
    assert found.trajectory.duration_s == pytest.approx(mission.settings.excitation.duration_s)
    assert found.how.drawn == 3
    assert told
    assert told[-1].best == pytest.approx(found.value)
    found.save(tmp_path / "found.json")
    assert ff.load_excitation(tmp_path / "found.json") == found
    again = ff.design(mission)
    assert np.array_equal(again.trajectory.coefficients, found.trajectory.coefficients)


def test_what_cannot_be_selected_is_said_in_a_sentence(mission):
    plan = plan_of(mission)
    with pytest.raises(InvalidPlan, match="the shape is fourier; allowed for a selection: consecutive"):
        find_selection(replace(plan, shape=plan.shape.parts[0]), 3)
    outside = MISSION.replace("zero_moment_point_inside_m: 0.005", "zero_moment_point_inside_m: 0.2")
    with pytest.raises(Infeasible, match="zero-moment point inside its support is short by"):
        ff.design(_other(mission, outside), starts=1, shakes=0, workers=1)


def _other(mission, text):
    folder = mission.path.parent / "other"
    folder.mkdir(exist_ok=True)
    return ff.load_mission(write_standing_mission(folder, text))
