"""Options that commands share, and what those may be that are chosen from a list.

What commands say, all of them alike. Standard output has the result and nothing else: tables, or with `--json` one
document. Standard error has progress, remarks and errors; progress is a live bar on a terminal and, where a command may
take minutes, now and then a plain line elsewhere. With `--quiet` there are no tables, progress or remarks: errors
remain, the files that were asked for, and the exit code (`ending.py`); with both, the document is printed alone.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from freefloat.estimate.method_names import METHOD_HOMES, RECIPES

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing but errors; files and the exit code tell.")]
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
OwnRecordings = Annotated[
    list[Path],
    typer.Argument(help="Recordings of its robot: .parquet, .csv, or ROS 2 bags.", show_default=False),
]
EstimateOutput = Annotated[Path | None, typer.Option("-o", "--output", help="The estimate file to write: .json.")]
BodyMass = Annotated[
    float | None,
    typer.Option("--mass-kg", help="How heavy it may be, about.", show_default="as all else together"),
]
BodySize = Annotated[float, typer.Option("--size-m", help="How large it may be, about.")]
Workers = Annotated[int | None, typer.Option(help="Processes; as many as there are processors unless given.", min=1)]
Starts = Annotated[int, typer.Option(help="Local searches from random motions, of which the best counts.", min=1)]
MotionSeed = Annotated[int, typer.Option(help="Of the random motions.", min=0)]
Page = Annotated[Path | None, typer.Option(help="Also draw it to this HTML page.")]


def split_commas(values: list[str] | None) -> list[str]:
    """The parts of an option that may be repeated or hold several with commas between them."""
    return [part.strip() for value in values or [] for part in value.split(",") if part.strip()]


STUDIES = (
    "naveen",
    "gautier",
    "ayusawa",
    "christidi",
    "spirolazzi",
    "flexible",
    "all",
)  # of freefloat.studies, which takes long to import: completion must not


def complete_methods(incomplete: str) -> list[str]:
    """Methods for a shell that completes a name, or the last of several with commas between them."""
    before, comma, _ = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in (*METHOD_HOMES, *RECIPES)]


def complete_studies(incomplete: str) -> list[str]:
    """Studies for a shell that completes a name."""
    return list(STUDIES)


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
