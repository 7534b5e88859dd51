"""`freefloat perturb`: what errors of measured values do to an estimate, beside how far they can go."""

from __future__ import annotations

from typing import Annotated

import typer

from freefloat.cli.options import AsJson, MissionFile, OtherMotion, Quiet
from freefloat.models.names import ModelName


def perturb(
    mission: MissionFile,
    trajectory: OtherMotion = None,
    levels: Annotated[
        str, typer.Option(help="Noise, four standard deviations over the largest value or range; with commas.")
    ] = "0.001,0.01,0.1",
    draws: Annotated[int, typer.Option(help="Draws of noise for each level.", min=1, max=100_000)] = 100,
    model: Annotated[
        ModelName | None,
        typer.Option(help="Whose rows are solved; those that a design looks at unless given.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the noise, and of a random motion.", min=0)] = 0,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Perturb what a motion measures: errors of least squares beside their bounds.

    In: a mission, a motion. Out: relative errors under noise on the right-hand side, on the regressor, and on both.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.progress.fitting import FitProgress
    from freefloat.cli.ranges import numbers_of
    from freefloat.cli.show.locked import say_locked
    from freefloat.cli.show.perturbation import show_perturbations
    from freefloat.excitation.excitation_file import load_motion
    from freefloat.mission import perturbing
    from freefloat.mission.mission_file import load_mission

    sizes = numbers_of("--levels", levels)
    loaded = load_mission(mission)
    motion = None if trajectory is None else load_motion(trajectory, loaded.robot)
    with FitProgress(f"perturbing {loaded.name}", quiet, json):
        found = perturbing.perturb(loaded, motion, sizes, draws, seed, model)
    say_locked(loaded.robot, quiet)
    print_result(json, quiet, found.document, lambda: show_perturbations(loaded.name, found))
