"""What explains that data do not fit a robot, an estimate, or what was said of the sensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.estimate.oscillator import Oscillator


@dataclass(frozen=True, slots=True)
class Cause:
    """A mistake that explains what was found.

    kind: such as `units`, `geometry` or `clock`; `docs/theory/causes.md` lists them all. name: of what it is a mistake,
    such as a joint. what: a sentence. amount, sd: size of it where it has one, else NaN. share: of what is left
    unexplained, or contradicts the estimate, that it explains. gain: how much less the least cost of a fit is that
    allows for it; NaN where none was made. cure: what to change, and in which file. swings: what swings, where it
    is known how.
    """

    kind: str
    name: str
    what: str
    amount: float
    sd: float
    share: float
    gain: float = np.nan
    cure: str = ""
    swings: tuple[Oscillator, ...] = ()
