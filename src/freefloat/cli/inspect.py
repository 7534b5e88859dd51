"""`freefloat inspect`: a robot, and which of its parameters can be identified."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.options import AsJson, BaseChoice, MomentumChoice, Quiet, WheelChoice, split_commas
from freefloat.models.names import ModelName


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
    clusters: Annotated[
        bool, typer.Option("--clusters", help="List the clusters of angular momentum however many there are.")
    ] = False,
    base: Annotated[
        BaseChoice | None,
        typer.Option(help="How the base of a URDF moves; by default as the URDF says, or free.", show_default=False),
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show a robot, or with --model: which of its parameters can be identified, and what would help.

    In: a robot file or URDF. Out, without --model: its tree, masses, centre of mass, wheels, limits, what is unphysical
    about it, and of one with passive joints how it swings and what of that a gyro shows.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.show.model import show_model
    from freefloat.cli.show.robot import show_robot
    from freefloat.robot.load import load_robot
    from freefloat.robot.summary import robot_summary

    loaded = load_robot(robot, base.value if base else None)
    if model is None:
        if known or assume_zero or momentum != MomentumChoice.zero or wheels != WheelChoice.still or clusters:
            raise typer.BadParameter("--known, --assume-zero, --momentum, --wheels and --clusters go with --model")
        summary = robot_summary(loaded)
        if loaded.passive.size:
            from freefloat.dynamics.modes import modes_summary
            from freefloat.estimate.one_thread import one_blas_thread
            from freefloat.models.swings_shown import swings_summary

            with one_blas_thread():
                summary |= modes_summary(loaded) | swings_summary(loaded)
        show = show_robot
    else:
        from freefloat.estimate.one_thread import one_blas_thread
        from freefloat.models.summary import model_summary

        settled = split_commas(known), split_commas(assume_zero)
        with one_blas_thread():
            summary = model_summary(model, loaded, *settled, momentum.value, wheels.value, clusters)
        show = show_model
    print_result(json, quiet, lambda: summary, lambda: show(summary))
