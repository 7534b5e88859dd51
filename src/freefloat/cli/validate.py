"""`freefloat validate`: whether an estimate predicts motion it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    from freefloat.estimate.estimate import Estimate
    from freefloat.mission.mission_file import Mission
    from freefloat.validation.random_motions import RandomMotions


def validate(
    mission: MissionFile,
    estimate: Annotated[Path, typer.Argument(help="An estimate file.", show_default=False)],
    recordings: Annotated[
        list[Path] | None,
        typer.Argument(help="Recordings that the estimate was not made from.", show_default=False),
    ] = None,
    false_alarm: Annotated[
        float, typer.Option(help="Probability with which the true robot is not passed, at most.")
    ] = 0.01,
    trajectory: CommandedMotion = None,
    without: Without = None,
    mapping: BagMapping = None,
    repair: Repairs = None,
    random: Annotated[
        int | None,
        typer.Option(help="Predict so many random motions, and say how surely.", min=1, show_default=False),
    ] = None,
    robot: Annotated[
        Path | None,
        typer.Option(help="For these: the robot that really flies, such as `draw` gives.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the random motions.", min=0)] = 0,
    plot: Page = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The validation file to write: .json.")] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Tell whether an estimate predicts motion it has not seen, and if not, why.

    In: a mission, an estimate, recordings of other flights. Out: PASS, DOUBTFUL or FAIL, with reasons; with
    --random how surely the base's rates are predicted. Exit code 1 if it fails.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.outputs import files_of
    from freefloat.cli.progress.fitting import FitProgress
    from freefloat.cli.recordings import RecordingInputs
    from freefloat.cli.show.validation import show_random_motions, show_validation
    from freefloat.estimate.estimate import load_estimate
    from freefloat.mission import validating
    from freefloat.report.validation_page import write_validation_page
    from freefloat.validation.prediction import InvalidValidation, UnfitEstimate

    if not 0.0 < false_alarm < 1.0:
        raise InvalidValidation(f"--false-alarm is {false_alarm}; allowed: between 0 and 1")
    if estimate.suffix.lower() in (".parquet", ".csv"):
        raise FileError(estimate, "is a recording, not an estimate; the order is MISSION ESTIMATE RECORDINGS")
    if not recordings and random is None:
        raise InvalidValidation("there is nothing to predict; allowed: recordings, or --random and a number of motions")
    bodies, repairs = tuple(split_commas(without)), tuple(split_commas(repair))
    inputs = RecordingInputs(mission, tuple(recordings or ()), trajectory, bodies, mapping, repairs)
    loaded, motion, absent = inputs.load_mission()
    inputs.refuse_outputs({plot: ".html", output: ".json"}, "validations", (*files_of(loaded), estimate))
    answer = load_estimate(estimate)
    with FitProgress("random motions", quiet, json):
        drawn = _random_motions(loaded, estimate, answer, random, seed, robot)
    if drawn is not None and not recordings:
        if plot is not None or output is not None:
            raise InvalidValidation("--plot and --output are of recordings, and none is given")
        print_result(
            json, quiet, lambda: {"random_motions": drawn.summary()}, lambda: show_random_motions(drawn, answer.robot)
        )
        return
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

    def document() -> dict[str, Any]:
        return found.summary() if drawn is None else {**found.summary(), "random_motions": drawn.summary()}

    def show() -> None:
        show_validation(found)
        if drawn is not None:
            show_random_motions(drawn, answer.robot)
        for path in (plot, output):
            if path is not None:
                typer.echo(f"wrote {path}")

    print_result(json, quiet, document, show)
    if found.verdict == "fail":
        raise typer.Exit(ExitCode.BAD_RESULT)


def _random_motions(
    mission: Mission, path: Path, estimate: Estimate, motions: int | None, seed: int, robot: Path | None
) -> RandomMotions | None:
    """What an estimate, read from a file, predicts of random motions. robot: the file of the true one, if known."""
    from freefloat.mission.validating import refuse_other_robot
    from freefloat.robot.load import load_robot
    from freefloat.validation.prediction import InvalidValidation, UnfitEstimate
    from freefloat.validation.random_motions import predict_random_motions

    if motions is None:
        if robot is not None:
            raise InvalidValidation("--robot is of random motions; allowed: with --random and a number of motions")
        return None
    truth = None if robot is None else load_robot(robot)
    try:
        refuse_other_robot(mission, estimate)
        return predict_random_motions(estimate, motions, seed, truth)
    except UnfitEstimate as error:
        raise FileError(path, str(error)) from error
