"""Problems whose answer is known: one generator for the tests of all estimators.

A random tree flies a smooth random motion; the CAD model that the problem gets is wrong by about a tenth, except
where it is declared known. Samples are exact unless noise is asked for.
"""

from dataclasses import dataclass, replace

import numpy as np
from random_trees import random_robot

from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import Flight
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.model import Robot
from freefloat.robot.selection import select_parameters
from freefloat.simulation.simulate import Start, simulate_motion

MODELS = ("momentum", "angular-momentum", "base-velocity", "energy", "torque", "base-wrench")
MOMENTA = ("zero", "unknown", "known")
ARRAYS = ("q", "dq", "v", "w", "wheel_rates", "torques", "ddq", "dv", "dw", "attitude", "position")


@dataclass(frozen=True)
class Case:
    """A problem, the robot that really flew, and the values that an estimator should find."""

    problem: Problem
    robot: Robot
    exact: tuple[Samples, ...]

    def truth(self, equations=None):
        """Clusters of the robot that flew, in the order of the problem's equations."""
        equations = equations or self.problem.equations()
        return true_clusters(self.problem, self.robot, equations)


def true_clusters(problem, robot, equations):
    """Clusters of a robot in the order of the equations' columns."""
    values, done = [], set()
    for block in equations.blocks:
        group = block.model if block.model in ("angular-momentum", "base-velocity") else "standard"
        if group in done:
            continue
        done.add(group)
        known, zero = tuple(problem.known), problem.zero
        if group == "standard":
            phi = np.zeros(robot.parameters.size)
            phi[problem.unknown] = robot.parameters[problem.unknown]
            values.append(problem.minimal.values(phi))
        elif group == "angular-momentum":
            model = AngularMomentum(robot, known, zero)
            values.append(np.delete(model.values(), model.known_clusters()))
        else:
            values.append(BaseVelocity(robot, known, zero).values())
    return np.concatenate(values)


def make_case(
    models,
    seed,
    *,
    momentum="zero",
    scale="wheels",
    base=None,
    bodies=None,
    n=None,
    noise=None,
    declared=None,
    flights=1,
    cad_error=0.1,
    **problem,
):
    """A case for these models.

    momentum: total angular momentum of the flight: zero, or unknown or known and then not zero.
    scale: what fixes it: `wheels`, `known` (the last body) or `nothing`.
    noise: by array of the samples, standard deviation added. declared: what the problem is told; as added unless
        given.
    """
    models = (models,) if isinstance(models, str) else tuple(models)
    robot = make_robot(models, seed, scale, base, bodies)
    n = n or samples_needed(models, robot)
    exact = tuple(fly(robot, seed + 1000 * k, n, momentum) for k in range(flights))
    rng = np.random.default_rng([seed, 23])
    told = noise if declared is None else declared
    flown = tuple(
        Flight(with_noise(samples, noise or {}, rng), dict(told or {}), momentum=_told(momentum, h), name=f"flight{k}")
        for k, (samples, h) in enumerate(exact)
    )
    known = {robot.body_names[-1]: 0.0} if scale == "known" else {}
    given = {"known": known, "nuisances": Nuisances.none(), "models": models} | problem
    cad = cad_of(robot, given["known"], cad_error, seed)
    return Case(Problem(cad, flown, **given), robot, tuple(samples for samples, _ in exact))


def make_robot(models, seed, scale, base, bodies):
    """A tree that the models apply to; small enough for the clusters about the centre of mass."""
    rng = np.random.default_rng([seed, 29])
    largest = 5 if {"angular-momentum", "base-velocity"} & set(models) else 8
    count = bodies or int(rng.integers(2 + (scale == "known"), largest))
    if base is None:
        kinds = {("energy",): ("fixed",), ("base-wrench",): ("fixed",), ("torque",): ("free", "planar", "fixed")}
        base = str(rng.choice(kinds.get(models, ("free", "free", "planar"))))
    wheels = {"free": 3, "planar": 1, "fixed": 0}[base] if scale == "wheels" else 0
    return random_robot(seed, bodies=count, base=base, gravity=base == "fixed", wheels=wheels)


def samples_needed(models, robot):
    """Enough rows for every cluster, several times over; many for energy, which is integrated over them."""
    if "energy" in models:
        return 2500
    columns = 7 * len(robot.joints) + 10
    if "angular-momentum" in models:
        columns = (len(robot.joints) + 2) * (2 * len(robot.joints) + 3)
    per_sample = 1 if robot.base == "planar" else 3
    return max(60, 5 * columns // per_sample)


def fly(robot, seed, n, momentum):
    """Exact samples of a smooth motion, and the angular momentum at its start in base axes."""
    names = (*robot.joint_names, *(wheel.name for wheel in robot.wheels))
    trajectory = random_trajectory(robot, 30.0, seed, harmonics=7, channels=names)
    rng = np.random.default_rng([seed, 31])
    h = np.zeros(3) if momentum == "zero" or robot.base == "fixed" else rng.normal(size=3)
    if robot.base == "planar":
        h = h * [0.0, 0.0, 1.0]
    turn = rng.normal(size=4) * ([0.0, 0.0, 1.0, 1.0] if robot.base != "free" else 1.0)
    drift = 0.1 * rng.normal(size=3) if momentum == "unknown" else None
    start = Start() if robot.base == "fixed" else Start(attitude=turn, angular_momentum=h, velocity=drift)
    return simulate_motion(robot, trajectory, np.linspace(0.0, 30.0, n), start), h


def _told(momentum, h):
    return h if momentum == "known" else momentum


def cad_of(robot, known, error, seed):
    """The robot with every unknown parameter changed by about this share of its body's."""
    rng = np.random.default_rng([seed, 37])
    keep = select_parameters(robot, known)
    factor = 1.0 + error * rng.uniform(-1.0, 1.0, robot.parameters.size)
    factor[keep] = 1.0
    return robot.with_parameters(robot.parameters * factor)


def with_noise(samples, levels, rng):
    """The samples with white noise of these standard deviations."""
    noisy = {}
    for name, sd in levels.items():
        values = getattr(samples, name)
        noisy[name] = values + sd * rng.normal(size=values.shape)
    return replace(samples, **noisy)
