"""The command that validates: an estimate against recordings it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.command_line.options import AsJson, split_commas


def validate(
    mission: Annotated[Path, typer.Argument(help="A mission file.", show_default=False)],
    estimate: Annotated[Path, typer.Argument(help="An estimate file.", show_default=False)],
    recordings: Annotated[
        list[Path],
        typer.Argument(help="Recordings that the estimate was not made from.", show_default=False),
    ],
    false_alarm: Annotated[
        float, typer.Option(help="Probability with which the true robot is not passed, at most.")
    ] = 0.01,
    trajectory: Annotated[
        Path | None,
        typer.Option("--trajectory", "--excitation", help="The commanded motion, if it is not the mission's own."),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(help="FILE=BODY: a recording that was made without this body; repeat or use commas."),
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="For bags: the file that says which topic is what.", show_default=False)
    ] = None,
    repair: Annotated[
        list[str] | None, typer.Option(help="Named repairs to allow, such as `sort`; repeat or use commas.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Also draw it to this HTML page.")] = None,
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
