"""`freefloat sweep`: how accuracy changes with the robot, its motion or its gyro."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.ending import ExitCode
from freefloat.cli.options import AsJson, MissionFile, MotionSeed, OtherMotion, Quiet, Starts
from freefloat.excitation.effort import STARTS

_MOST_POINTS = 10_000


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
    seed: MotionSeed = 0,
    output: Annotated[
        list[Path] | None, typer.Option("-o", "--output", help="A page (.html) or table (.csv) to write; repeat.")
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show how condition number and predicted accuracy change with the robot, its motion or its gyro.

    In: a mission and what is varied. Out: a table, and pages or tables in files. Ctrl-C keeps what is finished.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.outputs import files_of, refuse_output
    from freefloat.cli.progress.bars import WorkProgress
    from freefloat.cli.ranges import ranges_of
    from freefloat.cli.show.locked import say_locked
    from freefloat.cli.show.sweep import show_sweep, sweep_document
    from freefloat.excitation.excitation_file import load_motion
    from freefloat.mission import sweeping
    from freefloat.mission.mission_file import load_mission
    from freefloat.report.sweep_page import write_sweep_page, write_sweep_table

    ranges, outputs = ranges_of(over), output or []
    loaded = load_mission(mission)
    inputs = files_of(loaded) if trajectory is None else (*files_of(loaded), trajectory)
    for path in outputs:
        refuse_output(path, inputs, "sweeps", (".html", ".csv"))
    motion = None if trajectory is None else load_motion(trajectory, loaded.robot)
    points = math.prod(len(values) for values in ranges.values())
    if points > _MOST_POINTS:
        raise sweeping.InvalidSweep(f"the sweep has {points:,} points; allowed: at most {_MOST_POINTS:,}")
    with WorkProgress(f"sweeping {loaded.name}", points, quiet, json) as bar:
        found = sweeping.sweep(loaded, ranges, motion, inertia_scales, starts, seed, watch=lambda _: bar.advance())
    if found.interrupted:
        typer.echo(f"interrupted: {len(found.points)} of {points} settings were finished until then", err=True)
    for path in outputs:
        if path.suffix.lower() == ".csv":
            write_sweep_table(path, found)
        else:
            write_sweep_page(path, found, loaded.name)

    def show() -> None:
        show_sweep(loaded, found)
        for path in outputs:
            typer.echo(f"wrote {path}")

    say_locked(loaded.robot, quiet)
    print_result(json, quiet, lambda: sweep_document(found), show)
    if found.interrupted:
        raise typer.Exit(ExitCode.INTERRUPTED)
