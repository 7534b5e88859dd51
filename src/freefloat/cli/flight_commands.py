"""The commands for flights: simulate and data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.options import AsJson, MissionFile, OtherMotion, Page, Quiet, Repairs, split_commas


def simulate(
    mission: MissionFile,
    trajectory: OtherMotion = None,
    robot: Annotated[
        Path | None,
        typer.Option(help="The robot that flies, such as `draw` gives; the mission's own unless given."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sensors' noise, and of a random motion.", min=0)] = 0,
    runs: Annotated[int, typer.Option(help="Flights that differ in their noise alone.", min=1)] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="A .parquet or .csv file; a folder for several runs.",
            show_default="MISSION.parquet, or MISSION.flights",
        ),
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Fly a mission on the desk and write what its sensors record.

    In: a mission, and a motion; a random one if there is none. Out: a recording, or a folder of them.
    """
    from freefloat.cli.flights import simulate_runs
    from freefloat.cli.show import tell

    written = simulate_runs(mission, trajectory, robot, seed, runs, output, quiet)
    said = f"wrote {written[0]}" if runs == 1 else f"wrote {runs} recordings to {written[0].parent}"
    document = {"recordings": [str(path) for path in written], "seed": seed, "runs": runs}
    tell(json, quiet, lambda: document, lambda: typer.echo(said))


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
    from freefloat.cli.flights import read_any
    from freefloat.cli.outputs import refuse_output
    from freefloat.cli.show import show_recording, tell
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

    tell(json, quiet, lambda: summary, show)
