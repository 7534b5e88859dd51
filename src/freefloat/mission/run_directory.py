"""The directory of a run: everything that it was made from, everything it made, and `run.json`, which says how.

`run.json` (`format: freefloat/run@1`) is written before the first step and after every step, `finished` only after
the last: a directory that holds one may be run into again, any other directory with files in it is not touched.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from freefloat import __version__
from freefloat.errors import FileError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_file import load_estimate
from freefloat.excitation.excitation import Excitation
from freefloat.excitation.excitation_file import load_excitation
from freefloat.experiment.recording import Recording
from freefloat.experiment.tables import read_recording
from freefloat.files import (
    FilePath,
    Number,
    Section,
    check_format,
    dump_yaml,
    load_yaml,
    read_bytes,
    write_bytes,
    write_text,
)
from freefloat.files import validate as validated
from freefloat.mission.mission_file import Mission, load_mission
from freefloat.validation.validation import Validation
from freefloat.validation.validation_file import load_validation

MANIFEST = "run.json"
MISSION = "mission.yaml"
EXCITATION = "excitation.json"
FLIGHT = "flight.parquet"
ESTIMATE = "estimate.json"
UNSEEN = "unseen.parquet"
VALIDATION = "validation.json"
IDENTIFIED = ("identified.urdf", "identified.yaml")
REPORT = "report.html"
_OURS = (MANIFEST, MISSION, EXCITATION, FLIGHT, ESTIMATE, UNSEEN, VALIDATION, *IDENTIFIED, REPORT)
_LIBRARIES = ("numpy", "scipy", "numba", "polars", "cvxpy", "plotly", "jinja2")
_LIMIT_BYTES = 1024 * 2**20  # recordings are long
_Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a run and how long it took [s]."""

    name: str
    seconds: float


class StepSection(Section):
    """A step in the file."""

    name: str
    seconds: Number


class SeedsSection(Section):
    """Of the design's random starts, of the flight's noise, of the unseen motion and its noise."""

    design: _Count
    flight: _Count
    unseen: _Count


class RunManifest(Section):
    """What `run.json` says. robot: name of the robot file. hashes: SHA-256 by name of a file in the directory."""

    format: Literal["freefloat/run@1"] = "freefloat/run@1"
    mission: str
    robot: str
    finished: bool
    starts: Annotated[int, Field(ge=1)]
    shakes: _Count
    seeds: SeedsSection
    versions: dict[str, str]
    steps: tuple[StepSection, ...] = ()
    hashes: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Run:
    """A run from its directory.

    mission: the copy in the directory. flight, unseen: the recordings that were identified and predicted.
    validation: None where the estimate predicts no motion by itself. steps: in their order.
    """

    directory: Path
    mission: Mission
    excitation: Excitation
    flight: Recording
    estimate: Estimate
    unseen: Recording
    validation: Validation | None
    manifest: RunManifest

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was done, and how long each took."""
        return tuple(Step(each.name, each.seconds) for each in self.manifest.steps)

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
    there = VALIDATION in manifest.hashes
    return Run(
        folder,
        load_mission(folder / MISSION),
        load_excitation(folder / EXCITATION),
        read_recording(folder / FLIGHT),
        load_estimate(folder / ESTIMATE),
        read_recording(folder / UNSEEN),
        load_validation(folder / VALIDATION) if there else None,
        manifest,
    )


def read_manifest(folder: Path) -> RunManifest:
    """What the run says of itself."""
    if not folder.is_dir():
        raise FileError(folder, "is not a directory; allowed: one that `freefloat run` made")
    if not (folder / MANIFEST).exists():
        raise FileError(folder, f"holds no {MANIFEST}; allowed: a directory that `freefloat run` made")
    document = load_yaml(folder / MANIFEST)
    check_format(document, "run")
    return validated(RunManifest, document)


def prepare_directory(directory: FilePath, mission: Mission, starts: int, seed: int, shakes: int) -> RunManifest:
    """A directory with the mission and its robot in it, ready for a run; what its manifest says so far.

    An earlier run there is replaced; anything else is refused.
    """
    folder = Path(directory)
    content, robot = _inputs(mission)  # before anything is removed: the mission may be the one in this directory
    earlier = _earlier_robot(folder)
    seeds = SeedsSection(design=seed, flight=seed + 1, unseen=seed + 2)
    manifest = RunManifest(
        mission=mission.name,
        robot=robot,
        finished=False,
        starts=starts,
        shakes=shakes,
        seeds=seeds,
        versions=versions(),
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_manifest(folder, manifest)
        for name in (*_OURS[2:], *earlier):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be written: {error.strerror}") from error
    for name, data in content.items():
        write_bytes(folder / name, data)
    return manifest


def write_manifest(folder: Path, manifest: RunManifest) -> None:
    """Write `run.json`, whole or not at all."""
    text = json.dumps(manifest.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(folder / MANIFEST, text + "\n")


def hashes_of(folder: Path, robot: str) -> dict[str, str]:
    """SHA-256 of what the run read and wrote, by name; the page is left out, for it quotes them."""
    names = (MISSION, robot, *(name for name in _OURS[2:] if name != REPORT))
    return {name: sha256(folder / name) for name in names if (folder / name).exists()}


def sha256(path: Path) -> str:
    """Of a file's bytes."""
    return hashlib.sha256(read_bytes(path, _LIMIT_BYTES)).hexdigest()


def versions() -> dict[str, str]:
    """Of freefloat, Python and the libraries whose numbers count."""
    found = {"freefloat": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _earlier_robot(folder: Path) -> tuple[str, ...]:
    """Name of the robot file of an earlier run, if there is one; anything else that is there is refused."""
    if folder.exists() and not folder.is_dir():
        raise FileError(folder, "is a file; allowed: a directory of an earlier run, or a new one")
    if folder.is_dir() and any(folder.iterdir()):
        try:
            name = read_manifest(folder).robot
        except FileError as error:
            raise FileError(
                folder, "holds files, and not those of a run; allowed: a new or empty directory, or one of a run"
            ) from error
        return (name,) if Path(name).name == name else ()
    return ()


def _inputs(mission: Mission) -> tuple[Mapping[str, bytes], str]:
    """Mission and robot file as they go into the directory, and the robot's name there.

    The mission's file is copied as it is unless it names files elsewhere: then it names the copy of the robot, and
    holds the trajectory itself.
    """
    said = mission.settings
    source = mission.path.parent / said.robot
    robot = source.name if source.name not in _OURS else f"robot{source.suffix}"
    if said.robot == robot and not isinstance(said.trajectory, str):
        text = read_bytes(mission.path)
    else:
        document = {**load_yaml(mission.path).data, "robot": robot}
        if mission.trajectory is not None:
            document["trajectory"] = mission.trajectory.document()
        text = dump_yaml(document).encode()
    return {MISSION: text, robot: read_bytes(source)}, robot
