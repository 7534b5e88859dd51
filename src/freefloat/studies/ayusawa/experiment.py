"""A design of the size of Ayusawa et al.: two arms of seven joints, ten harmonics, a body that stands.

K. Ayusawa, A. Rioux, E. Yoshida, G. Venture, M. Gautier, "Generating persistently exciting trajectory based on
condition number optimization", ICRA 2017, section IV. Their robot (HRP-4) and its limits are not printed; ours are in
the study file. The disc is as large as theirs.
"""

from __future__ import annotations

import numpy as np

from freefloat.excitation.limits.centre_of_mass import CentreOfMassDisc
from freefloat.excitation.limits.clearance import clearance_limits
from freefloat.excitation.limits.joint import joint_limits
from freefloat.excitation.plan import Plan
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.models.names import ModelName
from freefloat.motion.fourier import PlainFourier
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot

STUDY = "standing_two_arms"
PERIOD_S, HARMONICS = 8.0, 10
DISC_M, ABOVE_FEET_M = 0.01, (0.0096, 0.0025)  # radius, and where the centre of mass is with all joints at zero
CLEARANCE_M = 0.02
GOAL_INSTANTS, LIMIT_INSTANTS = 40, 400
DESIGNS, ITERATIONS = 3, 120  # one after the other, of each


def standing_plan(
    robot: Robot,
    earlier: tuple[Trajectory, ...] = (),
    harmonics: int = HARMONICS,
    model: ModelName = "torque",
) -> Plan:
    """Condition number of rows, within limits of joints, a disc for the centre of mass, and clearance.

    earlier: motions whose rows are there already. model: whose rows; which theirs were is not said.
    """
    names = robot.joint_names
    shape = PlainFourier(names, np.zeros((1 + 2 * harmonics, len(names))), PERIOD_S, PERIOD_S)
    left, right = ([f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")] for side in ("left", "right"))
    pairs = [("base", link) for link in (*left, *right)]
    pairs += [(a, b) for a in left for b in right] + [(arm[0], arm[2]) for arm in (left, right)]
    limits = (
        *joint_limits(robot, names),
        CentreOfMassDisc(DISC_M, ABOVE_FEET_M),
        *clearance_limits(robot, CLEARANCE_M, pairs),
    )
    return Plan(
        robot,
        shape,
        limits=limits,
        goal="condition-number",
        model=model,
        earlier=earlier,
        rest=False,
        goal_instants=GOAL_INSTANTS,
        limit_instants=LIMIT_INSTANTS,
    )


def random_motion(task: PlannedTask, number: int) -> Trajectory:
    """A random motion of the task's shape, all joints made smaller together until all limits are kept."""
    direction = np.random.default_rng(number).normal(size=task.variables.size)
    direction /= np.abs(direction).max()
    within, beyond = 0.0, 1.0
    for _ in range(10):
        middle = 0.5 * (within + beyond)
        kept = task.margins(middle * direction).min() >= 0.0
        within, beyond = (middle, beyond) if kept else (within, middle)
    return task.variables.trajectory(within * direction)
