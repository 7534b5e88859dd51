"""What holds a passive joint, which nobody drives or measures: a spring and a damper.

With q the joint's position and r its rate, what carries the body pushes back with

    -stiffness q - damping r.

Spring-held joints are how panels on flexible hinges, booms, fuel as an equivalent pendulum and gears that give way are
modelled; see section 2.2 of Spirolazzi, and Rackl and Lampariello there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from freefloat.errors import InvalidRobot


@dataclass(frozen=True, slots=True)
class Spring:
    """Spring and damper of one joint; its position is zero where the spring rests.

    stiffness: [N m/rad], or [N/m] of a joint that slides. damping: [N m s/rad], or [N s/m].
    """

    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise InvalidRobot("passive", f"{name} is {value}; allowed: zero or more")
