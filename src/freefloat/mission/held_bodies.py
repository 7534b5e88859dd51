"""Bodies that a mission's robot gained: a target that the arm holds, a change between flights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from freefloat.estimate.change import CHANGE, with_change
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.prior import UnknownBody
from freefloat.estimate.problem import Problem
from freefloat.estimate.recipes import target_only
from freefloat.estimate.unknown_body import FoundBody, found_body, with_unknown_body
from freefloat.excitation.excitation import Excitation
from freefloat.mission.identifying import Recordings, answered, estimator_of
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.motion.trajectory import Trajectory

TARGET = "target"


def find_target(
    mission: Mission,
    recordings: Recordings,
    body: str = TARGET,
    on: str | None = None,
    rest_sd: float = 0.0,
    mass_kg: float | None = None,
    size_m: float = 1.0,
    method: str | Estimator | None = None,
    motion: Trajectory | Excitation | None = None,
    without: Mapping[str, Sequence[str]] | None = None,
) -> FoundBody:
    """What the arm holds, base and arm being known.

    body: the target's name in the robot file; with `on`, that of a new body fixed to this one.
    rest_sd: relative standard deviation to which all other bodies are known, where the mission does not say it.
    mass_kg, size_m: how large the target may be; as heavy as all else, and 1 m, unless given.
    method, motion, without: as for `identify`.
    """
    if not 0.0 <= rest_sd < np.inf:
        raise InvalidMission(f"the rest is known to a relative standard deviation of {rest_sd}; allowed: 0 or more")
    _refuse_sizes(1.0 if mass_kg is None else mass_kg, size_m)
    estimator = estimator_of(mission, method)

    def answer(problem: Problem) -> Estimate:
        if on is not None:
            heavy = problem.robot.mass if mass_kg is None else mass_kg
            guess = heavy if problem.prior is None else 0.0  # without a prior it is a scale alone
            robot = with_unknown_body(problem.robot, on, UnknownBody(body, heavy, size_m), guess)
            problem = replace(problem, robot=robot)
        return target_only(problem, body, rest_sd, estimator, mass_kg, size_m)

    return found_body(answered(mission, recordings, estimator, answer, motion, without), body)


def find_change(
    mission: Mission,
    recordings: Recordings,
    body: str,
    before: Sequence[str],
    mass_kg: float | None = None,
    size_m: float = 1.0,
    method: str | Estimator | None = None,
    motion: Trajectory | Excitation | None = None,
    without: Mapping[str, Sequence[str]] | None = None,
) -> FoundBody:
    """What a body gained, or lost, between flights: those named in `before`, and all others.

    mass_kg, size_m: how large the change may be; as heavy as the robot, and 1 m, unless given.
    method, motion, without: as for `identify`.
    """
    _refuse_sizes(1.0 if mass_kg is None else mass_kg, size_m)
    estimator = estimator_of(mission, method)
    heavy = mission.robot.mass if mass_kg is None else mass_kg

    def changed(problem: Problem) -> Problem:
        return with_change(problem, body, before, heavy, size_m)

    return found_body(
        answered(mission, recordings, estimator, estimator.estimate, motion, without, posed=changed), CHANGE
    )


def _refuse_sizes(mass_kg: float, size_m: float) -> None:
    if not (0.0 < mass_kg < np.inf and 0.0 < size_m < np.inf):
        raise InvalidMission(
            f"a body of up to {mass_kg} kg and {size_m} m is asked for; allowed: finite numbers above zero"
        )
