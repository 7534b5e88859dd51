"""`freefloat target`: mass, centre of mass and inertia of what the arm holds."""

from __future__ import annotations

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
    OwnRecordings,
    Quiet,
    Repairs,
    Without,
    split_commas,
)


def target(
    mission: MissionFile,
    recordings: OwnRecordings,
    body: Annotated[str, typer.Option(help="The target's name in the robot file.")] = "target",
    on: Annotated[
        str | None,
        typer.Option(help="The body that holds it, where the robot file has no target.", show_default=False),
    ] = None,
    rest_sd: Annotated[
        float, typer.Option(help="To which base and arm are known, over their values, if the mission does not say.")
    ] = 0.0,
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
    """Weigh what the arm holds: mass, centre of mass, inertia, base and arm being known.

    In: a mission and recordings made with the target held. Out: a table, and an estimate file if asked for.
    Exit code 1 if the estimate fails.
    """
    from freefloat.cli.found import find_body
    from freefloat.cli.recordings import RecordingInputs
    from freefloat.mission.held_bodies import find_target

    bodies, repairs = tuple(split_commas(without)), tuple(split_commas(repair))
    inputs = RecordingInputs(mission, tuple(recordings), trajectory, bodies, mapping, repairs)
    find_body(
        inputs,
        output,
        lambda loaded, read, motion, absent: find_target(
            loaded, read, body, on, rest_sd, mass_kg, size_m, motion=motion, without=absent
        ),
        f"{body}: what the arm holds",
        json,
        quiet,
    )
