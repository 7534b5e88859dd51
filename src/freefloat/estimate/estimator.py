"""What every estimator is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar

from freefloat.estimate.estimate import Estimate
from freefloat.estimate.problem import Problem
from freefloat.exact_json import plain


@dataclass(frozen=True)
class Estimator(ABC):
    """One verb: settings live in the estimator, data arrive with the problem."""

    name: ClassVar[str]

    @property
    def reads_own_instants(self) -> bool:
        """Whether it compares readings at their own instants, rather than samples on one time base."""
        return False

    @abstractmethod
    def estimate(self, problem: Problem) -> Estimate:
        """What the problem's data say of its unknowns."""


def settings_of(estimator: Estimator) -> dict[str, object]:
    """An estimator's settings as plain data, those of one that it starts from with its name."""
    found = dict[str, object]()
    for setting in fields(estimator):
        value = getattr(estimator, setting.name)
        if isinstance(value, Estimator):
            value = {"method": value.name, **settings_of(value)}
        found[setting.name] = plain(value)
    return found
