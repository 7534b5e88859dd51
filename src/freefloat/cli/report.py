"""`freefloat report`: the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.ending import ExitCode
from freefloat.cli.options import AsJson, Quiet


def report(
    run: Annotated[Path, typer.Argument(help="The directory of a run.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page to write: .html.", show_default="RUN/report.html")
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write the report of a run: one HTML page that works offline.

    In: the directory of a run. Out: the page.
    Exit code 1 if the estimate failed, or failed to predict the unseen motion.
    """
    from freefloat.cli.console import error_console, print_result
    from freefloat.cli.outputs import refuse_output
    from freefloat.cli.show.run import run_document, show_run
    from freefloat.mission.run_directory import load_run
    from freefloat.mission.run_manifest import MANIFEST
    from freefloat.report.run_page import write_run_page

    made = load_run(run)
    target = output or made.report
    inputs = [run / name for name in (MANIFEST, *made.manifest.hashes)]
    refuse_output(target, inputs, "reports", (".html", ".htm"))
    with error_console(quiet).status("writing the report"):
        write_run_page(target, made)
    document = {**run_document(made), "report": str(target)}
    print_result(json, quiet, lambda: document, lambda: show_run(document))
    if document["state"] == "fail":
        raise typer.Exit(ExitCode.BAD_RESULT)
