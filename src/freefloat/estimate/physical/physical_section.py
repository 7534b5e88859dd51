"""What a mission says of the robot that is given back: `identify.physical`, which its estimates remember."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from freefloat.estimate.estimate import Estimate
from freefloat.estimate.physical.bounds import boxes_about_shapes
from freefloat.estimate.physical.regularisers import Regulariser, TradeOff
from freefloat.files import Number, Positive, Section
from freefloat.robot.model import Robot


class MassBoundsSection(Section):
    """Between which masses the robot's lies, all of its bodies together."""

    min: Positive | None = Field(default=None, description="no less than this [kg]")
    max: Positive | None = Field(default=None, description="no more than this [kg]")


class PhysicalSection(Section):
    """How near to the CAD model the robot that is given back stays; every body of it can exist."""

    regulariser: Regulariser = Field(
        default=TradeOff().regulariser, description="how the distance from the CAD model is measured"
    )
    weight: Annotated[Number, Field(ge=0.0)] = Field(
        default=1.0, description="of that distance against the data; zero: it decides only what these leave open"
    )
    mass_factor: Annotated[Number, Field(gt=1.0)] | None = Field(
        default=TradeOff().mass_factor,
        description="by which masses differ from the CAD model's at most, where the data allow it; null for any",
    )
    total_mass_kg: Positive | MassBoundsSection | None = Field(
        default=None, description="mass of the whole robot, base included, or bounds of it, if it was weighed"
    )
    inside: Literal["anything", "shapes"] = Field(
        default="anything", description="shapes: each body's mass is inside the box about its shapes"
    )

    def trade_off(self, robot: Robot) -> TradeOff:
        """The same, for a robot."""
        mass = self.total_mass_kg
        total = (mass.min, mass.max) if isinstance(mass, MassBoundsSection) else mass
        inside = boxes_about_shapes(robot) if self.inside == "shapes" else {}
        return TradeOff(self.regulariser, self.weight, self.mass_factor, total, inside)


def remembered_trade_off(estimate: Estimate) -> TradeOff | None:
    """What the mission of an estimate said of the robot that is given back; None if it said nothing."""
    settings = estimate.origin.get("settings")
    identify = settings.get("identify") if isinstance(settings, Mapping) else None
    said = identify.get("physical") if isinstance(identify, Mapping) else None
    return PhysicalSection.model_validate(said).trade_off(estimate.robot) if isinstance(said, Mapping) else None
