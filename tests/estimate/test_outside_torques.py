"""Torques from outside that nobody knows: momentum is their integral, noiseless truth is found, axes are as said.

That derivatives are those of the rows is shown in `test_own_instants.py` and `test_swinging_joints.py`.
"""

from dataclasses import replace

import numpy as np
import pytest
from estimate.clocked_flights import flown
from estimate.problems import cad_of
from scipy.integrate import quad_vec

from freefloat.dynamics.orbit import Orbit
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.likelihood.outside_torques import BaseTorque, OrbitTorque, WalkingTorque
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.unknowns import TORQUE_WALK, unknowns_of
from freefloat.robot.rotations import exponential, rotations

ORBIT = Orbit(0.05, [0.6, 0.0, 0.8])
AXES = np.eye(3)


def made(**how):
    return flown(4, "free", ("w", "attitude"), curves="exact", lasts_s=10.0, noisy=False, bodies=3, **how)


@pytest.mark.parametrize("kind", ["orbit", "inertial", "base", "walk"])
def test_momentum_is_the_integral_of_the_torque(kind):
    measured = made().flight.measured
    torque = {
        "orbit": lambda: OrbitTorque.of(ORBIT, AXES),
        "inertial": lambda: OrbitTorque.of(None, AXES),
        "base": lambda: BaseTorque.of("flight", measured, AXES),
        "walk": lambda: WalkingTorque.of(measured, AXES[:, [0, 2]]),
    }[kind]()
    since = np.array([0.0, 0.31, 2.9, 7.7])
    found = torque.momentum(since)
    for at, gained in zip(since, found, strict=True):
        expected = quad_vec(lambda s: torque.torque(np.array([s]))[0], 0.0, at, epsrel=1e-10)[0]
        np.testing.assert_allclose(gained, expected, rtol=0, atol=1e-7 * max(np.abs(found).max(), 1e-3))


def test_a_constant_torque_turns_with_the_vertical_or_with_the_base_or_not_at_all():
    case = made()
    since = np.array([0.0, 3.0, 8.0])
    still = OrbitTorque.of(None, AXES).torque(since)
    np.testing.assert_array_equal(still, np.broadcast_to(AXES, (3, 3, 3)))
    with_the_vertical = OrbitTorque.of(ORBIT, AXES).torque(since) @ ORBIT.nadir
    np.testing.assert_allclose(with_the_vertical, ORBIT.nadir_at(since), atol=1e-14)
    turned = exponential(0.05 * since[:, None] * ORBIT.normal)
    np.testing.assert_allclose(OrbitTorque.of(ORBIT, AXES).torque(since), turned, atol=1e-14)
    tracker = case.flight.measured["attitude"]
    R = rotations(tracker.values)
    first = min(float(data.t[0]) for data in case.flight.measured.values())
    with_the_base = BaseTorque.of("flight", case.flight.measured, AXES).torque(tracker.t - first)
    seen = np.einsum("ij,nik->njk", R[0], R)  # against the tracker's own first attitude
    off = with_the_base[0].T @ with_the_base - seen
    assert np.abs(off).max() < 1e-3


def test_the_walk_begins_at_nothing_and_its_steps_are_independent():
    case = made()
    problem = Problem(case.robot, (case.flight,), nuisances=Nuisances(torque_walk_Nm_per_sqrt_s=2e-3))
    unknowns = unknowns_of(problem)
    place = unknowns.find(TORQUE_WALK, 0)
    covariance = np.linalg.inv(unknowns.information[place, place])
    knots, (first, *_, last) = (place.stop - place.start) // 3, (label.split() for label in unknowns.labels[place])
    lasts = float(last[-2])
    np.testing.assert_allclose(covariance[knots - 1, knots - 1], 2e-3**2 * lasts, rtol=1e-3)  # labels are rounded
    np.testing.assert_allclose(covariance[0], covariance[0, 0] * (np.arange(3 * knots) < knots), atol=1e-18)
    assert (first[2], last[2]) == ("x", "z")


def test_a_torque_that_stays_is_told_from_one_that_turns_with_the_base():
    """0.02 N m constant in inertial axes, noiseless, beside two that are not there."""
    case = made(momentum="unknown", torque=0.02)
    quiet = {name: replace(data, sd=1e-2 * data.sd) for name, data in case.flight.own_instants.items()}
    known = {case.robot.body_names[-1]: 0.0}
    nuisances = replace(Nuisances.none(), external_torque_Nm=0.1, base_torque_Nm=0.1, torque_walk_Nm_per_sqrt_s=1e-6)
    flight = replace(case.flight, own_instants=quiet)
    problem = Problem(cad_of(case.robot, known, 0.05, 4), (flight,), known=known, prior=None, nuisances=nuisances)
    estimate = MaximumLikelihood().estimate(problem)
    truth, found = problem.minimal.values(case.robot.parameters), {each.name: each for each in estimate.nuisances}
    assert np.abs((estimate.values - truth) / estimate.sd).max() < 1e-2
    for axis in "xyz":
        (in_base,) = (each for name, each in found.items() if name == f"torque in base axes {axis}")
        assert abs(in_base.value) < 1e-2 * in_base.sd
        assert in_base.sd < 2e-3
