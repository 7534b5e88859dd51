"""The commands that one begins with: new, inspect, schema and draw."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.options import (
    AsJson,
    BaseChoice,
    MissionFile,
    MomentumChoice,
    Quiet,
    WheelChoice,
    split_commas,
)
from freefloat.models.names import ModelName


def new(
    name: Annotated[str, typer.Argument(help="Name of the mission; the file is NAME.yaml.", show_default=False)],
    urdf: Annotated[
        Path | None, typer.Option(help="Your robot: a URDF or a robot file; a servicer to play with unless given.")
    ] = None,
    base: Annotated[
        BaseChoice | None,
        typer.Option(help="How the base of a URDF moves, if the URDF does not say it; written to a robot file."),
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a commented mission file to start from.

    In: a robot, or nothing. Out: NAME.yaml, which says which robot, what is known of it, its sensors and its motion.
    Nothing that is there already is overwritten.
    """
    from freefloat.cli.show import tell
    from freefloat.cli.template import remarks_on, write_new_mission
    from freefloat.mission.mission_file import load_mission

    written = [str(path) for path in write_new_mission(name, urdf, base.value if base else None)]
    remarks = remarks_on(load_mission(written[0]).robot)
    lines = [*(f"wrote {path}" for path in written), *(f" ! {remark}" for remark in remarks)]
    tell(json, quiet, lambda: {"files": written, "remarks": remarks}, lambda: typer.echo("\n".join(lines)))


def inspect(
    robot: Annotated[Path, typer.Argument(help="A robot file: .yaml, .json or .urdf.", show_default=False)],
    model: Annotated[
        ModelName | None,
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
        typer.Option(help="How the base of a URDF moves; by default as the URDF says, or free.", show_default=False),
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show a robot, or with --model: which of its parameters can be identified, and what would help.

    In: a robot file or URDF. Out, without --model: its tree, masses, centre of mass, wheels, limits, and what is
    unphysical about it.
    """
    from freefloat.cli.show import show_model, show_robot, tell
    from freefloat.robot.load import load_robot
    from freefloat.robot.summary import robot_summary

    loaded = load_robot(robot, base.value if base else None)
    if model is None:
        if known or assume_zero or momentum != MomentumChoice.zero or wheels != WheelChoice.still:
            raise typer.BadParameter("--known, --assume-zero, --momentum and --wheels go with --model")
        summary = robot_summary(loaded)
        show = show_robot
    else:
        from freefloat.models.summary import model_summary

        settled = split_commas(known), split_commas(assume_zero)
        summary = model_summary(model, loaded, *settled, momentum.value, wheels.value)
        show = show_model
    tell(json, quiet, lambda: summary, lambda: show(summary))


class FileChoice(StrEnum):
    """Files that people write by hand."""

    robot = "robot"
    mission = "mission"


def schema(
    kind: Annotated[FileChoice, typer.Argument(help="Which files are meant.")] = FileChoice.robot,
    json: AsJson = False,
) -> None:
    """Print the JSON schema of robot or mission files, for editors that check while you type.

    Out: one JSON document, with --json and without.
    """
    from freefloat.cli.show import print_json
    from freefloat.mission.sections import mission_schema
    from freefloat.robot.yaml_read import json_schema

    print_json(json_schema() if kind == FileChoice.robot else mission_schema())


def draw(
    mission: MissionFile,
    seed: Annotated[int, typer.Option(help="Which robot is drawn.", min=0)] = 0,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The robot file to write.", show_default="MISSION.flown.yaml"),
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Draw the robot that really flies: as far from the CAD model as the mission's prior says it may be.

    In: a mission. Out: a robot file, which `simulate --robot` flies while the mission believes its own.
    """
    from freefloat.cli.flights import draw_flown
    from freefloat.cli.show import tell

    written = draw_flown(mission, seed, output)
    tell(json, quiet, lambda: {"robot": str(written), "seed": seed}, lambda: typer.echo(f"wrote {written}"))
