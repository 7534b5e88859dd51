"""A run, and the directory it is read from: all that it was made from, all it made, and `run.json`, which says how."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from freefloat.arrays import Array
from freefloat.data.load import load_recording
from freefloat.data.recording import Recording
from freefloat.errors import FileError
from freefloat.estimate.estimate import Estimate, load_estimate
from freefloat.excitation.excitation import Excitation
from freefloat.excitation.excitation_file import load_excitation
from freefloat.files import FilePath
from freefloat.frozen import Content
from freefloat.mission.advising import advice_of
from freefloat.mission.drawing import mission_flown_with
from freefloat.mission.mission_file import Mission, load_mission
from freefloat.mission.run_manifest import (
    ESTIMATE,
    EXCITATION,
    IDENTIFIED,
    MANIFEST,
    MISSION,
    MOTION,
    REPORT,
    TRUE_ROBOT,
    VALIDATION,
    RunManifest,
    StepSection,
    read_manifest,
    sha256,
)
from freefloat.models.advice import Advice
from freefloat.motion.trajectory import Trajectory
from freefloat.motion.trajectory_file import load_trajectory
from freefloat.robot.load import load_robot
from freefloat.robot.model import Robot
from freefloat.validation.validation import Validation
from freefloat.validation.validation_file import load_validation


@dataclass(frozen=True, eq=False)
class Run(Content):
    """What was run, or loaded: from the robot file to the prediction of unseen motion.

    directory: where its files are; of a page that was asked for alone, where that goes.
    mission: the copy in the directory. excitation: the motion with what it was to tell; None where no design is known.
    motion: the commanded one, if it was designed or given; None where each recording or the mission says it.
    flights, unseen_flights: the recordings that were identified and predicted, by the names of their files.
    validation: None where nothing unseen was there, or the estimate predicts no motion by itself.
    truth: the robot that flew; None where nobody knows, as after a real flight.
    identified: the physical robot nearest to the estimate, as exported; None where there is none.
    advice: what the mission's sensors can tell of its robot; None on a fixed base, where torques show every cluster.
    """

    directory: Path
    mission: Mission
    excitation: Excitation | None
    motion: Trajectory | None
    flights: Mapping[str, Recording]
    estimate: Estimate
    unseen_flights: Mapping[str, Recording]
    validation: Validation | None
    truth: Robot | None
    identified: Robot | None
    advice: Advice | None
    manifest: RunManifest

    @property
    def robot(self) -> Robot:
        """As its file has it: the CAD model."""
        return self.mission.robot

    @property
    def flight(self) -> Recording:
        """What was identified; the first recording where there are several."""
        return next(iter(self.flights.values()))

    @property
    def unseen(self) -> Recording | None:
        """What was predicted; the first recording where there are several, None where there is none."""
        return next(iter(self.unseen_flights.values()), None)

    @property
    def true_values(self) -> Array | None:
        """Of the estimate's clusters, shape (c,), where they are known and sums of standard parameters."""
        if self.truth is None or self.estimate.minimal.names != self.truth.parameter_names:
            return None
        return self.estimate.minimal.values(self.truth.parameters)

    @property
    def steps(self) -> tuple[StepSection, ...]:
        """What was done, and how long each took."""
        return self.manifest.steps

    @property
    def report(self) -> Path:
        """The page."""
        return self.directory / REPORT


def load_run(directory: FilePath) -> Run:
    """The run of a directory that `run` made; refused where it is not finished or a file of it was changed."""
    folder = Path(directory)
    manifest = read_manifest(folder)
    if not manifest.finished:
        raise FileError(folder, "the run is not finished; allowed: `freefloat run` into the same directory, again")
    for name, expected in manifest.hashes.items():
        if sha256(folder / name) != expected:
            raise FileError(folder / name, f"is not what the run wrote or read; {MANIFEST} has another SHA-256")
    mission, there = load_mission(folder / MISSION), manifest.hashes
    excitation = load_excitation(folder / EXCITATION) if EXCITATION in there else None
    flights = _read(folder, manifest.recordings)
    return Run(
        directory=folder,
        mission=mission,
        excitation=excitation,
        motion=_motion(folder, manifest, excitation, mission),
        flights=flights,
        estimate=load_estimate(folder / ESTIMATE),
        unseen_flights=_read(folder, manifest.unseen),
        validation=load_validation(folder / VALIDATION) if VALIDATION in there else None,
        truth=load_true_robot(folder, mission) if TRUE_ROBOT in there else simulated_robot(mission, flights),
        identified=load_identified(folder, mission) if IDENTIFIED[1] in there else None,
        advice=advice_of(mission),
        manifest=manifest,
    )


def load_true_robot(folder: Path, mission: Mission) -> Robot:
    """The robot that was drawn to fly."""
    return mission_flown_with(mission, load_robot(folder / TRUE_ROBOT)).robot


def load_identified(folder: Path, mission: Mission) -> Robot:
    """The physical robot that was exported, with the bodies of the mission's."""
    return load_robot(folder / IDENTIFIED[1]).with_separate(mission.robot.separate)


def simulated_robot(mission: Mission, flights: Mapping[str, Recording]) -> Robot | None:
    """The mission's robot if it is the one that flew on the desk, every time."""
    origins = [each.origin for each in flights.values()]
    own = mission.hashes.get("robot")
    flew = own is not None and all(each.kind == "simulated" and each.hashes.get("robot") == own for each in origins)
    return mission.robot if flew else None


def _motion(folder: Path, manifest: RunManifest, excitation: Excitation | None, mission: Mission) -> Trajectory | None:
    """What was designed or given."""
    if manifest.motion in ("mission", "unknown"):
        return None
    return load_trajectory(folder / MOTION, mission.robot) if excitation is None else excitation.trajectory


def _read(folder: Path, names: Collection[str]) -> dict[str, Recording]:
    return {Path(name).name: load_recording(folder / name) for name in names}
