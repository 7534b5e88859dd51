"""Rates of the wheels as functions of time, on the clock of whoever measured them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.measured_curves import MeasuredCurves
from freefloat.frozen import Content
from freefloat.sensors.measured import BASE_CLOCK


class WheelCurves(ABC):
    """Rates and accelerations of all wheels at any time of their clock."""

    clock: str

    @abstractmethod
    def at(self, t: Array) -> tuple[Array, Array]:
        """Rates [rad/s] and accelerations [rad/s^2] at times t, (n,) [s], shape (n, wheels) each."""


@dataclass(frozen=True, slots=True, eq=False)
class SampledWheels(WheelCurves, Content):
    """Cubics through rates and accelerations of samples, straight lines where accelerations are not known.

    t: shape (n,) [s]. rates, accelerations: shape (n, wheels). They are on the clock of the base's samples.
    """

    t: Array
    rates: Array
    accelerations: Array | None
    clock: str = BASE_CLOCK

    def at(self, t: Array) -> tuple[Array, Array]:
        """Exactly those of a sample where t is its time; beyond the ends they stay."""
        if t is self.t or (t.size == self.t.size and np.array_equal(t, self.t)):
            still = np.zeros_like(self.rates) if self.accelerations is None else self.accelerations
            return self.rates, still
        inside = np.clip(t, self.t[0], self.t[-1])
        k = np.clip(np.searchsorted(self.t, inside, side="right") - 1, 0, self.t.size - 2)
        h = np.diff(self.t)[k][:, None]
        s = (inside - self.t[k])[:, None] / h
        r0, r1 = self.rates[k], self.rates[k + 1]
        if self.accelerations is None:
            return r0 + s * (r1 - r0), np.zeros_like(r0)
        d0, d1 = h * self.accelerations[k], h * self.accelerations[k + 1]
        b, c = 3.0 * (r1 - r0) - 2.0 * d0 - d1, 2.0 * (r0 - r1) + d0 + d1
        within = ((t >= self.t[0]) & (t <= self.t[-1]))[:, None]
        return r0 + s * (d0 + s * (b + s * c)), within * (d0 + s * (2.0 * b + 3.0 * s * c)) / h


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredWheels(WheelCurves, Content):
    """Splines that tachometers measured."""

    curves: MeasuredCurves
    clock: str

    def at(self, t: Array) -> tuple[Array, Array]:
        """Of the means."""
        motion = self.curves.motion(t)
        return motion.position, motion.rate
