"""`freefloat run`: all of a mission in one directory."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from freefloat.cli.ending import ExitCode
from freefloat.cli.options import AsJson, BagMapping, MissionFile, Quiet, Repairs, Workers, split_commas
from freefloat.errors import FileError

if TYPE_CHECKING:
    from freefloat.data.recording import Recording
    from freefloat.robot.model import Robot


class FlyChoice(StrEnum):
    """Which robot flies on the desk."""

    drawn = "drawn"
    cad = "cad"


def run(
    mission: MissionFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="The directory: new, or that of an unfinished run.", show_default="MISSION.run"
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Replace a finished run in that directory.")] = False,
    starts: Annotated[
        int | None,
        typer.Option(help="Local searches from random motions, of which the best counts.", min=1, show_default="4"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the random motions, and all noise.", min=0, show_default="0")
    ] = None,
    fly: Annotated[
        FlyChoice | None,
        typer.Option(
            help="The robot that flies: drawn as far from the CAD model as that is trusted, or itself.",
            show_default="drawn",
        ),
    ] = None,
    excitation: Annotated[
        Path | None,
        typer.Option(
            "--excitation", "--trajectory", help="An earlier design, or a motion: flown instead of a new design."
        ),
    ] = None,
    recording: Annotated[
        list[Path] | None,
        typer.Option(help="A recording of the real flight, identified instead of one on the desk; repeat for more."),
    ] = None,
    unseen: Annotated[
        list[Path] | None,
        typer.Option(help="With --recording: one of another flight, for the prediction; repeat for more."),
    ] = None,
    mapping: BagMapping = None,
    repair: Repairs = None,
    workers: Workers = None,
    shakes: Annotated[
        int | None,
        typer.Option(
            help="How often the best two motions are shaken; as usual unless given.", min=0, show_default=False
        ),
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Design, fly on the desk, identify, predict unseen motion, export, report: all of it, in one directory.

    In: a mission. Out: a directory with the motion, recordings, estimate, validation, exports and report.

    After the real flight, with --recording: identify, predict, export, report.
    An interrupt ends the design, not the run: it goes on with the best motion.
    Exit code 1 if the estimate fails, or fails to predict the unseen motion.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.progress.fitting import FitProgress
    from freefloat.cli.progress.run import RunProgress
    from freefloat.cli.show.run import run_document, show_run
    from freefloat.mission.mission_file import load_mission
    from freefloat.mission.run_manifest import MANIFEST, is_finished
    from freefloat.runs import running
    from freefloat.runs.given_motion import load_given

    if (mission / MANIFEST).is_file():
        raise FileError(mission, "is a run; allowed: a mission file (`freefloat report` shows a run)")
    loaded = load_mission(mission)
    directory = output or Path(f"{mission.stem}.run")
    if not again and is_finished(directory):
        raise FileError(directory, "holds a finished run; allowed: another directory, or --again to replace it")
    motion = None if excitation is None else load_given(excitation, loaded)
    files, unseen_files, repairs = recording or [], unseen or [], split_commas(repair)
    with FitProgress("reading", quiet, json):
        seen, others = _read_flights(mission, loaded.robot, files, unseen_files, mapping, repairs)
    designs = motion is None and loaded.trajectory is None and not seen
    with RunProgress(loaded, quiet, json, designs) as progress:
        try:
            made = running.run(
                loaded,
                directory,
                starts=starts,
                seed=seed,
                watch=progress.update,
                workers=workers,
                shakes=shakes,
                fly=None if fly is None else fly.value,
                motion=motion,
                recordings=seen,
                unseen=others,
            )
        except KeyboardInterrupt as interrupt:
            words = str(interrupt) or "interrupted"
            raise KeyboardInterrupt(f"{words}; {directory} is not finished: run the same again") from None
    document = run_document(made)
    print_result(json, quiet, lambda: document, lambda: show_run(document))
    if document["state"] == "fail":
        raise typer.Exit(ExitCode.BAD_RESULT)


def _read_flights(
    mission: Path,
    robot: Robot,
    recordings: Sequence[Path],
    unseen: Sequence[Path],
    mapping: Path | None,
    repair: Sequence[str],
) -> tuple[dict[str, Recording] | None, dict[str, Recording] | None]:
    """The recordings to identify and to predict, by name; none where the flight is one on the desk."""
    from freefloat.cli.recordings import RecordingInputs

    if not recordings:
        for option, value in (("--unseen", unseen), ("--mapping", mapping), ("--repair", repair)):
            if value:
                raise FileError(option, "is for recorded flights, and none is given; allowed: with --recording")
        return None, None
    inputs = RecordingInputs(mission, (*recordings, *unseen), None, (), mapping, tuple(repair))
    inputs.refuse_outputs({}, "runs")
    named = list(inputs.read(robot).items())
    return dict(named[: len(recordings)]), dict(named[len(recordings) :])
