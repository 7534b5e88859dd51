"""What moves a joint: friction, and the rotor behind its gear.

The motor gives, beside what inverse dynamics ask for,

    coulomb sign(r) + viscous r + offset + asymmetric |r| + stribeck sign(r) exp(-(r / stribeck_rate)^2) + rotor r',

r being the joint's rate: all but `stribeck_rate` are linear. Coulomb friction that differs with the direction is an
offset, viscous friction that does is `asymmetric`. After R. Stribeck 1902 and B. Armstrong-Helouvry, P. Dupont,
C. Canudas de Wit, "A survey of models, analysis tools and compensation methods for the control of machines with
friction", Automatica 1994.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal, get_args

from freefloat.errors import InvalidRobot

DriveTerm = Literal["coulomb", "viscous", "offset", "asymmetric", "stribeck", "rotor"]
DRIVE_TERMS: tuple[DriveTerm, ...] = get_args(DriveTerm)
FRICTION_TERMS = DRIVE_TERMS[:-1]  # those that depend on the rate alone
NOT_NEGATIVE: tuple[DriveTerm, ...] = ("coulomb", "viscous", "rotor")


@dataclass(frozen=True, slots=True)
class Drive:
    """Friction and rotor of one joint; units are those of a joint that turns, N for N m and m for rad if it slides.

    coulomb: [N m]. viscous: [N m s/rad]. offset: [N m]. asymmetric: viscous friction forward less backward, half of
    it [N m s/rad]. stribeck: more at slow rates [N m]. stribeck_rate: which rates are slow [rad/s].
    rotor: inertia of the rotor as the joint feels it, its own times the square of the gear's ratio [kg m^2].
    gear_ratio: turns of the rotor about the joint's axis for one of the joint, infinite where what the rotor's spin
    does to bodies that turn it (1 / gear_ratio of it) is left out.
    """

    coulomb: float = 0.0
    viscous: float = 0.0
    offset: float = 0.0
    asymmetric: float = 0.0
    stribeck: float = 0.0
    stribeck_rate: float = 0.1
    rotor: float = 0.0
    gear_ratio: float = math.inf

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name != "gear_ratio" and not math.isfinite(value):
                raise InvalidRobot("drive", f"{each.name} is {value}; allowed: a finite number")
            if each.name in NOT_NEGATIVE and value < 0.0:
                raise InvalidRobot("drive", f"{each.name} is {value}; allowed: zero or more")
        if not self.stribeck_rate > 0.0:
            raise InvalidRobot("drive", f"stribeck_rate is {self.stribeck_rate}; allowed: a positive number")
        if not (math.isfinite(self.gear_ratio) or self.gear_ratio == math.inf) or self.gear_ratio == 0.0:
            allowed = "a number that is not zero, or infinity"
            raise InvalidRobot("drive", f"gear_ratio is {self.gear_ratio}; allowed: {allowed}")

    @property
    def has_any(self) -> bool:
        """Whether it gives anything beside inverse dynamics."""
        return any(getattr(self, term) for term in DRIVE_TERMS)


_WORDS: dict[DriveTerm, str] = {
    "coulomb": "Coulomb friction",
    "viscous": "viscous friction",
    "offset": "offset of the torque",
    "asymmetric": "asymmetric friction",
    "stribeck": "Stribeck friction",
    "rotor": "rotor inertia",
}


def term_words(term: DriveTerm) -> str:
    """What a term is called."""
    return _WORDS[term]


def drive_name(term: DriveTerm, joint: str) -> str:
    """What a term of a joint's drive is called among the quantities of an estimate."""
    return f"{_WORDS[term]} of {joint}"


def drive_unit(term: DriveTerm, slides: bool) -> str:
    """Unit of a term, of a joint that slides or turns."""
    if term == "rotor":
        return "kg" if slides else "kg m^2"
    if term in ("viscous", "asymmetric"):
        return "N s/m" if slides else "N m s/rad"
    return "N" if slides else "N m"
