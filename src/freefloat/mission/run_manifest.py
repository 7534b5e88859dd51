"""`run.json`, which says how the files in the directory of a run were made (`format: freefloat/run@1`).

It is written before the first step and after every step, `finished` only after the last.
"""

from __future__ import annotations

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from freefloat import __version__
from freefloat.data.recording import Recording
from freefloat.errors import FileError
from freefloat.files import Number, Section, check_format, load_yaml, validate as validated, write_text

MANIFEST = "run.json"
MISSION = "mission.yaml"
TRUE_ROBOT = "flown.yaml"
EXCITATION = "excitation.json"
MOTION = "motion.json"
FLIGHT = "flight.parquet"
UNSEEN_MOTION = "unseen_motion.json"
UNSEEN = "unseen.parquet"
ESTIMATE = "estimate.json"
VALIDATION = "validation.json"
IDENTIFIED = ("identified.urdf", "identified.yaml")
REPORT = "report.html"
RECORDED, RECORDED_UNSEEN = "recordings", "unseen"  # folders for recordings of real flights
MADE = (TRUE_ROBOT, EXCITATION, MOTION, FLIGHT, UNSEEN_MOTION, UNSEEN, ESTIMATE, VALIDATION, *IDENTIFIED)
_LIBRARIES = ("numpy", "scipy", "numba", "polars", "cvxpy", "plotly", "jinja2")
MotionKind = Literal["designed", "mission", "file", "unknown"]
_Count = Annotated[int, Field(ge=0)]
_RecordingName = Annotated[str, Field(pattern=r"^((recordings|unseen)/)?[^/\\]+\.parquet$")]
_OwnName = Annotated[str, Field(pattern=r"^((recordings|unseen)/)?[^/\\]+$")]


class StepSection(Section):
    """A step and how long it took [s]."""

    name: str
    seconds: Number


class SeedsSection(Section):
    """Of the design's random starts, of the flight's noise, of the unseen motion and its noise, of the robot drawn."""

    design: _Count
    flight: _Count
    unseen: _Count
    robot: _Count | None = None

    @classmethod
    def following(cls, seed: int, drawn: bool) -> SeedsSection:
        """The user's seed and those after it."""
        return cls(design=seed, flight=seed + 1, unseen=seed + 2, robot=seed + 3 if drawn else None)


class BroughtSection(Section):
    """A recording as it was brought.

    name: of its copy in the directory. file: from which it was first read. hashes: SHA-256 of all that went into it,
    by name: that file, a bag's mapping. notes: what was repaired when it was read.
    """

    name: str
    file: str | None = None
    hashes: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, recording: Recording) -> BroughtSection:
        """What a recording says of itself."""
        origin = recording.origin
        return cls(name=name, file=origin.file, hashes=dict(origin.hashes), notes=recording.notes)


class RunManifest(Section):
    """What `run.json` says.

    robot: name of the robot file. motion: designed, the mission's own, from a file, or unknown, of recorded flights.
    starts, shakes: of the design, where there was one. seeds: none where nothing was flown on the desk.
    recordings, unseen: what was identified and predicted, files in the directory. brought: where those came from that
    were not flown on the desk. hashes: SHA-256 by name of a file. stale: files of an earlier run, not yet removed.
    """

    format: Literal["freefloat/run@1"] = "freefloat/run@1"
    mission: str
    robot: str
    finished: bool = False
    motion: MotionKind = "designed"
    starts: Annotated[int, Field(ge=1)] | None = None
    shakes: _Count | None = None
    seeds: SeedsSection | None = None
    recordings: tuple[_RecordingName, ...] = (FLIGHT,)
    unseen: tuple[_RecordingName, ...] = (UNSEEN,)
    brought: tuple[BroughtSection, ...] = ()
    versions: dict[str, str]
    steps: tuple[StepSection, ...] = ()
    hashes: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stale: tuple[_OwnName, ...] = ()

    @property
    def recorded(self) -> bool:
        """Whether the flights were brought, not flown on the desk."""
        return self.seeds is None


def is_finished(folder: Path) -> bool:
    """Whether a directory holds a run that came to its end."""
    return (folder / MANIFEST).is_file() and read_manifest(folder).finished


def read_manifest(folder: Path) -> RunManifest:
    """What the run says of itself."""
    if not folder.is_dir():
        raise FileError(folder, "is not a directory; allowed: one that `freefloat run` made")
    if not (folder / MANIFEST).exists():
        raise FileError(folder, f"holds no {MANIFEST}; allowed: a directory that `freefloat run` made")
    document = load_yaml(folder / MANIFEST)
    check_format(document, "run")
    return validated(RunManifest, document)


def write_manifest(folder: Path, manifest: RunManifest) -> None:
    """Write `run.json`, whole or not at all."""
    text = json.dumps(manifest.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(folder / MANIFEST, text + "\n")


def hashes_of(folder: Path, manifest: RunManifest) -> dict[str, str]:
    """SHA-256 of what the run read and wrote, by name; the page is left out, for it quotes them."""
    names = dict.fromkeys((MISSION, manifest.robot, *MADE, *manifest.recordings, *manifest.unseen))
    return {name: sha256(folder / name) for name in names if (folder / name).exists()}


def sha256(path: Path) -> str:
    """Of a file's bytes, however many: recordings are long."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from error


def versions() -> dict[str, str]:
    """Of freefloat, Python and the libraries whose numbers count."""
    found = {"freefloat": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
