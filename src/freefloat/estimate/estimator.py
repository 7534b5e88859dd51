"""What every estimator is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from freefloat.estimate.estimate import Estimate
from freefloat.estimate.problem import Problem


@dataclass(frozen=True)
class Estimator(ABC):
    """One verb: settings live in the estimator, data arrive with the problem."""

    name: ClassVar[str]

    @abstractmethod
    def estimate(self, problem: Problem) -> Estimate:
        """What the problem's data say of its unknowns."""
