"""Families of motions that a mission can ask for: `excitation.shape`, told apart by its `kind`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from freefloat.files import Number, Positive, Section

_USUAL_HARMONICS = 4


class MotionShapeSection(Section):
    """The family of motions that is searched."""

    kind: Literal["fourier", "bspline"] = "fourier"
    harmonics: Annotated[int, Field(ge=1, le=100)] = Field(
        default=_USUAL_HARMONICS,
        description="of a Fourier series; a B-spline has twice as many control points, and one",
    )
    rest_to_rest: bool = True


class PointsShapeSection(Section):
    """Points between which the energy differs in the most telling way, joined as fast as the limits allow.

    After Gautier, Khalil (IJRR 1992); the motion lasts as long as it takes.
    """

    kind: Literal["points"]
    points: Annotated[int, Field(ge=2, le=2000)] | None = Field(
        default=None, description="number of points; two for each unknown of the energy, and one, unless given"
    )
    equilibrium_weight: Annotated[Number, Field(ge=0.0)] = Field(
        default=0.0, description="of the logarithm of largest over smallest entry of the regressor, beside the goal"
    )
    acceleration_per_s2: Positive | None = Field(
        default=None,
        description="largest acceleration, rad or m, of joints whose robot file has none; by default what "
        "reaches the largest rate in a quarter of a second",
    )


def _of_a_kind(value: object) -> object:
    """A shape that does not say its kind is a Fourier series."""
    return {"kind": "fourier", **value} if isinstance(value, dict) and "kind" not in value else value


AnyShape = Annotated[MotionShapeSection | PointsShapeSection, Field(discriminator="kind"), BeforeValidator(_of_a_kind)]


def random_harmonics(shape: MotionShapeSection | PointsShapeSection) -> int:
    """Of random motions of the mission: as many as the shape has, if it has any."""
    return shape.harmonics if isinstance(shape, MotionShapeSection) else _USUAL_HARMONICS
