"""What a robot file may say of a joint's drive, field by field; units follow from how the joint moves."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from freefloat.files import Number, Positive, Section, shown
from freefloat.robot.drive import Drive


def _not_zero(ratio: float) -> float:
    if ratio == 0.0:
        raise ValueError(f"is {shown(ratio)}; allowed: a number that is not zero")
    return ratio


NotNegative = Annotated[Number, Field(ge=0.0)]
Ratio = Annotated[Number, AfterValidator(_not_zero)]

# The field that gives each number of a Drive.
_TURNING = {
    "coulomb": "coulomb_Nm",
    "viscous": "viscous_Nms_rad",
    "offset": "offset_Nm",
    "asymmetric": "asymmetric_Nms_rad",
    "stribeck": "stribeck_Nm",
    "stribeck_rate": "stribeck_rate_rad_s",
    "rotor": "rotor_kgm2",
    "gear_ratio": "gear_ratio",
}
_SLIDING = {
    "coulomb": "coulomb_N",
    "viscous": "viscous_Ns_m",
    "offset": "offset_N",
    "asymmetric": "asymmetric_Ns_m",
    "stribeck": "stribeck_N",
    "stribeck_rate": "stribeck_rate_m_s",
    "rotor": "rotor_kg",
    "gear_ratio": "gear_ratio_rad_m",
}
DRIVE_FIELDS: dict[str, dict[str, str]] = {
    "revolute": _TURNING,
    "continuous": _TURNING,
    "prismatic": _SLIDING,
    "fixed": {},
}


class DriveSection(Section):
    """Friction of a joint, and the rotor behind its gear. What is not given is not there."""

    coulomb_Nm: NotNegative | None = Field(None, description="Coulomb friction")
    viscous_Nms_rad: NotNegative | None = Field(None, description="viscous friction")
    offset_Nm: Number | None = Field(None, description="torque at rest; Coulomb friction forward less backward, half")
    asymmetric_Nms_rad: Number | None = Field(None, description="viscous friction forward less backward, half of it")
    stribeck_Nm: Number | None = Field(None, description="more friction at slow rates")
    stribeck_rate_rad_s: Positive | None = Field(None, description="which rates are slow")
    rotor_kgm2: NotNegative | None = Field(None, description="inertia of the rotor as the joint feels it")
    gear_ratio: Ratio | None = Field(None, description="turns of the rotor for one of the joint")
    coulomb_N: NotNegative | None = Field(None, description="Coulomb friction")
    viscous_Ns_m: NotNegative | None = Field(None, description="viscous friction")
    offset_N: Number | None = Field(None, description="force at rest; Coulomb friction forward less backward, half")
    asymmetric_Ns_m: Number | None = Field(None, description="viscous friction forward less backward, half of it")
    stribeck_N: Number | None = Field(None, description="more friction at slow rates")
    stribeck_rate_m_s: Positive | None = Field(None, description="which rates are slow")
    rotor_kg: NotNegative | None = Field(None, description="inertia of the rotor as the joint feels it")
    gear_ratio_rad_m: Ratio | None = Field(None, description="angle that the rotor turns per metre")

    def check(self, kind: str) -> None:
        """Refuse fields that do not fit a joint of this kind."""
        allowed = DRIVE_FIELDS[kind].values()
        for name in sorted(self.model_fields_set, key=list(type(self).model_fields).index):
            if name not in allowed:
                raise ValueError(
                    f"gives {name}, which does not fit a {kind} joint; allowed: {', '.join(allowed) or 'no drive'}"
                )

    def drive(self, kind: str) -> Drive:
        """The drive of a joint of this kind."""
        given = {number: getattr(self, name) for number, name in DRIVE_FIELDS[kind].items()}
        return Drive(**{number: value for number, value in given.items() if value is not None})


def drive_document(drive: Drive, kind: str) -> dict[str, float]:
    """What a robot file says of the drive of a joint of this kind; fields that have their default are left out."""
    numbers = {name: (getattr(drive, number), getattr(Drive(), number)) for number, name in DRIVE_FIELDS[kind].items()}
    return {name: float(value) for name, (value, usual) in numbers.items() if value != usual}
