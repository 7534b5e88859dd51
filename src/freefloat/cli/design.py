"""`freefloat design`: the motion that reveals the most of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.ending import ExitCode
from freefloat.cli.options import AsJson, MissionFile, MotionSeed, Quiet, Starts, Workers
from freefloat.excitation.effort import SHAKES, STARTS
from freefloat.excitation.goals.names import GoalName


def design(
    mission: MissionFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="The excitation file to write: .json.", show_default="MISSION.excitation.json"
        ),
    ] = None,
    goal: Annotated[
        GoalName | None, typer.Option(help="What to make small instead of the mission's goal.", show_default=False)
    ] = None,
    starts: Starts = STARTS,
    seed: MotionSeed = 0,
    workers: Workers = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            help="A motion flown before, which this one complements: an excitation, trajectory or recording; repeat."
        ),
    ] = None,
    shakes: Annotated[
        int | None,
        typer.Option(
            help="How often the best two are shaken, one more search each; as usual unless given.",
            min=0,
            show_default=False,
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all limits and clusters.")] = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Design the motion that reveals the most of a robot within all limits.

    In: a mission. Out: an excitation file, which `simulate` flies. Ctrl-C keeps the best motion so far.
    Exit code 1 if no motion within the limits was found.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.outputs import files_of, refuse_output
    from freefloat.cli.progress.design import DesignProgress
    from freefloat.cli.show.excitation import show_excitation
    from freefloat.mission import designing
    from freefloat.mission.earlier import load_flown
    from freefloat.mission.mission_file import load_mission

    loaded = load_mission(mission)
    target, inputs = output or Path(f"{mission.stem}.excitation.json"), earlier or []
    refuse_output(target, (*files_of(loaded), *inputs), "designed motions", (".json",))  # before the work
    before = [load_flown(loaded, each) for each in inputs]
    times = SHAKES if shakes is None else shakes
    with DesignProgress(designing.plan_of(loaded, goal, before), quiet, json) as progress:
        found = designing.design(loaded, starts, seed, goal, before, workers, progress.update, times)
    if found.how.interrupted:
        typer.echo("interrupted: this is the best motion within all limits until then", err=True)
    found.save(target)

    def show() -> None:
        show_excitation(found, loaded.name, loaded.robot.bodies[0].name, everything)
        typer.echo(f"wrote {target}")

    print_result(json, quiet, found.document, show)
    if found.how.interrupted:
        raise typer.Exit(ExitCode.INTERRUPTED)
