"""All of a mission in one call: designed, flown on the desk, identified, predicted, exported, reported.

Or, after the real flight, from its recordings: then nothing is designed or flown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from freefloat.data.recording import Recording
from freefloat.excitation.collision_check import CollisionCheck
from freefloat.excitation.effort import SHAKES, STARTS
from freefloat.excitation.excitation import Excitation, trajectory_of
from freefloat.files import FilePath
from freefloat.mission.advising import advice_of
from freefloat.mission.designing import design
from freefloat.mission.drawing import draw_robot
from freefloat.mission.flying import random_motion, simulate
from freefloat.mission.identifying import Recordings, identify, named_recordings, shows
from freefloat.mission.limits import asks_for_clearance
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.run_directory import Run, load_identified, load_true_robot, simulated_robot
from freefloat.mission.run_manifest import (
    ESTIMATE,
    EXCITATION,
    FLIGHT,
    MOTION,
    RECORDED,
    RECORDED_UNSEEN,
    REPORT,
    TRUE_ROBOT,
    UNSEEN,
    UNSEEN_MOTION,
    VALIDATION,
    BroughtSection,
    MotionKind,
    RunManifest,
    SeedsSection,
    versions,
)
from freefloat.mission.run_preparation import recording_files
from freefloat.motion.trajectory import Trajectory
from freefloat.report.run_page import write_run_page
from freefloat.robot.model import Robot
from freefloat.runs.given_motion import given_excitation
from freefloat.runs.run_checks import (
    refuse_changed,
    refuse_desk,
    refuse_idle,
    refuse_limits,
    refuse_method,
    refuse_names,
)
from freefloat.runs.run_steps import RunSteps, RunWatch

_GOES_ON = "interrupted: goes on with the best motion until then"
Motion = Excitation | Trajectory


def run(
    mission: Mission,
    directory: FilePath,
    starts: int | None = None,
    seed: int | None = None,
    watch: RunWatch | None = None,
    workers: int | None = None,
    shakes: int | None = None,
    fly: Literal["drawn", "cad"] | None = None,
    motion: Motion | None = None,
    recordings: Recordings | None = None,
    unseen: Recordings | None = None,
) -> Run:
    """Everything a mission needs, in one directory: `load_run` reads it back.

    mission: as its file has it. directory: new, empty, or that of an earlier run, which is replaced; one that was
    interrupted keeps its design. starts (4), workers (all processors), shakes (as usual): of the design.
    seed (0): of the design; the flight's noise has the next, the unseen motion and its noise the one after, the robot
    the one after that. fly: a robot drawn as far from the CAD model as it is trusted (`draw_robot`), which is usual,
    or the CAD model itself. motion: an earlier design or a motion, flown instead of a new design; without it a
    mission's own trajectory is.
    recordings: of real flights: these are identified, and nothing is designed or flown. unseen: others, to predict.
    An option that was given and would do nothing is refused.
    """
    folder = Path(directory)
    searching = {"starts": starts, "shakes": shakes, "workers": workers}
    refuse_changed(mission)
    refuse_method(mission)
    if motion is not None:
        trajectory_of(motion).samples(mission.robot, [0.0])  # refused where it is not for this robot
    refuse_limits(mission, motion)
    if recordings is not None:
        refuse_idle({"fly": fly, "seed": seed, **searching}, "the flights are recorded: none is designed or flown")
        return _recorded(mission, folder, motion, recordings, unseen, watch)
    if unseen is not None:
        raise InvalidMission("unseen recordings are given, but none to identify; allowed: with recordings only")
    if fly not in (None, "drawn", "cad"):
        raise InvalidMission(f"fly is {fly!r}; allowed: drawn, cad")
    kind, drawn, first = _kind(mission, motion, "designed"), fly != "cad", seed or 0
    designs = kind == "designed"
    if not designs:
        refuse_idle(searching, f"the motion is {_by(kind)}: none is designed")
    refuse_names(mission, (FLIGHT, UNSEEN))
    refuse_desk(mission, designs)
    tries, shaken = STARTS if starts is None else starts, SHAKES if shakes is None else shakes
    manifest = RunManifest(
        mission=mission.name,
        robot="",
        motion=kind,
        starts=tries if designs else None,
        shakes=shaken if designs else None,
        seeds=SeedsSection.following(first, drawn),
        versions=versions(),
    )
    steps = RunSteps(folder, manifest, watch)
    copy = steps.prepare(mission, motion=_file_of(motion))
    robot = steps.do("draw", lambda: _drawn(folder, copy, first + 3)) if drawn else None
    given = motion if motion is not None else copy.trajectory
    if given is not None:
        command, known = steps.do("describe", lambda: _given(folder, copy, given, kind == "file"), lambda _: _by(kind))
    else:
        known = _designed(copy, tries, first, workers, shaken, steps)
        command = known.trajectory
    flights, others = _simulated(copy, command, robot, first, steps)
    return _finished(
        steps,
        copy,
        excitation=known,
        motion=None if kind == "mission" else command,
        flights=flights,
        unseen=others,
        truth=robot or simulated_robot(copy, flights),
    )


def _kind(mission: Mission, given: Motion | None, otherwise: MotionKind) -> MotionKind:
    """Where the motion comes from."""
    return "file" if given is not None else "mission" if mission.trajectory is not None else otherwise


def _drawn(folder: Path, mission: Mission, seed: int) -> Robot:
    draw_robot(mission, seed).save(folder / TRUE_ROBOT)
    return load_true_robot(folder, mission)


def _designed(
    mission: Mission, starts: int, seed: int, workers: int | None, shakes: int, steps: RunSteps
) -> Excitation:
    """The motion, in its file; that of the same run if it did not end, the best so far if it is interrupted now."""
    found = steps.kept_design() or steps.do(
        "design",
        lambda: design(mission, starts, seed, workers=workers, watch=steps.designing, shakes=shakes),
        lambda found: _GOES_ON if found.how.interrupted else "",
    )
    found.save(steps.folder / EXCITATION)
    if found.how.interrupted:
        steps.note("the design was interrupted: this is the best motion within all limits until then")
    else:
        steps.designed()
    return found


def _by(kind: str) -> str:
    return "given by the mission" if kind == "mission" else "given by a file"


def _given(folder: Path, mission: Mission, given: Motion, from_file: bool) -> tuple[Trajectory, Excitation | None]:
    """A motion that is not designed now, and what is known of it as of a design."""
    motion = trajectory_of(given)
    known = given if isinstance(given, Excitation) and _says_enough(given, mission) else None
    if known is None:
        known = given_excitation(mission, motion, _by("file" if from_file else "mission"))
    if known is None and isinstance(given, Excitation):
        known = replace(given, collisions=CollisionCheck())
    if known is not None:
        known.save(folder / EXCITATION)
    if from_file and not isinstance(given, Excitation):
        motion.save(folder / MOTION)
    return motion, known


def _says_enough(design: Excitation, mission: Mission) -> bool:
    """Whether a design speaks for this mission: one for another did not check the clearance that this one asks for."""
    return design.origin.get("hashes") == dict(mission.hashes) or not asks_for_clearance(mission)


def _simulated(
    mission: Mission, motion: Trajectory, robot: Robot | None, seed: int, steps: RunSteps
) -> tuple[dict[str, Recording], dict[str, Recording]]:
    """Both flights on the desk by name of their files: the one to identify, the one to predict."""
    flight = steps.do("simulate", lambda: simulate(mission, motion, seed + 1, robot=robot))
    flight.save(steps.folder / FLIGHT)
    other = random_motion(mission, seed + 2)
    if mission.trajectory is not None:  # which the shell would fly otherwise
        other.save(steps.folder / UNSEEN_MOTION)
    unseen = steps.do("fly unseen motion", lambda: simulate(mission, other, seed + 2, robot=robot))
    unseen.save(steps.folder / UNSEEN)
    return {FLIGHT: flight}, {UNSEEN: unseen}


def _recorded(
    mission: Mission,
    folder: Path,
    given: Motion | None,
    recordings: Recordings,
    unseen: Recordings | None,
    watch: RunWatch | None,
) -> Run:
    """The run of real flights, copied into the directory with their mission, which is what is run."""
    seen, others = named_recordings(recordings), named_recordings(unseen or {})
    if not seen:
        raise InvalidMission("there is no recording to identify; allowed: at least one")
    refuse_names(mission, (*seen, *others))
    files = recording_files(seen, RECORDED)
    other_files = recording_files(others, RECORDED_UNSEEN, files.values())
    copies = {files[name]: each for name, each in seen.items()}
    copies |= {other_files[name]: each for name, each in others.items()}
    manifest = RunManifest(
        mission=mission.name,
        robot="",
        motion=_kind(mission, given, "unknown"),
        recordings=tuple(files.values()),
        unseen=tuple(other_files.values()),
        brought=tuple(BroughtSection.of(file, each) for file, each in copies.items()),
        versions=versions(),
    )
    renamed = {name: Path(file).name for name, file in (*other_files.items(), *files.items())}
    steps = RunSteps(folder, manifest, watch)

    def read() -> tuple[Mission, Trajectory | None, Excitation | None]:
        copy = steps.prepare(mission, renamed, copies, _file_of(given))
        if given is not None:
            return copy, *_given(folder, copy, given, from_file=True)
        own = copy.trajectory
        if own is None or not any(_may_show(each, own, copy) for each in seen.values()):
            return copy, None, None
        return copy, None, _given(folder, copy, own, from_file=False)[1]

    copy, motion, known = steps.do("read", read)
    flights = {Path(files[name]).name: each for name, each in seen.items()}
    unseen_flights = {Path(other_files[name]).name: each for name, each in others.items()}
    if not others:
        steps.note("not tested on motion that the estimate has not seen: no unseen recording was given")
    return _finished(
        steps,
        copy,
        excitation=known,
        motion=motion,
        flights=flights,
        unseen=unseen_flights,
        truth=simulated_robot(copy, flights),
    )


def _may_show(recording: Recording, motion: Trajectory, mission: Mission) -> bool:
    """Whether the mission's motion may be the one that was flown: a real flight may begin late, and is taken to be."""
    return recording.origin.kind == "recorded" or shows(recording, motion, mission)


def _file_of(given: Motion | None) -> str | None:
    """What a given motion is called in the directory."""
    return None if given is None else EXCITATION if isinstance(given, Excitation) else MOTION


def _finished(
    steps: RunSteps,
    mission: Mission,
    *,
    excitation: Excitation | None,
    motion: Trajectory | None,
    flights: Mapping[str, Recording],
    unseen: Mapping[str, Recording],
    truth: Robot | None,
) -> Run:
    """From the flights to the page; the rest is as for `Run`."""
    folder = steps.folder
    estimate = steps.do("identify", lambda: identify(mission, flights, motion=motion))
    estimate.save(folder / ESTIMATE)
    validation = None
    if unseen:
        validation = steps.do("validate", lambda: steps.validated(mission, estimate, unseen))
    if validation is not None:
        validation.save(folder / VALIDATION)
    exported = steps.do("export", lambda: steps.export(mission, estimate))
    steps.hash()
    whole = Run(
        directory=folder,
        mission=mission,
        excitation=excitation,
        motion=motion,
        flights=flights,
        estimate=estimate,
        unseen_flights=unseen,
        validation=validation,
        truth=truth,
        identified=load_identified(folder, mission) if exported else None,
        advice=advice_of(mission),
        manifest=steps.manifest,
    )
    steps.do("report", lambda: write_run_page(folder / REPORT, whole))
    steps.finish()
    return replace(whole, manifest=steps.manifest)
