"""What a study says: one published figure beside ours, and whether ours holds against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from freefloat.exact_json import finite_or_none
from freefloat.frozen import Content
from freefloat.robot.model import Robot

Better = Literal["lower", "equal", "higher"]
Way = Literal["published", "default"]
Effort = Literal["glance", "usual", "full"]
Standing = Literal["reproduced", "better", "not reproduced"]
Figure = float | tuple[float, ...]
Robots = Callable[[str], Robot]
Watch = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class Check(Content):
    """One figure.

    name: for programs. quantity: in words; figures of one quantity share a row when they are shown.
    published: as printed, corrected where it is known to be wrong; several where a series was printed.
    ours: computed in this run. way: by the publication's method, or by our default.
    better: which way ours may differ from the published figure. tolerance: how far it may differ the other way, over
        the published figure; absolute where that is zero.
    comparable: whether robot and motion, and what the figure was made with, limits, noise or the order of intervals,
        are those of the publication; not where it does not give them, or where we chose them so that its figures come
        out, nor where a target of ours stands in for a figure that is not printed.
    note: where the publication is wrong, or does not say.
    """

    name: str
    quantity: str
    published: Figure
    ours: Figure
    unit: str = ""
    better: Better = "equal"
    tolerance: float = 0.0
    way: Way = "published"
    comparable: bool = True
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether every figure of ours is as good as the published one."""
        published, ours = np.atleast_1d(self.published), np.atleast_1d(self.ours)
        if published.shape != ours.shape or not np.isfinite(ours).all():
            return False
        room = self.tolerance * np.where(published == 0.0, 1.0, np.abs(published))
        above, below = ours <= published + room, ours >= published - room
        kept = {"lower": above, "higher": below, "equal": above & below}[self.better]
        return bool(kept.all())

    @property
    def standing(self) -> Standing:
        """Where ours stands beside the published figure: `better` if it is beyond what would be as good."""
        if not self.holds:
            return "not reproduced"
        sign = {"lower": -1.0, "equal": 0.0, "higher": 1.0}[self.better]
        published, ours = np.atleast_1d(self.published), np.atleast_1d(self.ours)
        gain = sign * (ours - published) - self.tolerance * np.where(published == 0.0, 1.0, np.abs(published))
        return "better" if sign and bool((gain > 0.0).any()) else "reproduced"

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "name": self.name,
            "quantity": self.quantity,
            "published": _plain(self.published),
            "ours": _plain(self.ours),
            "unit": self.unit,
            "better": self.better,
            "tolerance": self.tolerance,
            "way": self.way,
            "comparable": self.comparable,
            "holds": self.holds,
            "standing": self.standing,
            "note": self.note,
        }


def _plain(figure: Figure) -> float | list[float | None] | None:
    """Numbers that JSON can say; null for those it cannot."""
    if isinstance(figure, tuple):
        return [finite_or_none(each) for each in figure]
    return finite_or_none(figure)


@dataclass(frozen=True, slots=True, eq=False)
class Study(Content):
    """All figures of one publication."""

    study: str
    title: str
    checks: tuple[Check, ...]
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether all figures that can be compared hold."""
        return all(check.holds for check in self.checks if check.comparable)

    @property
    def counts(self) -> dict[Standing, int]:
        """How many figures are reproduced, better, and neither: the note of each of these says the cause."""
        found = Counter(check.standing for check in self.checks)
        return {standing: found[standing] for standing in get_args(Standing)}

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "study": self.study,
            "title": self.title,
            "seconds": round(self.seconds, 1),
            "counts": self.counts,
            "checks": [check.document() for check in self.checks],
        }
