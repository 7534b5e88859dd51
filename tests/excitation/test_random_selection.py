"""Selection from random motions."""

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.excitation.goals.condition_number import ConditionNumber
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.procedures.random_selection import best_of_random
from freefloat.excitation.rows.momentum import MomentumDesignRows
from freefloat.models.model import Momentum
from freefloat.motion.random_motion import random_trajectory
from freefloat.motion.trajectory import InvalidTrajectory


def selection(motions):
    robot = random_robot(3, bodies=4, base="free", wheels=1, branched=True)
    conditions = Conditions(robot, wheel_rates=np.array([2.0]))
    rows, t = MomentumDesignRows(Momentum(robot), conditions), np.linspace(0.0, 20.0, 60)
    draw = lambda seed: random_trajectory(robot, 20.0, seed)  # noqa: E731
    found = best_of_random(draw, conditions, rows, ConditionNumber(), t, motions)
    values = [
        ConditionNumber()(rows.fill(conditions.samples(draw(k).channels, draw(k).evaluate(t))).matrix)[0]
        for k in range(motions)
    ]
    return found, np.array(values), draw


def test_the_best_motion_is_chosen():
    found, values, draw = selection(6)
    np.testing.assert_array_equal(found.values, values)
    assert found.value == values.min()
    np.testing.assert_array_equal(found.trajectory.coefficients, draw(int(values.argmin())).coefficients)


def test_more_motions_are_never_worse():
    few, many = selection(2)[0], selection(6)[0]
    assert many.value <= few.value
    np.testing.assert_array_equal(many.values[:2], few.values)


def test_no_motion_is_refused():
    with pytest.raises(InvalidTrajectory, match="allowed: 1 or more"):
        selection(0)
