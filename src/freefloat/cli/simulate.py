"""`freefloat simulate`: flights on the desk, as the mission's sensors record them."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.options import AsJson, MissionFile, OtherMotion, Quiet
from freefloat.cli.outputs import files_of, refuse_output
from freefloat.errors import FileError

_TABLES = (".parquet", ".csv")


def simulate(
    mission: MissionFile,
    trajectory: OtherMotion = None,
    robot: Annotated[
        Path | None,
        typer.Option(help="The robot that flies, such as `draw` gives; the mission's own unless given."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sensors' noise, and of a random motion.", min=0)] = 0,
    runs: Annotated[int, typer.Option(help="Flights that differ in their noise alone.", min=1)] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="A .parquet or .csv file; a folder for several runs.",
            show_default="MISSION.parquet, or MISSION.flights",
        ),
    ] = None,
    noise_free: Annotated[
        bool,
        typer.Option("--noise-free", help="Draw no errors: what an estimate comes to then is the method's own doing."),
    ] = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Fly a mission on the desk and write what its sensors record.

    In: a mission, and a motion; a random one if there is none. Out: a recording, or a folder of them.
    """
    from freefloat.cli.console import print_result

    if noise_free and runs > 1:
        raise typer.BadParameter(f"{runs} runs without noise are all the same; allowed: 1 with --noise-free")
    written = _simulate_runs(mission, trajectory, robot, seed, runs, output, noise_free, quiet, json)
    line = f"wrote {written[0]}" if runs == 1 else f"wrote {runs} recordings to {written[0].parent}"
    document = {"recordings": [str(path) for path in written], "seed": seed, "runs": runs}
    print_result(json, quiet, lambda: document, lambda: typer.echo(line))


def _simulate_runs(
    mission_path: Path,
    trajectory_path: Path | None,
    robot_path: Path | None,
    seed: int,
    runs: int,
    output: Path | None,
    noise_free: bool,
    quiet: bool,
    json: bool,
) -> list[Path]:
    """Fly once, let the sensors look `runs` times, write each recording; the paths written."""
    from rich.markup import escape

    from freefloat.cli.console import error_console
    from freefloat.cli.progress.bars import WorkProgress
    from freefloat.excitation.excitation_file import load_motion
    from freefloat.mission.flying import fly, simulate
    from freefloat.mission.mission_file import load_mission
    from freefloat.robot.load import load_robot

    mission = load_mission(mission_path)
    robot = None if robot_path is None else load_robot(robot_path)
    trajectory = mission.trajectory if trajectory_path is None else load_motion(trajectory_path, mission.robot)
    target = output or Path(f"{mission_path.stem}.parquet" if runs == 1 else f"{mission_path.stem}.flights")
    others = [path for path in (robot_path, trajectory_path) if path is not None]
    _refuse_target(target, runs, [*files_of(mission), *others])
    with WorkProgress(f"flying {mission.name}", runs + 1, quiet, json) as progress:
        truth = fly(mission, trajectory, seed, robot)
        progress.advance()
        folder = target if runs == 1 else target.with_name(f"{target.name}.part-{secrets.token_hex(4)}")
        try:
            if runs > 1:
                folder.mkdir(parents=True)
            for run in range(runs):
                path = folder if runs == 1 else folder / _name(run)
                simulate(mission, trajectory, seed, run, truth, robot, not noise_free).save(path)
                progress.advance()
            if runs > 1:
                folder.rename(target)  # a folder of flights is whole or absent
        except OSError as error:
            raise FileError(target, f"cannot be written: {error.strerror}") from error
        finally:
            if runs > 1 and folder.exists():
                shutil.rmtree(folder)
    for fault in [] if trajectory is None else trajectory.check(mission.robot).faults():
        error_console(quiet).print(f"[yellow]beyond the limits:[/] {escape(fault)}", soft_wrap=True)
    return [target] if runs == 1 else [target / _name(run) for run in range(runs)]


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
