"""The command line: parse, call, show. Everything it does is a call that Python users can make too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from freefloat.errors import FreefloatError

app = typer.Typer(
    name="freefloat",
    help="Weigh robots where nothing has weight: inertial parameters of space robots from motion alone.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]


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
    json: AsJson = False,
) -> None:
    """Show a robot: its tree, masses, centre of mass, wheels, limits, and what is unphysical about it."""
    from freefloat.command_line.show import print_json, show_robot
    from freefloat.robot.load import load_robot
    from freefloat.robot.summary import robot_summary

    summary = robot_summary(load_robot(robot))
    if json:
        print_json(summary)
    else:
        show_robot(summary)


@app.command()
def schema() -> None:
    """Print the JSON schema of robot files, for editors that check while you type."""
    from freefloat.command_line.show import print_json
    from freefloat.robot.yaml_file import json_schema

    print_json(json_schema())


def main() -> None:
    """Run the command line. Bad input gets one sentence and exit code 2."""
    try:
        app()
    except FreefloatError as error:
        typer.echo(f"freefloat: {error}", err=True)
        sys.exit(2)
