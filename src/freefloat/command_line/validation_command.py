"""The command that validates: an estimate against recordings it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.command_line.options import (
    AsJson,
    BagMapping,
    CommandedMotion,
    MissionFile,
    Page,
    Repairs,
    Without,
    split_commas,
)


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
) -> None:
    """Whether an estimate predicts motion it has not seen, and if not, why. Exit code 1 if it fails."""
    from freefloat.command_line.show import print_json
    from freefloat.command_line.show_validation import show_validation
    from freefloat.command_line.validating import validate_recordings
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
    )
    if json:
        print_json(summary_document(found))
    else:
        show_validation(found)
        for path in (plot, output):
            if path is not None:
                typer.echo(f"wrote {path}")
    if found.verdict == "fail":
        raise typer.Exit(1)
