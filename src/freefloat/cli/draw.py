"""`freefloat draw`: a robot that differs from its CAD model as the mission's prior allows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.options import AsJson, MissionFile, Quiet


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

    In: a mission. Out: a robot file, which `simulate --robot` flies while the mission assumes its own.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.outputs import files_of, refuse_output
    from freefloat.mission.drawing import draw_robot
    from freefloat.mission.mission_file import load_mission

    loaded = load_mission(mission)
    target = output or Path(f"{mission.stem}.flown.yaml")
    refuse_output(target, files_of(loaded), "drawn robots", (".yaml", ".yml", ".json"))
    draw_robot(loaded, seed).save(target)
    print_result(json, quiet, lambda: {"robot": str(target), "seed": seed}, lambda: typer.echo(f"wrote {target}"))
