"""Recordings in, simulated flights out, with a bar that says how far they are."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.markup import escape

from freefloat.cli.live_bar import aside, work_bar
from freefloat.cli.outputs import files_of, refuse_output
from freefloat.data.bag_mapping import load_bag_mapping
from freefloat.data.load import load_recording
from freefloat.data.recording import Recording
from freefloat.errors import FileError, WrongFormat
from freefloat.excitation.excitation_file import load_motion
from freefloat.files import check_format, load_yaml
from freefloat.mission.drawing import draw_robot
from freefloat.mission.flying import fly, simulate
from freefloat.mission.mission_file import load_mission
from freefloat.mission.run_manifest import FLIGHT, MANIFEST, sha256
from freefloat.robot.load import load_robot

_TABLES = (".parquet", ".csv")


def read_any(path: Path, mapping: Path | None, repair: list[str]) -> Recording:
    """A recording from a table or, with a mapping, from a bag."""
    if (path / MANIFEST).is_file():
        raise FileError(path, f"is the directory of a run; allowed: a recording in it, such as {path / FLIGHT}")
    if not (path.is_dir() or path.suffix in (".mcap", ".db3")):
        _refuse_other_kind(path)
        return load_recording(path, repair=repair)
    if mapping is None:
        raise FileError(path, "a bag needs a mapping file that says which topic is what; give it as --mapping")
    recording = load_recording(path, load_bag_mapping(mapping), repair=repair)
    hashes = {**recording.origin.hashes, mapping.name: sha256(mapping)}  # it says what the numbers mean
    return replace(recording, origin=replace(recording.origin, hashes=hashes))


def _refuse_other_kind(path: Path) -> None:
    """Refuse a file of ours that is no recording, and say what it is."""
    if path.suffix.lower() in (".yaml", ".yml", ".json") and path.is_file():
        try:
            check_format(load_yaml(path), "recording")
        except WrongFormat as fault:
            said = f"is of the kind {fault.found}, not a recording; allowed: .parquet, .csv or a ROS 2 bag"
            raise WrongFormat(path, said, fault.found) from None


def simulate_runs(
    mission_path: Path,
    trajectory_path: Path | None,
    robot_path: Path | None,
    seed: int,
    runs: int,
    output: Path | None,
    quiet: bool,
) -> list[Path]:
    """Fly once, let the sensors look `runs` times, write each recording; the paths written."""
    mission = load_mission(mission_path)
    robot = None if robot_path is None else load_robot(robot_path)
    trajectory = mission.trajectory if trajectory_path is None else load_motion(trajectory_path, mission.robot)
    target = output or Path(f"{mission_path.stem}.parquet" if runs == 1 else f"{mission_path.stem}.flights")
    others = [path for path in (robot_path, trajectory_path) if path is not None]
    _refuse_target(target, runs, [*files_of(mission), *others])
    with work_bar(quiet) as progress:
        task = progress.add_task(f"flying {mission.name}", total=runs + 1)
        truth = fly(mission, trajectory, seed, robot)
        progress.advance(task)
        folder = target if runs == 1 else target.with_name(f"{target.name}.part-{secrets.token_hex(4)}")
        try:
            if runs > 1:
                folder.mkdir(parents=True)
            for run in range(runs):
                path = folder if runs == 1 else folder / _name(run)
                simulate(mission, trajectory, seed, run, truth, robot).save(path)
                progress.advance(task)
            if runs > 1:
                folder.rename(target)  # a folder of flights is whole or absent
        except OSError as error:
            raise FileError(target, f"cannot be written: {error.strerror}") from error
        finally:
            if runs > 1 and folder.exists():
                shutil.rmtree(folder)
    for fault in [] if trajectory is None else trajectory.check(mission.robot).faults():
        aside(quiet).print(f"[yellow]beyond the limits:[/] {escape(fault)}", soft_wrap=True)
    return [target] if runs == 1 else [target / _name(run) for run in range(runs)]


def draw_flown(mission_path: Path, seed: int, output: Path | None) -> Path:
    """Write a robot that the mission's CAD model may stand for; the path written."""
    mission = load_mission(mission_path)
    target = output or Path(f"{mission_path.stem}.flown.yaml")
    refuse_output(target, files_of(mission), "drawn robots", (".yaml", ".yml", ".json"))
    draw_robot(mission, seed).save(target)
    return target


def _name(run: int) -> str:
    return f"run_{run:05d}.parquet"


def _refuse_target(target: Path, runs: int, inputs: Sequence[Path]) -> None:
    """Say before the flight what could not be written after it."""
    if runs == 1:
        refuse_output(target, inputs, "recordings", _TABLES)
    elif target.suffix.lower() in _TABLES:
        raise FileError(target, f"is one file, and there are {runs} runs; allowed: the name of a folder")
    elif target.exists():
        raise FileError(target, "is there already; choose another folder or remove it first")
