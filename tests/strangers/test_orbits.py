"""Robots in orbit that MuJoCo flies: laws of the generator, and intervals that hold the truth."""

from dataclasses import replace

import numpy as np
import pytest
from strangers import motion, truth
from strangers.documents import robot_document
from strangers.flights import Flyer, World, flown
from strangers.orbits import RADIUS_M, RATE_RAD_S, SERVICER, SLOW_HZ, drawn_orbit
from strangers.trying import read_mission
from strangers.trying_orbits import attitudes, flight_of, orbited, turned_deg

import freefloat as ff

SHORT_S = 6.0
EXACT = truth.as_modelled(SERVICER)


def seeded(*numbers):
    return np.random.Generator(np.random.PCG64(numbers))


def test_the_servicer_is_that_of_new():
    """All numbers but those of its wheels, which stand still here and count as the base's."""
    mission = {"format": "freefloat/mission@1", "mission": "servicing", "robot": "robot.yaml"}
    ours, theirs = ff.study_robot("servicer"), read_mission(robot_document(SERVICER), mission).robot
    assert ours.body_names == theirs.body_names
    np.testing.assert_allclose(theirs.parameters, ours.parameters, rtol=0, atol=1e-12)
    q = seeded(1).uniform(-1.0, 1.0, (5, len(ours.joints)))
    found, expected = (ff.dynamics.momentum_matrix(robot, q) for robot in (theirs, ours))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_the_push_is_the_gradients_on_the_whole_robot_and_that_of_the_magnet():
    orbit, rng = drawn_orbit(seeded(2), 1e-4), seeded(3)
    flyer = Flyer(SERVICER, EXACT, World(orbit=orbit))
    state = rng.standard_normal(13)
    state[3:7] /= np.linalg.norm(state[3:7])
    q, t = rng.uniform(-1.0, 1.0, 7), 400.0
    M = flyer.inertia_at(state, q)
    pushed = orbit.push(flyer.model, flyer.data, t)
    base = flyer.data.xmat[1].reshape(3, 3)
    mass, com, down = M[0, 0], flyer.data.subtree_com[0], orbit.around(orbit.nadir, RATE_RAD_S * t)
    arm = base.T @ (com - state[:3])
    own = M[3:6, 3:6] - mass * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
    e = base.T @ down
    gradient = 3.0 * RATE_RAD_S**2 * np.cross(e, own @ e)
    magnet = base.T @ orbit.torque_of_magnet(base, t)
    about_centre = pushed[3:] - np.cross(arm, base.T @ pushed[:3])
    np.testing.assert_allclose(about_centre, gradient + magnet, rtol=0, atol=1e-6 * np.abs(gradient).max())
    hill = RATE_RAD_S**2 * (3.0 * (com @ down) * down - com)
    second_order = 20.0 * np.linalg.norm(com) / RADIUS_M
    np.testing.assert_allclose(pushed[:3] / mass, hill, rtol=0, atol=second_order * np.abs(hill).max())


def test_a_centre_of_mass_that_coasts_goes_where_the_orbit_leads_it():
    """To first order in some metres over the radius of the orbit; ten times as far from an even drift."""
    orbit, moves, lasts_s = drawn_orbit(seeded(10), 1e-4), motion.drawn(SERVICER, seeded(11), SLOW_HZ), 20.0
    flight = flown(SERVICER, EXACT, moves, seeded(12), 0.05, lasts_s, World(orbit=orbit))
    flyer, centre = Flyer(SERVICER, EXACT), []
    q, dq, _ = moves.at(flight.t)
    states = np.concatenate([flight.position, flight.quaternion, flight.velocity, flight.rate], axis=1)
    momenta = []
    for each in zip(states, q, dq, strict=True):
        momenta.append(flyer.momentum_at(*each)[:3])
        centre.append(np.array(flyer.data.subtree_com[0]))
    velocity = momenta[0] / flyer.model.body_subtreemass[0]
    by_place, by_velocity = ff.dynamics.Orbit(RATE_RAD_S, orbit.nadir, orbit.normal).coasting(flight.t)
    found = by_place @ centre[0] + by_velocity @ velocity
    evenly = centre[0] + flight.t[:, None] * velocity
    away = np.abs(centre - evenly).max()
    assert away > 1e-4
    np.testing.assert_allclose(centre, found, rtol=0, atol=1e-5 * away)


def test_angular_momentum_gains_what_the_torque_gives():
    orbit = drawn_orbit(seeded(4), 1e-4)
    moves = motion.drawn(SERVICER, seeded(5), SLOW_HZ)
    flight = flown(SERVICER, EXACT, moves, seeded(6), 0.02, SHORT_S, World(orbit=orbit))
    flyer = Flyer(SERVICER, EXACT)
    states = np.concatenate([flight.position, flight.quaternion, flight.velocity, flight.rate], axis=1)
    q, dq, _ = moves.at(flight.t)
    momenta = np.array([flyer.momentum_at(*each) for each in zip(states, q, dq, strict=True)])
    torques = []
    for state, position, rate, t in zip(states, q, dq, flight.t, strict=True):
        flyer.momentum_at(state, position, rate)
        pushed = orbit.push(flyer.model, flyer.data, t)
        base = flyer.data.xmat[1].reshape(3, 3)
        torques.append(base @ pushed[3:] - np.cross(flyer.data.subtree_com[0] - state[:3], pushed[:3]))
    h = np.diff(flight.t)[:, None]
    gained = np.cumsum(0.5 * h * (np.array(torques)[1:] + np.array(torques)[:-1]), axis=0)
    assert np.abs(gained[-1]).max() > 1e-5
    np.testing.assert_allclose(momenta[1:, 3:] - momenta[0, 3:], gained, rtol=0, atol=1e-4 * np.abs(gained).max())


def test_steps_are_short_enough():
    orbit, moves = drawn_orbit(seeded(7), 1e-4), motion.drawn(SERVICER, seeded(8), SLOW_HZ)
    world = World(orbit=orbit)
    coarse, fine = (flown(SERVICER, EXACT, moves, seeded(9), step, SHORT_S, world) for step in (0.02, 0.01))
    sd = SERVICER.gyro.walk * np.pi / 180.0 / 60.0 * np.sqrt(SERVICER.gyro.rate_Hz)
    assert np.abs(coarse.rate - fine.rate[::2]).max() < 1e-3 * sd


def test_where_the_mission_says_the_planet_is_it_is():
    _, flight, _, orbit = flight_of(0, SHORT_S)
    R = attitudes(flight)[0]
    w, x, y, z = flight.quaternion[0]
    np.testing.assert_allclose(ff.robot.rotations.rotations(np.array([[x, y, z, w]]))[0], R, atol=1e-12)
    assert 0.0 < turned_deg(flight, orbit) < 30.0
    assert replace(orbit, field_rate=0.0).around(orbit.nadir, 0.0) == pytest.approx(orbit.nadir)


@pytest.mark.slow
def test_intervals_hold_the_truth_beside_a_magnet():
    """Seeds 100 to 103, 60 s each: at least nine in ten intervals, nothing said of torques by the mission."""
    tries = [orbited(seed, 60.0, False) for seed in range(100, 104)]
    assert [each.outcome for each in tries] == ["good"] * 4, [each.said for each in tries]
    assert np.mean([each.coverage() for each in tries]) > 0.9
    assert np.sqrt(np.mean([np.mean(each.errors**2) for each in tries])) < 1.4
