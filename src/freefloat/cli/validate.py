"""`freefloat validate`: whether an estimate predicts motion it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.ending import ExitCode
from freefloat.cli.options import (
    AsJson,
    BagMapping,
    CommandedMotion,
    MissionFile,
    Page,
    Quiet,
    Repairs,
    Without,
    split_commas,
)
from freefloat.errors import FileError


def validate(
    mission: MissionFile,
    estimate: Annotated[Path, typer.Argument(help="An estimate file.", show_default=False)],
    recordings: Annotated[
        list[Path],
        typer.Argument(help="Recordings that the estimate was not made from.", show_default=False),
    ],
    false_alarm: Annotated[
        float, typer.Option(help="Probability with which the true robot is not passed, at most.")
    ] = 0.01,
    trajectory: CommandedMotion = None,
    without: Without = None,
    mapping: BagMapping = None,
    repair: Repairs = None,
    plot: Page = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The validation file to write: .json.")] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Tell whether an estimate predicts motion it has not seen, and if not, why.

    In: a mission, an estimate, recordings of other flights. Out: PASS, DOUBTFUL or FAIL, with reasons.
    Exit code 1 if it fails.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.outputs import files_of
    from freefloat.cli.progress.fitting import FitProgress
    from freefloat.cli.recordings import RecordingInputs
    from freefloat.cli.show.validation import show_validation
    from freefloat.estimate.estimate import load_estimate
    from freefloat.mission import validating
    from freefloat.report.validation_page import write_validation_page
    from freefloat.validation.prediction import InvalidValidation, UnfitEstimate

    if not 0.0 < false_alarm < 1.0:
        raise InvalidValidation(f"--false-alarm is {false_alarm}; allowed: between 0 and 1")
    if estimate.suffix.lower() in (".parquet", ".csv"):
        raise FileError(estimate, "is a recording, not an estimate; the order is MISSION ESTIMATE RECORDINGS")
    bodies, repairs = tuple(split_commas(without)), tuple(split_commas(repair))
    inputs = RecordingInputs(mission, tuple(recordings), trajectory, bodies, mapping, repairs)
    loaded, motion, absent = inputs.load_mission()
    inputs.refuse_outputs({plot: ".html", output: ".json"}, "validations", (*files_of(loaded), estimate))
    answer = load_estimate(estimate)
    with FitProgress("reading", quiet, json) as progress:
        read = inputs.read(loaded.robot)
        progress.begin(f"validating {loaded.name}")
        try:
            found = validating.validate(loaded, answer, read, motion, absent, false_alarm=false_alarm)
        except UnfitEstimate as error:
            raise FileError(estimate, str(error)) from error
    if output is not None:
        found.save(output)
    if plot is not None:
        write_validation_page(plot, found, f"{loaded.name}: {estimate.name}")

    def show() -> None:
        show_validation(found)
        for path in (plot, output):
            if path is not None:
                typer.echo(f"wrote {path}")

    print_result(json, quiet, found.summary, show)
    if found.verdict == "fail":
        raise typer.Exit(ExitCode.BAD_RESULT)
