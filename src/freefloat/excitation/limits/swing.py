"""Passive joints: how far they may swing at any instant, and how much swing may be left at the end.

What is left at the end is the amplitude with which a joint would go on alone, sqrt(y^2 + (dy / omega)^2), omega being
its own frequency with all others at zero, the base afloat. Both are those of the true swing of the CAD model, and must
hold for every frequency that it may have: for all of them as they are, faster and slower by `frequency_known_to`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from freefloat.arrays import Array
from freefloat.excitation.limits.limit import Limit, LimitFields
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.excitation.planned_swing import PlannedSwing, own_frequencies, with_frequencies
from freefloat.files import Number, Positive
from freefloat.models.model import NotApplicable
from freefloat.motion.trajectory import positive
from freefloat.robot.model import Robot

_BEYOND = -1e3  # margin of a swing that knows no bounds
PerJoint = Positive | dict[str, Positive]


@dataclass(frozen=True, eq=False)
class SwingLimit(Limit):
    """Something of a passive joint that stays below a bound.

    robots: the CAD model with what swings, and the same with other springs that it may have. joint: the passive joint's
    name. highest: [rad or m].
    """

    title: ClassVar[str]

    robots: Sequence[Robot]
    joint: str
    highest: float
    name: str = field(init=False)
    size: float = field(init=False)
    unit: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.title.format(self.joint))
        object.__setattr__(self, "size", positive(f"the largest {self.name}", self.highest))
        object.__setattr__(self, "unit", "m" if self.robots[0].joint(self.joint).kind == "prismatic" else "rad")

    @property
    def number(self) -> int:
        """Of the joint, among passive ones."""
        return self.robots[0].passive_names.index(self.joint)

    def weights(self, rows: int) -> Array:
        """Of no joint's position or rate yet, (rows, 2 passive)."""
        return np.zeros((rows, 2 * self.robots[0].passive.size))

    def swings(self, motion: PlannedMotion) -> list[PlannedSwing]:
        """One for each robot."""
        return [PlannedSwing.of(motion, robot) for robot in self.robots]

    @abstractmethod
    def largest(self, motion: PlannedMotion) -> float:
        """The largest of what is bounded, on the grid [rad or m]."""

    def slack(self, motion: PlannedMotion) -> float:
        """The smallest distance from the bound, in the limit's unit."""
        return self.highest - self.largest(motion)


@dataclass(frozen=True, eq=False)
class Deflection(SwingLimit):
    """A passive joint no farther from where its spring rests than `highest`, either way.

    The margin is (highest^2 - y^2) / (2 highest^2), which near the bound is the distance from it over its size.
    """

    kind, title = "deflection", "deflection of {}"

    def margins(self, motion: PlannedMotion) -> Array:
        """One at every instant, robot by robot, shape (robots * n,)."""
        return _bounded(0.5 * (1.0 - (self._deflections(motion).ravel() / self.size) ** 2))

    def _deflections(self, motion: PlannedMotion) -> Array:
        """Of all robots, shape (robots, n)."""
        return np.stack([each.at(motion.t)[0][:, self.number] for each in self.swings(motion)])

    def jacobian(self, motion: PlannedMotion, rows: NDArray[np.int64]) -> Array:
        """Derivative of the chosen margins, shape (len(rows), k * channels)."""
        which, at = np.divmod(rows, motion.t.size)
        found = np.zeros((rows.size, motion.coefficients.size))
        deflections = self._deflections(motion)
        for number, swing in enumerate(self.swings(motion)):
            own = np.flatnonzero(which == number)
            by = self.weights(own.size)
            by[:, self.number] = -deflections[number, at[own]] / self.size**2
            found[own] = swing.change(motion.t[at[own]], by)
        return found

    def instants(self, motion: PlannedMotion) -> Array:
        """Time of each margin, shape (robots * n,) [s]."""
        return np.tile(motion.t, len(self.robots))

    def largest(self, motion: PlannedMotion) -> float:
        """The largest deflection [rad or m]."""
        return float(np.abs(self._deflections(motion)).max())


@dataclass(frozen=True, eq=False)
class VibrationLeft(SwingLimit):
    """The amplitude with which a passive joint goes on after the motion at most `highest`; one margin a robot.

    The margin is (highest^2 - amplitude^2) / (2 highest^2): smooth where nothing is left, near the bound the distance.
    """

    kind, title = "vibration left", "vibration left of {}"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(frequency > 0.0 for frequency in self._own_frequencies):
            raise NotApplicable(f"{self.joint} has no stiffness, so that it does not vibrate; allowed: joints that do")

    @cached_property
    def _own_frequencies(self) -> tuple[float, ...]:
        """Of the joint alone in each robot [rad/s]."""
        return tuple(float(own_frequencies(robot)[self.number]) for robot in self.robots)

    def _left(self, motion: PlannedMotion) -> Array:
        """Position and, in units of it, rate at the end, shape (robots, 2)."""
        end, place = np.array([motion.whole.duration_s]), self.number
        ends = [each.at(end) for each in self.swings(motion)]
        return np.array(
            [
                [position[0, place], rate[0, place] / omega]
                for (position, rate), omega in zip(ends, self._own_frequencies, strict=True)
            ]
        )

    def margins(self, motion: PlannedMotion) -> Array:
        """One for each robot, shape (robots,)."""
        return _bounded(0.5 * (1.0 - (self._left(motion) ** 2).sum(axis=1) / self.size**2))

    def jacobian(self, motion: PlannedMotion, rows: NDArray[np.int64]) -> Array:
        """Derivative of the chosen margins, shape (len(rows), k * channels)."""
        left, swings = -self._left(motion) / self.size**2, self.swings(motion)
        end, found = np.array([motion.whole.duration_s]), np.zeros((rows.size, motion.coefficients.size))
        for place, row in enumerate(rows.tolist()):
            by = self.weights(1)
            by[0, self.number] = left[row, 0]
            by[0, by.shape[1] // 2 + self.number] = left[row, 1] / self._own_frequencies[row]
            found[place] = swings[row].change(end, by)[0]
        return found

    def instants(self, motion: PlannedMotion) -> Array:
        """The last instant of the motion, for each robot [s]."""
        return np.full(len(self.robots), motion.whole.duration_s)

    def largest(self, motion: PlannedMotion) -> float:
        """The largest amplitude [rad or m]."""
        return float(np.linalg.norm(self._left(motion), axis=1).max())


def _bounded(margins: Array) -> Array:
    """Margins that are numbers, whatever knows no bounds."""
    return np.where(np.isfinite(margins), np.maximum(margins, _BEYOND), _BEYOND)


class SwingFields(LimitFields):
    """What passive joints may do."""

    deflection_deg: PerJoint | None = Field(
        default=None, description="how far passive joints that turn may swing: all of them, or each by name"
    )
    deflection_m: PerJoint | None = Field(default=None, description="the same of passive joints that slide")
    vibration_left_deg: PerJoint | None = Field(
        default=None, description="amplitude left at the end, of passive joints that turn: all of them, or each by name"
    )
    vibration_left_m: PerJoint | None = Field(default=None, description="the same of passive joints that slide")
    frequency_known_to: Annotated[Number, Field(ge=0.0, lt=1.0)] = Field(
        default=0.2,
        description="by what part frequencies may be off, both ways, while limits of what swings hold",
    )

    def limits(self, robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
        """Of the passive joints."""
        off = self.frequency_known_to
        robots = (robot, *(with_frequencies(robot, factor) for factor in (1.0 - off, 1.0 + off) if off))
        return tuple(
            kind(robots, joint, highest)
            for kind, word in ((Deflection, "deflection"), (VibrationLeft, "vibration_left"))
            for unit in ("deg", "m")
            for joint, highest in self._of(robot, f"{word}_{unit}", unit)
        )

    def _of(self, robot: Robot, name: str, unit: str) -> Iterator[tuple[str, float]]:
        """Joints that a field speaks of, and how far each may go [rad or m]."""
        asked: float | Mapping[str, float] | None = getattr(self, name)
        if asked is None:
            return
        fits = [joint for joint in robot.passive_names if (robot.joint(joint).kind == "prismatic") == (unit == "m")]
        moves = "slides" if unit == "m" else "turns"
        if not fits:
            raise NotApplicable(f"{name} is given, but no passive joint of {robot.name} {moves}; allowed: not at all")
        given = asked if isinstance(asked, Mapping) else dict.fromkeys(fits, asked)
        for joint, highest in given.items():
            if joint not in fits:
                raise NotApplicable(
                    f"{name} names {joint!r}, which is no passive joint that {moves}; allowed: {', '.join(fits)}"
                )
            yield joint, float(np.radians(highest)) if unit == "deg" else highest
