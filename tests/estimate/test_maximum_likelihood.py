"""Maximum likelihood on the base motion: noiseless truth, exact derivatives, agreement with the bound."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.problems import cad_of
from random_trees import random_robot

from freefloat.data.processing.projection import project
from freefloat.estimate.bound.bound import cramer_rao_bound
from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import ProjectedCurves
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.motion.random_motion import random_trajectory
from freefloat.simulation.simulate import Disturbance, Start, simulate_motion

CHANNELS = {"w": 1e-7, "v": 1e-7, "attitude": 1e-6, "position": 1e-6}
EVERYTHING = Nuisances(gyro_scale=1e-3, joint_scale=1e-3, external_torque_Nm=1e-3)


def flown(seed, base="free", channels=("w",), momentum="zero", walks=None, curves=True, n=400, torque=0.0, wheels=None):
    """A random tree, its exact flight, and how the base was turned at first."""
    robot = random_robot(seed, base=base, bodies=4, wheels={"free": 3, "planar": 1}[base] if wheels is None else wheels)
    trajectory = random_trajectory(robot, 20.0, seed, harmonics=3)
    rng = np.random.default_rng(seed)
    h = np.zeros(3) if isinstance(momentum, str) and momentum == "zero" else rng.normal(size=3)
    turn, place = rng.normal(size=4), rng.normal(size=3)
    if base == "planar":
        h, turn, place = h * [0, 0, 1], turn * [0, 0, 1, 1], place * [1, 1, 0]
    spin = 3.0 * rng.normal(size=len(robot.wheels))
    start = Start(attitude=turn, position=place, angular_momentum=h)
    disturbance = Disturbance(torque_Nm=torque * np.ones(3) * ([0, 0, 1] if base == "planar" else 1.0))
    fine = simulate_motion(robot, trajectory, np.linspace(0.0, 20.0, 2 * n - 1), start, "held", spin, (), disturbance)[
        ::2
    ]
    t = fine.t
    fitted = None
    if curves:
        fitted = ProjectedCurves(project(trajectory, t, fine.q, robot.joint_names, noise_sd=1e-6))
    noise = {name: np.full(3, CHANNELS[name]) for name in channels}
    told = h if momentum == "known" else momentum
    return robot, Flight(fine, noise, walks or {}, told, fitted)


# ---------------------------------------------------------------------- derivatives

SETTINGS = [
    ("free", ("w",), "zero", {}, True),
    ("free", ("w",), "unknown", {"w": 1e-6}, True),
    ("free", ("w", "attitude"), "known", {}, False),
    ("free", ("w", "v", "attitude", "position"), "unknown", {}, True),
    ("planar", ("w", "v", "attitude", "position"), "unknown", {"w": 1e-6}, True),
]


@pytest.mark.parametrize(("base", "channels", "momentum", "walks", "curves"), SETTINGS)
def test_every_derivative_is_that_of_the_residual(base, channels, momentum, walks, curves):
    robot, flight = flown(3, base, channels, momentum, walks, curves)
    likelihood = Likelihood(Problem(robot, (flight,), nuisances=EVERYTHING))
    unknowns = likelihood.unknowns
    rng = np.random.default_rng(1)
    information = np.diagonal(unknowns.information)
    size = np.where(information > 0.0, 1.0 / np.sqrt(np.where(information > 0.0, information, 1.0)), 1e-2)
    point = likelihood.start() + 0.1 * size * rng.normal(size=size.size)
    J = stacked(likelihood.rows(point))[1]
    for index in range(size.size):
        steepest = np.abs(J[:, index]).max()  # zero across the plane that a planar base moves in
        largest = 10.0 / steepest if steepest > 0.0 else size[index]  # ten standard deviations of a reading
        step = largest * np.eye(size.size)[index]
        ahead, behind = (stacked(Likelihood(likelihood.problem).rows(point + s, 0))[0] for s in (step, -step))
        column = (behind - ahead) / (2.0 * step[index])
        scale = np.abs(column).max()
        rounding = 1e-9 if steepest > 0.0 else 1e-13 * np.abs(ahead).max() / largest
        assert np.abs(J[:, index] - column).max() <= 2e-5 * scale * (steepest > 0.0) + rounding, unknowns.labels[index]


# ---------------------------------------------------------------------- truth


@pytest.mark.parametrize("seed", range(30))
def test_noiseless_truth_is_recovered_on_random_trees(seed):
    momentum = ("zero", "unknown", "known")[seed % 3]
    channels = [("w",), ("w", "attitude"), ("w", "v")][seed // 3 % 3]
    base = "planar" if seed % 10 == 9 else "free"
    robot, flight = flown(seed, base, channels, momentum, curves=seed % 2 == 0, n=2500)
    problem = Problem(cad_of(robot, {}, 0.05, seed), (flight,), prior=None, nuisances=Nuisances.none())
    estimate = MaximumLikelihood().estimate(problem)
    truth, spread = problem.minimal.values(robot.parameters), np.sqrt(np.diagonal(problem.cad_covariance))
    seen = np.abs(estimate.unseen).max(axis=0, initial=0.0) < 1e-6  # the others may move along a curve unseen
    assert len(estimate.unseen) <= 2
    assert np.abs((estimate.values - truth) / spread)[seen].max(initial=0.0) < 1e-8
    assert estimate.residual.ratio < 0.05  # all of the motion is explained, seen directions or not


@pytest.mark.parametrize("white", [0.0, 3e-7])
def test_a_velocity_that_walks_gives_the_bound(white):
    robot, flight = flown(5, "free", ("w", "v"), "unknown", {"v": 2e-6}, n=300)
    noise = {"w": flight.noise["w"], "v": np.full(3, white)}
    flight = replace(flight, noise=noise, velocity_point=np.array([0.3, -0.2, 0.5]))
    problem = Problem(robot, (flight,))
    estimate, bound = MaximumLikelihood().estimate(problem), cramer_rao_bound(problem)
    np.testing.assert_allclose(estimate.covariance, bound.covariance, rtol=1e-4, atol=1e-7 * bound.covariance.max())


def test_a_velocity_of_a_tracked_point_is_free_of_the_gyro_s_noise():
    robot, flight = flown(5, "free", ("w", "v"), "unknown", n=300)
    arm, rng = np.array([0.3, -0.2, 0.5]), np.random.default_rng(1)
    w = flight.samples.w + 1e-3 * rng.normal(size=flight.samples.w.shape)
    taken = flight.samples.v + np.cross(flight.samples.w - w, arm)
    flight = replace(flight, samples=replace(flight.samples, v=taken, w=w), velocity_point=arm)
    flight = replace(flight, noise={"w": np.full(3, 1e-3), "v": np.full(3, 1e-7)})
    problem = Problem(robot, (flight,), nuisances=Nuisances.none())
    assert MaximumLikelihood().estimate(problem).residual.by_channel["v"] < 1.0


def test_readings_of_a_slow_sensor_count_once():
    robot, flight = flown(2, "free", ("w", "attitude"), "unknown", n=401)
    noise = {"w": np.full(3, 1e-4), "attitude": np.full(3, 1e-6)}
    often = replace(flight, noise=noise)
    slow = replace(often, every={"attitude": 20})
    estimate, bound = MaximumLikelihood().estimate(Problem(robot, (slow,))), cramer_rao_bound(Problem(robot, (slow,)))
    np.testing.assert_allclose(estimate.covariance, bound.covariance, rtol=1e-4, atol=1e-7 * bound.covariance.max())
    assert estimate.residual.rows == 3 * (401 + 21)
    better = MaximumLikelihood().estimate(Problem(robot, (often,)))
    assert (better.sd < estimate.sd).mean() > 0.9


@pytest.mark.parametrize("curves", [True, False])
def test_noise_of_wheels_and_of_sampled_joints_widens_the_intervals_as_in_the_bound(curves):
    robot, flight = flown(4, "free", ("w",), "zero", curves=curves, n=300)
    errors = {"w": np.full(3, 1e-6), "wheel_rates": np.full(3, 1e-3)}
    noisy = replace(flight, noise=errors if curves else {**errors, "q": 1e-6, "dq": 1e-6})
    problem = Problem(robot, (noisy,))
    estimate, bound = MaximumLikelihood().estimate(problem), cramer_rao_bound(problem)
    np.testing.assert_allclose(estimate.covariance, bound.covariance, rtol=1e-3, atol=1e-6 * bound.covariance.max())
    alone = MaximumLikelihood().estimate(Problem(robot, (replace(flight, noise={"w": np.full(3, 1e-6)}),)))
    assert (estimate.sd > alone.sd).all()
