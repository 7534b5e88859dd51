"""The command line: parse, call, show. Everything it does is a call that Python users can make too."""

from __future__ import annotations

import sys
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from freefloat.command_line.campaign_command import campaign
from freefloat.command_line.motion_commands import design, sweep
from freefloat.command_line.options import (
    AsJson,
    BagMapping,
    BaseChoice,
    CommandedMotion,
    MissionFile,
    ModelChoice,
    MomentumChoice,
    OtherMotion,
    Page,
    Repairs,
    WheelChoice,
    Without,
    split_commas,
)
from freefloat.command_line.reproducing import reproduce
from freefloat.command_line.run_command import report, run
from freefloat.command_line.validation_command import validate
from freefloat.errors import FreefloatError

app = typer.Typer(
    name="freefloat",
    help="Weigh robots where nothing has weight: inertial parameters of space robots from motion alone.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _freefloat(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        from freefloat import __version__

        typer.echo(f"freefloat {__version__}")
        raise typer.Exit


@app.command()
def inspect(
    robot: Annotated[Path, typer.Argument(help="A robot file: .yaml, .json or .urdf.", show_default=False)],
    model: Annotated[
        ModelChoice | None,
        typer.Option(help="Show which combinations of parameters this quantity reveals.", show_default=False),
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option(help="Trusted parameters: a body, or body.parameter (`load`, `link2.m`); repeat or use commas."),
    ] = None,
    assume_zero: Annotated[
        list[str] | None, typer.Option(help="Parameters taken as zero: `*.products`, `link2.my`; likewise.")
    ] = None,
    momentum: Annotated[MomentumChoice, typer.Option(help="The total momentum.")] = MomentumChoice.zero,
    wheels: Annotated[WheelChoice, typer.Option(help="What the wheels do.")] = WheelChoice.still,
    base: Annotated[
        BaseChoice | None,
        typer.Option(help="How the base of a URDF moves; by default free.", show_default=False),
    ] = None,
    json: AsJson = False,
) -> None:
    """Show a robot, or with --model: which of its parameters can be identified, and what would help.

    Without --model: its tree, masses, centre of mass, wheels, limits, and what is unphysical about it.
    """
    from freefloat.command_line.show import print_json, show_model, show_robot
    from freefloat.robot.load import load_robot
    from freefloat.robot.summary import robot_summary

    loaded = load_robot(robot, base.value if base else None)
    if model is None:
        if known or assume_zero or momentum != MomentumChoice.zero or wheels != WheelChoice.still:
            raise typer.BadParameter("--known, --assume-zero, --momentum and --wheels go with --model")
        summary = robot_summary(loaded)
        show = show_robot
    else:
        from freefloat.regressor.summary import model_summary

        settled = split_commas(known), split_commas(assume_zero)
        summary = model_summary(model.value, loaded, *settled, momentum.value, wheels.value)
        show = show_model
    if json:
        print_json(summary)
    else:
        show(summary)


app.command()(design)


@app.command()
def draw(
    mission: MissionFile,
    seed: Annotated[int, typer.Option(help="Which robot is drawn.", min=0)] = 0,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The robot file to write.", show_default="MISSION.flown.yaml"),
    ] = None,
    json: AsJson = False,
) -> None:
    """Draw the robot that really flies: as far from the CAD model as the mission's prior says it may be."""
    from freefloat.command_line.flights import draw_flown
    from freefloat.command_line.show import print_json

    written = draw_flown(mission, seed, output)
    if json:
        print_json({"robot": str(written), "seed": seed})
    else:
        typer.echo(f"wrote {written}")


@app.command()
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
        Path | None, typer.Option("-o", "--output", help="A .parquet or .csv file; a folder for several runs.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Fly a mission on the desk and write what its sensors record."""
    from freefloat.command_line.flights import simulate_runs
    from freefloat.command_line.show import print_json

    written = simulate_runs(mission, trajectory, robot, seed, runs, output, quiet=json)
    if json:
        print_json({"recordings": [str(path) for path in written], "seed": seed, "runs": runs})
    elif len(written) == 1:
        typer.echo(f"wrote {written[0]}")
    else:
        typer.echo(f"wrote {len(written)} recordings to {written[0].parent}")


@app.command()
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
) -> None:
    """Describe a recording: channels, rates, gaps, noise, main frequencies, and what looks wrong."""
    from freefloat.command_line.flights import read_any
    from freefloat.command_line.show import print_json, show_recording
    from freefloat.experiment.describe import recording_summary

    loaded = read_any(recording, mapping, split_commas(repair))
    if plot is not None:
        from freefloat.report.recording_page import write_recording_page

        write_recording_page(plot, loaded, recording.name)
    summary = recording_summary(loaded)
    if json:
        print_json(summary)
    else:
        show_recording(recording.name, summary)


@app.command()
def identify(
    mission: MissionFile,
    recordings: Annotated[
        list[Path],
        typer.Argument(help="Recordings of its robot: .parquet, .csv, or ROS 2 bags.", show_default=False),
    ],
    method: Annotated[
        str | None, typer.Option(help="An estimator instead of the mission's own.", show_default=False)
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The estimate file to write: .json.")] = None,
    trajectory: CommandedMotion = None,
    without: Without = None,
    mapping: BagMapping = None,
    repair: Repairs = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all nuisances and notes.")] = False,
    json: AsJson = False,
) -> None:
    """Identify a robot's parameters: values, intervals, and what these are made of."""
    from freefloat.command_line.identification import identify_recordings
    from freefloat.command_line.show import print_json
    from freefloat.command_line.show_estimate import show_estimate
    from freefloat.estimate.estimate_file import estimate_document

    estimate = identify_recordings(
        mission, recordings, method, trajectory, split_commas(without), mapping, split_commas(repair), output
    )
    if json:
        print_json(estimate_document(estimate))
    else:
        show_estimate(estimate, everything)
        if output is not None:
            typer.echo(f"wrote {output}")
    if estimate.outcome == "failed":
        raise typer.Exit(1)


app.command()(validate)


@app.command()
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
) -> None:
    """Give an identified robot back: as a URDF, a robot file, or matrices for a controller."""
    from freefloat.command_line.exporting import export_estimate, exported_document, show_exported
    from freefloat.command_line.show import print_json

    document = exported_document(export_estimate(estimate, urdf, output, robot, controller, force))
    if json:
        print_json(document)
    else:
        show_exported(document)


app.command()(run)
app.command()(report)
app.command()(sweep)
app.command()(campaign)
app.command()(reproduce)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Name of the mission; the file is NAME.yaml.", show_default=False)],
    urdf: Annotated[Path | None, typer.Option(help="Your robot: a URDF or a robot file.")] = None,
) -> None:
    """Write a commented mission file to start from."""
    from freefloat.command_line.template import write_new_mission

    for path in write_new_mission(name, urdf):
        typer.echo(f"wrote {path}")


class FileChoice(StrEnum):
    """Files that people write by hand."""

    robot = "robot"
    mission = "mission"


@app.command()
def schema(
    kind: Annotated[FileChoice, typer.Argument(help="Which files are meant.")] = FileChoice.robot,
) -> None:
    """Print the JSON schema of robot or mission files, for editors that check while you type."""
    from freefloat.command_line.show import print_json
    from freefloat.mission.sections import mission_schema
    from freefloat.robot.yaml_file import json_schema

    print_json(json_schema() if kind == FileChoice.robot else mission_schema())


def main() -> None:
    """Run the command line. Bad input gets one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a sign gets another, not a traceback
            stream.reconfigure(errors="replace")
    try:
        app()
    except FreefloatError as error:
        typer.echo(f"freefloat: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has seen enough
        sys.exit(1)
    except OSError as error:
        typer.echo(f"freefloat: the output cannot be written: {error.strerror}", err=True)
        sys.exit(1)
