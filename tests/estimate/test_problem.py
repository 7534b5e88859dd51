"""Problems: what is asked for, what is assumed before, and joint motion between samples."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot, random_samples

from freefloat.dynamics.momentum_rows import momentum_regressor
from freefloat.errors import ShapeError
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.joint_curves import Remembered, SampledCurves
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.unknowns import unknowns_of
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.parameters import com_of, inertia_about_com, parameters_from_com
from freefloat.robot.parts import Body, Joint
from freefloat.simulation.simulate import simulate_motion


def flight_of(robot, seed=0, n=60, **settings):
    samples = replace(random_samples(robot, n, seed), t=np.linspace(0.0, 6.0, n))
    return Flight(samples, {"w": 1e-5}, **settings)


# ---------------------------------------------------------------------- clusters


@pytest.mark.parametrize("seed", range(12))
def test_cluster_values_at_their_leaders_places_move_as_the_robot_does(seed):
    robot = random_robot(seed, base="free", bodies=5)
    known = {robot.body_names[-1]: 0.01} if seed % 2 else {}
    problem = Problem(robot, (flight_of(robot, seed),), known)
    phi = problem.standard(problem.cad)
    K = momentum_regressor(problem.robot, problem.flights[0].samples)
    momentum = K @ problem.robot.parameters
    np.testing.assert_allclose(K @ phi, momentum, rtol=0.0, atol=1e-10 * np.abs(momentum).max())
    assert len(problem.minimal) < problem.unknown.size


def test_a_body_that_was_not_there_in_one_flight_has_clusters_of_its_own():
    robot = with_load(random_robot(3, base="free", bodies=4, wheels=0))
    free, gripped = flight_of(robot, 1, without=("load",)), flight_of(robot, 2)
    together = Problem(robot, (free, gripped))
    assert len(together.minimal) > len(Problem(robot, (gripped,)).minimal)
    assert any(name.endswith("_load") for name in together.minimal.leaders)


@pytest.mark.parametrize("both", [False, True])
def test_a_known_load_gripped_by_an_unknown_link_fixes_the_scale_only_with_a_flight_without_it(both):
    robot = with_load(random_robot(5, base="free", bodies=4, wheels=0))
    flights = tuple(flown(robot, seed, without) for seed, without in ((1, ()), (2, ("load",))))
    problem = Problem(robot, flights if both else flights[:1], {"load": 0.0}, prior=None, nuisances=Nuisances.none())
    estimate = MaximumLikelihood().estimate(problem)
    assert (len(estimate.unseen) == 0) == both


def with_load(robot):
    """The robot with a body fixed to its last link."""
    last = robot.bodies[-1].name
    phi = parameters_from_com(4.0, [0.1, 0.05, -0.02], np.diag([0.2, 0.3, 0.25]))
    load = Body("load", last, Joint("grip", kind="fixed"), parameters=phi)
    return replace(robot, bodies=(*robot.bodies, load), separate=robot.separate | {"load"})


def flown(robot, seed, without):
    """A flight at zero momentum, of the robot without some bodies."""
    phi = np.array(robot.parameters).reshape(-1, 10)
    for name in without:
        phi[robot.body_names.index(name)] = 0.0
    flies = robot.with_parameters(phi.ravel())
    samples = simulate_motion(flies, random_trajectory(robot, 30.0, seed, harmonics=5), np.linspace(0.0, 30.0, 600))
    return Flight(samples, {"w": 1e-6}, without=without, name=f"flight {seed}")


# ---------------------------------------------------------------------- prior


@pytest.mark.parametrize("seed", range(5))
def test_the_prior_s_spread_is_that_of_mass_centre_and_inertia(seed):
    robot, spread = random_robot(seed, bodies=3), CadSpread(0.02, 0.03, 0.05)
    phi, rng = robot.parameters[10:20], np.random.default_rng(seed)
    mass, centre, inertia = phi[0], com_of(phi), inertia_about_com(phi)
    moment = np.trace(inertia) / 3.0
    reach = np.sqrt(1.5 * moment / mass)
    drawn = []
    for _ in range(4000):
        entries = 1e-3 * spread.inertia * moment * rng.normal(size=6)
        off = np.zeros((3, 3))
        off[np.triu_indices(3)] = entries
        off = off + np.triu(off, 1).T
        lighter = mass * (1.0 + 1e-3 * spread.mass * rng.normal())
        drawn.append(
            parameters_from_com(lighter, centre + 1e-3 * spread.com * reach * rng.normal(size=3), inertia + off)
        )
    found, expected = np.cov(np.transpose(drawn)) * 1e6, spread.covariance(robot)[10:20, 10:20]
    sd = np.sqrt(np.diagonal(expected))
    np.testing.assert_allclose(found / np.outer(sd, sd), expected / np.outer(sd, sd), atol=0.1)


def test_what_is_declared_known_or_zero_has_no_prior_of_its_own():
    robot = random_robot(2, base="free", bodies=4)
    problem = Problem(robot, (flight_of(robot),), {"body1": 0.02}, ("body2.products",))
    parts = {part.kind: part for part in unknowns_of(problem).parts}
    assert np.linalg.eigvalsh(parts["clusters"].information).min() > 0.0
    spread = CadSpread(0.02, 0.02, 0.02).covariance(robot)[10:20, 10:20]
    unit = parts["known body1"].information @ spread
    np.testing.assert_allclose(unit, np.eye(10), atol=1e-8)


def test_a_parameter_that_is_known_by_itself_is_known_to_a_part_of_its_value():
    robot = random_robot(2, base="free", bodies=4)
    problem = Problem(robot, (flight_of(robot),), {"body1.m": 0.02, "body2.mx": 0.1})
    assert problem.known_sd[10] == pytest.approx(0.02 * robot.parameters[10])
    assert problem.known_sd[21] == pytest.approx(0.1 * abs(robot.parameters[21]))
    assert np.count_nonzero(problem.known_sd) == 2


# ---------------------------------------------------------------------- joints between samples


def test_sampled_curves_are_exact_for_quintics_and_at_samples():
    t, rng = np.sort(np.random.default_rng(0).uniform(0.0, 5.0, 20)), np.random.default_rng(1)
    curve = np.polynomial.Polynomial(rng.normal(size=6))
    orders = [curve, curve.deriv(), curve.deriv(2)]
    curves = SampledCurves(t, *(order(t)[:, None] for order in orders))
    for times in (t, np.linspace(t[0], t[-1], 77)):
        motion = curves.at(times)
        for found, order in zip((motion.position, motion.rate, motion.acceleration), orders, strict=True):
            np.testing.assert_allclose(found[:, 0], order(times), rtol=0.0, atol=1e-8 * np.abs(order(times)).max())


def test_beyond_its_ends_a_curve_goes_on_at_constant_acceleration():
    t = np.linspace(0.0, 1.0, 5)
    curves = SampledCurves(t, (t**2)[:, None], (2.0 * t)[:, None], np.full((5, 1), 2.0))
    late = np.array([-0.5, 1.5])
    np.testing.assert_allclose(curves.at(late).position[:, 0], late**2, atol=1e-12)


def test_remembered_curves_are_evaluated_anew_only_when_times_move_far():
    t = np.linspace(0.0, 6.0, 61)
    curves = SampledCurves(t, np.sin(t)[:, None], np.cos(t)[:, None], -np.sin(t)[:, None])
    remembered = Remembered(curves, near=1e-4)
    remembered.with_errors(t)
    near, _ = remembered.with_errors(t + 5e-5)
    np.testing.assert_allclose(near.rate, curves.at(t + 5e-5).rate, atol=3e-9)
    assert remembered.t is not None
    assert np.array_equal(remembered.t, t)
    far, _ = remembered.with_errors(t + 0.03)
    np.testing.assert_array_equal(far.rate, curves.at(t + 0.03).rate)


# ---------------------------------------------------------------------- what is refused


def test_flights_and_problems_that_cannot_be_are_refused_in_a_sentence():
    robot = random_robot(1, base="free", bodies=3)
    samples = random_samples(robot, 20, 0)
    with pytest.raises(InvalidProblem, match="need their times"):
        Flight(replace(samples, t=None))
    with pytest.raises(InvalidProblem, match="do not increase"):
        Flight(replace(samples, t=np.zeros(20)))
    with pytest.raises(InvalidProblem, match="zero or more"):
        Flight(replace(samples, t=np.arange(20.0)), {"w": -1.0})
    with pytest.raises(ShapeError, match="momentum must have shape"):
        Flight(replace(samples, t=np.arange(20.0)), momentum=np.zeros(2))
    with pytest.raises(InvalidProblem, match="at least one flight"):
        Problem(robot, ())
    with pytest.raises(InvalidProblem, match="nothing is left"):
        Problem(robot, (flight_of(robot),), dict.fromkeys(robot.body_names, 0.0))
    with pytest.raises(InvalidProblem, match="relative standard deviation"):
        Problem(robot, (flight_of(robot),), {"body1": -0.1})
    with pytest.raises(InvalidProblem, match="neither angular rates nor attitude"):
        MaximumLikelihood().estimate(Problem(robot, (replace(flight_of(robot), noise={}),)))
