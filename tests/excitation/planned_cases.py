"""Planned flights of random robots: every sensor of the base, with and without momentum, wheels turning."""

from dataclasses import dataclass

import numpy as np
from random_trees import random_robot

from freefloat.data.processing.projection import project
from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import ProjectedCurves
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.excitation.information.rows import InformationRows
from freefloat.excitation.planned_motion import Conditions
from freefloat.motion.random_motion import random_trajectory
from freefloat.simulation.simulate import Start, simulate_motion

SPIN = np.array([0.2])
TURNING = np.array([1.5, -1.0, 0.8])
FLAT = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Case:
    """Seed, measured arrays, momentum, what is known of it, walks, base."""

    seed: int
    arrays: tuple
    momentum: np.ndarray
    said: object
    walks: dict
    base: str = "free"

    def __str__(self):
        known = self.said if isinstance(self.said, str) else "known"
        return f"{self.base}, {' '.join(self.arrays)}, momentum {known}{', walks' if self.walks else ''}"


CASES = [
    Case(0, ("w",), np.zeros(3), "zero", {}),
    Case(1, ("w",), np.zeros(3), "zero", {"w": np.full(3, 1e-4)}),
    Case(2, ("w",), TURNING, TURNING, {}),
    Case(3, ("w",), TURNING, "unknown", {}),
    Case(4, ("w", "v"), np.zeros(3), "zero", {}),
    Case(5, ("v",), TURNING, TURNING, {"v": np.full(3, 1e-3)}),
    Case(6, ("attitude",), TURNING, "unknown", {}),
    Case(7, ("attitude", "position"), TURNING, "unknown", {}),
    Case(8, ("w", "v", "attitude", "position"), np.zeros(3), "zero", {}, "planar"),
    Case(9, ("position",), FLAT, FLAT, {}, "planar"),
]


def trajectory_of(case, duration_s=20.0):
    """A random motion of a random robot with a wheel."""
    robot = random_robot(case.seed, bodies=5, base=case.base, wheels=1)
    motion = random_trajectory(robot, duration_s, case.seed, harmonics=2)
    return robot, motion.with_coefficients(0.3 * motion.coefficients)


def planned(case, n):
    """The robot, its motion, rows of all unknowns, conditions, at n instants."""
    robot, motion = trajectory_of(case)
    t = np.linspace(0.0, motion.duration_s, n)
    flown = simulate_motion(robot, motion, t, Start(angular_momentum=case.momentum), wheel_rates=SPIN)
    noise = {name: np.full(3, 1e-3) for name in case.arrays}
    joints = np.full(len(robot.joints), 1e-3)
    curves = ProjectedCurves(project(motion, t, flown.q, robot.joint_names, noise_sd=joints))
    flight = Flight(flown, noise, case.walks, case.said, curves, velocity_point=np.array([0.1, -0.2, 0.3]))
    torque = 1e-3 if isinstance(case.said, str) and case.said == "unknown" else None
    nuisances = Nuisances(gyro_scale=1e-2, external_torque_Nm=torque)
    problem = Problem(robot, (flight,), {"body1": 0.01}, nuisances=nuisances)
    return robot, motion, InformationRows(problem, case.momentum), Conditions(robot, case.momentum, wheel_rates=SPIN)
