"""A planned motion against simulation, and its derivatives against central differences."""

import numpy as np
import pytest
from agreement import assert_agree
from excitation.planned_cases import CASES, SPIN, trajectory_of

from freefloat.excitation.planned_motion import Conditions, PlannedMotion
from freefloat.robot.rotations import rotations
from freefloat.simulation.simulate import Start, simulate_motion

MOMENTA = [CASES[0], CASES[2], CASES[9]]
every_case = pytest.mark.parametrize("case", MOMENTA, ids=str)
STEP = 1e-6


def plan(case, n):
    robot, motion = trajectory_of(case)
    conditions = Conditions(robot, case.momentum, wheel_rates=SPIN)
    linear = motion.linear_map(np.linspace(0.0, motion.duration_s, n))
    return motion, lambda c: PlannedMotion(conditions, motion.channels, linear, c)


@every_case
def test_the_base_moves_as_in_simulation(case):
    motion, planned = plan(case, 2001)
    ours = planned(motion.coefficients)
    start = Start(angular_momentum=case.momentum)
    flown = simulate_motion(ours.robot, motion, ours.t, start, wheel_rates=SPIN)
    np.testing.assert_allclose(ours.reaction.x, np.hstack([flown.v, flown.w]), atol=2e-6)
    np.testing.assert_allclose(ours.attitude, rotations(flown.attitude), atol=2e-6)


@every_case
def test_twist_and_attitude_have_exact_derivatives(case):
    motion, planned = plan(case, 31)
    here = planned(motion.coefficients)
    rng = np.random.default_rng(0)
    direction = np.abs(motion.coefficients).max() * rng.normal(size=motion.coefficients.shape)
    ahead, behind = (planned(motion.coefficients + sign * STEP * direction) for sign in (1.0, -1.0))
    every = np.arange(here.t.size)
    for component in range(6):
        expected = (ahead.reaction.x - behind.reaction.x)[:, component] / (2.0 * STEP)
        assert_agree(here.twist_change(every, component) @ direction.ravel(), expected, 1e-6, floor=1e-2)
    change = here.attitude.swapaxes(1, 2) @ (ahead.attitude - behind.attitude) / (2.0 * STEP)
    expected = np.stack([change[:, 2, 1], change[:, 0, 2], change[:, 1, 0]], axis=1)
    assert_agree(here.turn @ direction.ravel(), expected, 1e-6)
