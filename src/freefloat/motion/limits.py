"""What a robot allows its joints and wheels, and how far a motion stays from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import FreefloatError, UnknownName
from freefloat.motion.extremes import Extremes
from freefloat.robot.model import Robot
from freefloat.robot.parts import Joint, Wheel

_ROUNDING = 1e-9  # of a limit: what is as near as this has met it


class NotDriven(FreefloatError):
    """A motion of a joint that nobody drives."""


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """Limits of some channels; infinite where there is none.

    units: of each channel's position, "rad" or "m".
    lowest, highest: position, shape (channels,) [rad or m].
    rate, acceleration: largest magnitude, shape (channels,) [per s, per s^2].
    """

    channels: tuple[str, ...]
    units: tuple[str, ...]
    lowest: Array
    highest: Array
    rate: Array
    acceleration: Array

    def margins(self, extremes: Extremes) -> Margins:
        """How far a motion with these extremes stays from the limits."""
        return Margins(
            self,
            np.minimum(extremes.lowest - self.lowest, self.highest - extremes.highest),
            self.rate - extremes.rate,
            self.acceleration - extremes.acceleration,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Margins:
    """Distances from the limits, each of shape (channels,): negative where a limit is exceeded.

    position, rate, acceleration: [rad or m, per s, per s^2]; infinite where there is no limit.
    """

    limits: Limits
    position: Array
    rate: Array
    acceleration: Array

    @property
    def within(self) -> bool:
        """Whether every limit is kept, up to rounding."""
        return not self.faults()

    def faults(self) -> tuple[str, ...]:
        """One sentence for each limit that is exceeded."""
        limits = self.limits
        span = limits.highest - limits.lowest
        checks = {
            "position": (np.where(np.isfinite(span), span, 1.0), self.position, ""),
            "rate": (limits.rate, self.rate, "/s"),
            "acceleration": (limits.acceleration, self.acceleration, "/s^2"),
        }
        return tuple(
            f"{name} exceeds its {what} limit by {-margin[index]:.3g} {limits.units[index]}{per}"
            for what, (size, margin, per) in checks.items()
            for index, name in enumerate(limits.channels)
            if margin[index] < -_ROUNDING * size[index]
        )


def limits_of(robot: Robot, channels: Sequence[str]) -> Limits:
    """What the robot allows these joints and wheels."""
    things = [joint_or_wheel(robot, name) for name in channels]
    joints = [thing if isinstance(thing, Joint) else _free(thing) for thing in things]
    return Limits(
        channels=tuple(channels),
        units=tuple("m" if joint.kind == "prismatic" else "rad" for joint in joints),
        lowest=np.array([joint.position[0] for joint in joints]),
        highest=np.array([joint.position[1] for joint in joints]),
        rate=np.array([joint.rate for joint in joints]),
        acceleration=np.array([joint.acceleration for joint in joints]),
    )


def joint_or_wheel(robot: Robot, name: str) -> Joint | Wheel:
    """The moving joint, or else the wheel, of this name."""
    known: list[Joint | Wheel] = [*robot.joints, *robot.wheels]
    for thing in known:
        if thing.name == name:
            return thing
    raise UnknownName("moving joint or wheel", name, (thing.name for thing in known))


def driven_or_wheel(robot: Robot, name: str) -> Joint | Wheel:
    """The driven joint, or else the wheel, of this name: what a motion can be commanded of."""
    found = joint_or_wheel(robot, name)
    if isinstance(found, Joint) and found.passive is not None:
        allowed = ", ".join((*robot.driven_names, *(wheel.name for wheel in robot.wheels))) or "none of this robot"
        raise NotDriven(f"joint {name!r} is passive, nobody drives it; allowed: {allowed}")
    return found


def _free(wheel: Wheel) -> Joint:
    """A wheel as a joint that turns without end."""
    return Joint(wheel.name, "continuous", wheel.axis, rate=wheel.max_rate)
