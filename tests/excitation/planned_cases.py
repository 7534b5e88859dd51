"""Planned flights of random robots: every sensor of the base, with and without momentum, wheels turning."""

from dataclasses import dataclass, field

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
APART = {name: name for name in ("w", "v", "attitude", "position", "wheel_rates")}
POSE = APART | {"attitude": "pose", "position": "pose"}


@dataclass(frozen=True)
class Case:
    """Seed, measured arrays, momentum, what is known of it, walks, base, clocks of measured arrays and wheels.

    pushed: whether torques from outside also stay in base axes, and walk.
    """

    seed: int
    arrays: tuple
    momentum: np.ndarray
    said: object
    walks: dict
    base: str = "free"
    clocks: dict = field(default_factory=dict)
    pushed: bool = False

    def __str__(self):
        known = self.said if isinstance(self.said, str) else "known"
        clocks = f", {len(set(self.clocks.values()))} clocks" if self.clocks else ""
        more = f"{', walks' if self.walks else ''}{clocks}{', pushed' if self.pushed else ''}"
        return f"{self.base}, {' '.join(self.arrays)}, momentum {known}{more}"


CASES = [
    Case(0, ("w",), np.zeros(3), "zero", {}),
    Case(1, ("w",), np.zeros(3), "zero", {"w": np.full(3, 1e-4)}),
    Case(2, ("w",), TURNING, TURNING, {}),
    Case(3, ("w",), TURNING, "unknown", {}),
    Case(4, ("w", "v"), np.zeros(3), "zero", {}),
    Case(5, ("v",), TURNING, TURNING, {"v": np.full(3, 1e-3)}),
    Case(17, ("attitude",), TURNING, "unknown", {}),  # conditioned by 6e5: above 1e8 rounding hides what 1e-6 changes
    Case(7, ("attitude", "position"), TURNING, "unknown", {}),
    Case(8, ("w", "v", "attitude", "position"), np.zeros(3), "zero", {}, "planar"),
    Case(9, ("position",), FLAT, FLAT, {}, "planar"),
    Case(10, ("w",), np.zeros(3), "zero", {}, clocks={"w": "gyro", "wheel_rates": "tachometer"}),
    Case(11, ("w", "attitude", "position"), TURNING, "unknown", {}, clocks=APART),
    Case(12, ("attitude", "w", "v"), TURNING, TURNING, {"w": np.full(3, 1e-4)}, clocks=APART | {"wheel_rates": "w"}),
    Case(13, ("v", "attitude"), TURNING, TURNING, {"v": np.full(3, 1e-3)}, clocks=APART | {"wheel_rates": "joints"}),
    Case(14, ("w", "v", "attitude", "position"), FLAT, "unknown", {}, "planar", POSE | {"w": "joints"}),
]
PUSHED = [  # of which no other derivation knows
    Case(11, ("w", "attitude"), TURNING, "unknown", {}, clocks=APART, pushed=True),
    Case(19, ("w", "attitude"), FLAT, "unknown", {}, "planar", pushed=True),
]


def trajectory_of(case, duration_s=20.0):
    """A random motion of a random robot with a wheel, which changes its rate where clocks are told apart."""
    robot = random_robot(case.seed, bodies=5, base=case.base, wheels=1)
    wheels = tuple(wheel.name for wheel in robot.wheels) if case.clocks else ()
    motion = random_trajectory(robot, duration_s, case.seed, harmonics=2, channels=(*robot.joint_names, *wheels))
    size = np.array([0.03 if name in wheels else 0.3 for name in motion.channels])  # a wheel at full speed turns all
    return robot, motion.with_coefficients(size * motion.coefficients)


def planned(case, n):
    """The robot, its motion, rows of all unknowns, conditions, at n instants."""
    robot, motion = trajectory_of(case)
    t = np.linspace(0.0, motion.duration_s, n)
    flown = simulate_motion(robot, motion, t, Start(angular_momentum=case.momentum), wheel_rates=SPIN)
    noise = {name: np.full(3, 1e-3) for name in case.arrays}
    joints = np.full(len(robot.joints), 1e-3)
    curves = ProjectedCurves(project(motion, t, flown.q, robot.joint_names, noise_sd=joints))
    arm = np.array([0.1, -0.2, 0.3])
    flight = Flight(flown, noise, case.walks, case.said, curves, velocity_point=arm, clocks=case.clocks)
    torque = 1e-3 if isinstance(case.said, str) and case.said == "unknown" else None
    more = {"base_torque_Nm": torque, "torque_walk_Nm_per_sqrt_s": torque} if case.pushed else {}
    nuisances = Nuisances(gyro_scale=1e-2, joint_scale=1e-3, external_torque_Nm=torque, **more)
    problem = Problem(robot, (flight,), {"body1": 0.01}, nuisances=nuisances)
    return robot, motion, InformationRows(problem, case.momentum), Conditions(robot, case.momentum, wheel_rates=SPIN)
