"""The command that runs published experiments again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    studies: Annotated[
        list[str] | None,
        typer.Argument(help="naveen, gautier, ayusawa, christidi, spirolazzi; all unless given.", show_default=False),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the figures to this file; - prints them, and nothing else."),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="As many runs as were published: about half an hour for all studies.")
    ] = False,
) -> None:
    """Run published experiments again: their figures beside ours, computed now; about a minute each.

    The exit code is 0 whatever holds: what does not is said in the table, and in the file as `holds`.
    """
    from rich.console import Console

    from freefloat.command_line.outputs import refuse_output
    from freefloat.command_line.show import as_json, print_json
    from freefloat.command_line.show_study import show_study
    from freefloat.files import write_text
    from freefloat.studies.reproduce import reproduce as run_again

    names, printed = tuple(studies or ("all",)), json_file == Path("-")
    if json_file is not None and not printed:
        refuse_output(json_file, (), "figures", (".json",))
    documents = []
    with Console(stderr=True).status("beginning") as status:
        for study in run_again(names, "full" if full else "usual", watch=status.update):
            documents.append(study.document())
            if not printed:
                status.stop()  # or its last line would stay above the table
                show_study(study)
                status.start()
    whole = documents if "all" in names or len(documents) != 1 else documents[0]
    if printed:
        print_json(whole)
    elif json_file is not None:
        write_text(json_file, as_json(whole))
        typer.echo(f"wrote {json_file}")
