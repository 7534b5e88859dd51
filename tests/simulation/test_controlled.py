"""Torque-level flights: against Pinocchio, against an integrator of scipy's, and against prescribed motion."""

import sys
import types
from dataclasses import fields, replace

import numpy as np
import pytest
from agreement import assert_agree
from authorities.pinocchio_model import InPinocchio
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from random_trees import random_robot
from scipy.integrate import solve_ivp
from simulation.weighed import Weighed, about_centre, centres, simpson

from freefloat.compile_stamp import text_stamp
from freefloat.dynamics import forward_kernels as dynamics_kernels
from freefloat.dynamics.reaction import joint_inertia
from freefloat.dynamics.torque import mass_matrix
from freefloat.errors import ShapeError
from freefloat.motion.combined import Combined
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.drive import Drive
from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint
from freefloat.robot.rotations import rotations
from freefloat.robot.tree import PRISMATIC
from freefloat.simulation import controlled_kernels, torque_flight
from freefloat.simulation.controlled import simulate_controlled, simulate_torques
from freefloat.simulation.drives import Drives, fastest_rate
from freefloat.simulation.simulate import CannotFly, Disturbance, Pulse, Start, simulate_motion
from freefloat.studies.catalogue import published, study_robot

MOVING = Start([0.3, -0.2, 0.5, 0.7], [2.0, -1.0, 0.5], [0.2, -0.3, 0.1], [0.3, 0.1, -0.2])
UNLIMITED = {"torque_limit": np.inf}


def tree(seed, base="free", wheels=0, **kinds):
    return random_robot(seed, bodies=6, base=base, branched=True, prismatic=True, wheels=wheels, **kinds)


def slow(robot, duration, seed):
    """A gentle motion: coefficients small enough for coarse steps."""
    return Fourier(robot.joint_names, 0.3 * np.random.default_rng(seed).normal(size=(4, len(robot.joints))), duration)


def slider(mass, gravity=0.0, limit=np.inf, **drive):
    """A mass that slides along x on a fixed base."""
    joint = Joint("slide", "prismatic", [1.0, 0.0, 0.0], torque=limit, drive=Drive(**drive))
    base = Body("base", parameters=parameters_from_com(5.0, np.zeros(3), np.eye(3)))
    load = Body("load", "base", joint, parameters=parameters_from_com(mass, [0.1, 0.2, 0.3], np.eye(3)))
    return Robot("slider", (base, load), "fixed", np.array([gravity, 0.0, 0.0]))


# ---------------------------------------------------------------------- the equations of motion


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
@pytest.mark.parametrize("wheels", ["held", "free"])
def test_motor_torques_are_pinocchios_with_friction_and_rotors(base, wheels):
    robot = tree(1, base=base, wheels=2, gravity=True)
    rng, joints = np.random.default_rng(1), len(robot.joints)
    viscous, coulomb, rotor = rng.uniform(0.1, 1.0, (3, joints))
    robot = robot.with_drives(
        [Drive(coulomb=c, viscous=v, rotor=r) for c, v, r in zip(coulomb, viscous, rotor, strict=True)]
    )
    drives = Drives.tuned(robot, 1.0, coulomb_rate=0.5, lag_s=rng.choice([0.0, 0.03], joints), **UNLIMITED)
    push = Disturbance([1.0, -2.0, 0.5], [0.2, 0.1, -0.3])
    pulse = Pulse(0.5, 1.0, [3.0, -1.0, 2.0], [0.2, 0.4, -0.3])
    t = np.linspace(0.0, 2.0, 41)
    trajectory = slow(robot, 2.0, 1)
    flown = simulate_controlled(robot, trajectory, t, drives, MOVING, wheels, [50.0, -30.0], (pulse,), push)
    friction = viscous * flown.dq + coulomb * np.tanh(flown.dq / 0.5)
    rigid = flown.torques - friction - rotor * flown.ddq
    if base == "fixed":
        theirs = InPinocchio(robot).inverse_dynamics(flown)
    else:
        theirs = Weighed(robot).inverse_dynamics(flown, [wheel.name for wheel in robot.wheels])
        allowed = [0, 1, 2, 3, 4, 5] if base == "free" else [0, 1, 5]
        assert_agree(flown.base_wrench[:, allowed], acting(robot, flown, push, pulse)[:, allowed], 1e-9, 1e-2)
    assert_agree(rigid, theirs[:, 6 : 6 + joints], 1e-9)


def acting(robot, flown, push, pulse):
    """Force and moment about the base origin that a disturbance and a pulse exert, base axes, shape (n, 6)."""
    R_IB = rotations(flown.attitude)
    com = np.einsum("kji,kj->ki", R_IB, centres(robot, flown) - flown.position)
    force, on = push.force_N @ R_IB, ((flown.t >= 0.5) & (flown.t < 1.5))[:, None]
    kick = np.concatenate([pulse.force_N, np.cross(pulse.point_m, pulse.force_N)])
    return np.hstack([force, push.torque_Nm @ R_IB + np.cross(com, force)]) + on * kick


@pytest.mark.parametrize("seed", range(4))
def test_a_robot_left_alone_keeps_energy_and_momentum_at_order_four(seed):
    robot = tree(seed + 20, wheels=2)
    rng, joints = np.random.default_rng(seed), len(robot.joints)
    first = simulate_motion(robot, slow(robot, 2.0, seed), [0.0, 1.0], MOVING, "free", [30.0, 20.0])[:1]
    first = replace(first, dq=0.5 * rng.normal(size=(1, joints)))
    theirs, wheels = Weighed(robot), [wheel.name for wheel in robot.wheels]
    drifts = []
    for step in (0.04, 0.02):
        flown = simulate_torques(robot, [0.0, 2.0], np.zeros((1, joints)), first, "free", step_s=step)
        momentum, sizes = theirs.whole(flown)
        energy = theirs.kinetic_energy(flown, wheels)
        drift = np.abs(momentum[1] - momentum[0]).reshape(2, 3).max(axis=1) / sizes[0]
        drifts.append([*drift, abs(energy[1] / energy[0] - 1.0)])
    assert np.abs(flown.q[1] - flown.q[0]).max() > 0.1
    assert (np.array(drifts[1]) < 1e-5).all(), drifts
    assert (np.log2(np.divide(*drifts)) > 3.5).all(), drifts


def test_one_driven_mass_moves_as_scipy_integrates_it():
    mass, gravity, limit = 3.0, -1.5, 25.0
    drives = Drives(400.0, 30.0, coulomb_rate=0.05, lag_s=0.02)
    given = slider(mass, gravity, limit, viscous=2.0, coulomb=4.0, rotor=0.7)
    command = PlainFourier(("slide",), [[0.1], [2.0], [0.5]], 4.0, 2.0)
    t = np.linspace(0.0, 4.0, 81)

    def commanded(time):
        return 0.1 + 2.0 / np.pi * np.sin(np.pi * time) - 0.5 / np.pi * np.cos(np.pi * time)

    def commanded_rate(time):
        return 2.0 * np.cos(np.pi * time) + 0.5 * np.sin(np.pi * time)

    def asked(time, q, dq):
        return np.clip(400.0 * (commanded(time) - q) + 30.0 * (commanded_rate(time) - dq), -limit, limit)

    def rates(time, state):
        q, dq, torque = state
        force = torque - 2.0 * dq - 4.0 * np.tanh(dq / 0.05) + mass * gravity
        return dq, force / (mass + 0.7), (asked(time, q, dq) - torque) / 0.02

    first = commanded(0.0), commanded_rate(0.0)
    there = solve_ivp(
        rates, (0.0, 4.0), [*first, asked(0.0, *first)], "DOP853", t, rtol=1e-11, atol=1e-11, max_step=1e-3
    )
    flown = simulate_controlled(given, command, t, drives, step_s=2e-4)
    assert np.abs(there.y[2]).max() > 0.99 * limit  # the limit was reached, and friction changed sign
    assert (np.diff(np.sign(there.y[1])) != 0).sum() >= 3
    # The limit has corners, at which a method of order four is of order two: (2e-4 s)^2 of some 1000 N/s^2.
    np.testing.assert_allclose(flown.q[:, 0], there.y[0], atol=1e-6)
    np.testing.assert_allclose(flown.dq[:, 0], there.y[1], atol=1e-5)
    np.testing.assert_allclose(flown.torques[:, 0], there.y[2], atol=1e-3)


def test_a_constant_force_gives_a_parabola():
    robot, t = slider(3.0), np.linspace(0.0, 2.0, 9)
    first = simulate_motion(robot, PlainFourier(("slide",), [[0.2]], 2.0, 2.0), [0.0, 1.0])
    force = np.repeat([[6.0], [-3.0]], 4, axis=0)  # one newton each way per second and kilogram
    flown = simulate_torques(robot, t, force, first)
    rate = np.minimum(2.0 * t, 2.0) - np.maximum(t - 1.0, 0.0)
    place = 0.2 + np.where(t < 1.0, t**2, 1.0 + 2.0 * (t - 1.0) - 0.5 * (t - 1.0) ** 2)
    np.testing.assert_allclose(flown.dq[:, 0], rate, atol=1e-14)
    np.testing.assert_allclose(flown.q[:, 0], place, atol=1e-14)
    np.testing.assert_array_equal(flown.torques[:, 0], [*force[:, 0], force[-1, 0]])


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_the_inertia_that_joints_feel_is_one_over_what_a_torque_does(base):
    robot = tree(5, base=base)
    q = 0.3 * np.random.default_rng(2).normal(size=(3, len(robot.joints)))
    H = mass_matrix(robot, q)
    rows = {"free": [0, 1, 2, 3, 4, 5], "planar": [0, 1, 5], "fixed": []}[base]
    whole = np.ix_(range(3), rows + list(range(6, H.shape[1])), rows + list(range(6, H.shape[1])))
    compliance = np.linalg.inv(H[whole])[:, len(rows) :, len(rows) :]
    assert_agree(joint_inertia(robot, q) @ compliance, np.tile(np.eye(len(robot.joints)), (3, 1, 1)), 1e-9, 1.0)


# ---------------------------------------------------------------------- following a command


@pytest.mark.parametrize(
    ("base", "wheels"), [("free", "held"), ("free", "free"), ("planar", "held"), ("fixed", "held")]
)
def test_with_the_true_model_ahead_the_command_is_flown_at_order_four(base, wheels):
    robot = tree(6, base=base, wheels=2, gravity=True)
    trajectory, t = slow(robot, 3.0, 2), np.linspace(0.0, 3.0, 11)
    prescribed = simulate_motion(robot, trajectory, np.linspace(0.0, 3.0, 3001), MOVING, wheels, [40.0, -30.0])[::300]
    errors = []
    for step in (0.05, 0.025, 0.0125):
        flown = simulate_controlled(
            robot, trajectory, t, Drives(model=robot, **UNLIMITED), MOVING, wheels, [40.0, -30.0], step_s=step
        )
        pairs = [(getattr(flown, name), getattr(prescribed, name)) for name in ("q", "dq", "v", "w", "position")]
        errors.append(max(np.abs(ours - theirs).max() for ours, theirs in pairs))
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert (np.abs(orders - 4.0) < 0.5).all(), (errors, orders)


def test_what_is_flown_is_not_what_was_commanded_and_gains_bring_it_closer():
    robot = tree(7)
    trajectory, t = slow(robot, 4.0, 3), np.linspace(0.0, 4.0, 41)
    wrong = robot.with_parameters(robot.parameters * 1.1)
    command = trajectory.samples(robot, t).q

    def error(**drives):
        flown = simulate_controlled(robot, trajectory, t, Drives(**drives, **UNLIMITED), MOVING)
        return np.abs(flown.q - command).max()

    soft, stiff = (Drives.tuned(robot, frequency) for frequency in (0.5, 2.0))
    soft, stiff = ({"stiffness": each.stiffness, "damping": each.damping} for each in (soft, stiff))
    alone, softly, stiffly = error(model=wrong), error(model=wrong, **soft), error(model=wrong, **stiff)
    assert alone > 2.0 * softly > 8.0 * stiffly > 1e-5
    assert error(**stiff) > 3.0 * stiffly  # a model ahead helps, even one that is 10 % wrong


def test_a_load_bends_a_spring_by_its_weight():
    robot = slider(3.0, gravity=-2.0)
    still = PlainFourier(("slide",), [[0.2]], 20.0, 20.0)
    flown = simulate_controlled(robot, still, [0.0, 20.0], Drives(100.0, 30.0))
    assert flown.q[-1, 0] == pytest.approx(0.2 - 6.0 / 100.0, abs=1e-9)
    assert flown.torques[-1, 0] == pytest.approx(6.0, abs=1e-6)


def test_motors_give_no_more_than_the_joints_can_take():
    robot = tree(8)
    limits = np.array([joint.torque for joint in robot.joints])
    trajectory, t = random_trajectory(robot, 2.0, 1), np.linspace(0.0, 2.0, 101)
    flown = simulate_controlled(robot, trajectory, t, Drives.tuned(robot, 2.0))
    lagging = simulate_controlled(robot, trajectory, t, Drives.tuned(robot, 2.0, lag_s=0.05))
    for each in (flown, lagging):
        assert (np.abs(each.torques) <= limits).all()
    assert (np.abs(flown.torques).max(axis=0) == limits).any()
    assert np.abs(flown.q - lagging.q).max() > 1e-4


@pytest.mark.parametrize("wheels", ["held", "free"])
def test_a_flight_in_blocks_is_the_flight_in_one(wheels, monkeypatch):
    robot = tree(14, wheels=2, gravity=True)
    spun = Fourier(tuple(wheel.name for wheel in robot.wheels), np.full((2, 2), 15.0), 2.0)
    trajectory, t = Combined((slow(robot, 2.0, 8), spun)), np.linspace(0.0, 2.0, 12)
    drives = Drives.tuned(robot, 1.0, model=robot, lag_s=[0.05, 0.0, 0.02, 0.0, 0.1], **UNLIMITED)
    pulse = Pulse(0.5, 1.0, [3.0, -1.0, 2.0], [0.2, 0.4, -0.3])
    push = Disturbance([1.0, -2.0, 0.5], [0.2, 0.1, -0.3], 0.4)
    flights = []
    for block in (1_000_000, 40, 1):
        monkeypatch.setattr(torque_flight, "_BLOCK", block)
        given = (robot, trajectory, t, drives, MOVING, wheels, [30.0, -20.0], (pulse,), push)
        flights.append(simulate_controlled(*given))
    for name in (field.name for field in fields(flights[0]) if field.name != "others"):
        for flown in flights[1:]:
            assert_agree(getattr(flown, name), getattr(flights[0], name), 1e-11, floor=1e-2)


@pytest.mark.parametrize(
    ("drives", "drive", "rate"),
    [
        ({"stiffness": 400.0}, {}, 10.0),
        ({"damping": 40.0}, {}, 10.0),
        ({}, {"viscous": 40.0}, 10.0),
        ({"coulomb_rate": 0.05}, {"coulomb": 2.0}, 10.0),
        ({"lag_s": 0.1}, {}, 10.0),
        ({"stiffness": 400.0, "damping": 100.0}, {}, 20.0),  # 4 r^2 - 100 r + 400 = 0
        ({}, {}, 0.0),
    ],
)
def test_the_fastest_rate_of_one_joint_is_known_on_paper(drives, drive, rate):
    robot, given = slider(3.0, rotor=1.0, **drive), Drives(**drives)
    assert fastest_rate(robot, given.motors(robot), np.zeros((1, 1))) == pytest.approx(rate, abs=1e-12)


@pytest.mark.parametrize("lag", [0.0, 0.002])
def test_stiff_drives_get_short_steps(lag):
    robot, said = study_robot("spirolazzi_n1"), published("spirolazzi_n1")["trajectory"]
    trajectory = Fourier.from_harmonics(robot.joint_names, said["a_rad_s"], said["b_rad_s"], said["duration_s"])
    t = np.linspace(20.0, 24.0, 13)
    robot = robot.with_drives([Drive(coulomb=0.05)] * len(robot.joints))
    drives = Drives.tuned(robot, 1.0, coulomb_rate=0.02, lag_s=lag)
    with pytest.raises(CannotFly, match=r"steps of 0.08\d+ s; shorter ones may help"):
        simulate_controlled(robot, trajectory, t, drives, step_s=0.1)
    flown = simulate_controlled(robot, trajectory, t, drives)
    finer = simulate_controlled(robot, trajectory, t, drives, step_s=1e-4)
    error = np.abs(finer.q - trajectory.samples(robot, t).q).max()
    assert 1e-5 < error < 0.05
    assert np.abs(flown.q - finer.q).max() < 1e-3 * error


# ---------------------------------------------------------------------- momentum, wheels, pushes


@pytest.mark.parametrize("wheels", ["held", "free"])
def test_momentum_stays_while_motors_and_wheels_work(wheels):
    robot = tree(9, wheels=2)
    names = tuple(wheel.name for wheel in robot.wheels)
    spun = Fourier(names, np.full((2, 2), 15.0), 3.0)
    trajectory = Combined((slow(robot, 3.0, 4), spun))
    robot = robot.with_drives([Drive(viscous=0.5)] * len(robot.joints))
    t, drives = np.linspace(0.0, 3.0, 31), Drives.tuned(robot, 1.0, **UNLIMITED)
    flown = simulate_controlled(robot, trajectory, t, drives, MOVING, wheels, [30.0, -20.0], step_s=2e-3)
    theirs = Weighed(robot)
    momentum, sizes = theirs.whole(flown)
    drift = np.abs(momentum - momentum[0]).reshape(-1, 2, 3).max(axis=2) / sizes.max(axis=0)
    assert drift.max() < 1e-9  # of order four in the steps: at 2 ms
    torques = np.abs(theirs.wheel_torques(flown)).max()
    if wheels == "free":
        assert torques < 1e-9
    else:
        assert torques > 0.1
        command = trajectory.samples(robot, t)
        np.testing.assert_allclose(flown.wheel_rates - command.wheel_rates, np.tile([30.0, -20.0], (31, 1)), rtol=1e-14)
        np.testing.assert_allclose(flown.wheel_accelerations, command.wheel_accelerations, rtol=1e-14)


def test_pushes_from_outside_change_momentum_by_their_impulse():
    robot, step = tree(10, wheels=2), 5e-3
    t = np.arange(0.0, 2.0 + step / 2, step)
    pulse = Pulse(0.5, 1.0, [4.0, -3.0, 2.0], [0.3, -0.2, 0.5])
    push = Disturbance([1.0, -2.0, 0.5], [0.2, 0.1, -0.3])
    drives = Drives.tuned(robot, 1.0, **UNLIMITED)
    flown = simulate_controlled(robot, slow(robot, 2.0, 5), t, drives, MOVING, "free", [40.0, 30.0], (pulse,), push)
    centre = centres(robot, flown)
    momentum, sizes = Weighed(robot).whole(flown)
    momentum[:, 3:] = about_centre(momentum, centre)
    on, R_IB = slice(100, 301), rotations(flown.attitude)
    force = R_IB[on] @ pulse.force_N
    arm = flown.position[on] + R_IB[on] @ pulse.point_m - centre[on]
    impulse = np.concatenate([simpson(force, step), simpson(np.cross(arm, force), step)])
    whole = impulse + 2.0 * np.concatenate([push.force_N, push.torque_Nm])
    assert (np.abs(momentum[-1] - momentum[0] - whole) < 1e-8 * np.repeat(sizes.max(axis=0), 3)).all()


def test_the_gravity_gradient_is_that_of_prescribed_motion():
    robot = tree(11, wheels=2)
    orbit = Disturbance(orbital_rate_rad_s=0.5, nadir=[0.6, 0.0, 0.8])
    trajectory, t = slow(robot, 2.0, 6), np.linspace(0.0, 2.0, 201)
    drives = Drives.tuned(robot, 1.0, **UNLIMITED)
    flown = simulate_controlled(robot, trajectory, t, drives, MOVING, "free", [9.0, 5.0], (), orbit)
    down = np.stack(
        [0.6 * np.cos(0.5 * t) + 0.8 * np.sin(0.5 * t), 0 * t, 0.8 * np.cos(0.5 * t) - 0.6 * np.sin(0.5 * t)]
    )
    torque = 3.0 * 0.5**2 * np.cross(np.einsum("kij,jk->ki", Weighed(robot).spread(flown), down), down.T)
    assert_agree(np.einsum("kij,kj->ki", rotations(flown.attitude), flown.base_wrench[:, 3:]), torque, 1e-9)


def test_a_planar_base_stays_in_its_plane():
    robot = tree(12, base="planar", wheels=1)
    start = Start([0.0, 0.0, 0.3, 0.9], [1.0, 2.0, 0.5], [9.0, 9.0, 0.3], [0.1, -0.2, 9.0])
    t, drives = np.linspace(0.0, 2.0, 21), Drives.tuned(robot, 1.0)
    flown = simulate_controlled(robot, slow(robot, 2.0, 7), t, drives, start, "held", [40.0])
    assert not flown.w[:, :2].any()
    assert not flown.v[:, 2].any()
    assert not flown.attitude[:, :2].any()
    assert (flown.position[:, 2] == 0.5).all()
    momentum, sizes = Weighed(robot).whole(flown)
    kept = momentum[:, [0, 1, 5]]
    assert (np.abs(kept - kept[0]) <= 1e-6 * sizes.max(axis=0)[[0, 0, 1]]).all()


# ---------------------------------------------------------------------- refusals


def test_drives_that_make_no_sense_are_refused():
    robot, trajectory = tree(1), slow(tree(1), 2.0, 1)
    with pytest.raises(CannotFly, match="damping of the drives is -1; allowed: at least zero"):
        Drives(damping=[1.0, -1.0])
    with pytest.raises(CannotFly, match="coulomb_rate of the drives is 0; allowed: more than zero"):
        Drives(coulomb_rate=0.0)
    with pytest.raises(CannotFly, match="lag_s of the drives"):
        Drives(lag_s=float("nan"))
    with pytest.raises(ShapeError, match="not for 5 joints"):
        simulate_controlled(robot, trajectory, [0.0, 1.0], Drives(stiffness=[1.0, 2.0]))
    with pytest.raises(CannotFly, match="step_s is 0; allowed: more than zero"):
        simulate_controlled(robot, trajectory, [0.0, 1.0], Drives(), step_s=0.0)
    with pytest.raises(ShapeError, match=r"torques must have shape \(1, 5\)"):
        simulate_torques(robot, [0.0, 1.0], np.zeros((2, 5)), trajectory.samples(robot, [0.0]))


def test_joints_that_move_nothing_are_refused():
    robot = slider(3.0)
    hollow = replace(robot, bodies=(robot.bodies[0], replace(robot.bodies[1], parameters=np.zeros(10))))
    assert (hollow.tree.arrays.kind == PRISMATIC).any()
    with pytest.raises(CannotFly, match="without inertia"):
        simulate_controlled(hollow, PlainFourier(("slide",), [[0.2]], 1.0, 1.0), [0.0, 1.0], Drives())


# ---------------------------------------------------------------------- the compile cache


def cache_key(stamp):
    """Under what the compiled flight of a stamp is kept, whatever it is called with."""
    machine = types.SimpleNamespace(magic_tuple=lambda: ())
    return controlled_kernels.compiled_flight(stamp)._cache._index_key("signature", machine)


def test_every_stamp_has_a_cache_entry_of_its_own():
    assert cache_key(1) == cache_key(1)
    assert cache_key(1) != cache_key(2)


def test_the_stamp_follows_the_text_of_what_is_called(tmp_path):
    module = types.SimpleNamespace(__file__=str(tmp_path / "kernels.py"))
    stamps = []
    for text in ("a = 1", "a = 2", "a = 1"):
        (tmp_path / "kernels.py").write_text(text)
        stamps.append(text_stamp(module))
    assert stamps[0] == stamps[2] != stamps[1]


def test_only_the_stamped_function_is_cached_and_the_stamp_covers_all_it_calls():
    called = set()
    for module in (controlled_kernels, dynamics_kernels):
        for name, function in vars(module).items():
            if isinstance(function, Dispatcher) and name != "fly":
                called.add(function.py_func.__module__)
                own = function.py_func.__module__ in (controlled_kernels.__name__, dynamics_kernels.__name__)
                assert isinstance(function._cache, NullCache) == own, name
    modules = [sys.modules[name] for name in sorted(called - {controlled_kernels.__name__})]
    assert controlled_kernels.fly.py_func.__closure__[0].cell_contents == text_stamp(*modules)
