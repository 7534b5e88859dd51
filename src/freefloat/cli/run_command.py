"""The commands that do everything and tell of it: run and report."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.ending import ExitCode
from freefloat.cli.options import AsJson, BagMapping, MissionFile, Quiet, Repairs, Workers, split_commas


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
    from freefloat.cli.running import Asked, run_document, run_mission, show_run
    from freefloat.cli.show import tell

    asked = Asked(
        mission=mission,
        output=output,
        again=again,
        starts=starts,
        seed=seed,
        workers=workers,
        shakes=shakes,
        fly=None if fly is None else fly.value,
        excitation=excitation,
        recordings=tuple(recording or ()),
        unseen=tuple(unseen or ()),
        mapping=mapping,
        repair=tuple(split_commas(repair)),
    )
    document = run_document(run_mission(asked, quiet))
    tell(json, quiet, lambda: document, lambda: show_run(document))
    if document["state"] == "fail":
        raise typer.Exit(ExitCode.BAD_RESULT)


def report(
    run: Annotated[Path, typer.Argument(help="The directory of a run.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page to write: .html.", show_default="RUN/report.html")
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write the report of a run: one HTML page that works offline.

    In: the directory of a run. Out: the page.
    Exit code 1 if the estimate failed, or failed to predict the unseen motion.
    """
    from freefloat.cli.running import report_run, run_document, show_run
    from freefloat.cli.show import tell

    made, written = report_run(run, output, quiet)
    document = {**run_document(made), "report": str(written)}
    tell(json, quiet, lambda: document, lambda: show_run(document))
    if document["state"] == "fail":
        raise typer.Exit(ExitCode.BAD_RESULT)
