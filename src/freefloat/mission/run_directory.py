"""The directory of a run: everything that it was made from, everything it made, and `run.json`, which says how.

A directory that holds a `run.json` may be run into again, any other directory with files in it is not touched. What a
run that did not end had designed is kept for the same run, since nothing else takes long.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from freefloat.data.load import load_recording
from freefloat.data.recording import Recording
from freefloat.errors import FileError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_file import load_estimate
from freefloat.excitation.excitation import Excitation
from freefloat.excitation.excitation_file import load_excitation
from freefloat.files import FilePath, dump_yaml, load_yaml, read_bytes, write_bytes
from freefloat.frozen import Content
from freefloat.mission.drawing import flown_by
from freefloat.mission.mission_file import Mission, load_mission
from freefloat.mission.run_manifest import (
    ESTIMATE,
    EXCITATION,
    FLOWN,
    MADE,
    MANIFEST,
    MISSION,
    MOTION,
    RECORDED,
    RECORDED_UNSEEN,
    REPORT,
    VALIDATION,
    RunManifest,
    StepSection,
    read_manifest,
    sha256,
    write_manifest,
)
from freefloat.motion.trajectory import Trajectory
from freefloat.motion.trajectory_file import load_trajectory
from freefloat.robot.load import load_robot
from freefloat.robot.model import Robot
from freefloat.validation.validation import Validation
from freefloat.validation.validation_file import load_validation


@dataclass(frozen=True, eq=False)
class Run(Content):
    """A run from its directory.

    mission: the copy in the directory. excitation: the motion with what it was to tell; None where no design is known.
    flights, unseen_flights: the recordings that were identified and predicted, by the names of their files.
    validation: None where nothing unseen was there, or the estimate predicts no motion by itself.
    truth: the robot that flew; None where nobody knows, as after a real flight. motion: the commanded one, if it was
    designed or given; None where each recording or the mission says it.
    """

    directory: Path
    mission: Mission
    excitation: Excitation | None
    flights: Mapping[str, Recording]
    estimate: Estimate
    unseen_flights: Mapping[str, Recording]
    validation: Validation | None
    truth: Robot | None
    manifest: RunManifest
    motion: Trajectory | None

    @property
    def flight(self) -> Recording:
        """What was identified; the first recording where there are several."""
        return next(iter(self.flights.values()))

    @property
    def unseen(self) -> Recording | None:
        """What was predicted; the first recording where there are several, None where there is none."""
        return next(iter(self.unseen_flights.values()), None)

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
        flights=flights,
        estimate=load_estimate(folder / ESTIMATE),
        unseen_flights=_read(folder, manifest.unseen),
        validation=load_validation(folder / VALIDATION) if VALIDATION in there else None,
        truth=load_flown(folder, mission) if FLOWN in there else cad_truth(mission, flights),
        manifest=manifest,
        motion=_motion(folder, manifest, excitation, mission),
    )


def load_flown(folder: Path, mission: Mission) -> Robot:
    """The robot that was drawn to fly."""
    return flown_by(mission, load_robot(folder / FLOWN)).robot


def cad_truth(mission: Mission, flights: Mapping[str, Recording]) -> Robot | None:
    """The mission's robot if it is the one that flew on the desk, every time."""
    origins = [each.origin for each in flights.values()]
    own = mission.hashes.get("robot")
    flew = own is not None and all(each.kind == "simulated" and each.hashes.get("robot") == own for each in origins)
    return mission.robot if flew else None


def prepare_directory(
    directory: FilePath,
    mission: Mission,
    manifest: RunManifest,
    renamed: Mapping[str, str] | None = None,
    recordings: Mapping[str, Recording] | None = None,
    motion: str | None = None,
) -> RunManifest:
    """A directory with all that a run is made from, and nothing of an earlier one; what its manifest says so far.

    An earlier run there is replaced, but for the design of the same one if it did not end; anything else is refused.
    Whatever is stopped loses nothing: what is new is written before anything is removed, and what is still to be
    removed is in the manifest. renamed: what recordings are called there, by the name that the mission has for them.
    recordings: those that are brought, by file in the directory. motion: the file that a given motion has there; it
    may have been read from there, and stays.
    """
    folder, brought = Path(directory), recordings or {}
    content, robot = _inputs(mission, renamed or {})
    earlier = _earlier(folder)
    manifest = manifest.model_copy(update={"robot": robot})
    kept = None if earlier is None else _designed(folder, earlier, manifest, content)
    own = {*content, *brought, *({EXCITATION} if kept else ()), *({motion} if motion else ())}
    manifest = (kept or manifest).model_copy(update={"stale": _stale(earlier, own)})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_manifest(folder, manifest)
        for name in brought:
            (folder / name).parent.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be written: {error.strerror}") from error
    for name, data in content.items():
        write_bytes(folder / name, data)
    for name in sorted(brought, key=lambda name: (folder / name).exists()):  # over what was read here, last
        brought[name].save(folder / name)
    _remove(folder, manifest.stale)
    manifest = manifest.model_copy(update={"stale": ()})
    write_manifest(folder, manifest)
    return manifest


def _motion(folder: Path, manifest: RunManifest, excitation: Excitation | None, mission: Mission) -> Trajectory | None:
    """What was designed or given."""
    if manifest.motion in ("mission", "unknown"):
        return None
    return load_trajectory(folder / MOTION, mission.robot) if excitation is None else excitation.trajectory


def _read(folder: Path, names: Collection[str]) -> dict[str, Recording]:
    return {Path(name).name: load_recording(folder / name) for name in names}


def _earlier(folder: Path) -> RunManifest | None:
    """What an earlier run there says of itself; None of a new directory; anything else that is there is refused."""
    if folder.exists() and not folder.is_dir():
        raise FileError(folder, "is a file; allowed: a directory of an earlier run, or a new one")
    if not (folder.is_dir() and any(folder.iterdir())):
        return None
    try:
        return read_manifest(folder)
    except FileError as error:
        raise FileError(
            folder, "holds files, and not those of a run; allowed: a new or empty directory, or one of a run"
        ) from error


def _designed(
    folder: Path, earlier: RunManifest, manifest: RunManifest, content: Mapping[str, bytes]
) -> RunManifest | None:
    """The manifest with the design of the same run that did not end; None where there is none that was not touched."""
    same = ("motion", "starts", "shakes", "seeds", "versions", "robot")
    if earlier.finished or manifest.motion != "designed" or EXCITATION not in earlier.hashes:
        return None
    if any(getattr(earlier, name) != getattr(manifest, name) for name in same):
        return None
    there = {name: folder / name for name in (*content, EXCITATION)}
    if not all(path.is_file() for path in there.values()) or sha256(there[EXCITATION]) != earlier.hashes[EXCITATION]:
        return None
    if any(read_bytes(there[name]) != data for name, data in content.items()):
        return None
    steps = tuple(each for each in earlier.steps if each.name == "design")
    return manifest.model_copy(update={"steps": steps, "hashes": {EXCITATION: earlier.hashes[EXCITATION]}})


def _stale(earlier: RunManifest | None, own: Collection[str]) -> tuple[str, ...]:
    """What an earlier run has there, but for what the new one has of its own."""
    if earlier is None:
        return ()
    robot = (earlier.robot,) if Path(earlier.robot).name == earlier.robot else ()
    names = (*MADE, REPORT, *robot, *earlier.recordings, *earlier.unseen, *earlier.stale)
    return tuple(name for name in dict.fromkeys(names) if name not in own)


def _remove(folder: Path, names: Collection[str]) -> None:
    try:
        for name in names:
            (folder / name).unlink(missing_ok=True)
        for name in (RECORDED, RECORDED_UNSEEN):
            if (folder / name).is_dir() and not any((folder / name).iterdir()):
                (folder / name).rmdir()
    except OSError as error:
        raise FileError(folder, f"holds a file that cannot be removed: {error.strerror}") from error


def _inputs(mission: Mission, renamed: Mapping[str, str]) -> tuple[Mapping[str, bytes], str]:
    """Mission and robot file as they go into the directory, and the robot's name there.

    The mission's file is copied as it is unless it names files elsewhere: then it names the copies of robot and
    recordings, and holds the trajectory itself.
    """
    said = mission.settings
    source = mission.path.parent / said.robot
    taken = (MANIFEST, MISSION, *MADE, REPORT, RECORDED, RECORDED_UNSEEN)
    robot = source.name if source.name not in taken else f"robot{source.suffix}"
    without = said.identify.without
    elsewhere = said.robot != robot or isinstance(said.trajectory, str)
    if not elsewhere and all(renamed.get(name, name) == name for name in without):
        return {MISSION: read_bytes(mission.path), robot: read_bytes(source)}, robot
    document: dict[str, Any] = {**load_yaml(mission.path).data, "robot": robot}
    if mission.trajectory is not None:
        document["trajectory"] = mission.trajectory.document()
    if without:
        named = {renamed.get(name, name): list(bodies) for name, bodies in without.items()}
        document["identify"] = {**document["identify"], "without": named}
    return {MISSION: dump_yaml(document).encode(), robot: read_bytes(source)}, robot
