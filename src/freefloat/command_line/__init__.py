"""The command line: parse, call, show. Everything it does is a call that Python users can make too."""

from __future__ import annotations

import sys
from enum import StrEnum
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


class ModelChoice(StrEnum):
    """Measured quantities whose clusters can be shown."""

    momentum = "momentum"
    angular_momentum = "angular-momentum"
    base_velocity = "base-velocity"
    energy = "energy"
    torque = "torque"


class MomentumChoice(StrEnum):
    """What is known of the total momentum."""

    zero = "zero"
    known = "known"
    unknown = "unknown"


class WheelChoice(StrEnum):
    """What the reaction wheels do."""

    still = "still"
    constant = "constant"
    varying = "varying"


@app.command()
def inspect(
    robot: Annotated[Path, typer.Argument(help="A robot file: .yaml, .json or .urdf.", show_default=False)],
    model: Annotated[
        ModelChoice | None,
        typer.Option(help="Show which combinations of parameters this quantity reveals.", show_default=False),
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option(
            help="Trusted parameters: a body, or body.parameter (`load`, `link2.m`); repeat or use commas."
        ),
    ] = None,
    assume_zero: Annotated[
        list[str] | None, typer.Option(help="Parameters taken as zero: `*.products`, `link2.my`; likewise.")
    ] = None,
    momentum: Annotated[MomentumChoice, typer.Option(help="The total momentum.")] = MomentumChoice.zero,
    wheels: Annotated[WheelChoice, typer.Option(help="What the wheels do.")] = WheelChoice.still,
    json: AsJson = False,
) -> None:
    """Show a robot, or with --model: which of its parameters can be identified, and what would help.

    Without --model: its tree, masses, centre of mass, wheels, limits, and what is unphysical about it.
    """
    from freefloat.command_line.show import print_json, show_model, show_robot
    from freefloat.robot.load import load_robot
    from freefloat.robot.summary import robot_summary

    loaded = load_robot(robot)
    if model is None:
        summary = robot_summary(loaded)
        show = show_robot
    else:
        from freefloat.regressor.summary import model_summary

        summary = model_summary(
            model.value, loaded, _split(known), _split(assume_zero), momentum.value, wheels.value
        )
        show = show_model
    if json:
        print_json(summary)
    else:
        show(summary)


def _split(values: list[str] | None) -> list[str]:
    return [part.strip() for value in values or [] for part in value.split(",") if part.strip()]


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
