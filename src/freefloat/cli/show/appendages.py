"""What was written of appendages, and what to do with it."""

from __future__ import annotations

from pathlib import Path

import typer

from freefloat.estimate.estimate import Estimate
from freefloat.mission.appending import found_swings


def say_appendages(path: Path, estimate: Estimate) -> None:
    """A robot file with what an estimate found to swing; none is written where that is nothing."""
    count = len(found_swings(estimate))
    if not count:
        typer.echo(f"nothing that swings was found: {path} is not written")
        return
    many = "an appendage" if count == 1 else f"{count} appendages"
    typer.echo(f"wrote {path}, the robot with {many}: say `robot: {path.name}` in the mission, and identify again")
