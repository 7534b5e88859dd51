"""How far a motion stays from its limits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Margin:
    """How far the motion stays from one limit, also between samples: negative beyond it.

    limit: its name. share: of the bound's size. at_s: where it is nearest [s].
    kind: of limits that are told together, such as `rate`; the name of one that stands alone.
    """

    limit: str
    slack: float
    unit: str
    share: float
    at_s: float
    kind: str

    @property
    def kept(self) -> bool:
        """Whether the limit is kept."""
        return self.share >= 0.0
