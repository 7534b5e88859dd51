"""How far intervals can be trusted whatever is said of the robot and however long it flies."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from strangers import motion, truth
from strangers.documents import mission_document, robot_document
from strangers.flights import flown
from strangers.readings import Disturbances, recorded
from strangers.robots import CUBESAT, INSPECTOR, TILTED, WHEELED
from strangers.trying import HALF, read_mission, recording_of, true_values

import freefloat as ff

TAKING_TURNS = (CUBESAT, WHEELED, INSPECTOR, TILTED)  # one flight each, then the first again
TUMBLE_RAD_S = 0.01
_FIRST = 1000  # seeds of these flights are others than those of other proofs


@dataclass(frozen=True)
class Told:
    """What a mission says of a flight, and how it is.

    trusted: whether the CAD model is a prior, else the data speak alone. tumbling: momentum is unknown, and there is
    some; else it is zero. times: how many times as far from the CAD model robots are as the mission says.
    """

    trusted: bool
    duration_s: float
    tumbling: bool
    times: float = 1.0

    def __str__(self) -> str:
        prior = "CAD model a prior" if self.trusted else "no prior"
        momentum = "momentum unknown" if self.tumbling else "momentum zero"
        far = "" if self.times == 1.0 else f", robots {self.times:g} times as far from it"
        return f"{prior}{far}, {self.duration_s:g} s, {momentum}"


EVERY = tuple(
    Told(trusted, duration_s, tumbling)
    for trusted in (False, True)
    for duration_s in (10.0, 20.0, 60.0)
    for tumbling in (False, True)
) + tuple(Told(True, duration_s, False, 2.0) for duration_s in (10.0, 20.0, 60.0))


@dataclass(frozen=True)
class Covered:
    """What one flight shows. errors: estimate less truth over the standard deviation, of clusters that have one, (c,).

    informed: which of these do not rest on the prior, by what the estimate says, (c,). open: how many clusters have no
    interval. outcome: `refused` if the verb raised an error. seconds: of `identify`. said: warnings.
    """

    told: Told
    robot: str
    seed: int
    errors: np.ndarray
    informed: np.ndarray
    open: int
    outcome: str
    said: tuple[str, ...]
    seconds: float

    def coverage(self, informed_only: bool, width: float = 1.0) -> float:
        """Part of the 95 % intervals, or of such so many times as wide, that hold the truth; NaN without any."""
        errors = self.errors[self.informed] if informed_only else self.errors
        return float((np.abs(errors) <= width * HALF).mean()) if errors.size else np.nan


def covered(told: Told, seed: int, bent: bool = True) -> Covered:
    """Draw a robot, fly it, and identify it by a mission that says so."""
    robot = TAKING_TURNS[seed % len(TAKING_TURNS)]
    said = replace(robot, tumble=TUMBLE_RAD_S if told.tumbling else 0.0)
    rng = np.random.Generator(np.random.PCG64([_FIRST + seed, int(told.duration_s), told.tumbling, told.trusted]))
    true = truth.drawn(said, rng, told.times)
    built = truth.bent(said, rng) if bent else said
    flight = flown(built, true, motion.drawn(said, rng), rng, duration_s=told.duration_s)
    recording = recording_of(recorded(built, true, flight, Disturbances(), rng))
    mission, begin = read_mission(robot_document(said), mission_document(said, told.trusted)), time.perf_counter()
    try:
        estimate = ff.identify(mission, recording)
    except ff.FreefloatError as error:
        took, none = time.perf_counter() - begin, np.zeros(0)
        return Covered(told, robot.name, seed, none, none.astype(bool), 0, "refused", (str(error),), took)
    took = time.perf_counter() - begin
    given = np.isfinite(estimate.sd)
    errors = ((estimate.values - true_values(estimate, true)) / estimate.sd)[given]
    informed = ~estimate.rests_on_prior[given]
    return Covered(
        told, robot.name, seed, errors, informed, int((~given).sum()), estimate.outcome, estimate.warnings, took
    )
