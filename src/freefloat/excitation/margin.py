"""How far a motion stays from its limits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Margin:
    """How far the motion stays from one limit, also between samples: negative beyond it.

    share: of the bound's size. at_s: where it is nearest [s].
    """

    limit: str
    slack: float
    unit: str
    share: float
    at_s: float

    @property
    def kept(self) -> bool:
        """Whether the limit is kept."""
        return self.share >= 0.0
