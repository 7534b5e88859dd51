"""Rates and accelerations from positions, without lag.

Differences of neighbouring samples are no method: noise of 2.5e-5 rad at 100 Hz makes rates wrong by 1.8e-3 rad/s,
and backward differences lag by half a sample besides.

Every method is a small frozen type with one verb, `motion`; `noise_gains` says for any of them how noise comes
out. The methods: `BandLimited`, `SavitzkyGolay`, `ThroughSamples`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.motion.trajectory import Motion


class Differentiator(Protocol):
    """Linear in the values, and without lag."""

    def motion(self, t: ArrayLike, values: ArrayLike, onto: ArrayLike | None = None) -> Motion:
        """Position, rate and acceleration of values, (n, k) at times t, at the times `onto` (t unless given)."""
        ...


def noise_gains(method: Differentiator, n: int, rate_Hz: float) -> Array:
    """Standard deviation of position, rate and acceleration per unit of white noise in n even samples, (3,).

    Half-way along the record; within the method's reach of its ends it is larger.
    """
    impulse = np.zeros((n, 1))
    impulse[n // 2] = 1.0
    response = method.motion(np.arange(n) / rate_Hz, impulse)
    return np.sqrt([float((x**2).sum()) for x in (response.position, response.rate, response.acceleration)])
