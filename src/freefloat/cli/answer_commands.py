"""The commands that answer: identify, validate and export."""

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
    complete_methods,
    split_commas,
)


def identify(
    mission: MissionFile,
    recordings: Annotated[
        list[Path],
        typer.Argument(help="Recordings of its robot: .parquet, .csv, or ROS 2 bags.", show_default=False),
    ],
    method: Annotated[
        str | None,
        typer.Option(
            help="An estimator instead of the mission's own.", show_default=False, autocompletion=complete_methods
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The estimate file to write: .json.")] = None,
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
    from freefloat.cli.identification import identify_recordings
    from freefloat.cli.show import tell
    from freefloat.cli.show_estimate import show_estimate

    estimate = identify_recordings(
        mission, recordings, method, trajectory, split_commas(without), mapping, split_commas(repair), output, quiet
    )

    def show() -> None:
        show_estimate(estimate, everything)
        if output is not None:
            typer.echo(f"wrote {output}")

    tell(json, quiet, estimate.summary_document, show)
    if estimate.outcome == "failed":
        raise typer.Exit(ExitCode.BAD_RESULT)


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
    from freefloat.cli.show import tell
    from freefloat.cli.show_validation import show_validation
    from freefloat.cli.validating import validate_recordings
    from freefloat.validation.validation_file import summary_document

    found = validate_recordings(
        mission,
        estimate,
        recordings,
        false_alarm,
        trajectory,
        split_commas(without),
        mapping,
        split_commas(repair),
        (plot, output),
        quiet,
    )

    def show() -> None:
        show_validation(found)
        for path in (plot, output):
            if path is not None:
                typer.echo(f"wrote {path}")

    tell(json, quiet, lambda: summary_document(found), show)
    if found.verdict == "fail":
        raise typer.Exit(ExitCode.BAD_RESULT)


def export(
    estimate: Annotated[Path, typer.Argument(help="An estimate file.", show_default=False)],
    urdf: Annotated[
        Path | None,
        typer.Option(help="Your URDF, of which only inertias are changed; a new one is made unless given."),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The URDF to write.")] = None,
    robot: Annotated[Path | None, typer.Option(help="A robot file to write: .yaml or .json.")] = None,
    controller: Annotated[
        Path | None, typer.Option(help="Code to write for a controller: .c (with a header), or .casadi.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write it even if the estimate failed.")] = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Give an identified robot back: as a URDF, a robot file, or matrices for a controller.

    In: an estimate. Out: the files asked for, and what there is to say about them.
    """
    from freefloat.cli.exporting import export_estimate, exported_document, show_exported
    from freefloat.cli.show import tell

    document = exported_document(export_estimate(estimate, urdf, output, robot, controller, force, quiet))
    tell(json, quiet, lambda: document, lambda: show_exported(document))
