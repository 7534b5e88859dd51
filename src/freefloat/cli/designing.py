"""From a mission to a designed motion in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from freefloat.cli.design_progress import DesignProgress
from freefloat.cli.outputs import files_of, refuse_output
from freefloat.excitation.effort import SHAKES
from freefloat.excitation.excitation import Excitation
from freefloat.excitation.excitation_file import load_motion
from freefloat.excitation.goals.names import GoalName
from freefloat.mission.designing import design, plan_of
from freefloat.mission.mission_file import Mission, load_mission


def design_mission(
    path: Path,
    output: Path | None,
    goal: GoalName | None,
    starts: int,
    seed: int,
    workers: int | None,
    earlier: Sequence[Path],
    shakes: int | None,
    quiet: bool,
) -> tuple[Mission, Excitation, Path]:
    """Design, and write what was found; the file that was written. An interrupt ends the search, not the command.

    output: named after the mission's file unless given. shakes: as many as usual unless given.
    """
    mission = load_mission(path)
    target = output or Path(f"{path.stem}.excitation.json")
    refuse_output(target, (*files_of(mission), *earlier), "designed motions", (".json",))  # before the work
    before = [load_motion(each, mission.robot) for each in earlier]
    times = SHAKES if shakes is None else shakes
    with DesignProgress(plan_of(mission, goal, before), quiet) as progress:
        found = design(mission, starts, seed, goal, before, workers, progress.told, times)
    if found.how.interrupted:
        typer.echo("interrupted: this is the best motion within all limits until then", err=True)
    found.save(target)
    return mission, found, target
