"""A robot that changes in flight, as when its tanks are filled: what was at the end is the truth."""

from dataclasses import dataclass, replace

import numpy as np
from estimate.problems import cad_of, fly, true_clusters, with_noise
from random_trees import random_robot

from freefloat.dynamics.reaction import base_reaction
from freefloat.estimate.flight import Flight
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.robot.parameters import PER_BODY

FULLER = 1.3  # the base's parameters at the end over those at the start


@dataclass(frozen=True)
class Changing:
    """A problem and the clusters at the end of its flight."""

    problem: Problem
    after: np.ndarray


def changing_case(seed, at, repeats=1, noise=1e-6, n=3000, segments=100):
    """Momentum of a free robot with wheels whose base grows as at(share of the flight), from 0 to 1.

    repeats: how often the arm goes through its motion of 30 s; n: samples of all.
    """
    robot = random_robot(seed, bodies=3, base="free", wheels=3, prismatic=False)
    once, _ = fly(robot, seed, n // repeats, "zero")
    samples = replace(once[np.tile(np.arange(n // repeats), repeats)], t=np.linspace(0.0, 30.0 * repeats, n))
    v, w = np.empty((n, 3)), np.empty((n, 3))
    for part in np.array_split(np.arange(n), segments):
        now = grown(robot, at(part.mean() / n))
        v[part], w[part] = base_reaction(now, samples[part])
    noisy = with_noise(replace(samples, v=v, w=w), {"v": noise, "w": noise}, np.random.default_rng(seed))
    flight = Flight(noisy, {"v": noise, "w": noise})
    problem = Problem(cad_of(robot, {}, 0.1, seed), (flight,), nuisances=Nuisances.none(), models=("momentum",))
    return Changing(problem, true_clusters(problem, grown(robot, 1.0), problem.equations()))


def grown(robot, share):
    """The robot with so much more in its base."""
    parameters = np.array(robot.parameters)
    parameters[:PER_BODY] *= 1.0 + (FULLER - 1.0) * share
    return robot.with_parameters(parameters)
