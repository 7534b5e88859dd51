"""Momentum plans shared among wheels."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import ShapeError
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.motion.wheels import allocate_momentum, wheel_rates
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Wheel

T = np.linspace(0.0, 10.0, 41)
PLAN = np.stack([3 * np.sin(0.6 * T), 2 * np.cos(0.4 * T), 0.5 * T], axis=1)
PYRAMID = [[1, 0, 1], [-1, 0, 1], [0, 1, 1], [0, -1, 1]]


def robot_with(axes, max_rate=np.inf, inertia=0.05):
    wheels = tuple(Wheel(f"w{number}", axis, inertia * (1 + number), max_rate) for number, axis in enumerate(axes))
    return Robot("bus", (Body("base"),), wheels=wheels)


def momentum_of(robot, rates):
    return (rates * robot.wheel_inertias) @ robot.wheel_axes


ARRANGEMENTS = {
    "orthogonal": np.eye(3),
    "skew": [[1, 0.2, 0], [0, 1, 0.5], [0.3, 0, 1]],
    "pyramid": PYRAMID,
    "six": [*PYRAMID, [1, 0, 0], [0, 0, 1]],
}


@pytest.mark.parametrize("axes", ARRANGEMENTS.values(), ids=ARRANGEMENTS.keys())
def test_the_wheels_have_the_planned_momentum(axes):
    robot = robot_with(axes)
    motion = allocate_momentum(robot, T, PLAN)
    samples = motion.samples(robot, T)
    np.testing.assert_allclose(momentum_of(robot, samples.wheel_rates), PLAN, atol=1e-11)
    # Between the samples the plan's own spline, whatever the arrangement.
    between = T[:-1] + 0.1
    others = allocate_momentum(robot_with(np.eye(3)), T, PLAN).samples(robot_with(np.eye(3)), between)
    np.testing.assert_allclose(
        momentum_of(robot, motion.samples(robot, between).wheel_rates),
        momentum_of(robot_with(np.eye(3)), others.wheel_rates),
        atol=1e-10,
    )


def test_of_many_ways_the_least_rates_are_taken():
    robot = robot_with(PYRAMID)
    rates = wheel_rates(robot, PLAN)
    [[*null]] = np.linalg.svd(robot.wheel_axes.T * robot.wheel_inertias)[2][3:]
    np.testing.assert_allclose(rates @ null, 0.0, atol=1e-10)


def test_momentum_that_the_wheels_cannot_have_is_said():
    two = robot_with([[1, 0, 0], [0, 1, 0]])
    with pytest.raises(InvalidTrajectory, match=r"cannot have momentum along \(0, 0, 1\); the plan needs 5 N m s"):
        allocate_momentum(two, T, PLAN)
    flat = allocate_momentum(two, T, PLAN * [1, 1, 0])
    np.testing.assert_allclose(momentum_of(two, flat.samples(two, T).wheel_rates)[:, :2], PLAN[:, :2], atol=1e-11)
    with pytest.raises(InvalidTrajectory, match="bus has no wheels"):
        allocate_momentum(robot_with([]), T, PLAN)


def test_rates_beyond_a_wheel_are_said_also_between_samples():
    robot = robot_with(np.eye(3), max_rate=50.0)
    with pytest.raises(InvalidTrajectory, match="to have this momentum, wheel w0 exceeds its rate limit by 10 rad/s"):
        allocate_momentum(robot, T, PLAN)
    coarse = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    peak = np.stack([2.4 * np.sin(np.pi * (coarse - 0.5)), 0 * coarse, 0 * coarse], axis=1)
    with pytest.raises(InvalidTrajectory, match="w0 exceeds its rate limit"):
        allocate_momentum(robot, coarse, peak)


def test_a_plan_at_rest_and_a_short_plan_are_plans():
    robot = robot_with(np.eye(3))
    assert not allocate_momentum(robot, T, 0 * PLAN).evaluate(T).rate.any()
    short = allocate_momentum(robot, [0.0, 1.0], PLAN[:2])
    np.testing.assert_allclose(momentum_of(robot, short.samples(robot, [0.0, 1.0]).wheel_rates), PLAN[:2], atol=1e-12)


def test_a_plan_of_another_shape_is_refused():
    with pytest.raises(ShapeError, match=r"momentum must have shape \(k, 3\)"):
        allocate_momentum(robot_with(np.eye(3)), T, PLAN[:, :2])
    with pytest.raises(ShapeError, match="rows for 40 samples"):
        allocate_momentum(robot_with(np.eye(3)), T[:-1], PLAN)
