"""Goals: one number that says how good a matrix is for identification, to be made small, with its exact derivative.

A goal reads a matrix C whose columns belong to unknowns and whose rows belong to readings. What earlier motions
contributed stands above as C0, which no design can change:

    value, Z = goal(C)                        # Z = d value / d C, in C's shape
    value, Z = Joined(goal, C0)(C)            # sequential design: this motion complements the earlier ones
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from freefloat.arrays import Array


class Goal(ABC):
    """A number to be made small."""

    name: str  # that of the class unless given
    of_sensors: ClassVar[bool] = False  # whether it reads what sensors will tell, not the rows of a model

    def __init_subclass__(cls) -> None:
        if not hasattr(cls, "name"):
            cls.name = cls.__name__

    @abstractmethod
    def __call__(self, C: Array) -> tuple[float, Array]:
        """The value for a matrix C, shape (m, c), and its derivative, in the same shape."""

    @classmethod
    def words(cls, value: float) -> str:
        """What a value means."""
        return f"{value:.5g}"


@dataclass(frozen=True, eq=False)
class Joined(Goal):
    """A goal for what is there already, C0 of shape (m0, c), and the rows to come."""

    goal: Goal
    C0: Array

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of the goal itself."""
        return self.goal.name

    def __call__(self, C: Array) -> tuple[float, Array]:
        """The value for both together, and its derivative by the rows to come."""
        value, Z = self.goal(np.vstack([self.C0, C]))
        return value, Z[self.C0.shape[0] :]
