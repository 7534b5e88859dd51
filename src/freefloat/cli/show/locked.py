"""What is planned as if passive joints were locked, said once by each verb that plans."""

from __future__ import annotations

import typer

from freefloat.report.design_words import locked_words
from freefloat.robot.model import Robot


def say_locked(robot: Robot, quiet: bool) -> None:
    """On standard error, so that a JSON document stays one; nothing where no joint is passive."""
    if robot.passive.size and not quiet:
        typer.echo(f"planned {locked_words(robot.passive_names)}", err=True)
