"""`freefloat data`: what a recording holds, and what looks wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.options import AsJson, Page, Quiet, Repairs, split_commas


def data(
    recording: Annotated[
        Path,
        typer.Argument(help="A recording: .parquet, .csv, or a ROS 2 bag (folder, .mcap, .db3).", show_default=False),
    ],
    mapping: Annotated[
        Path | None, typer.Option(help="For a bag: the file that says which topic is what.", show_default=False)
    ] = None,
    plot: Page = None,
    repair: Repairs = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Describe a recording: channels, rates, gaps, noise, main frequencies, and what looks wrong.

    In: a recording, simulated or measured. Out: a table, and with --plot a page.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.outputs import refuse_output
    from freefloat.cli.recordings import read_any
    from freefloat.cli.show.recording import show_recording
    from freefloat.data.description import recording_summary

    if plot is not None:
        refuse_output(plot, [path for path in (recording, mapping) if path is not None], "pages", (".html",))
    loaded = read_any(recording, mapping, split_commas(repair))
    if plot is not None:
        from freefloat.report.recording_page import write_recording_page

        write_recording_page(plot, loaded, recording.name)
    summary = recording_summary(loaded)

    def show() -> None:
        show_recording(recording.name, summary)
        if plot is not None:
            typer.echo(f"wrote {plot}")

    print_result(json, quiet, lambda: summary, show)
