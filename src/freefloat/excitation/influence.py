"""How much each cluster has to say in the base's motion.

Rows Y of the momentum that clusters pi make sum to zero, sum_i Y_i pi_i = 0. Were cluster i wrong by its whole value,
the predicted rate of the base would be wrong by A_b^-1 Y_i pi_i (M. Spirolazzi, "Free-floating robot inertial
parameter identification towards in orbit servicing", 2022, section 7.2). Where that is far below the gyro's noise, the
cluster cannot be found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freefloat.excitation.plan import Plan
from freefloat.excitation.rows.angular_momentum import AngularMomentumDesignRows, FilledAngularMomentum
from freefloat.excitation.rows.momentum import FilledMomentum
from freefloat.models.model import NotApplicable
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.base_axes import allowed_rows


@dataclass(frozen=True, slots=True)
class Influence:
    """Of one cluster of the plan's model.

    value: in the CAD model. rate_rad_s: its share in the base's rate, root mean square over the motion and the axes.
    """

    name: str
    value: float
    rate_rad_s: float


def influences(plan: Plan, motion: Trajectory) -> tuple[Influence, ...]:
    """Of every cluster of the plan's model that is not known, in its order."""
    rows, t = plan.rows(), np.linspace(0.0, motion.duration_s, plan.instants)
    if isinstance(rows, AngularMomentumDesignRows):
        rows = replace(rows, without=rows.model.known_clusters())
    filled = rows.fill(plan.conditions().samples(motion.channels, motion.evaluate(t)))
    if not isinstance(filled, FilledAngularMomentum | FilledMomentum):
        raise NotApplicable(f"{plan.model} rows are not of the base's motion; allowed: momentum, angular-momentum")
    model = filled.model
    values = dict(zip(model.minimal.leaders, model.values().tolist(), strict=True))
    asked = np.array([values[name] for name in rows.names])
    allowed = allowed_rows(plan.robot)
    turning = allowed[allowed >= 3]
    columns = turning if isinstance(filled, FilledAngularMomentum) else allowed
    Y = filled.matrix.reshape(t.size, columns.size, asked.size) * asked
    momentum = np.zeros((t.size, 6, asked.size))
    momentum[:, columns] = Y
    shares = filled.motion.base.solved(momentum)[:, turning]
    rms = np.sqrt((shares**2).mean(axis=(0, 1)))
    return tuple(Influence(*each) for each in zip(rows.names, asked.tolist(), rms.tolist(), strict=True))
