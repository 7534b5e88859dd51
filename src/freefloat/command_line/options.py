"""Options that commands share, and what those may be that are chosen from a list."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
MissionFile = Annotated[Path, typer.Argument(help="A mission file.", show_default=False)]
OtherMotion = Annotated[
    Path | None,
    typer.Option(
        "--trajectory",
        "--excitation",
        help="A motion instead of the mission's own: a trajectory or excitation file.",
    ),
]
CommandedMotion = Annotated[
    Path | None,
    typer.Option("--trajectory", "--excitation", help="The commanded motion, if it is not the mission's own."),
]
Without = Annotated[
    list[str] | None,
    typer.Option(help="FILE=BODY: a recording that was made without this body; repeat or use commas."),
]
BagMapping = Annotated[
    Path | None, typer.Option(help="For bags: the file that says which topic is what.", show_default=False)
]
Repairs = Annotated[
    list[str] | None, typer.Option(help="Named repairs to allow, such as `sort`; repeat or use commas.")
]
Workers = Annotated[int | None, typer.Option(help="Processes; as many as there are processors unless given.", min=1)]
Page = Annotated[Path | None, typer.Option(help="Also draw it to this HTML page.")]


def split_commas(values: list[str] | None) -> list[str]:
    """The parts of an option that may be repeated or hold several with commas between them."""
    return [part.strip() for value in values or [] for part in value.split(",") if part.strip()]


class ModelChoice(StrEnum):
    """Measured quantities whose clusters can be shown."""

    momentum = "momentum"
    angular_momentum = "angular-momentum"
    base_velocity = "base-velocity"
    energy = "energy"
    torque = "torque"


class MomentumChoice(StrEnum):
    """What is known of the total momentum."""

    zero = "zero"
    known = "known"
    unknown = "unknown"


class BaseChoice(StrEnum):
    """How the base moves."""

    free = "free"
    planar = "planar"
    fixed = "fixed"


class WheelChoice(StrEnum):
    """What the reaction wheels do."""

    still = "still"
    constant = "constant"
    varying = "varying"


class GoalChoice(StrEnum):
    """What a design makes small."""

    accuracy = "accuracy"
    worst_accuracy = "worst-accuracy"
    condition_number = "condition-number"
    frobenius = "frobenius"
    d_optimal = "d-optimal"
    a_optimal = "a-optimal"
    e_optimal = "e-optimal"
