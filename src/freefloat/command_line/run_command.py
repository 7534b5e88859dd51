"""The commands that do everything and tell of it: run and report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.command_line.motion_commands import Seed, Starts
from freefloat.command_line.options import AsJson


def run(
    mission: Annotated[Path, typer.Argument(help="A mission file.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The directory: new, or that of a run.", show_default="MISSION.run"),
    ] = None,
    starts: Starts = 4,
    seed: Seed = 0,
    workers: Annotated[
        int | None, typer.Option(help="Processes; as many as there are processors unless given.", min=1)
    ] = None,
    shakes: Annotated[
        int | None,
        typer.Option(
            help="How often the best two motions are shaken; as usual unless given.", min=0, show_default=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing until the end.")] = False,
    json: AsJson = False,
) -> None:
    """Design, fly on the desk, identify, predict unseen motion, export, report: all of it, in one directory.

    Exit code 1 if the estimate fails, or fails to predict the unseen motion.
    """
    from freefloat.command_line.running import run_document, run_mission, show_run
    from freefloat.command_line.show import print_json

    made = run_mission(mission, output, starts, seed, workers, shakes, quiet or json)
    document = run_document(made)
    if json:
        print_json(document)
    else:
        show_run(document)
    if document["state"] == "fail":
        raise typer.Exit(1)


def report(
    run: Annotated[Path, typer.Argument(help="The directory of a run.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page to write: .html.", show_default="RUN/report.html")
    ] = None,
    json: AsJson = False,
) -> None:
    """Write the report of a run: one HTML page that works offline. Exit code 1 if the estimate fails."""
    from freefloat.command_line.running import report_run, run_document, show_run
    from freefloat.command_line.show import print_json

    made, written = report_run(run, output)
    document = {**run_document(made), "report": str(written)}
    if json:
        print_json(document)
    else:
        show_run(document)
    if document["state"] == "fail":
        raise typer.Exit(1)
