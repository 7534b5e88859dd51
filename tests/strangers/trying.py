"""Strangers' flights handed to the package by its public verbs, and how good its intervals are."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import norm
from strangers import motion, truth
from strangers.documents import ROBOT_FILE, Document, file_text, mission_document, robot_document
from strangers.flights import flown
from strangers.readings import Channel, Disturbances, Recorded, recorded
from strangers.robots import ROBOTS, Stranger

import freefloat as ff

HALF = norm.isf(0.025)  # of a 95 % interval, in standard deviations


@dataclass(frozen=True)
class Tried:
    """What one flight shows, and the prediction of another of the same robot.

    names: of the clusters that the estimate gives an interval of. errors: estimate less truth, over the standard
        deviation, shape (c,). squared: the error as a whole, in units of the covariance; of c degrees of freedom if
        that is honest. open: how many clusters it leaves open.
    outcome: of the estimate; `refused` if the verb raised an error, which is then what was said. verdict: on a motion
        that the estimate has not seen. said: warnings of the one, then reasons of the other where it is not `pass`.
    ratio: root mean square of the fit's residual over the sensors' noise.
    clocks: true offsets by sensor [s]. offsets: those found, with standard deviations, by what the estimate calls them.
    redrawn: bodies that were drawn again. identify_s, validate_s: how long the verbs took.
    """

    robot: str
    seed: int
    names: tuple[str, ...]
    errors: np.ndarray
    squared: float
    open: int
    outcome: str
    verdict: str
    said: tuple[str, ...]
    ratio: float
    clocks: dict[str, float]
    offsets: dict[str, tuple[float, float]]
    redrawn: int
    identify_s: float
    validate_s: float

    @property
    def inside(self) -> np.ndarray:
        """Which 95 % intervals hold the truth, shape (c,)."""
        return np.abs(self.errors) <= HALF

    @property
    def coverage(self) -> float:
        """Part of the intervals that hold the truth; none of a flight without any does."""
        return float(self.inside.mean()) if self.errors.size else 0.0


@cache
def mission_of(index: int) -> ff.Mission:
    """The mission of a robot, read from files as any other."""
    return read_mission(robot_document(ROBOTS[index]), mission_document(ROBOTS[index]))


def read_mission(robot: Document, mission: Document) -> ff.Mission:
    """The mission of two documents, read from files as any other."""
    with tempfile.TemporaryDirectory() as folder:
        files = {ROBOT_FILE: robot, "mission.yaml": mission}
        for name, document in files.items():
            (Path(folder) / name).write_text(file_text(document), encoding="utf-8")
        return ff.load_mission(Path(folder) / "mission.yaml")


def true_robot(index: int, seed: int) -> truth.Truth:
    """The robot of a seed, the same in all its flights."""
    return truth.drawn(ROBOTS[index], np.random.Generator(np.random.PCG64([seed, index])))


def built_robot(index: int, seed: int) -> Stranger:
    """The robot of a seed as it was built: joints as far from where its file has them as a mission takes for usual."""
    return truth.bent(ROBOTS[index], np.random.Generator(np.random.PCG64([seed, index, 50])))


def recorded_flight(index: int, seed: int, run: int, disturbances: Disturbances, bent: bool = True) -> Recorded:
    """What the sensors of the robot of a seed say of its flight of this number; bent: as it was built."""
    robot, true = built_robot(index, seed) if bent else ROBOTS[index], true_robot(index, seed)
    rng = np.random.Generator(np.random.PCG64([seed, index, 1 + run]))
    flight = flown(robot, true, motion.drawn(robot, rng), rng)
    return recorded(robot, true, flight, disturbances, rng)


def recording_of(flight: Recorded) -> ff.Recording:
    """The same as the package has recordings."""
    return ff.Recording([_channel(channel) for channel in flight.channels])


def _channel(channel: Channel) -> ff.Channel:
    return ff.Channel(channel.name, channel.stamps, channel.values, channel.components, channel.units)


def true_values(estimate: ff.Estimate, true: truth.Truth) -> np.ndarray:
    """The estimate's clusters of the true robot, by the names of the parameters that they are made of, shape (c,)."""
    numbers = {
        f"{name}_{body}": value
        for body, ten in true.bodies.items()
        for name, value in zip(truth.NAMES, ten, strict=True)
    }
    return estimate.minimal.combine @ np.array([numbers[name] for name in estimate.minimal.names])


def tried(
    index: int,
    seed: int,
    disturbances: Disturbances = Disturbances(),  # noqa: B008  (frozen)
    bent: bool = True,
) -> Tried:
    """Draw a robot, fly it as it was built (or just as its file has it), identify it, and predict another flight."""
    mission, true = mission_of(index), true_robot(index, seed)
    seen, unseen = (recorded_flight(index, seed, run, disturbances, bent) for run in (0, 1))
    clocks = {sensor: clock.offset_s for sensor, clock in seen.clocks.items()}
    begin = time.perf_counter()
    try:
        estimate = ff.identify(mission, recording_of(seen))
        identified = time.perf_counter()
        validation = ff.validate(mission, estimate, recording_of(unseen))
    except ff.FreefloatError as error:
        took = time.perf_counter() - begin
        nothing = (), np.zeros(0), 0.0, 0, "refused", "none", (str(error),), np.nan
        return Tried(ROBOTS[index].name, seed, *nothing, clocks, {}, true.redrawn, took, 0.0)
    took = identified - begin, time.perf_counter() - identified
    given = np.isfinite(estimate.sd)
    errors = ((estimate.values - true_values(estimate, true)) / estimate.sd)[given]
    correlation = (estimate.covariance / np.outer(estimate.sd, estimate.sd))[np.ix_(given, given)]
    np.fill_diagonal(correlation, 1.0)  # standard deviations may hold more than the covariance: what the prior held
    found = tuple(name for name, known in zip(estimate.names, given, strict=True) if known), errors
    squared = float(errors @ np.linalg.solve(correlation, errors))
    said = (*estimate.warnings, *(() if validation.verdict == "pass" else validation.reasons))
    judged = estimate.outcome, validation.verdict, said, estimate.residual.ratio
    offsets = {each.name: (each.value, each.sd) for each in estimate.nuisances if "offset" in each.name}
    shown = *found, squared, int((~given).sum()), *judged, clocks, offsets
    return Tried(ROBOTS[index].name, seed, *shown, true.redrawn, *took)
