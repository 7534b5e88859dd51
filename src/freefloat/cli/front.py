"""`freefloat front`: how much condition number an equilibrium of optimum points costs."""

from __future__ import annotations

from typing import Annotated

import typer

from freefloat.cli.options import AsJson, MissionFile, MotionSeed, Quiet, Starts
from freefloat.excitation.effort import STARTS


def front(
    mission: MissionFile,
    weights: Annotated[
        str, typer.Option(help="Of the equilibrium beside the goal, with commas.")
    ] = "0,0.05,0.1,0.2,0.4,0.8",
    starts: Starts = STARTS,
    seed: MotionSeed = 0,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Trade condition number for equilibrium: the best points for each weight.

    In: a mission whose shape is points. Out: a line for each weight; the one to take is `shape.equilibrium_weight`.
    """
    from dataclasses import asdict

    from freefloat.cli.console import print_result
    from freefloat.cli.progress.bars import WorkProgress
    from freefloat.cli.ranges import numbers_of
    from freefloat.cli.show.front import show_front
    from freefloat.cli.show.locked import say_locked
    from freefloat.mission import designing
    from freefloat.mission.mission_file import load_mission

    chosen = numbers_of("--weights", weights)
    loaded = load_mission(mission)
    with WorkProgress(f"seeking points for {loaded.name}", starts, quiet, json) as bar:
        found = designing.points_front(loaded, chosen, starts, seed, watch=lambda _: bar.advance())
    beside = designing.limits_beside_joints(loaded)
    if beside and not quiet:
        typer.echo(f"limits of joints alone count here, not {', '.join(beside)}; `design` keeps these too", err=True)
    say_locked(loaded.robot, quiet)
    print_result(json, quiet, lambda: [asdict(each) for each in found], lambda: show_front(loaded.name, found))
