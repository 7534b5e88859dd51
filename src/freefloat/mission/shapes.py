"""Ways to design a motion beside the search of one family: what `excitation.shape` may say of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from freefloat.files import Section


def usual_kind(value: object) -> object:
    """What a file says of a shape, of the usual kind unless it says which."""
    return {"kind": "fourier", **value} if isinstance(value, Mapping) and "kind" not in value else value


class SelectionShapeSection(Section):
    """Random motions, the best few of which are flown one after the other, each from rest to rest."""

    rest_to_rest: ClassVar[bool] = True

    kind: Literal["selection"]
    motions: Annotated[int, Field(ge=1, le=100)] = Field(default=3, description="selected; the duration is that of all")
    draws: Annotated[int, Field(ge=1, le=1_000_000)] = Field(default=100, description="random motions to select from")
    harmonics: Annotated[int, Field(ge=1, le=100)] = Field(default=4, description="of each motion, a Fourier series")
