"""Families of motions beside series and splines that a mission may want, each by its kind of `excitation.shape`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from freefloat.excitation.procedures.interval_settings import Intervals, Rule
from freefloat.files import Number, Positive, Section

_USUAL = Intervals()


class IntervalsShapeSection(Section):
    """Intervals that move every joint and wheel by its range, forwards or backwards, after Naveen, Shah and Misra.

    Designed by the rows of a model: the goal is the condition number unless another that reads them is given.
    """

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
