"""What was written of appendages, and what to do with it."""

from __future__ import annotations

from pathlib import Path

import typer


def say_appendages(path: Path, count: int) -> None:
    """A robot file with so many appendages; none is written where nothing swings."""
    if not count:
        typer.echo(f"nothing that swings was found: {path} is not written")
        return
    many = "an appendage" if count == 1 else f"{count} appendages"
    typer.echo(f"wrote {path}, the robot with {many}: say `robot: {path.name}` in the mission, and identify again")
