"""Flights of prescribed joint motion: what physics says about them, and what is printed about two.

Momentum, torques and gravity gradients are computed by Pinocchio or from its placements, on models that are
built from the robots' data alone.
"""

import numpy as np
import pytest
from agreement import assert_agree
from authorities.pinocchio_model import InPinocchio
from random_trees import random_robot
from simulation.weighed import Weighed, about_centre, centres, simpson, slope

from freefloat.dynamics.kernels import sweep
from freefloat.errors import ShapeError
from freefloat.motion.combined import Combined
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.parameters import INDEX, PER_BODY
from freefloat.robot.rotations import rotations
from freefloat.simulation.simulate import CannotFly, Disturbance, Pulse, Start, simulate_motion
from freefloat.studies.catalogue import published, study_robot

SPIN = {"attitude": [0.3, -0.2, 0.5, 0.7], "rate": [0.2, -0.3, 0.1], "velocity": [0.3, 0.1, -0.2]}
MOVING = Start(position=[2.0, -1.0, 0.5], **SPIN)


def tree(seed, base="free", wheels=0, **kinds):
    """A branched robot with sliding and turning joints."""
    return random_robot(seed, bodies=8, base=base, branched=True, prismatic=True, wheels=wheels, **kinds)


def printed_fourier(name):
    """The robot of a study and its printed trajectory."""
    robot, said = study_robot(name), published(name)["trajectory"]
    return robot, Fourier.from_harmonics(robot.joint_names, said["a_rad_s"], said["b_rad_s"], said["duration_s"])


# ---------------------------------------------------------------------- momentum


@pytest.mark.parametrize("start", [Start(), MOVING], ids=["at rest as a whole", "moving as a whole"])
@pytest.mark.parametrize(("count", "wheels"), [(0, "held"), (3, "held"), (3, "free")])
def test_momentum_is_constant(count, wheels, start):
    robot = tree(count + 1, wheels=count)
    t = np.linspace(0.0, 20.0, 10_000)
    rates = np.array([30.0, -50.0, 20.0])[:count]
    flown = simulate_motion(robot, random_trajectory(robot, 20.0, 1), t, start, wheels, rates)
    found, sizes = Weighed(robot).whole(flown)
    drift = np.abs(found - found[0]).reshape(-1, 2, 3).max(axis=2)
    assert (drift <= 1e-11 * sizes.max(axis=0)).all(), drift.max(axis=0) / sizes.max(axis=0)
    if start is MOVING:
        assert (np.abs(found[0].reshape(2, 3)).max(axis=1) > 0.01 * sizes.min(axis=0)).all()
    else:
        assert (np.abs(found[0].reshape(2, 3)).max(axis=1) <= 1e-11 * sizes.max(axis=0)).all()
    assert np.abs(flown.w).max() > 0.05


def test_moving_wheels_turn_the_base_and_momentum_stays():
    robot = tree(3, wheels=3)
    names = tuple(wheel.name for wheel in robot.wheels)
    spun = Fourier(names, np.random.default_rng(3).normal(size=(6, 3)) * 20.0, 10.0)
    joints = random_trajectory(robot, 10.0, 2)
    t = np.linspace(0.0, 10.0, 1001)
    flown = simulate_motion(robot, Combined((joints, spun)), t, MOVING)
    without = simulate_motion(robot, joints, t, MOVING)
    found, sizes = Weighed(robot).whole(flown)
    assert (np.abs(found - found[0]).reshape(-1, 2, 3).max(axis=2) <= 1e-11 * sizes.max(axis=0)).all()
    assert np.abs(flown.w - without.w).max() > 0.01


def test_nothing_turns_a_free_wheel_and_something_turns_a_held_one():
    robot = tree(4, wheels=3)
    t = np.linspace(0.0, 5.0, 200)
    trajectory, theirs = random_trajectory(robot, 5.0, 3), Weighed(robot)
    held = simulate_motion(robot, trajectory, t, MOVING, "held", [100.0, -60.0, 80.0])
    free = simulate_motion(robot, trajectory, t, MOVING, "free", [100.0, -60.0, 80.0])
    size = np.abs(theirs.wheel_torques(held)).max()
    assert size > 1e-3
    assert np.abs(theirs.wheel_torques(free)).max() <= 1e-11 * size
    assert np.abs(held.w - free.w).max() > 1e-6
    np.testing.assert_array_equal(held.wheel_rates, np.tile([100.0, -60.0, 80.0], (200, 1)))


def test_the_start_is_where_it_was_said_to_be():
    flown = simulate_motion(tree(5), random_trajectory(tree(5), 3.0, 1), [0.0, 0.1], MOVING)
    np.testing.assert_allclose(flown.w[0], MOVING.rate, rtol=1e-12)
    np.testing.assert_allclose(flown.v[0], MOVING.velocity, rtol=1e-12)
    np.testing.assert_allclose(flown.position[0], MOVING.position, rtol=1e-12)
    np.testing.assert_allclose(flown.attitude[0], np.divide(SPIN["attitude"], np.linalg.norm(SPIN["attitude"])))


@pytest.mark.parametrize("wheels", ["held", "free"])
def test_a_start_with_an_angular_momentum_has_it_whatever_joints_and_wheels_do(wheels):
    robot, wanted = tree(18, wheels=2), np.array([3.0, -2.0, 5.0])
    start = Start(SPIN["attitude"], [1.0, 2.0, 3.0], angular_momentum=wanted)
    joints = PlainFourier(robot.joint_names, np.full((3, len(robot.joints)), 0.4), 3.0, 3.0)  # moving at once
    flown = simulate_motion(robot, joints, np.linspace(0.0, 3.0, 31), start, wheels, [40.0, -20.0])
    found, sizes = Weighed(robot).whole(flown)
    spin = about_centre(found, centres(robot, flown))
    turned = rotations(start.attitude[None])[0] @ wanted
    np.testing.assert_allclose(spin, np.tile(turned, (31, 1)), atol=1e-11 * sizes[:, 1].max())
    assert np.abs(found[:, :3]).max() <= 1e-11 * sizes[:, 0].max()


# ---------------------------------------------------------------------- convergence and consistency


@pytest.mark.parametrize("base", ["free", "planar"])
def test_attitude_converges_at_order_four(base):
    robot = tree(6, base=base, wheels=2)
    trajectory = random_trajectory(robot, 8.0, 4)

    def last(steps):
        start = Start(rate=[0.5, -0.4, 0.8], velocity=[0.1, 0.2, 0.3])
        flown = simulate_motion(robot, trajectory, np.linspace(0.0, 8.0, steps + 1), start, "free", [40.0, -30.0])
        return flown.attitude[-1]

    exact = last(6400)
    errors = [np.abs(last(steps) - exact).max() for steps in (100, 200, 400)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert (np.abs(orders - 4.0) < 0.3).all(), (errors, orders)


@pytest.mark.parametrize("base", ["free", "planar"])
@pytest.mark.parametrize("wheels", ["held", "free"])
def test_rates_are_the_derivatives_of_what_they_are_the_rates_of(base, wheels):
    robot = tree(7, base=base, wheels=3, gravity=True)
    t = np.linspace(0.0, 4.0, 2001)
    push = Disturbance(force_N=[1.0, -2.0, 0.5], torque_Nm=[0.2, 0.1, -0.3])
    start = Start(rate=[0.3, -0.2, 0.4], velocity=[0.1, -0.2, 0.3])
    spins = [50.0, -30.0, 20.0]
    flown = simulate_motion(robot, random_trajectory(robot, 4.0, 5), t, start, wheels, spins, (), push)
    inner, R_IB = slice(4, -4), rotations(flown.attitude)
    for values, rates in (
        (flown.q, flown.dq),
        (flown.dq, flown.ddq),
        (flown.v, flown.dv),
        (flown.w, flown.dw),
        (flown.position, np.einsum("kij,kj->ki", R_IB, flown.v)),
        (flown.wheel_rates, flown.wheel_accelerations),
    ):
        assert_agree(slope(values, t[1])[:], rates[inner], 1e-7, floor=1e-3)
    turning = np.einsum("kji,kjl->kil", R_IB[inner], slope(R_IB, t[1]))
    assert_agree(turning[:, [2, 0, 1], [1, 2, 0]], flown.w[inner], 1e-7, floor=1e-3)


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
@pytest.mark.parametrize("wheels", ["held", "free"])
def test_torques_and_wrenches_are_pinocchios(base, wheels):
    robot = tree(8, base=base, wheels=3, gravity=True)
    t = np.linspace(0.0, 4.0, 101)
    push = Disturbance(force_N=[1.0, -2.0, 0.5], torque_Nm=[0.2, 0.1, -0.3], orbital_rate_rad_s=0.3)
    pulse = Pulse(1.0, 2.0, [3.0, -1.0, 2.0], [0.2, 0.4, -0.3])
    spins = [50.0, -30.0, 20.0]
    start = Start(rate=[0.3, -0.2, 0.4])
    flown = simulate_motion(robot, random_trajectory(robot, 4.0, 6), t, start, wheels, spins, (pulse,), push)
    if base == "fixed":
        theirs = InPinocchio(robot).inverse_dynamics(flown)
        gyroscopic = 3  # the wheels' moments are not in this model: they do not reach the joints
        assert_agree(flown.base_wrench[:, :gyroscopic], theirs[:, :gyroscopic], 1e-10)
    else:
        model = Weighed(robot)
        theirs = model.inverse_dynamics(flown, model.wheels)[:, : 6 + len(robot.joints)]
        assert_agree(flown.base_wrench, theirs[:, :6], 1e-9, floor=1e-2)
    assert_agree(flown.torques, theirs[:, 6 : 6 + len(robot.joints)], 1e-10)


# ---------------------------------------------------------------------- pulses and disturbances


def test_a_pulse_through_the_centre_of_mass_gives_exactly_its_impulse():
    robot = tree(9)
    still = Fourier(robot.joint_names, np.zeros((2, len(robot.joints))), 10.0)
    point = centres(robot, simulate_motion(robot, still, [0.0, 1.0]))[0]
    t = np.linspace(0.0, 10.0, 84)  # the pulse begins and ends between samples
    force, turn = np.array([3.0, -2.0, 1.0]), Start(attitude=[0.3, -0.2, 0.5, 0.7])
    flown = simulate_motion(robot, still, t, turn, pulses=(Pulse(1.234, 3.3, force, point),))
    found, _ = Weighed(robot).whole(flown)
    impulse = 3.3 * rotations(turn.attitude[None])[0] @ force
    before, after = t <= 1.234, t >= 1.234 + 3.3
    np.testing.assert_allclose(found[after][:, :3], np.tile(impulse, (after.sum(), 1)), rtol=1e-12)
    assert np.abs(found[before]).max() <= 1e-12 * np.linalg.norm(impulse)
    assert np.abs(flown.w).max() <= 1e-14


@pytest.mark.parametrize("seed", [10, 11])
def test_a_pulse_that_turns_with_the_base_gives_the_integral_of_its_force(seed):
    robot, step = tree(seed, wheels=2), 1e-3
    t = np.arange(0.0, 4.0 + step / 2, step)
    pulse = Pulse(1.0, 2.0, [4.0, -3.0, 2.0], [0.3, -0.2, 0.5])
    start = Start(rate=[0.6, -0.4, 0.8], position=[1.0, 2.0, 3.0])
    flown = simulate_motion(robot, random_trajectory(robot, 4.0, seed), t, start, "free", [40.0, 30.0], (pulse,))
    found, sizes = Weighed(robot).whole(flown[[0, 1000, 3000, 4000]])
    R_IB = rotations(flown.attitude[1000:3001])
    force = R_IB @ pulse.force_N
    moment = np.cross(flown.position[1000:3001] + R_IB @ pulse.point_m, force)
    impulse = np.concatenate([simpson(force, step), simpson(moment, step)])
    np.testing.assert_allclose(found[2] - found[1], impulse, rtol=1e-9)
    assert (np.abs(found[[1, 3]] - found[[0, 2]]).reshape(2, 2, 3).max(axis=2) <= 1e-11 * sizes.max(axis=0)).all()
    assert np.linalg.norm(impulse[:3]) < 0.98 * 2.0 * np.linalg.norm(pulse.force_N)  # it did turn


def test_constant_force_and_torque_change_momentum_by_themselves_times_time():
    robot = tree(13, wheels=2)
    t = np.linspace(0.0, 5.0, 501)
    push = Disturbance(force_N=[1.0, -2.0, 0.5], torque_Nm=[0.2, 0.1, -0.3])
    trajectory = random_trajectory(robot, 5.0, 1)
    flown = simulate_motion(robot, trajectory, t, MOVING, "free", [40.0, -30.0], (), push)
    found, sizes = Weighed(robot).whole(flown)
    angular = about_centre(found, centres(robot, flown))
    linear_drift = found[:, :3] - found[0, :3] - np.outer(t, push.force_N)
    angular_drift = angular - angular[0] - np.outer(t, push.torque_Nm)
    assert np.abs(linear_drift).max() <= 1e-11 * sizes[:, 0].max()
    assert np.abs(angular_drift).max() <= 1e-11 * sizes[:, 1].max()


def test_gravity_makes_the_centre_of_mass_fall():
    robot = tree(14, gravity=True)
    t = np.linspace(0.0, 2.0, 201)
    flown = simulate_motion(robot, random_trajectory(robot, 2.0, 1), t, MOVING)
    found, sizes = Weighed(robot).whole(flown)
    centre = centres(robot, flown)
    path = centre[0] + np.outer(t, found[0, :3]) / robot.mass + 0.5 * np.outer(t**2, robot.gravity)
    np.testing.assert_allclose(centre, path, atol=1e-11)
    spin = about_centre(found, centre)
    assert np.abs(spin - spin[0]).max() <= 1e-11 * sizes[:, 1].max()


def test_the_gravity_gradient_is_the_torque_on_the_spread_masses():
    robot, rate, step = tree(15, wheels=2), 0.4, 2e-3
    t = np.arange(0.0, 6.0 + step / 2, step)
    nadir, normal = np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0])
    orbit = Disturbance(orbital_rate_rad_s=rate, nadir=nadir, orbit_normal=normal)
    flown = simulate_motion(robot, random_trajectory(robot, 6.0, 1), t, MOVING, "free", [9.0, 5.0], (), orbit)
    down = np.stack(
        [0.6 * np.cos(rate * t) + 0.8 * np.sin(rate * t), 0 * t, 0.8 * np.cos(rate * t) - 0.6 * np.sin(rate * t)]
    )
    # The field about the centre of mass is n^2 (3 (r.d) d - r); its torque is 3 n^2 times the integral of (r.d) r x d.
    torque = 3.0 * rate**2 * np.cross(np.einsum("kij,jk->ki", Weighed(robot).spread(flown), down), down.T)
    assert_agree(np.einsum("kij,kj->ki", rotations(flown.attitude), flown.base_wrench[:, 3:]), torque, 1e-10)
    ends = flown[[0, -1]]
    found, _ = Weighed(robot).whole(ends)
    spin = about_centre(found, centres(robot, ends))
    np.testing.assert_allclose(spin[1] - spin[0], simpson(torque, step), rtol=1e-8)
    assert np.abs(found[1, :3] - found[0, :3]).max() <= 1e-11 * np.abs(found[:, :3]).max()


# ---------------------------------------------------------------------- planar and fixed bases


def test_a_planar_base_stays_in_its_plane_and_keeps_momentum_along_it():
    robot = tree(16, base="planar", wheels=2)
    t = np.linspace(0.0, 10.0, 1001)
    start = Start(
        attitude=[0.0, 0.0, 0.3, 0.9], position=[1.0, 2.0, 0.5], rate=[9.0, 9.0, 0.3], velocity=[0.1, -0.2, 9.0]
    )
    flown = simulate_motion(robot, random_trajectory(robot, 10.0, 1), t, start, "held", [40.0, 30.0])
    assert not flown.w[:, :2].any()
    assert not flown.v[:, 2].any()
    assert not flown.attitude[:, :2].any()
    np.testing.assert_allclose(flown.position[:, 2], 0.5, rtol=1e-12)
    assert np.ptp(flown.attitude[:, 2]) > 0.1
    found, sizes = Weighed(robot).whole(flown)
    kept = found[:, [0, 1, 5]]
    assert (np.abs(kept - kept[0]) <= 1e-11 * sizes.max(axis=0)[[0, 0, 1]]).all()
    assert np.abs(found[:, 2] - found[0, 2]).max() > 1e-3 * sizes[:, 0].max()  # the plane holds the rest


def test_a_fixed_base_does_not_move():
    robot = tree(17, base="fixed", gravity=True)
    flown = simulate_motion(robot, random_trajectory(robot, 3.0, 1), np.linspace(0.0, 3.0, 50), MOVING)
    for name in ("v", "w", "dv", "dw", "position"):
        assert not getattr(flown, name).any()
    assert (flown.attitude == [0.0, 0.0, 0.0, 1.0]).all()
    theirs = InPinocchio(robot).inverse_dynamics(flown)
    assert_agree(np.hstack([flown.base_wrench, flown.torques]), theirs, 1e-10)


# ---------------------------------------------------------------------- what is printed


def test_christidis_checkpoints():
    robot, trajectory = printed_fourier("christidi_servicer")
    said = published("christidi_servicer")
    spins = np.divide(said["initial"]["wheel_momentum_Nms"], robot.wheel_inertias)
    start = Start(attitude=said["initial"]["quaternion"], rate=said["initial"]["angular_rate_rad_s"])
    t = np.linspace(0.0, 80.0, 1601)
    flown, points = simulate_motion(robot, trajectory, t, start, "held", spins), said["computed"]
    at = flown[np.searchsorted(t, np.array(points["t_s"]) - 1e-9)]
    np.testing.assert_allclose(at.t, points["t_s"], atol=1e-12)
    for ours, theirs in (
        (at.q, "q_rad"),
        (at.dq, "dq_rad_s"),
        (at.w, "angular_rate_rad_s"),
        (at.attitude, "quaternion"),
    ):
        assert np.abs(ours - points[theirs]).max() <= 1e-7, theirs
    momentum, _ = Weighed(robot).whole(at)
    angular = about_centre(momentum, centres(robot, at))
    np.testing.assert_allclose(angular, np.tile(points["momentum_Nms"], (len(at), 1)), rtol=1e-7)


def test_the_motion_of_n1_is_as_gentle_as_printed():
    robot, trajectory = printed_fourier("spirolazzi_n1")
    said = published("spirolazzi_n1")
    t = np.linspace(0.0, said["trajectory"]["duration_s"], said["trajectory"]["samples"])
    flown = simulate_motion(robot, trajectory, t)
    peak = np.rad2deg(np.abs(flown.w).max(axis=0))
    assert peak.max() < said["results"]["peak_angular_rate_deg_s"]
    assert peak.max() == pytest.approx(3.31, abs=0.005)
    assert peak[2] < 0.6 * peak[:2].min()  # "considerably lower than the other two"
    # H_L, eq. 5.6: of the known load, the moment about the last joint times the rate about it.
    last = len(robot.body_names) - 1
    R, _, _, w, _ = sweep(robot.tree.arrays, flown.q, flown.dq, flown.v, flown.w)
    about_joint = np.einsum("ki,ki->k", R[:, last, :, 2], w[:, last])
    load = robot.parameters[PER_BODY * last + INDEX["Izz"]] * np.abs(about_joint).max()
    assert load < said["results"]["peak_load_momentum_Nms"]
    assert load == pytest.approx(0.114, abs=0.0005)


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize("t", [[0.0], [0.0, 1.0, 1.0], [1.0, 0.0], [[0.0, 1.0]]])
def test_times_that_do_not_increase_are_refused(t):
    with pytest.raises(CannotFly, match="increasing order"):
        simulate_motion(tree(1), random_trajectory(tree(1), 2.0, 1), t)


def test_wrong_wheels_are_refused():
    robot = tree(1, wheels=2)
    trajectory = random_trajectory(robot, 2.0, 1)
    with pytest.raises(ShapeError, match=r"\(2,\), found \(3,\)"):
        simulate_motion(robot, trajectory, [0.0, 1.0], wheel_rates=[1.0, 2.0, 3.0])
    with pytest.raises(CannotFly, match="loose'; allowed: held, free"):
        simulate_motion(robot, trajectory, [0.0, 1.0], wheels="loose")


def test_a_start_without_attitude_and_a_pulse_without_duration_are_refused():
    with pytest.raises(ShapeError, match="quaternion that is not zero"):
        Start(attitude=np.zeros(4))
    with pytest.raises(CannotFly, match="more than zero"):
        Pulse(0.0, 0.0, [1.0, 0.0, 0.0])


def test_an_orbit_needs_two_directions_at_right_angles_of_any_length():
    long = Disturbance(nadir=[3.0, 0.0, 4.0], orbit_normal=[0.0, 9.0, 0.0])
    np.testing.assert_allclose(long.nadir_at(np.array([0.0])), [[0.6, 0.0, 0.8]], rtol=1e-15)
    for nadir in ([0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [np.nan, 0.0, 1.0]):
        with pytest.raises(CannotFly, match="right angles"):
            Disturbance(nadir=nadir)
    with pytest.raises(ShapeError, match=r"\(3,\), found \(2,\)"):
        Disturbance(force_N=[1.0, 2.0])
