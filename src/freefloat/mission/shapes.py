"""Families of motions that a mission can ask for: `excitation.shape`, told apart by its `kind`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from freefloat.excitation.procedures.interval_settings import Intervals, Rule
from freefloat.files import Number, Positive, Section

_USUAL_HARMONICS, _USUAL = 4, Intervals()
_OF_PRUNING, _OF_EXCHANGE = ("patience", "significant"), ("most", "condition_number")  # fields of intervals


class MotionShapeSection(Section):
    """The family of motions that is searched."""

    kind: Literal["fourier", "bspline"] = Field(default="fourier", description="a Fourier series, or a B-spline")
    harmonics: Annotated[int, Field(ge=1, le=100)] = Field(
        default=_USUAL_HARMONICS,
        description="of a Fourier series; a B-spline has twice as many control points, and one",
    )
    rest_to_rest: bool = Field(default=True, description="whether it begins and ends at rest")


class IntervalsShapeSection(Section):
    """Intervals that move every joint and wheel by its range, forwards or backwards, after Naveen, Shah and Misra.

    Designed by the rows of a model: the goal is the condition number unless another that reads them is given.
    """

    rest_to_rest: ClassVar[bool] = False

    kind: Literal["intervals"]
    interval_s: Positive = Field(_USUAL.interval_s, description="length of each interval")
    rule: Rule = Field(
        _USUAL.rule,
        description="which intervals are flown: those found by exchange, or by the published pruning, as it is printed "
        "or with its reference values updated",
    )
    most: Annotated[int, Field(ge=1)] | None = Field(
        None, description="intervals flown by exchange; as many as duration_s has room for unless given"
    )
    condition_number: Annotated[Number, Field(ge=1.0)] | None = Field(
        None, description="the largest that is allowed: as few intervals as keep it are flown"
    )
    patience: Annotated[int, Field(ge=0)] = Field(
        _USUAL.patience, description="of the pruning: intervals kept in a row that make nothing more significant"
    )
    significant: Annotated[Number, Field(gt=0.0, lt=1.0)] = Field(
        _USUAL.share, description="of the pruning: singular values count that are larger than this part of the largest"
    )
    signal_weight: Annotated[Number, Field(ge=0.0)] = Field(
        _USUAL.signal_weight, description="of the inverse mean square of joint rates and base twist in the goal"
    )
    combinations: Annotated[int, Field(ge=2)] = Field(
        _USUAL.combinations, description="of directions to choose from; a random sample if there are more"
    )

    @model_validator(mode="after")
    def _says_what_its_rule_reads(self) -> Self:
        unread = _OF_PRUNING if self.rule == "exchange" else _OF_EXCHANGE
        for name in unread:
            if name in self.model_fields_set:
                allowed = ", ".join(field for field in type(self).model_fields if field not in unread)
                raise ValueError(f"gives {name}, which the rule {self.rule} does not read; allowed with it: {allowed}")
        return self

    def intervals(self, duration_s: float) -> Intervals:
        """The same, for a design. duration_s: how long the motion may last, unless the number of intervals is given."""
        return Intervals(
            self.interval_s,
            self.rule,
            self.most or max(1, int(duration_s / self.interval_s + 1e-9)),
            self.condition_number,
            self.patience,
            self.significant,
            self.signal_weight,
            self.combinations,
        )


class PointsShapeSection(Section):
    """Points between which the energy differs in the most telling way, joined as fast as the limits allow.

    After Gautier, Khalil (IJRR 1992); the motion lasts as long as it takes, and `duration_s` is that of random ones.
    """

    rest_to_rest: ClassVar[bool] = True

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


class SelectionShapeSection(Section):
    """Random motions, the best few of which are flown one after the other, each from rest to rest."""

    rest_to_rest: ClassVar[bool] = True

    kind: Literal["selection"]
    motions: Annotated[int, Field(ge=1, le=100)] = Field(default=3, description="selected; the duration is that of all")
    draws: Annotated[int, Field(ge=1, le=1_000_000)] = Field(default=100, description="random motions to select from")
    harmonics: Annotated[int, Field(ge=1, le=100)] = Field(
        default=_USUAL_HARMONICS, description="of each motion, a Fourier series"
    )


def _of_a_kind(value: object) -> object:
    """A shape that does not say its kind is a Fourier series."""
    return {"kind": "fourier", **value} if isinstance(value, dict) and "kind" not in value else value


Shape = MotionShapeSection | IntervalsShapeSection | PointsShapeSection | SelectionShapeSection
AnyShape = Annotated[Shape, Field(discriminator="kind"), BeforeValidator(_of_a_kind)]


def random_harmonics(shape: Shape) -> int:
    """Of random motions of the mission: as many as the shape has, if it has any."""
    return shape.harmonics if isinstance(shape, MotionShapeSection | SelectionShapeSection) else _USUAL_HARMONICS
