"""The trajectory file: `format: freefloat/trajectory@1`, YAML or JSON, and the same as part of other files.

`kind` says which shape; the other fields are that shape's own. Numbers are exact: what was saved comes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.errors import FileError, FreefloatError
from freefloat.files import (
    FilePath,
    Number,
    Positive,
    Section,
    YamlDocument,
    check_format,
    did_you_mean,
    load_yaml,
    shown,
    validate,
)
from freefloat.motion.bspline import BSpline
from freefloat.motion.combined import Combined
from freefloat.motion.command_file import read_commands, refuse_wrong_units
from freefloat.motion.consecutive import Consecutive
from freefloat.motion.cycloid import Cycloid
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.quintic import ENDS
from freefloat.motion.quintic_points import QuinticPoints
from freefloat.motion.sampled import DEGREES, Given, Sampled
from freefloat.motion.trajectory import FORMAT, Trajectory, numbers
from freefloat.robot.model import Robot

LIMIT_BYTES = 256 * 2**20  # sampled commands are long


def load_trajectory(path: FilePath, robot: Robot | None = None) -> Trajectory:
    """The trajectory of a YAML or JSON trajectory file, or of a CSV file of sampled commands.

    robot: whose joints and wheels it must be for; a file that does not fit is refused.
    """
    commands = Path(path).suffix.lower() == ".csv"
    trajectory = read_commands(path) if commands else _trajectory(load_yaml(path, LIMIT_BYTES))
    if robot is not None:
        if commands:
            refuse_wrong_units(path, robot)
        try:
            trajectory.samples(robot, np.zeros(1))
        except FreefloatError as error:
            raise FileError(path, str(error)) from error
    return trajectory


def trajectory_from_document(mapping: Mapping[str, Any], path: FilePath) -> Trajectory:
    """The trajectory of a `document()`, which may be part of another file; `path` is for messages."""
    return _trajectory(YamlDocument(path, mapping))


def _trajectory(document: YamlDocument) -> Trajectory:
    check_format(document, "trajectory")
    kind = document.data.get("kind")
    section = _SECTIONS.get(kind) if isinstance(kind, str) else None
    if section is None:
        near = did_you_mean(kind, _SECTIONS) if isinstance(kind, str) else ""
        raise document.fault(("kind",), f"is {shown(kind)}{near}; allowed: {', '.join(_SECTIONS)}")
    shape = validate(section, document)
    try:
        return shape.trajectory()
    except FreefloatError as error:
        raise FileError(document.path, str(error)) from error


# ---------------------------------------------------------------------- what the file may say

Rows = list[list[Number]]


class _ShapeSection(Section):
    format: Literal["freefloat/trajectory@1"] = Field(FORMAT, description=FORMAT)
    channels: list[str] = Field(description="names of joints and wheels")
    coefficients: Rows = Field(description="rows of numbers, one number for each channel")

    def common(self) -> tuple[tuple[str, ...], Array]:
        """Channels and coefficients."""
        return tuple(self.channels), numbers("coefficients", self.coefficients)


class FourierSection(_ShapeSection):
    """A Fourier series with a quintic."""

    kind: Literal["fourier"] = Field(description="fourier")
    duration_s: Positive = Field(description="a number greater than zero")
    ends: Rows | None = Field(None, description="position, rate, acceleration at the start, then at the end")

    def trajectory(self) -> Fourier:
        """The trajectory it stands for."""
        at_rest = np.zeros((ENDS, 1))
        ends = at_rest if self.ends is None else numbers("ends", self.ends)
        return Fourier(*self.common(), self.duration_s, ends)


class PlainFourierSection(_ShapeSection):
    """A Fourier series alone."""

    kind: Literal["plain-fourier"] = Field(description="plain-fourier")
    duration_s: Positive = Field(description="a number greater than zero")
    period_s: Positive | None = Field(None, description="of the first harmonic; the duration unless given")

    def trajectory(self) -> PlainFourier:
        """The trajectory it stands for."""
        return PlainFourier(*self.common(), self.duration_s, self.period_s or self.duration_s)


class CycloidSection(_ShapeSection):
    """Cycloidal intervals."""

    kind: Literal["cycloid"] = Field(description="cycloid")
    interval_s: Positive = Field(description="a number greater than zero")

    def trajectory(self) -> Cycloid:
        """The trajectory it stands for."""
        return Cycloid(*self.common(), self.interval_s)


class QuinticPointsSection(_ShapeSection):
    """Points joined by quintics."""

    kind: Literal["quintic-points"] = Field(description="quintic-points")
    t_s: list[Number] = Field(description="times of the points, from 0")
    accelerations: Rows | None = Field(None, description="rows of numbers, one row for each point")

    def trajectory(self) -> QuinticPoints:
        """The trajectory it stands for."""
        channels, rows = self.common()
        still = np.zeros((len(self.t_s), len(channels)))
        given = still if self.accelerations is None else numbers("accelerations", self.accelerations)
        return QuinticPoints(channels, rows, np.array(self.t_s), given)


class BSplineSection(_ShapeSection):
    """A clamped B-spline."""

    kind: Literal["b-spline"] = Field(description="b-spline")
    duration_s: Positive = Field(description="a number greater than zero")
    degree: int = Field(5, description="3, 4 or 5")
    rest: bool = Field(True, description="whether it starts and ends at rest")

    def trajectory(self) -> BSpline:
        """The trajectory it stands for."""
        return BSpline(*self.common(), self.duration_s, self.degree, self.rest)


class SampledSection(_ShapeSection):
    """Sampled commands."""

    kind: Literal["sampled"] = Field(description="sampled")
    t_s: list[Number] = Field(description="times of the samples, from 0")
    given: Given = Field("position", description="position, position-and-rate or rate")
    degree: int | None = Field(None, description="of the polynomials")

    def trajectory(self) -> Sampled:
        """The trajectory it stands for."""
        degree = DEGREES[self.given][0] if self.degree is None else self.degree
        return Sampled(*self.common(), np.array(self.t_s), self.given, degree)


_Shape = FourierSection | PlainFourierSection | CycloidSection | QuinticPointsSection | BSplineSection | SampledSection


class CombinedSection(Section):
    """Several trajectories of different channels."""

    format: Literal["freefloat/trajectory@1"] = Field(FORMAT, description=FORMAT)
    kind: Literal["combined"] = Field(description="combined")
    parts: list[Annotated[_Shape, Field(discriminator="kind")]] = Field(description="trajectories")

    def trajectory(self) -> Combined:
        """The trajectory it stands for."""
        return Combined(tuple(part.trajectory() for part in self.parts))


class ConsecutiveSection(Section):
    """Several trajectories of the same channels."""

    format: Literal["freefloat/trajectory@1"] = Field(FORMAT, description=FORMAT)
    kind: Literal["consecutive"] = Field(description="consecutive")
    parts: list[Annotated[_Shape, Field(discriminator="kind")]] = Field(description="trajectories")

    def trajectory(self) -> Consecutive:
        """The trajectory it stands for."""
        return Consecutive(tuple(part.trajectory() for part in self.parts))


_SECTIONS: dict[str, type[_Shape | CombinedSection | ConsecutiveSection]] = {
    Fourier.kind: FourierSection,
    PlainFourier.kind: PlainFourierSection,
    Cycloid.kind: CycloidSection,
    QuinticPoints.kind: QuinticPointsSection,
    BSpline.kind: BSplineSection,
    Sampled.kind: SampledSection,
    Combined.kind: CombinedSection,
    Consecutive.kind: ConsecutiveSection,
}
