"""What a robot file may say of the spring and damper of a joint; units follow from how the joint moves."""

from __future__ import annotations

import math
from typing import Annotated, Self

from pydantic import Field, model_validator

from freefloat.files import Number, Positive, Section
from freefloat.robot.spring import Spring

NotNegative = Annotated[Number, Field(ge=0.0)]

# The fields that give stiffness and damping of a Spring, and the rotor before it.
_TURNING = ("stiffness_Nm_rad", "damping_Nms_rad", "rotor_kgm2")
_SLIDING = ("stiffness_N_m", "damping_Ns_m", "rotor_kg")
_FIELDS: dict[str, tuple[str, ...]] = {
    "revolute": _TURNING,
    "continuous": _TURNING,
    "prismatic": _SLIDING,
    "fixed": (),
}
_BY_FREQUENCY = ("frequency_Hz", "damping_ratio")


class SpringSection(Section):
    """A spring and a damper: by the frequency with what carries the joint held, or by stiffness."""

    frequency_Hz: Positive | None = Field(None, description="with what carries the joint held, other joints at zero")
    damping_ratio: NotNegative | None = Field(None, description="over critical damping, there")
    stiffness_Nm_rad: NotNegative | None = Field(None, description="torque per angle")
    damping_Nms_rad: NotNegative | None = Field(None, description="torque per rate")
    stiffness_N_m: NotNegative | None = Field(None, description="force per length")
    damping_Ns_m: NotNegative | None = Field(None, description="force per rate")

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        given = [name for name in SpringSection.model_fields if getattr(self, name) is not None]
        others = [name for name in given if name not in _BY_FREQUENCY]
        if len(others) < len(given) and others:
            allowed = "frequency_Hz and damping_ratio, or stiffness and damping"
            raise ValueError(f"gives {' and '.join(given)}; allowed: {allowed}")
        if self.frequency_Hz is None and not any(name.startswith("stiffness") for name in given):
            said = f"gives {' and '.join(given)} alone" if given else "says nothing of a spring"
            raise ValueError(f"{said}; allowed: frequency_Hz, or a stiffness, with it")
        return self

    def check(self, kind: str) -> None:
        """Refuse fields that do not fit a joint of this kind."""
        fitting = [name for name in _FIELDS[kind] if name in type(self).model_fields]
        if not fitting:
            raise ValueError("is given of a fixed joint; allowed: of a revolute, continuous or prismatic one")
        for name in type(self).model_fields:
            if getattr(self, name) is not None and name not in (*_BY_FREQUENCY, *fitting):
                allowed = ", ".join((*_BY_FREQUENCY, *fitting))
                raise ValueError(f"gives {name}, which does not fit a {kind} joint; allowed: {allowed}")

    def spring(self, kind: str, carried: float) -> Spring:
        """The spring of a joint of this kind that carries this inertia about its axis, or mass [kg m^2 or kg]."""
        if self.frequency_Hz is not None:
            return spring_of_frequency(self.frequency_Hz, self.damping_ratio or 0.0, carried)
        stiffness, damping, _ = _FIELDS[kind]
        return Spring(getattr(self, stiffness), getattr(self, damping) or 0.0)


class ElasticSection(SpringSection):
    """A gear that gives way: the spring between a joint that is driven and measured and what it moves."""

    rotor_kgm2: NotNegative | None = Field(None, description="inertia of the rotor as the joint feels it")
    rotor_kg: NotNegative | None = Field(None, description="inertia of the rotor as the joint feels it")

    def rotor(self, kind: str) -> float | None:
        """The rotor of a joint of this kind [kg m^2 or kg]; None if none is given."""
        value: float | None = getattr(self, _FIELDS[kind][2])
        return value


def spring_of_frequency(frequency_Hz: float, damping_ratio: float, carried: float) -> Spring:
    """The spring on which this inertia or mass, its other end held, swings at this frequency [kg m^2 or kg]."""
    omega = 2.0 * math.pi * frequency_Hz
    stiffness = omega * omega * carried  # a power would raise where this overflows, which `Spring` refuses in words
    return Spring(stiffness, 2.0 * damping_ratio * math.sqrt(stiffness * carried))


def spring_document(spring: Spring, kind: str) -> dict[str, float]:
    """What a robot file says of the spring of a joint of this kind: stiffness and damping, which are exact."""
    stiffness, damping, _ = _FIELDS[kind]
    return {stiffness: float(spring.stiffness), damping: float(spring.damping)}
