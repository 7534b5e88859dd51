"""What a robot file may say of a joint, field by field; units follow from how it moves."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from freefloat.files import AnyNumber, Section, entries, shown
from freefloat.robot.drive import Drive
from freefloat.robot.drive_section import DriveSection
from freefloat.robot.parts import JointKind
from freefloat.robot.placement_section import Axis
from freefloat.robot.spring_section import ElasticSection, SpringSection


def _ordered(ends: tuple[float | None, float | None]) -> tuple[float, float]:
    low = -math.inf if ends[0] is None else ends[0]
    high = math.inf if ends[1] is None else ends[1]
    if not low <= high:  # also where one of them is not a number
        raise ValueError(f"is {shown(ends)}; allowed: the lower limit, then the upper")
    return low, high


Name = Annotated[str, Field(min_length=1)]
Limit = Annotated[AnyNumber, Field(gt=0.0)]
Range = Annotated[tuple[AnyNumber | None, AnyNumber | None], entries(2), AfterValidator(_ordered)]

# The fields that may give each limit of a Joint; the first is the one that is written.
_Fields = dict[str, tuple[str, ...]]
_ANGULAR: _Fields = {
    "position": ("position_rad", "position_deg"),
    "rate": ("rate_rad_s", "rate_deg_s"),
    "acceleration": ("acceleration_rad_s2", "acceleration_deg_s2"),
    "torque": ("torque_Nm",),
}
_LINEAR: _Fields = {
    "position": ("position_m",),
    "rate": ("rate_m_s",),
    "acceleration": ("acceleration_m_s2",),
    "torque": ("force_N",),
}
LIMITS: dict[str, _Fields] = {
    "revolute": _ANGULAR,
    "continuous": {limit: names for limit, names in _ANGULAR.items() if limit != "position"},
    "prismatic": _LINEAR,
    "fixed": {},
}
_LIMIT_FIELDS = [name for table in (_ANGULAR, _LINEAR) for names in table.values() for name in names]


class JointSection(Section):
    """How a body moves on its parent. Limits that are not given do not exist."""

    name: Name = Field(description="a name of its own")
    kind: JointKind = Field(description="revolute, continuous, prismatic or fixed")
    axis: Axis = Field((0.0, 0.0, 1.0), description="in the body's frame")
    position_deg: Range | None = Field(None, description="lowest and highest; empty for no limit")
    position_rad: Range | None = Field(None, description="lowest and highest; empty for no limit")
    position_m: Range | None = Field(None, description="lowest and highest; empty for no limit")
    rate_deg_s: Limit | None = Field(None, description="largest rate")
    rate_rad_s: Limit | None = Field(None, description="largest rate")
    rate_m_s: Limit | None = Field(None, description="largest rate")
    acceleration_deg_s2: Limit | None = Field(None, description="largest acceleration")
    acceleration_rad_s2: Limit | None = Field(None, description="largest acceleration")
    acceleration_m_s2: Limit | None = Field(None, description="largest acceleration")
    torque_Nm: Limit | None = Field(None, description="largest torque")
    force_N: Limit | None = Field(None, description="largest force")
    drive: DriveSection | None = Field(None, description="friction, and the rotor behind the gear")
    passive: SpringSection | None = Field(None, description="a spring holds it, and nobody drives or measures it")
    elastic: ElasticSection | None = Field(None, description="a spring between the joint and what it moves")
    one_of = (
        *(names for names in _ANGULAR.values() if len(names) > 1),
        ("drive", "passive"),
        ("passive", "elastic"),
    )

    @field_validator(*_LIMIT_FIELDS)
    @classmethod
    def _fits_the_kind(cls, value: object, info: ValidationInfo) -> object:
        fitting = LIMITS.get(info.data.get("kind", ""))
        allowed = [name for names in (fitting or {}).values() for name in names]
        if value is not None and fitting is not None and info.field_name not in allowed:
            listed = ", ".join(allowed) or "no limits"
            raise ValueError(f"does not fit a {info.data['kind']} joint; allowed: {listed}")
        return value

    @field_validator("drive", "passive", "elastic")
    @classmethod
    def _has_units_of_the_kind(
        cls, value: DriveSection | SpringSection | None, info: ValidationInfo
    ) -> DriveSection | SpringSection | None:
        if value is not None and "kind" in info.data:
            value.check(info.data["kind"])
        return value

    def driven(self) -> Drive:
        """Its drive; none given is one without friction and rotor."""
        return Drive() if self.drive is None else self.drive.drive(self.kind)

    def limits(self) -> dict[str, Any]:
        """The limits that are given, by their names in `Joint` (radians or metres)."""
        given: dict[str, Any] = {}
        for limit, names in LIMITS[self.kind].items():
            for name in names:
                value = getattr(self, name)
                if value is not None and "_deg" in name:
                    value = tuple(map(math.radians, value)) if limit == "position" else math.radians(value)
                if value is not None:
                    given[limit] = value
        return given
