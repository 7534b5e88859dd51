"""What a search makes small: a goal on the rows that a motion fills, for one robot or for several that may be true."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.accuracy import Unseen
from freefloat.excitation.goals.goal import Goal
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.rows.rows import DesignRows
from freefloat.motion.trajectory import LinearMap

Slope = Callable[[], Array]


class Objective(ABC):
    """A number to be made small, of the motion that coefficients give."""

    @abstractmethod
    def value(self, coefficients: Array) -> tuple[float, Slope]:
        """The value, infinite where it cannot be had, and a function that gives its derivative, (k, channels)."""


@dataclass(frozen=True, eq=False)
class GoalOnRows(Objective):
    """A goal on the rows of a motion.

    linear: from coefficients to the motion at the rows' instants.
    """

    rows: DesignRows
    goal: Goal
    conditions: Conditions
    channels: tuple[str, ...]
    linear: LinearMap

    def matrix(self, coefficients: Array) -> Array:
        """The rows, shape (m, columns)."""
        samples = self.conditions.samples(self.channels, self.linear.motion(coefficients))
        return self.rows.fill(samples).matrix

    def value(self, coefficients: Array) -> tuple[float, Slope]:
        """The value, infinite where it cannot be had, and a function that gives its derivative, (k, channels)."""
        samples = self.conditions.samples(self.channels, self.linear.motion(coefficients))
        filled = self.rows.fill(samples)
        try:
            value, Z = self.goal(filled.matrix)
        except (Unseen, np.linalg.LinAlgError):
            return np.inf, lambda: np.zeros_like(coefficients)

        def slope() -> Array:
            return filled.pull_back(Z).by_coefficients(self.conditions.robot, self.channels, self.linear)

        return value, slope


@dataclass(frozen=True, eq=False)
class Expected(Objective):
    """The mean over several objectives, such as those of robots that a guess may stand for."""

    members: Sequence[Objective]

    def value(self, coefficients: Array) -> tuple[float, Slope]:
        """The mean, and its derivative."""
        values, slopes = zip(*(member.value(coefficients) for member in self.members), strict=True)

        def slope() -> Array:
            return np.asarray(np.mean([each() for each in slopes], axis=0))

        return float(np.mean(values)), slope


@dataclass(frozen=True, eq=False)
class Worst(Objective):
    """The largest of several objectives, smoothed: log of the mean of exp(sharpness value), over the sharpness.

    The sharper, the nearer to the largest; below it by at most log(members) / sharpness.
    """

    members: Sequence[Objective]
    sharpness: float = 20.0

    def value(self, coefficients: Array) -> tuple[float, Slope]:
        """The smoothed largest value, and its derivative."""
        values, slopes = zip(*(member.value(coefficients) for member in self.members), strict=True)
        top = max(values)
        if not np.isfinite(top):
            return np.inf, lambda: np.zeros_like(coefficients)
        shares = np.exp(self.sharpness * (np.array(values) - top))
        total = float(top + np.log(shares.mean()) / self.sharpness)

        def slope() -> Array:
            weights = shares / shares.sum()
            return np.asarray(sum(w * each() for w, each in zip(weights, slopes, strict=True)))

        return total, slope
