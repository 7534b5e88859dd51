"""The excitation file: `format: freefloat/excitation@1`, JSON, with the motion itself as in a trajectory file.

Numbers are exact: what was saved comes back. JSON knows neither infinity nor "not a number": these are the texts
"inf", "-inf" and "nan".
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from freefloat.errors import FileError, FreefloatError, WrongFormat
from freefloat.exact_json import Extended
from freefloat.excitation.collision_check import CollisionCheck, Extent
from freefloat.excitation.excitation import FORMAT, Excitation, HowFound, Prediction
from freefloat.excitation.margin import Margin
from freefloat.excitation.sheet import FlightSheet, GravityGradient, Nearest, SwingUse, Turned, WheelUse
from freefloat.files import FilePath, Number, Section, YamlDocument, check_format, entries, load_yaml, validate
from freefloat.motion.trajectory import Trajectory
from freefloat.motion.trajectory_file import load_trajectory, trajectory_from_document
from freefloat.robot.model import Robot

LIMIT_BYTES = 256 * 2**20  # sampled motions are long


def load_excitation(path: FilePath) -> Excitation:
    """The excitation of an excitation file."""
    return _excitation(load_yaml(path, LIMIT_BYTES))


def load_motion(path: FilePath, robot: Robot | None = None) -> Trajectory:
    """The motion of an excitation file or of a trajectory file.

    robot: whose joints and wheels it must be for; a file that does not fit is refused.
    """
    if Path(path).suffix.lower() != ".json":
        return _plain_motion(path, robot)
    document = load_yaml(path, LIMIT_BYTES)
    if not str(document.data.get("format", "")).startswith("freefloat/excitation@"):
        return _plain_motion(path, robot)
    trajectory = _excitation(document).trajectory
    if robot is not None:
        try:
            trajectory.samples(robot, np.zeros(1))
        except FreefloatError as error:
            raise FileError(path, str(error)) from error
    return trajectory


def _plain_motion(path: FilePath, robot: Robot | None) -> Trajectory:
    try:
        return load_trajectory(path, robot)
    except WrongFormat as error:
        allowed = "freefloat/excitation@1 (.json), or a CSV file of commanded positions"
        raise WrongFormat(path, f"{error.problem}, {allowed}", error.found) from error


# ---------------------------------------------------------------------- what the file may say


class PredictionSection(Section):
    """What will be known of a cluster, a spring or a mode."""

    name: str = Field(description="of the cluster, or of what swings how")
    value: Extended = Field(description="a number")
    sd: Extended = Field(description="a number, or inf")


class MarginSection(Section):
    """How far the motion stays from a limit."""

    limit: str = Field(description="its name")
    slack: Extended = Field(description="a number")
    unit: str = Field(description="of the slack")
    share: Extended = Field(description="a number")
    at_s: Number = Field(description="a number")
    kind: str = Field("", description="of limits that are told together; the first files do not say it")

    def made(self) -> Margin:
        """The margin; where the file does not say the kind, the name begins with it (`rate of j1`)."""
        return Margin(**{**self.model_dump(), "kind": self.kind or self.limit.split(" of ")[0]})


class CollisionsSection(Section):
    """Which collisions the limits rule out."""

    extent: Extent = Field(description="unknown, none, named, shaped or all")
    pairs: list[Annotated[tuple[str, str], entries(2, "names")]] = Field(
        default_factory=list, description="bodies kept apart"
    )
    without_shape: list[str] = Field(default_factory=list, description="bodies that could not be kept apart")


class HowSection(Section):
    """How the motion was found."""

    solver: str = Field(description="its name")
    seed: int = Field(description="a whole number")
    values: list[Extended] = Field(description="a number for each start")
    best: int = Field(description="a whole number")
    iterations: int = Field(description="a whole number")
    seconds: Number = Field(description="a number")
    interrupted: bool = False
    shakes: int = 0
    drawn: int = 0


class TurnedSection(Section):
    """How far an angle goes."""

    lowest: Number = Field(description="a number")
    highest: Number = Field(description="a number")


class WheelUseSection(Section):
    """Momentum of a wheel."""

    name: str = Field(description="of the wheel")
    at_start: Number = Field(description="a number")
    largest: Number = Field(description="a number")
    allowed: Extended = Field(description="a number, or inf")


class SwingUseSection(Section):
    """How far a passive joint swings."""

    name: str = Field(description="of the joint")
    largest: Extended = Field(description="a number, or inf")
    at_s: Number = Field(description="a number")
    left: Extended = Field(description="a number, or inf")
    unit: Literal["rad", "m"] = "rad"


class NearestSection(Section):
    """Bodies that come nearest to each other."""

    a: str = Field(description="a body")
    b: str = Field(description="a body")
    distance_m: Number = Field(description="a number")
    at_s: Number = Field(description="a number")


class GravityGradientSection(Section):
    """What the torque of the gravity gradient costs."""

    orbital_rate_rad_s: Number = Field(description="a number")
    torque_Nm: Number = Field(description="a number")
    allowed_s: Extended = Field(description="a number, inf or nan")
    assumed: bool = Field(description="true or false")
    estimated: bool = Field(description="true or false")
    shift_sd: Extended = Field(default=math.nan, description="a number, inf or nan")
    modelled: bool = Field(default=False, description="true or false")
    wider: Extended = Field(default=math.nan, description="a number, inf or nan")


class SheetSection(Section):
    """A flight sheet."""

    duration_s: Number = Field(description="a number")
    roll: TurnedSection = Field(description="lowest and highest")
    pitch: TurnedSection = Field(description="lowest and highest")
    yaw: TurnedSection = Field(description="lowest and highest")
    pointing_rad: Number = Field(description="a number")
    pointing_at_s: Number = Field(description="a number")
    base_rate_rad_s: Number = Field(description="a number")
    base_rate_at_s: Number = Field(description="a number")
    wheels: list[WheelUseSection] = Field(default_factory=list)
    swings: list[SwingUseSection] = Field(default_factory=list)
    nearest: NearestSection | None = None
    gravity_gradient: GravityGradientSection | None = None


class ExcitationFileSection(Section):
    """An excitation file."""

    format: Literal["freefloat/excitation@1"] = Field(description=FORMAT)
    goal: str = Field(description="name of the goal")
    value: Extended = Field(description="a number")
    condition_number: Extended = Field(description="a number, or nan")
    optimality: Extended = Field(description="a number, or inf")
    how: HowSection = Field(description="solver, seed, values, best, iterations, seconds")
    predictions: list[PredictionSection] = Field(default_factory=list)
    swings: list[PredictionSection] = Field(default_factory=list, description="of springs and modes")
    margins: list[MarginSection] = Field(default_factory=list)
    collisions: CollisionsSection | None = Field(default=None, description="files before 0.2 do not say")
    sheet: SheetSection | None = None
    warnings: list[str] = Field(default_factory=list)
    locked: list[str] = Field(default_factory=list, description="names of passive joints")
    origin: dict[str, Any] = Field(default_factory=dict)
    trajectory: dict[str, Any] = Field(description="a trajectory, as in a trajectory file")


# ---------------------------------------------------------------------- from the file to the excitation


def _excitation(document: YamlDocument) -> Excitation:
    check_format(document, "excitation")
    section = validate(ExcitationFileSection, document)
    margins = tuple(each.made() for each in section.margins)
    collisions = _collisions(section.collisions)
    how = section.how.model_dump()
    return Excitation(
        trajectory_from_document(section.trajectory, document.path),
        section.goal,
        section.value,
        section.condition_number,
        tuple(Prediction(**each.model_dump()) for each in section.predictions),
        margins,
        HowFound(**{**how, "values": tuple(how["values"])}),
        section.optimality,
        tuple(section.warnings),
        section.origin,
        None if section.sheet is None else _sheet(section.sheet, margins, collisions),
        collisions,
        tuple(section.locked),
        tuple(Prediction(**each.model_dump()) for each in section.swings),
    )


def _collisions(section: CollisionsSection | None) -> CollisionCheck:
    if section is None:
        return CollisionCheck()
    return CollisionCheck(section.extent, tuple(section.pairs), tuple(section.without_shape))


def _sheet(section: SheetSection, margins: tuple[Margin, ...], collisions: CollisionCheck) -> FlightSheet:
    near, gradient = section.nearest, section.gravity_gradient
    roll, pitch, yaw = (Turned(**each.model_dump()) for each in (section.roll, section.pitch, section.yaw))
    return FlightSheet(
        duration_s=section.duration_s,
        roll=roll,
        pitch=pitch,
        yaw=yaw,
        pointing_rad=section.pointing_rad,
        pointing_at_s=section.pointing_at_s,
        base_rate_rad_s=section.base_rate_rad_s,
        base_rate_at_s=section.base_rate_at_s,
        wheels=tuple(WheelUse(**each.model_dump()) for each in section.wheels),
        nearest=None if near is None else Nearest(**near.model_dump()),
        gravity_gradient=None if gradient is None else GravityGradient(**gradient.model_dump()),
        margins=margins,
        collisions=collisions,
        swings=tuple(SwingUse(**each.model_dump()) for each in section.swings),
    )
