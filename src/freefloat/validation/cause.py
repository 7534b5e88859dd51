"""What explains that an estimate does not predict a flight."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cause:
    """A mistake that explains what was found.

    kind: `cluster`, `body`, `axes`, `presence`, `noise`, `oscillation`, `colour`, `sensor` or `recording`. name: of
    what it is a mistake. what: a sentence. amount, sd: size of it where it has one, else NaN. share: of what
    contradicts the estimate that it explains.
    """

    kind: str
    name: str
    what: str
    amount: float
    sd: float
    share: float
