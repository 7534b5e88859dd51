"""The commands that look for motions: design and sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.ending import ExitCode
from freefloat.cli.options import AsJson, MissionFile, OtherMotion, Quiet, Workers
from freefloat.excitation.effort import STARTS
from freefloat.excitation.goals.names import GoalName

Starts = Annotated[int, typer.Option(help="Local searches from random motions, of which the best counts.", min=1)]
Seed = Annotated[int, typer.Option(help="Of the random motions.", min=0)]


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
    seed: Seed = 0,
    workers: Workers = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            help="A motion flown before, which this one complements: an excitation or trajectory file; repeat."
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
    from freefloat.cli.designing import design_mission
    from freefloat.cli.show import tell
    from freefloat.cli.show_excitation import show_excitation

    loaded, found, written = design_mission(mission, output, goal, starts, seed, workers, earlier or [], shakes, quiet)

    def show() -> None:
        show_excitation(found, loaded.name, loaded.robot.bodies[0].name, everything)
        typer.echo(f"wrote {written}")

    tell(json, quiet, found.document, show)
    if found.how.interrupted:
        raise typer.Exit(ExitCode.INTERRUPTED)


def sweep(
    mission: MissionFile,
    over: Annotated[
        list[str],
        typer.Option(
            help="key=FROM:TO:COUNT, or with :log after it for equal factors: what is varied; repeat. Keys: "
            "BODY.mass_kg, BODY.offset_m.x (y, z), duration_s, rate_Hz (of the gyro), harmonics.",
            show_default=False,
        ),
    ],
    trajectory: OtherMotion = None,
    inertia_scales: Annotated[bool, typer.Option(help="Whether a body's inertia grows with its mass.")] = True,
    starts: Starts = STARTS,
    seed: Seed = 0,
    output: Annotated[
        list[Path] | None, typer.Option("-o", "--output", help="A page (.html) or table (.csv) to write; repeat.")
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show how condition number and predicted accuracy change with the robot, its motion or its gyro.

    In: a mission and what is varied. Out: a table, and pages or tables in files. Ctrl-C keeps what is finished.
    """
    from freefloat.cli.show import tell
    from freefloat.cli.sweeping import show_sweep, sweep_document, sweep_mission

    outputs = output or []
    loaded, found = sweep_mission(mission, over, trajectory, inertia_scales, starts, seed, outputs, quiet)

    def show() -> None:
        show_sweep(loaded, found)
        for path in outputs:
            typer.echo(f"wrote {path}")

    tell(json, quiet, lambda: sweep_document(found), show)
    if found.interrupted:
        raise typer.Exit(ExitCode.INTERRUPTED)
