"""`freefloat change`: what a body gained or lost between flights."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.options import (
    AsJson,
    BagMapping,
    BodyMass,
    BodySize,
    CommandedMotion,
    EstimateOutput,
    MissionFile,
    Quiet,
    Repairs,
    Without,
    split_commas,
)


def change(
    mission: MissionFile,
    recordings: Annotated[
        list[Path], typer.Argument(help="Recordings of its robot from after the change.", show_default=False)
    ],
    before: Annotated[
        list[Path],
        typer.Option(help="A recording from before the change; repeat for several.", show_default=False),
    ],
    on: Annotated[str, typer.Option(help="The body that changed.", show_default=False)],
    mass_kg: BodyMass = None,
    size_m: BodySize = 1.0,
    output: EstimateOutput = None,
    trajectory: CommandedMotion = None,
    without: Without = None,
    mapping: BagMapping = None,
    repair: Repairs = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find what changed between flights: a target caught, propellant burnt. What was lost has a negative mass.

    In: a mission, and recordings from before and after. Out: a table, and an estimate file if asked for.
    Exit code 1 if the estimate fails.
    """
    from freefloat.cli.found import find_body
    from freefloat.cli.recordings import RecordingInputs
    from freefloat.mission.held_bodies import find_change

    bodies, repairs = tuple(split_commas(without)), tuple(split_commas(repair))
    inputs = RecordingInputs(mission, (*before, *recordings), trajectory, bodies, mapping, repairs)
    find_body(
        inputs,
        output,
        lambda loaded, read, motion, absent: find_change(
            loaded, read, on, list(read)[: len(before)], mass_kg, size_m, motion=motion, without=absent
        ),
        f"what {on} gained",
        json,
        quiet,
    )
