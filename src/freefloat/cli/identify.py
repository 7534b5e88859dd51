"""`freefloat identify`: a robot's parameters from recordings, with intervals."""

from __future__ import annotations

from typing import Annotated

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
    from freefloat.cli.show.estimate import show_estimate
    from freefloat.mission import identifying

    bodies, repairs = tuple(split_commas(without)), tuple(split_commas(repair))
    inputs = RecordingInputs(mission, tuple(recordings), trajectory, bodies, mapping, repairs)
    loaded, motion, absent = inputs.load_mission()
    inputs.refuse_outputs({output: ".json"}, "estimates", files_of(loaded))
    with FitProgress("reading", quiet, json) as progress:
        read = inputs.read(loaded.robot)
        progress.begin(f"identifying {loaded.name}")
        estimate = identifying.identify(loaded, read, method, motion, absent)
    if output is not None:
        estimate.save(output)

    def show() -> None:
        show_estimate(estimate, everything)
        if output is not None:
            typer.echo(f"wrote {output}")

    print_result(json, quiet, estimate.summary_document, show)
    if estimate.outcome == "failed":
        raise typer.Exit(ExitCode.BAD_RESULT)
