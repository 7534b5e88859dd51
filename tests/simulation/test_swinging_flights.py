"""Flights with passive joints: springs and base react together, whatever drives the other joints."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from agreement import assert_agree
from authorities.pinocchio_model import InPinocchio
from random_trees import random_robot
from scipy.linalg import expm
from simulation.swinging_robots import slow, swinging, with_passive
from simulation.weighed import Weighed

from freefloat.errors import ShapeError
from freefloat.motion.combined import Combined
from freefloat.motion.fourier import Fourier
from freefloat.motion.limits import NotDriven
from freefloat.robot.drive import Drive
from freefloat.robot.parts import Joint
from freefloat.simulation import torque_flight
from freefloat.simulation.batch import simulate_batch
from freefloat.simulation.conditions import CannotFly, Disturbance, Pulse, Start
from freefloat.simulation.controlled import simulate_controlled, simulate_torques
from freefloat.simulation.drives import Drives
from freefloat.simulation.simulate import simulate_motion

PLACE = {"attitude": [0.3, -0.2, 0.5, 0.7], "position": [2.0, -1.0, 0.5]}
MOVING = PLACE | {"rate": [0.2, -0.3, 0.1], "velocity": [0.3, 0.1, -0.2]}
PUSH = Disturbance([0.2, -0.3, 0.1], [0.02, 0.01, -0.03], 0.3)
PULSE = Pulse(0.5, 1.0, [3.0, -1.0, 2.0], [0.2, 0.4, -0.3])
STATE = ("q", "dq", "v", "w", "attitude", "position", "wheel_rates")


def swung(robot, seed, size=0.1, **start):
    """A start with its springs swinging."""
    swing = size * np.random.default_rng(seed).normal(size=(2, robot.passive.size))
    return Start(**(MOVING | start), swing=swing)


def springs(robot):
    """Stiffness and damping of the passive joints."""
    return np.array([[robot.joints[k].passive.stiffness, robot.joints[k].passive.damping] for k in robot.passive]).T


def pushed_back(robot, flown):
    """What the springs exert, shape (n, passive)."""
    stiffness, damping = springs(robot)
    return -stiffness * flown.q[:, robot.passive] - damping * flown.dq[:, robot.passive]


# ---------------------------------------------------------------------- the law


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
@pytest.mark.parametrize("wheels", ["held", "free"])
def test_passive_joints_have_the_torques_of_their_springs_by_pinocchio(base, wheels):
    robot = swinging(1, 3, 7, base=base, wheels=2, gravity=True)
    t = np.linspace(0.0, 2.0, 41)
    spun = Fourier(tuple(wheel.name for wheel in robot.wheels), np.full((2, 2), 5.0), 2.0)
    motion = slow(robot, 2.0, 1) if wheels == "free" else Combined((slow(robot, 2.0, 1), spun))
    flown = simulate_motion(robot, motion, t, swung(robot, 1), wheels, [40.0, -30.0], (PULSE,), PUSH)
    theirs = InPinocchio(robot) if base == "fixed" else Weighed(robot)
    needed = theirs.inverse_dynamics(flown, *([] if base == "fixed" else [theirs.wheels]))
    joints = needed[:, 6 : 6 + len(robot.joints)]
    assert_agree(joints[:, robot.passive], pushed_back(robot, flown), 1e-9)
    assert_agree(flown.torques[:, robot.driven], joints[:, robot.driven], 1e-9)
    assert not flown.torques[:, robot.passive].any()
    assert np.ptp(flown.q[:, robot.passive], axis=0).min() > 0.01


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_driven_joints_are_where_they_are_prescribed_and_rates_belong_to_positions(base):
    robot = swinging(2, 2, base=base, wheels=1)
    t = np.linspace(0.0, 2.0, 401)
    motion = slow(robot, 2.0, 2)
    flown, command = simulate_motion(robot, motion, t, swung(robot, 2)), motion.samples(robot, t)
    for name in ("q", "dq", "ddq"):
        exact, found = getattr(command, name), getattr(flown, name)
        np.testing.assert_array_equal(found[:, robot.driven], exact[:, robot.driven])
        assert not exact[:, robot.passive].any()
    for value, rate in (("q", "dq"), ("dq", "ddq"), ("v", "dv"), ("w", "dw")):
        x, r = getattr(flown, value), getattr(flown, rate)
        rise = (t[1] / 3.0) * (r[:-2] + 4.0 * r[1:-1] + r[2:])
        np.testing.assert_allclose(x[2:] - x[:-2], rise, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("wheels", ["held", "free"])
def test_momentum_stays_while_springs_swing(seed, wheels):
    robot = swinging(seed, 1 + seed % 3, 7, wheels=2)
    t = np.linspace(0.0, 20.0, 41)
    flown = simulate_motion(robot, slow(robot, 20.0, seed), t, swung(robot, seed), wheels, [30.0, -20.0])
    found, sizes = Weighed(robot).whole(flown)
    drift = np.abs(found - found[0]).reshape(-1, 2, 3).max(axis=(0, 2))
    assert (drift < 1e-10 * sizes.max(axis=0)).all(), drift / sizes.max(axis=0)


@pytest.mark.parametrize(("seed", "wheels"), [(0, "held"), (1, "free"), (2, "held"), (3, "free")])
def test_energy_is_lost_to_dampers_and_nowhere_else(seed, wheels):
    """Driven joints are held, so that only dampers take energy; the integral is by Simpson's rule over short steps."""
    robot = swinging(seed, 1 + seed % 3, 7, wheels=2)
    motion = Fourier(tuple(robot.joint_names[k] for k in robot.driven), np.zeros((2, robot.driven.size)), 10.0)
    t, (stiffness, damping) = np.linspace(0.0, 10.0, 2001), springs(robot)
    rates = [0.0, 0.0] if wheels == "held" else [30.0, -20.0]  # held wheels that spin are driven
    flown = simulate_motion(robot, motion, t, swung(robot, seed, 0.2), wheels, rates)
    names = [wheel.name for wheel in robot.wheels]
    ends = flown[[0, -1]]
    energy = Weighed(robot).kinetic_energy(ends, names) + 0.5 * ends.q[:, robot.passive] ** 2 @ stiffness
    loss = flown.dq[:, robot.passive] ** 2 @ damping
    lost = t[1] / 3.0 * (loss[0] + loss[-1] + 4.0 * loss[1:-1:2].sum() + 2.0 * loss[2:-1:2].sum())
    assert lost > 1e-3 * (0.5 * ends.q[0, robot.passive] ** 2 @ stiffness)
    assert energy[1] - energy[0] + lost == pytest.approx(0.0, abs=1e-8 * lost + 1e-12 * energy[0])


def test_small_swings_are_the_modes_of_pinocchios_mass_matrix():
    """M_s x'' + D x' + K x = 0 with M_s what springs feel of the whole robot, driven joints locked."""
    robot = swinging(5, 3, 7)
    still = Fourier(tuple(robot.joint_names[k] for k in robot.driven), np.zeros((2, robot.driven.size)), 10.0)
    first, t = 1e-6 * np.array([1.0, -0.7, 0.4]), np.linspace(0.0, 10.0, 201)
    flown = simulate_motion(robot, still, t, Start(swing=np.stack([first, 0.0 * first])))
    theirs = InPinocchio(robot)
    M = pin.crba(theirs.model, theirs.data, next(iter(theirs.states(flown[:1])))[0])
    M = np.triu(M) + np.triu(M, 1).T
    own = [theirs.model.joints[theirs.model.getJointId(robot.joint_names[k])].idx_v for k in robot.passive]
    felt = M[np.ix_(own, own)] - M[own, :6] @ np.linalg.solve(M[:6, :6], M[:6, own])
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.linalg.solve(felt, np.diag(each)) for each in springs(robot)]])
    expected = np.array([(expm(A * time) @ np.concatenate([first, 0.0 * first]))[:3] for time in t])
    assert_agree(flown.q[:, robot.passive], expected, 1e-5)  # of a swing by 1e-6 rad, whose squares are missing


# ---------------------------------------------------------------------- steps


def test_steps_are_of_order_six_and_short_enough_unless_said():
    robot = swinging(3, 2)
    motion, t, start = slow(robot, 5.0, 3), np.linspace(0.0, 5.0, 6), swung(robot, 3)
    exact, usual = (simulate_motion(robot, motion, t, start, step_s=step) for step in (2e-3, None))
    errors = []
    for step in (0.1, 0.05):
        flown = simulate_motion(robot, motion, t, start, step_s=step)
        errors.append([np.abs(getattr(flown, name) - getattr(exact, name)).max() for name in ("q", "w", "attitude")])
    assert (np.log2(np.divide(*errors)) > 5.3).all(), errors
    for name in STATE[:-1]:
        assert_agree(getattr(usual, name), getattr(exact, name), 1e-9, floor=1e-2)


def test_steps_follow_stiff_springs():
    stiff = with_passive(random_robot(8, bodies=5, base="free"), ["joint2"], 15.0)
    t, motion, start = np.linspace(0.0, 2.0, 21), slow(stiff, 2.0, 8), Start(swing=np.array([[1e-3], [0.0]]))
    usual, exact = (simulate_motion(stiff, motion, t, start, step_s=step) for step in (None, 5e-5))
    assert_agree(usual.dq[:, stiff.passive], exact.dq[:, stiff.passive], 1e-7)


@pytest.mark.parametrize("wheels", ["held", "free"])
def test_a_flight_in_blocks_is_the_flight_in_one(wheels, monkeypatch):
    robot = swinging(6, 2, wheels=1)
    t, motion, start = np.linspace(0.0, 2.0, 12), slow(robot, 2.0, 6), swung(robot, 6)
    drives = Drives.tuned(robot, 1.0, model=robot, lag_s=[0.05, 0.0, 0.02], torque_limit=np.inf)
    pairs = []
    for block in (1_000_000, 40):
        monkeypatch.setattr(torque_flight, "_BLOCK", block)
        prescribed = simulate_motion(robot, motion, t, start, wheels, [20.0], (PULSE,), PUSH)
        pairs.append((prescribed, simulate_controlled(robot, motion, t, drives, start, wheels, [20.0], (PULSE,), PUSH)))
    for whole, parts in zip(*pairs, strict=True):
        for name in STATE:
            np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), atol=1e-12)


# ---------------------------------------------------------------------- motors


@pytest.mark.parametrize(
    ("seed", "base", "wheels"), [(0, "free", "held"), (1, "free", "free"), (2, "planar", "held"), (3, "fixed", "held")]
)
def test_the_torques_found_fly_the_prescribed_motion(seed, base, wheels):
    """Motors without controllers, that give at every point of a step what the prescribed flight needs there."""
    robot = swinging(seed, 1 + seed % 3, 7, base=base, wheels=2, gravity=base == "fixed")
    t, motion, start = np.linspace(0.0, 5.0, 51), slow(robot, 5.0, seed), swung(robot, seed)
    rates = [30.0, -20.0]
    prescribed = simulate_motion(robot, motion, t, start, wheels, rates)
    driven = simulate_controlled(robot, motion, t, Drives(model=robot, torque_limit=np.inf), start, wheels, rates)
    for name in (*STATE, "ddq", "dv", "dw", "torques"):
        mine, theirs = getattr(driven, name), getattr(prescribed, name)
        if np.abs(theirs).max(initial=0.0) > 0.0:
            assert_agree(mine, theirs, 1e-8, floor=1e-2)


def test_motors_drive_no_passive_joint():
    robot = swinging(4, 2, 7)
    drives = [Drive() if joint.passive else Drive(coulomb=0.3, viscous=0.5, rotor=0.2) for joint in robot.joints]
    robot, t = robot.with_drives(drives), np.linspace(0.0, 2.0, 21)
    count = robot.driven.size
    motors = Drives.tuned(robot, 1.0, coulomb_rate=0.5, lag_s=[0.03] + [0.0] * (count - 1), torque_limit=5.0)
    flown = simulate_controlled(robot, slow(robot, 2.0, 4), t, motors, swung(robot, 4))
    needed = InPinocchio(robot).inverse_dynamics(flown)[:, 6:]
    assert_agree(needed[:, robot.passive], pushed_back(robot, flown), 1e-9)
    rigid = flown.torques - 0.5 * flown.dq - 0.3 * np.tanh(flown.dq / 0.5) - 0.2 * flown.ddq
    assert_agree(rigid[:, robot.driven], needed[:, robot.driven], 1e-9)
    assert not flown.torques[:, robot.passive].any()
    assert np.abs(flown.torques).max() == 5.0


def test_a_controller_may_take_the_robot_to_be_rigid():
    robot = swinging(7, 1, 5, branched=False)
    name = robot.joint_names[robot.passive[0]]
    held = {name: Joint(name, "fixed")}
    bodies = (b if b.joint is None or b.joint.name not in held else replace(b, joint=held[name]) for b in robot.bodies)
    rigid, t = replace(robot, bodies=tuple(bodies)), np.linspace(0.0, 2.0, 21)
    motion = slow(robot, 2.0, 7)
    given = simulate_controlled(robot, motion, t, Drives(model=rigid, torque_limit=np.inf))
    needed = simulate_motion(rigid, motion, t)
    np.testing.assert_allclose(given.torques[:, robot.driven], needed.torques, atol=1e-12)
    assert np.ptp(given.q[:, robot.passive]) > 1e-4


def test_springs_swing_on_when_motors_give_nothing():
    robot = swinging(9, 2)
    t, none = np.linspace(0.0, 2.0, 21), np.zeros((20, len(robot.joints)))
    first = simulate_motion(robot, slow(robot, 2.0, 9), [0.0, 1.0], swung(robot, 9))[:1]
    flown = simulate_torques(robot, t, none, first)
    found, sizes = Weighed(robot).whole(flown)
    assert (np.abs(found - found[0]).reshape(-1, 2, 3).max(axis=(0, 2)) < 1e-10 * sizes.max(axis=0)).all()
    assert_agree(InPinocchio(robot).inverse_dynamics(flown)[:, 6 + robot.passive], pushed_back(robot, flown), 1e-9)
    assert_agree(simulate_torques(robot, t, none, first, step_s=1e-3).q, flown.q, 1e-9)


# ---------------------------------------------------------------------- what is refused


def test_what_cannot_swing_so_is_refused_in_a_sentence():
    robot, t = swinging(1, 2, wheels=3), [0.0, 1.0]
    motion = slow(robot, 1.0, 1)
    passive, driven = (robot.joint_names[which[0]] for which in (robot.passive, robot.driven))
    with pytest.raises(CannotFly, match=r"wheels cannot hold the attitude .* swings; allowed: held, free"):
        simulate_motion(robot, motion, t, wheels="hold-attitude")
    with pytest.raises(CannotFly, match="passive joints, which a batch does not fly"):
        simulate_batch(robot, [motion], t)
    with pytest.raises(ShapeError, match=r"swing of a start must have shape \(2, 2\)"):
        simulate_motion(robot, motion, t, Start(swing=np.zeros((2, 3))))
    with pytest.raises(ShapeError, match=r"swing of a start must have shape \(2, 0\)"):
        simulate_motion(random_robot(1), Fourier(("joint1",), np.zeros((2, 1)), 1.0), t, Start(swing=np.zeros((2, 1))))
    with pytest.raises(ShapeError, match="3 driven joints"):
        simulate_controlled(robot, motion, t, Drives(stiffness=[1.0, 2.0]))
    with pytest.raises(CannotFly, match="allowed: zero, nobody drives them"):
        simulate_torques(robot, t, np.ones((1, 5)), simulate_motion(robot, motion, t))
    with pytest.raises(ShapeError, match="drives 5 joints; allowed: as many as"):
        simulate_controlled(robot, motion, t, Drives(model=random_robot(1, bodies=6)))
    with pytest.raises(NotDriven, match=f"{passive!r} is passive, nobody drives it; allowed: {driven}"):
        simulate_motion(robot, Fourier((passive,), np.zeros((2, 1)), 1.0), t)
