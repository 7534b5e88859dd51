"""How errors of what is measured move a least-squares estimate of a mission's robot, for a motion of one's choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.excitation import Excitation, trajectory_of
from freefloat.excitation.goals.condition_number import NO_RANK, true_condition_number
from freefloat.excitation.goals.equilibrium import equilibrium
from freefloat.excitation.perturbed_rows import WHATS, NothingMeasured, Perturbations, perturbation
from freefloat.excitation.plan import Plan
from freefloat.mission.designing import plan_of
from freefloat.mission.flying import random_motion
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.models.model import NotApplicable
from freefloat.models.names import ModelName
from freefloat.motion.limits import limits_of
from freefloat.motion.quintic_points import telling_instants
from freefloat.motion.trajectory import Trajectory

LEVELS = (0.001, 0.01, 0.1)
DRAWS = 100


def perturb(
    mission: Mission,
    motion: Trajectory | Excitation | None = None,
    levels: Sequence[float] = LEVELS,
    draws: int = DRAWS,
    seed: int = 0,
    model: ModelName | None = None,
) -> Perturbations:
    """Least squares with noise on the right-hand side, on the state that fills the regressor, and on both.

    motion: a trajectory or a design; by default the mission's own, else a random one of this seed. Rows are those of
        points that are passed without a stop, or of as many even instants as a design looks at.
    levels: of noise, four standard deviations over the largest measured value, over joints' ranges, rates and
        accelerations; where these have no limits, over those of the motion. draws: of noise, for each level.
    model: whose rows are solved, for bodies alone; those that a design of the mission looks at unless given.
    """
    for level in levels:
        if not (np.isfinite(level) and level > 0.0):
            raise InvalidMission(f"a level of noise is {level:g}; allowed: a number greater than 0")
    if not levels or draws < 1:
        raise InvalidMission(f"{len(levels)} levels of {draws} draws; allowed: at least one of each")
    path = trajectory_of(motion) if motion else mission.trajectory or random_motion(mission, seed)
    plan = replace(plan_of(mission, "condition-number"), shape=path, limits=(), friction=())
    if model is not None:
        plan = replace(plan, model=model)
    try:
        rows = plan.rows()
        state = plan.conditions().samples(path.channels, path.evaluate(telling_instants(path, plan.instants)))
        W, spread = rows.fill(state).matrix, _spread(plan)
        condition_number = true_condition_number(W)
        if not condition_number < NO_RANK:
            raise NotApplicable(
                f"the {plan.model} rows of this motion lack rank, so that least squares has no one solution; declare "
                "known or zero what cannot be seen, or take a motion that shows more"
            )
        with one_blas_thread():
            entries = tuple(
                perturbation(rows, [state] * draws, spread, what, level, seed) for what in WHATS for level in levels
            )
    except (NothingMeasured, NotApplicable) as error:
        raise InvalidMission(f"{mission.path}: {error}") from error
    return Perturbations(plan.model, len(W), W.shape[1], condition_number, equilibrium(W), entries)


def _spread(plan: Plan) -> Array:
    """What noise is relative to, shape (3, joints); zero for joints that do not move."""
    limits, moved = limits_of(plan.robot, plan.shape.channels), plan.shape.extremes()
    ranges = limits.highest - limits.lowest
    own = (
        np.where(np.isfinite(ranges), ranges, moved.highest - moved.lowest),
        np.where(np.isfinite(limits.rate), limits.rate, moved.rate),
        np.where(np.isfinite(limits.acceleration), limits.acceleration, moved.acceleration),
    )
    found = np.zeros((3, len(plan.robot.joints)))
    joints, _ = plan.conditions().places(plan.shape.channels)
    found[:, joints[joints >= 0]] = np.array(own)[:, joints >= 0]
    return found
