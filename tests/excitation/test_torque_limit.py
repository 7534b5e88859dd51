"""Torque limits while the base reacts: margins against inverse dynamics in flight, derivatives against differences."""

import numpy as np
import pytest
from geared import driven
from random_trees import random_robot

from freefloat.errors import UnknownName
from freefloat.excitation.limits.torque import TorqueLimit, torque_limits
from freefloat.excitation.planned_motion import Conditions, PlannedMotion
from freefloat.models.model import NotApplicable
from freefloat.motion.random_motion import random_trajectory
from freefloat.simulation.simulate import Start, simulate_motion

STEP = 1e-5
SPIN = np.array([0.4, -0.3, 0.5])
CASES = [
    pytest.param(base, wheels, spins, id=f"{base}, {wheels} wheels, {'spinning' if spins else 'at rest'}")
    for base, wheels, spins in (
        ("free", 0, False),
        ("free", 2, False),
        ("free", 2, True),
        ("planar", 1, True),
        ("fixed", 0, False),
    )
]


def planned(base, wheels, spins, instants=31, drives=False):
    """A robot, its trajectory and what plans its motion from coefficients."""
    robot = random_robot(31, bodies=6, base=base, wheels=wheels, gravity=base == "fixed", prismatic=True, branched=True)
    robot = driven(robot, 31, geared=base == "fixed") if drives else robot
    momentum = SPIN * ([0.0, 0.0, 1.0] if base == "planar" else 1.0) if spins else np.zeros(3)
    conditions = Conditions(robot, momentum, wheel_rates=np.full(wheels, 3.0))
    channels = (*robot.joint_names, *(wheel.name for wheel in robot.wheels))
    trajectory = random_trajectory(robot, 10.0, 3, harmonics=2, channels=channels)
    linear = trajectory.linear_map(np.linspace(0.0, 10.0, instants))
    return robot, trajectory, lambda at: PlannedMotion(conditions, trajectory.channels, linear, at)


@pytest.mark.parametrize("drives", [False, True], ids=["", "driven"])
@pytest.mark.parametrize(("base", "wheels", "spins"), CASES)
def test_the_jacobian_is_the_derivative_of_the_margins(base, wheels, spins, drives):
    robot, trajectory, plan = planned(base, wheels, spins, drives=drives)
    rows = np.array([40, 3, 9, 34, 20, 50])
    here = trajectory.coefficients
    for limit in torque_limits(robot):
        ours = limit.jacobian(plan(here), rows)
        theirs = np.empty_like(ours)
        for column, place in enumerate(np.ndindex(here.shape)):
            change = np.zeros_like(here)
            change[place] = STEP * np.abs(here).max(axis=0)[place[1]]
            ahead, behind = limit.margins(plan(here + change)), limit.margins(plan(here - change))
            theirs[:, column] = (ahead - behind)[rows] / (2.0 * change[place])
        typical = np.broadcast_to(np.abs(here).max(axis=0), here.shape).ravel()  # wheels turn faster than joints
        error, size = np.abs(ours - theirs) * typical, (np.abs(theirs) * typical).max(axis=1, keepdims=True)
        assert (error / size).max() < 1e-6


@pytest.mark.parametrize(("spins", "tolerance"), [(False, 1e-12), (True, 1e-6)])
def test_margins_are_those_of_the_torques_in_flight(spins, tolerance):
    robot, trajectory, plan = planned("free", 2, spins, instants=2001)
    motion = plan(trajectory.coefficients)
    start = Start(angular_momentum=motion.conditions.momentum)
    flown = simulate_motion(robot, trajectory, motion.t, start, wheel_rates=np.full(2, 3.0))
    torque = flown.torques
    for joint, limit in enumerate(torque_limits(robot)):
        upper, lower = np.split(limit.margins(motion), 2)
        error = np.abs((1.0 - upper) * limit.highest - torque[:, joint]).max()
        assert error < tolerance * np.abs(torque[:, joint]).max()
        np.testing.assert_allclose(upper + lower, 2.0, rtol=1e-12)


def test_friction_and_rotors_count_and_near_standstill_either_way():
    robot, trajectory, plan = planned("free", 0, False, instants=2001, drives=True)
    motion = plan(trajectory.coefficients)
    flown = simulate_motion(robot, trajectory, motion.t)
    moving = np.abs(flown.dq) > 0.1
    for joint, limit in enumerate(torque_limits(robot)):
        upper, lower = np.split(limit.margins(motion), 2)
        highest, lowest = (1.0 - upper) * limit.highest, (lower - 1.0) * limit.highest
        torque, own, drive = flown.torques[:, joint], moving[:, joint], robot.joints[joint].drive
        np.testing.assert_allclose(highest[own], torque[own], atol=1e-4)
        np.testing.assert_allclose(lowest[own], torque[own], atol=1e-4)
        assert 100 < own.sum() < 2001
        at_rest = np.argmin(np.abs(flown.dq[:, joint]))
        gap = 2.0 * (drive.coulomb + drive.stribeck)
        assert (highest - lowest)[at_rest] == pytest.approx(gap, rel=0.05)


def test_margins_vanish_where_the_torque_is_at_its_bound():
    robot, trajectory, plan = planned("free", 0, False)
    motion = plan(trajectory.coefficients)
    joint = robot.joint_names[1]
    wide = TorqueLimit(joint, 1e3)
    largest = 1e3 - wide.slack(motion)
    assert TorqueLimit(joint, largest).margins(motion).min() == pytest.approx(0.0, abs=1e-9)
    assert TorqueLimit(joint, 0.5 * largest).slack(motion) == pytest.approx(-0.5 * largest)
    assert wide.instants(motion).shape == wide.margins(motion).shape


def test_units_are_those_of_the_joints():
    robot = random_robot(31, bodies=6, base="free", prismatic=True, branched=True)
    for limit, joint in zip(torque_limits(robot), robot.joints, strict=True):
        assert limit.unit == ("N" if joint.kind == "prismatic" else "N m")
        assert (limit.joint, limit.size, limit.name) == (joint.name, joint.torque, f"torque of {joint.name}")


def test_what_cannot_be_limited_is_refused():
    _, trajectory, plan = planned("free", 0, False)
    with pytest.raises(UnknownName, match="no joint named 'elbow'"):
        TorqueLimit("elbow", 1.0).margins(plan(trajectory.coefficients))
    falling = random_robot(32, bodies=4, base="free", gravity=True)
    motion = random_trajectory(falling, 10.0, 3)
    fallen = PlannedMotion(
        Conditions(falling), motion.channels, motion.linear_map(np.linspace(0, 10, 5)), motion.coefficients
    )
    with pytest.raises(NotApplicable, match="gravity"):
        TorqueLimit(falling.joint_names[0], 1.0).margins(fallen)
