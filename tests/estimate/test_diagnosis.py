"""Nothing silent: every mistake is named, with advice, and healthy flights raise no alarm."""

from dataclasses import replace

import numpy as np
import pytest
from drawn_flights import drawn_cad, n1_everything_drawn, n1_flight
from problems import fly, with_noise
from random_trees import random_robot

from freefloat.estimate import diagnosis
from freefloat.estimate.fault_search import search_faults
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.least_squares import LeastSquares
from freefloat.estimate.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.problem import Nuisances, Problem
from freefloat.estimate.rotation_vectors import exponential
from freefloat.estimate.suspicions import suspicions
from freefloat.regressor.states import base_reaction
from freefloat.studies import study_robot

GYRO_RAD_S = 1e-5
DEGREES = 180.0 / np.pi
ROBOTS = ("tree", "n1")


def reacting(robot, samples, rng, momentum="zero"):
    """A flight in which the base reacts to the joints of these samples, its rates measured."""
    _, w = base_reaction(robot, samples)
    measured = replace(samples, w=w + GYRO_RAD_S * rng.normal(size=w.shape), v=None, attitude=None, position=None)
    return Flight(measured, {"w": GYRO_RAD_S}, momentum=momentum)


def tree(seed=3, n=151, bodies=4, **kind):
    """A random tree, the flight it made, and a CAD model as far off as the prior says."""
    robot = random_robot(seed, **{"base": "free", "wheels": 3, "bodies": bodies, "prismatic": False} | kind)
    samples, _ = fly(robot, seed, n, "zero")
    rng = np.random.default_rng([seed, 61])
    return robot, Problem(drawn_cad(robot, rng), (reacting(robot, samples, rng),))


def n1(seed=3, every=3):
    """The same of the published arm and trajectory; its load is known."""
    robot, rng = study_robot("spirolazzi_n1"), np.random.default_rng([seed, 67])
    flight = n1_flight(rng)
    flight = Flight(flight.samples[::every], flight.noise)
    return robot, Problem(drawn_cad(robot, rng, (), ("load",)), (flight,), {"load": 0.0})


def flown(name, seed=3):
    return {"tree": tree, "n1": n1}[name](seed)[1]


def changed(problem, **arrays):
    """The problem with other samples in its flight."""
    (flight,) = problem.flights
    samples = replace(flight.samples, **arrays)
    return replace(problem, flights=(replace(flight, samples=samples, curves=None),))


def gyro(problem, matrix):
    """As if the gyro had shown this matrix times the base's rates."""
    return changed(problem, w=problem.flights[0].samples.w @ np.asarray(matrix, float).T)


def joints(problem, factors):
    """As if the encoders had shown the joints times these factors."""
    samples = problem.flights[0].samples
    return changed(problem, **{name: getattr(samples, name) * factors for name in ("q", "dq", "ddq")})


def backwards(problem, joint):
    factors = np.ones(len(problem.robot.joints))
    factors[joint] = -1.0
    return joints(problem, factors)


def noise_only(problem):
    w = np.array(problem.flights[0].samples.w)
    w[:, 2] = GYRO_RAD_S * np.random.default_rng(5).normal(size=len(w))
    return changed(problem, w=w)


def wheels(problem, factor):
    samples = problem.flights[0].samples
    return changed(problem, **{name: factor * getattr(samples, name) for name in ("wheel_rates", "wheel_accelerations")})


# ---------------------------------------------------------------------- mistakes are named

TURNED = exponential(np.array([[0.1, -0.2, 0.3]]))[0]

MISTAKES = {
    "gyro in degrees": (lambda p: gyro(p, DEGREES * np.eye(3)), "the gyro is recorded in degrees per second"),
    "gyro converted twice": (lambda p: gyro(p, np.eye(3) / DEGREES), "the gyro's rates were converted from degrees"),
    "axis flipped": (lambda p: gyro(p, np.diag([1, -1, 1])), "the gyro's y axis points the other way"),
    "two axes flipped": (lambda p: gyro(p, np.diag([-1, 1, -1])), "the gyro's axes x and z point the other way"),
    "axes swapped": (lambda p: gyro(p, np.eye(3)[[1, 0, 2]]), "the gyro's axes x and y are swapped"),
    "axes mixed up": (lambda p: gyro(p, [[0, -1, 0], [0, 0, 1], [1, 0, 0]]), "x, y, z show the base's -y, z, x"),
    "gyro turned": (lambda p: gyro(p, TURNED.T), "the gyro is mounted turned by 21"),
    "dead axis": (lambda p: gyro(p, np.diag([1, 1, 0])), "gyro z never changes: a dead or missing sensor"),
    "axis of noise": (noise_only, "gyro z shows nothing but noise"),
    "joints in degrees": (lambda p: joints(p, DEGREES), "the joints are recorded in degrees instead of radians"),
    "all in degrees": (lambda p: gyro(joints(p, DEGREES), DEGREES * np.eye(3)), "both the joints and the gyro"),
    "first joint": (lambda p: backwards(p, 0), "{first} moves the other way than the robot file says"),
    "last joint": (lambda p: backwards(p, -1), "{last} moves the other way than the robot file says"),
}


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_and_the_estimate_called_failed(robot, mistake):
    inject, words = MISTAKES[mistake]
    problem = inject(flown(robot))
    names = problem.robot.joint_names
    estimate = MaximumLikelihood().estimate(problem)
    assert words.format(first=names[0], last=names[-1]) in estimate.warnings[0]
    assert estimate.outcome == "failed"
    assert len(estimate.warnings) == 1, estimate.warnings
