"""Flights of robots with drives: motors pay for friction and rotors, and rotors that spin turn the base."""

from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from geared import driven, geared_samples, with_rotors_as_bodies
from random_trees import random_robot
from simulation.weighed import Weighed

from freefloat.dynamics.drive_torques import drive_loads, driven_dynamics
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.motion.fourier import Fourier
from freefloat.robot.drive import Drive
from freefloat.simulation.batch import simulate_batch
from freefloat.simulation.controlled import simulate_controlled
from freefloat.simulation.drives import Drives
from freefloat.simulation.simulate import Start, simulate_motion

MOVING = Start([0.3, -0.2, 0.5, 0.7], [2.0, -1.0, 0.5], [0.2, -0.3, 0.1], [0.3, 0.1, -0.2])
UNLIMITED = {"torque_limit": np.inf}


def geared(seed, base="free", wheels=0):
    return driven(random_robot(seed, bodies=6, base=base, branched=True, prismatic=True, wheels=wheels), seed)


def slow(robot, duration, seed):
    return Fourier(robot.joint_names, 0.3 * np.random.default_rng(seed).normal(size=(4, len(robot.joints))), duration)


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
@pytest.mark.parametrize("wheels", ["held", "free"])
def test_prescribed_flights_hold_what_motors_give(base, wheels):
    robot = geared(2, base, wheels=2)
    t = np.linspace(0.0, 2.0, 101)
    flown = simulate_motion(robot, slow(robot, 2.0, 2), t, MOVING, wheels, [40.0, -30.0])
    assert_agree(flown.torques, inverse_dynamics(robot, flown)[:, 6:] + drive_loads(robot, flown)[:, 6:], 1e-12)
    friction = flown.torques - inverse_dynamics(robot, flown)[:, 6:]
    assert (np.abs(friction).max(axis=0) > 0.1).all()
    if base != "fixed":
        rows = [0, 1, 2, 3, 4, 5] if base == "free" else [0, 1, 5]
        assert np.abs(driven_dynamics(robot, flown)[:, rows]).max() < 1e-9  # nothing pushes the base


def test_spinning_rotors_turn_the_base_as_geared_bodies_do():
    robot = geared(4)
    t = np.linspace(0.0, 2.0, 401)
    flown, plain = (simulate_motion(each, slow(robot, 2.0, 4), t, MOVING) for each in (robot, without(robot)))
    whole = with_rotors_as_bodies(robot)
    kept, sizes = Weighed(whole).whole(geared_samples(robot, whole, flown))
    assert (np.abs(kept - kept[0]).max(axis=0).reshape(2, 3).max(axis=1) < 1e-7 * sizes.max(axis=0)).all()
    assert np.abs(flown.w - plain.w).max() > 1e-3


def test_friction_alone_changes_torques_and_nothing_else():
    robot = random_robot(3, bodies=6, wheels=1)
    rubbing = robot.with_drives([Drive(coulomb=2.0, viscous=3.0)] * len(robot.joints))
    t = np.linspace(0.0, 2.0, 21)
    flown, plain = (simulate_motion(each, slow(robot, 2.0, 3), t, MOVING) for each in (rubbing, robot))
    for name in ("v", "w", "dv", "dw", "attitude", "position", "base_wrench"):
        np.testing.assert_array_equal(getattr(flown, name), getattr(plain, name))
    expected = 2.0 * np.sign(plain.dq) + 3.0 * plain.dq
    np.testing.assert_allclose(flown.torques - plain.torques, expected, atol=1e-9)


def without(robot):
    """The same robot with drives that neither rub nor spin."""
    return robot.with_drives([Drive()] * len(robot.joints))


@pytest.mark.parametrize("wheels", ["held", "free"])
def test_runs_of_a_batch_are_single_flights(wheels):
    robot = geared(5, wheels=1)
    t, motions = np.linspace(0.0, 2.0, 21), [slow(robot, 2.0, seed) for seed in range(3)]
    runs = simulate_batch(robot, motions, t, MOVING, wheels, [20.0])
    for motion, run in zip(motions, runs, strict=True):
        single = simulate_motion(robot, motion, t, MOVING, wheels, [20.0])
        for name in ("v", "w", "attitude", "position", "wheel_rates"):
            np.testing.assert_array_equal(getattr(run, name), getattr(single, name))


def test_wheels_hold_an_attitude_that_rotors_would_turn():
    robot = driven(random_robot(6, bodies=5, base="free", wheels=3), 6)
    flown = simulate_motion(robot, slow(robot, 2.0, 6), np.linspace(0.0, 2.0, 21), wheels="hold-attitude")
    assert np.abs(flown.attitude - [0.0, 0.0, 0.0, 1.0]).max() < 1e-9


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
@pytest.mark.parametrize("wheels", ["held", "free"])
def test_driven_flights_obey_the_law(base, wheels):
    robot = geared(7, base, wheels=1)
    drives = Drives.tuned(robot, 1.0, coulomb_rate=0.3, lag_s=0.02, **UNLIMITED)
    t = np.linspace(0.0, 1.0, 21)
    flown = simulate_controlled(robot, slow(robot, 2.0, 7), t, drives, MOVING, wheels, [20.0])
    needed = driven_dynamics(robot, flown, smooth=0.3)
    assert_agree(flown.torques, needed[:, 6:], 1e-9)
    rows = {"free": [0, 1, 2, 3, 4, 5], "planar": [0, 1, 5], "fixed": []}[base]
    assert np.abs(needed[:, rows]).max(initial=0.0) < 1e-9


def test_what_motors_give_is_energy_and_heat():
    robot = geared(8)
    joints = len(robot.joints)
    drives, step = Drives.tuned(robot, 1.0, coulomb_rate=0.3, **UNLIMITED), 2e-3
    t = np.arange(0.0, 1.0 + step / 2, step)
    flown = simulate_controlled(robot, slow(robot, 2.0, 8), t, drives, MOVING)
    still = robot.with_drives([replace(joint.drive, rotor=0.0) for joint in robot.joints])
    rubbed = drive_loads(still, flown, smooth=0.3)[:, 6:]
    whole = with_rotors_as_bodies(robot)
    energy = Weighed(whole).kinetic_energy(geared_samples(robot, whole, flown), [])
    for index in range(joints):
        if not np.isfinite(robot.joints[index].drive.gear_ratio):
            energy = energy + robot.joints[index].drive.rotor / 2.0 * flown.dq[:, index] ** 2
    power = ((flown.torques - rubbed) * flown.dq).sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) * step / 2.0)])
    heat = (rubbed * flown.dq).sum() * step
    assert abs(heat) > 0.1 * np.ptp(energy)
    np.testing.assert_allclose(energy - energy[0], work, atol=1e-4 * np.ptp(energy))
