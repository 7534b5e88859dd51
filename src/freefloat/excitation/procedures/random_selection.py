"""The conventional way to an exciting motion: draw many at random within the limits, fly the best.

The baseline that a design must beat; so do, among others, K. Ayusawa, A. Rioux, E. Yoshida, G. Venture, M. Gautier,
"Generating persistently exciting trajectory based on condition number optimization", ICRA 2017, compare theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.goal import Goal
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.rows.rows import DesignRows
from freefloat.motion.trajectory import InvalidTrajectory, Trajectory


@dataclass(frozen=True, slots=True, eq=False)
class RandomSelection:
    """The best of many random motions.

    trajectory: the best, drawn with number `chosen`. value: of the goal. values: of all motions, shape (motions,).
    """

    trajectory: Trajectory
    chosen: int
    value: float
    values: Array


def best_of_random(
    draw: Callable[[int], Trajectory], conditions: Conditions, rows: DesignRows, goal: Goal, t: Array, motions: int
) -> RandomSelection:
    """The motion of the least value among so many.

    draw: from a number, 0 to motions - 1, to a motion within limits, such as `random_trajectory` with that seed.
    t: instants that give rows, shape (n,) [s].
    """
    if motions < 1:
        raise InvalidTrajectory(f"{motions} random motions; allowed: 1 or more")
    values = np.array([_value(draw(number), conditions, rows, goal, t) for number in range(motions)])
    chosen = int(np.argmin(values))
    return RandomSelection(draw(chosen), chosen, float(values[chosen]), values)


def _value(trajectory: Trajectory, conditions: Conditions, rows: DesignRows, goal: Goal, t: Array) -> float:
    samples = conditions.samples(trajectory.channels, trajectory.evaluate(t))
    return goal(rows.fill(samples).matrix)[0]
