"""Rate and momentum of reaction wheels, commanded by the motion or not, and the momentum of all wheels together.

Rates are those relative to the base: what a wheel turned at before the motion, plus what the trajectory adds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from freefloat.arrays import Array
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates, wheel_momentum
from freefloat.excitation.limits.ball import BallLimit
from freefloat.excitation.limits.box import BoxLimit
from freefloat.excitation.limits.limit import Limit, LimitFields
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.files import Positive
from freefloat.robot.model import Robot


@dataclass(frozen=True, eq=False)
class WheelRate(BoxLimit):
    """lowest <= rate of a wheel <= highest [rad/s]."""

    linear = True
    kind, title = "rate", "rate of {}"
    unit: str = "rad/s"

    def values(self, motion: PlannedMotion) -> Array:
        """Rate relative to the base, shape (n,) [rad/s]."""
        return motion.samples.need("wheel_rates", self.name)[:, _number(motion.robot, self.of)]

    def slopes(self, motion: PlannedMotion, at: NDArray[np.int64]) -> Array:
        """Of the rate, shape (len(at), k * channels)."""
        by_rates = np.zeros((at.size, len(motion.robot.wheels)))
        by_rates[:, _number(motion.robot, self.of)] = 1.0
        return motion.chain(at, wheel_rate=by_rates)


@dataclass(frozen=True, eq=False)
class WheelMomentum(WheelRate):
    """lowest <= spin inertia times rate of a wheel <= highest [N m s]."""

    kind, title = "momentum", "momentum of {}"
    unit: str = "N m s"

    def values(self, motion: PlannedMotion) -> Array:
        """Momentum relative to the base, shape (n,) [N m s]."""
        return motion.robot.wheel(self.of).spin_inertia * super().values(motion)

    def slopes(self, motion: PlannedMotion, at: NDArray[np.int64]) -> Array:
        """Of the momentum, shape (len(at), k * channels)."""
        return motion.robot.wheel(self.of).spin_inertia * super().slopes(motion, at)


@dataclass(frozen=True, eq=False)
class TotalWheelMomentum(BallLimit):
    """Length of the momentum vector of all wheels together, relative to the base, at most `highest` [N m s]."""

    name = "total wheel momentum"
    unit = "N m s"

    def vectors(self, motion: PlannedMotion) -> Array:
        """Sum of the wheels' momenta, base axes, shape (n, 3) [N m s]."""
        return wheel_momentum(motion.robot, motion.samples.need("wheel_rates", self.name))

    def slopes(self, motion: PlannedMotion, at: NDArray[np.int64], weights: Array) -> Array:
        """Of the weighted momentum, shape (len(at), k * channels)."""
        return motion.chain(at, wheel_rate=weights @ momentum_by_wheel_rates(motion.robot))


def wheel_limits(robot: Robot, momentum: Mapping[str, float] | None = None) -> tuple[Limit, ...]:
    """Limits of all wheels: rates as the robot says, momenta by name [N m s] as given.

    A wheel that the motion does not command has them too: what it holds may be too much already.
    """
    highest = {} if momentum is None else {robot.wheel(name).name: value for name, value in momentum.items()}
    rates = [
        WheelRate(wheel.name, -wheel.max_rate, wheel.max_rate)
        for wheel in robot.wheels
        if math.isfinite(wheel.max_rate)
    ]
    momenta = [
        WheelMomentum(wheel.name, -highest[wheel.name], highest[wheel.name])
        for wheel in robot.wheels
        if wheel.name in highest
    ]
    return (*rates, *momenta)


def _number(robot: Robot, name: str) -> int:
    return robot.wheels.index(robot.wheel(name))


class WheelFields(LimitFields):
    """Momenta of wheels; their rates are limited by the robot."""

    wheel_momentum_Nms: dict[str, Positive] = Field(default_factory=dict, description="of each wheel by name")

    def limits(self, robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
        """Of all wheels."""
        return wheel_limits(robot, self.wheel_momentum_Nms)
