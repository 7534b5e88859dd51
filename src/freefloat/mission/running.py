"""All of a mission in one call: designed, flown on the desk, identified, predicted, exported, reported.

Or, after the real flight, from its recordings: then nothing is designed or flown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from freefloat.excitation.excitation import Excitation, trajectory_of
from freefloat.excitation.excitation_file import save_excitation
from freefloat.excitation.find_excitation import SHAKES
from freefloat.experiment.recording import Recording
from freefloat.experiment.tables import write_recording
from freefloat.files import FilePath
from freefloat.mission.designing import design
from freefloat.mission.drawing import draw_robot
from freefloat.mission.flying import random_motion, simulate
from freefloat.mission.given_motion import given_excitation
from freefloat.mission.identifying import Recordings, identify, named_recordings
from freefloat.mission.mission_file import InvalidMission, Mission, load_mission
from freefloat.mission.reporting import write_run_report
from freefloat.mission.run_directory import Run, cad_truth, load_flown, prepare_directory
from freefloat.mission.run_manifest import (
    ESTIMATE,
    EXCITATION,
    FLIGHT,
    FLOWN,
    MISSION,
    MOTION,
    RECORDED,
    RECORDED_UNSEEN,
    REPORT,
    UNSEEN,
    UNSEEN_MOTION,
    VALIDATION,
    MotionKind,
    RunManifest,
    SeedsSection,
    versions,
)
from freefloat.mission.run_steps import RunSteps, RunWatch
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.load import save_robot
from freefloat.robot.model import Robot

_GOES_ON = "interrupted: goes on with the best motion until then"
Motion = Excitation | Trajectory


@dataclass(frozen=True, slots=True, eq=False)
class _Flown:
    """What there is to identify. motion: the commanded one, if it is known."""

    motion: Trajectory | None
    excitation: Excitation | None
    flights: Mapping[str, Recording]
    unseen: Mapping[str, Recording]
    truth: Robot | None


def run(
    mission: Mission,
    directory: FilePath,
    starts: int = 4,
    seed: int = 0,
    watch: RunWatch | None = None,
    workers: int | None = None,
    shakes: int = SHAKES,
    fly: Literal["drawn", "cad"] = "drawn",
    excitation: Motion | None = None,
    recordings: Recordings | None = None,
    unseen: Recordings | None = None,
) -> Run:
    """Everything a mission needs, in one directory: `load_run` reads it back.

    directory: new, empty, or that of an earlier run, which is replaced; one that was interrupted keeps its design.
    starts, workers, shakes: of the design. seed: of the design; the flight's noise has the next, the unseen motion
    and its noise the one after, the robot the one after that. fly: a robot drawn as far from the CAD model as it is
    trusted (`draw_robot`), or the CAD model itself. excitation: an earlier design or a motion, flown instead of a new
    design; without it a mission's own trajectory is.
    recordings: of real flights: these are identified, and nothing is designed or flown. unseen: others, to predict.
    """
    folder = Path(directory)
    if excitation is not None:
        trajectory_of(excitation).samples(mission.robot, [0.0])  # refused where it is not for this robot
    if recordings is not None:
        whole, steps = _recorded(mission, folder, excitation, recordings, unseen, watch)
        return _answered(load_mission(folder / MISSION), whole, steps)
    if unseen is not None:
        raise InvalidMission("unseen recordings are given, but none to identify; allowed: with recordings only")
    if fly not in ("drawn", "cad"):
        raise InvalidMission(f"fly is {fly!r}; allowed: drawn, cad")
    kind, drawn = _kind(mission, excitation, "designed"), fly == "drawn"
    manifest = RunManifest(
        mission=mission.name,
        robot="",
        motion=kind,
        starts=starts if kind == "designed" else None,
        shakes=shakes if kind == "designed" else None,
        seeds=SeedsSection.following(seed, drawn),
        versions=versions(),
    )
    steps = RunSteps(folder, prepare_directory(folder, mission, manifest), watch)
    copy = load_mission(folder / MISSION)  # what is in the directory is what is run
    robot = steps.do("draw", lambda: _drawn(folder, copy, seed + 3)) if drawn else None
    given = excitation if excitation is not None else copy.trajectory
    if given is not None:
        motion, told = steps.do("describe", lambda: _given(folder, copy, given, kind == "file"), lambda _: _by(kind))
    else:
        told = _designed(copy, starts, seed, workers, shakes, steps)
        motion = told.trajectory
    return _answered(copy, _flown(copy, motion, told, robot, seed, steps), steps)


def _kind(mission: Mission, given: Motion | None, otherwise: MotionKind) -> MotionKind:
    """Where the motion comes from."""
    return "file" if given is not None else "mission" if mission.trajectory is not None else otherwise


def _drawn(folder: Path, mission: Mission, seed: int) -> Robot:
    save_robot(draw_robot(mission, seed), folder / FLOWN)
    return load_flown(folder, mission)


def _designed(
    mission: Mission, starts: int, seed: int, workers: int | None, shakes: int, steps: RunSteps
) -> Excitation:
    """The motion, in its file; that of the same run if it did not end, the best so far if it is interrupted now."""
    found = steps.kept_design() or steps.do(
        "design",
        lambda: design(mission, starts, seed, workers=workers, watch=steps.designing, shakes=shakes),
        lambda found: _GOES_ON if found.how.interrupted else "",
    )
    save_excitation(steps.folder / EXCITATION, found)
    if found.how.interrupted:
        steps.note("the design was interrupted: this is the best motion within all limits until then")
    else:
        steps.designed()
    return found


def _by(kind: str) -> str:
    return "given by the mission" if kind == "mission" else "given by a file"


def _given(folder: Path, mission: Mission, given: Motion, from_file: bool) -> tuple[Trajectory, Excitation | None]:
    """A motion that is not designed now, and what can be told of it."""
    motion = trajectory_of(given)
    if isinstance(given, Excitation):
        save_excitation(folder / EXCITATION, given)
        return motion, given
    told = given_excitation(mission, motion, _by("file" if from_file else "mission"))
    if told is not None:
        save_excitation(folder / EXCITATION, told)
    if from_file:
        motion.save(folder / MOTION)
    return motion, told


def _flown(
    mission: Mission, motion: Trajectory, told: Excitation | None, robot: Robot | None, seed: int, steps: RunSteps
) -> _Flown:
    """Both flights on the desk."""
    flight = steps.do("simulate", lambda: simulate(mission, motion, seed + 1, robot=robot))
    write_recording(steps.folder / FLIGHT, flight)
    other = random_motion(mission, seed + 2)
    if mission.trajectory is not None:  # which the shell would fly otherwise
        other.save(steps.folder / UNSEEN_MOTION)
    unseen = steps.do("fly unseen motion", lambda: simulate(mission, other, seed + 2, robot=robot))
    write_recording(steps.folder / UNSEEN, unseen)
    flights = {FLIGHT: flight}
    return _Flown(motion, told, flights, {UNSEEN: unseen}, robot or cad_truth(mission, flights))


def _recorded(
    mission: Mission,
    folder: Path,
    given: Motion | None,
    recordings: Recordings,
    unseen: Recordings | None,
    watch: RunWatch | None,
) -> tuple[_Flown, RunSteps]:
    """Flights that were brought, copied into the directory."""
    seen, others = named_recordings(recordings), named_recordings(unseen or {})
    if not seen:
        raise InvalidMission("there is no recording to identify; allowed: at least one")
    files, other_files = _files(seen, RECORDED), _files(others, RECORDED_UNSEEN)
    kind = _kind(mission, given, "unknown")
    manifest = RunManifest(
        mission=mission.name,
        robot="",
        motion=kind,
        recordings=tuple(files.values()),
        unseen=tuple(other_files.values()),
        versions=versions(),
    )
    renamed = {name: Path(file).name for name, file in (*other_files.items(), *files.items())}
    steps = RunSteps(folder, prepare_directory(folder, mission, manifest, renamed), watch)
    copy = load_mission(folder / MISSION)

    def read() -> tuple[Trajectory | None, Excitation | None]:
        for named, places in ((seen, files), (others, other_files)):
            for name, recording in named.items():
                write_recording(folder / places[name], recording)
        motion = given if given is not None else copy.trajectory
        return (None, None) if motion is None else _given(folder, copy, motion, given is not None)

    motion, told = steps.do("read", read)
    flights = {Path(files[name]).name: each for name, each in seen.items()}
    unseen_flights = {Path(other_files[name]).name: each for name, each in others.items()}
    if not others:
        steps.note("not tested on motion that the estimate has not seen: no unseen recording was given")
    return _Flown(motion, told, flights, unseen_flights, cad_truth(copy, flights)), steps


def _files(recordings: Mapping[str, Recording], folder: str) -> dict[str, str]:
    """Where each recording goes, by its name: as it is called, no two alike."""
    found = dict[str, str]()
    for name in recordings:
        stem = Path(name.replace("\\", "/")).stem.strip(".") or "flight"
        wanted, number = stem, 2
        while f"{folder}/{wanted}.parquet" in found.values():
            wanted, number = f"{stem}_{number}", number + 1
        found[name] = f"{folder}/{wanted}.parquet"
    return found


def _answered(mission: Mission, flown: _Flown, steps: RunSteps) -> Run:
    """From the flights to the page."""
    folder = steps.folder
    estimate = steps.do("identify", lambda: identify(mission, flown.flights, trajectory=flown.motion))
    estimate.save(folder / ESTIMATE)
    validation = None
    if flown.unseen:
        validation = steps.do("validate", lambda: steps.validated(mission, estimate, flown.unseen))
    if validation is not None:
        validation.save(folder / VALIDATION)
    steps.do("export", lambda: steps.export(mission, estimate))
    steps.hash()
    whole = Run(
        folder,
        mission,
        flown.excitation,
        flown.flights,
        estimate,
        flown.unseen,
        validation,
        flown.truth,
        steps.manifest,
        flown.motion,
    )
    steps.do("report", lambda: write_run_report(folder / REPORT, whole))
    steps.finish()
    return replace(whole, manifest=steps.manifest)
