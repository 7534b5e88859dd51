"""`freefloat identify`: a robot's parameters from recordings, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from freefloat.cli.ending import ExitCode
from freefloat.cli.options import (
    AsJson,
    BagMapping,
    CommandedMotion,
    EstimateOutput,
    MissionFile,
    OwnRecordings,
    Quiet,
    Repairs,
    Without,
    complete_methods,
    split_commas,
)


def identify(
    mission: MissionFile,
    recordings: OwnRecordings,
    method: Annotated[
        str | None,
        typer.Option(
            help="An estimator instead of the mission's own.", show_default=False, autocompletion=complete_methods
        ),
    ] = None,
    output: EstimateOutput = None,
    trajectory: CommandedMotion = None,
    without: Without = None,
    mapping: BagMapping = None,
    repair: Repairs = None,
    history: Annotated[
        int | None,
        typer.Option(
            help="Also estimate from the first of so many parts of the flight, the first two, ...",
            min=2,
            show_default=False,
        ),
    ] = None,
    span_s: Annotated[
        float | None,
        typer.Option("--span-s", help="For that: a window of so many seconds that moves instead.", show_default=False),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="For that: also draw it to this HTML page.")] = None,
    truth: Annotated[
        Path | None, typer.Option(help="For that: the robot that flew on the desk, to say how far off each part is.")
    ] = None,
    add_appendage: Annotated[
        Path | None,
        typer.Option(
            help="Where something is found to swing: write the robot with an appendage for it to this robot file.",
            metavar="ROBOT",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all nuisances and notes.")] = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Identify a robot's parameters: values, intervals, and what these are made of.

    In: a mission and recordings of its robot. Out: a table, and an estimate file for `validate` and `export`.
    Exit code 1 if the estimate fails.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.outputs import files_of
    from freefloat.cli.progress.fitting import FitProgress
    from freefloat.cli.recordings import RecordingInputs
    from freefloat.cli.show.appendages import say_appendages
    from freefloat.cli.show.estimate import show_estimate
    from freefloat.cli.show.history import show_history
    from freefloat.mission.appending import append_swings, seeking
    from freefloat.mission.history import history_spans, identify_history
    from freefloat.mission.identifying import identify as identify_by
    from freefloat.report.history_page import write_history_page
    from freefloat.robot.load import load_robot

    bodies, repairs = tuple(split_commas(without)), tuple(split_commas(repair))
    inputs = RecordingInputs(mission, tuple(recordings), trajectory, bodies, mapping, repairs)
    loaded, motion, absent = inputs.load_mission()
    for path, ending, what in (
        (output, ".json", "estimates"),
        (plot, ".html", "pages"),
        (add_appendage, ".yaml", "robots"),
    ):
        inputs.refuse_outputs({path: ending}, what, files_of(loaded))
    _refuse_without_history(history, span_s, plot, truth)
    flew = None if truth is None else load_robot(truth)
    with FitProgress("reading", quiet, json) as progress:
        read = inputs.read(loaded.robot)
        if history is not None:
            history_spans(loaded, read, history, span_s)  # what cannot be had is said before the fit
        progress.begin(f"identifying {loaded.name}")
        asked = method if add_appendage is None else seeking(loaded, method)
        estimate = identify_by(loaded, read, asked, motion, absent)
        told = None
        if history is not None:
            progress.begin(f"{history} parts of {loaded.name}")
            told = identify_history(loaded, read, history, span_s, method, motion, absent, truth=flew)
    if output is not None:
        estimate.save(output)
    if add_appendage is not None:
        append_swings(loaded.robot, estimate, add_appendage)
    if plot is not None and told is not None:
        write_history_page(plot, told, f"{loaded.name}: {', '.join(read)}")

    def document() -> dict[str, Any]:
        said = estimate.summary_document()
        return said if told is None else {**said, "history": told.document()}

    def show() -> None:
        show_estimate(estimate, everything)
        if told is not None:
            show_history(told)
        for path in (plot, output):
            if path is not None:
                typer.echo(f"wrote {path}")
        if add_appendage is not None:
            say_appendages(add_appendage, estimate)

    print_result(json, quiet, document, show)
    if estimate.outcome == "failed":
        raise typer.Exit(ExitCode.BAD_RESULT)


def _refuse_without_history(history: int | None, *options: object) -> None:
    from freefloat.mission.mission_file import InvalidMission

    if history is None and any(each is not None for each in options):
        raise InvalidMission(
            "--span-s, --plot and --truth are of a history; allowed: with --history and a number of parts"
        )
