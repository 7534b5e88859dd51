"""`freefloat reproduce`: published experiments again, their figures beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.ending import ExitCode
from freefloat.cli.options import STUDIES, AsJson, Quiet, complete_studies


def reproduce(
    studies: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"{', '.join(STUDIES)}; all unless given.", show_default=False, autocompletion=complete_studies
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The figures to write: .json.")] = None,
    full: Annotated[
        bool, typer.Option("--full", help="As many runs as were published: about half an hour for all studies.")
    ] = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Run published experiments again: their figures beside ours, computed now; about a minute each.

    In: names of studies. Out: a table for each, and how many figures are reproduced, better, and neither. Exit code 1
    if a figure that can be compared does not hold; what does not is said in the table, and in the document as `holds`.
    """
    from freefloat.cli.console import as_json, error_console, print_json
    from freefloat.cli.outputs import refuse_output
    from freefloat.cli.show.study import counts_line, show_study
    from freefloat.files import write_text
    from freefloat.studies.reproducing import reproduce as run_again

    names = tuple(studies or ("all",))
    if output is not None:
        refuse_output(output, (), "figures", (".json",))
    found = []
    with error_console(quiet).status("beginning") as status:
        for study in run_again(names, "full" if full else "usual", watch=status.update):
            found.append(study)
            if not (json or quiet):
                status.stop()  # or its last line would stay above the table
                show_study(study)
                status.start()
    if len(found) > 1 and not (json or quiet):
        typer.echo(f"all {len(found)} publications: {counts_line(found)}; notes say the cause of each that is not")
    documents = [study.document() for study in found]  # a list, of one study too
    if output is not None:
        write_text(output, as_json(documents))
    if json:
        print_json(documents)
    elif output is not None and not quiet:
        typer.echo(f"wrote {output}")
    if not all(check.holds for study in found for check in study.checks if check.comparable):
        raise typer.Exit(ExitCode.BAD_RESULT)
