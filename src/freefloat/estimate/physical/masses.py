"""What bodies weigh and did in the CAD model, and how much of that the data say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class MassBefore:
    """One moving body: its mass in the CAD model and now [kg], and the part of it that the data say, zero to one."""

    body: str
    before: float
    after: float
    of_data: float

    @property
    def sentence(self) -> str:
        """For a list of what was moved."""
        return f"{self.body}: {self.before:.4g} kg -> {self.after:.4g} kg, {100.0 * self.of_data:.0f} % the data's"


def masses_before(robot: Robot, parameters: Array, prior_share: Array) -> tuple[MassBefore, ...]:
    """Of each body of which anything was moved. prior_share: as in `PhysicalRobot`, shape (10 bodies,)."""
    before, after = robot.parameters.reshape(-1, PER_BODY), parameters.reshape(-1, PER_BODY)
    moved = np.abs(after - before).max(axis=1) > _ROUNDING * np.maximum(np.abs(before).max(axis=1), 1e-300)
    return tuple(
        MassBefore(name, float(before[k, 0]), float(after[k, 0]), 1.0 - float(prior_share[PER_BODY * k]))
        for k, name in enumerate(robot.body_names)
        if moved[k]
    )
