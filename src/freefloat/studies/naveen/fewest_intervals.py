"""How few intervals of a design still have the published condition number.

Naveen, Shah and Misra keep 67 of 256 intervals by a rule that does not give them as printed. Here a design of so many
is the beginning: the interval that is missed least goes, seeds are optimised again for the others, and so on, as long
as the condition number is no larger than theirs.
"""

from __future__ import annotations

import numpy as np

from freefloat.excitation.goals.condition_number import true_condition_number
from freefloat.excitation.procedures.interval_design import IntervalDesign
from freefloat.excitation.procedures.interval_seeds import optimise_seeds
from freefloat.excitation.procedures.interval_task import IntervalTask


def fewest_intervals(task: IntervalTask, judged: IntervalTask, found: IntervalDesign, most: float) -> float:
    """The number of intervals left; infinite if the design itself is worse than that.

    task: what the design is made for. judged: where the condition number may be at most so large.
    """
    seeds, directions, fewest = found.seeds, found.directions, np.inf
    while true_condition_number(judged.matrix(task.trajectory(seeds, directions))) <= most:
        fewest = float(len(directions))
        left = [task.value(seeds, np.delete(directions, k, axis=0)) for k in range(len(directions))]
        directions = np.delete(directions, int(np.argmin(left)), axis=0)
        seeds, _ = optimise_seeds(task, directions, seeds)
    return fewest
