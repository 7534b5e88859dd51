"""What may be said of a motion of intervals, after Naveen, Shah and Misra (`interval_design.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from freefloat.excitation.procedures.interval_pruning import PATIENCE, SHARE

Rule = Literal["printed", "updated", "exchange"]


@dataclass(frozen=True)
class Intervals:
    """How a motion of intervals is made.

    interval_s: T_p, length of each interval [s]. rule, condition_number, patience (u_max), share (delta): as of
    `design_intervals`. most: intervals flown by the exchange rule, the most that are if a condition number is given;
    the other rules say it themselves. signal_weight: w of eq. 32. combinations: of directions, as many are taken at
    most. rounds, tries: of the exchange.
    """

    interval_s: float = 1.0
    rule: Rule = "exchange"
    most: int | None = 60
    condition_number: float | None = None
    patience: int = PATIENCE
    share: float = SHARE
    signal_weight: float = 0.0
    combinations: int = 256
    rounds: int = 4
    tries: int = 1000
