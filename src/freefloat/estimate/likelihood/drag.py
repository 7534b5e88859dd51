"""What air takes of a body's turn: a torque against its rate, small beside what else it does.

With a symmetric matrix D, for a body is not the same about all axes, the torque is -D w. It is so small that its course
is that of the measured rates: with R the attitude that these make, angular momentum in the axes of the first instant
gains

    -(integral of R D w),

which is linear in D and depends on no other unknown. What that neglects is the product of the drag, a percent of the
momentum, with errors of attitude and rates, themselves of a percent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PPoly

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.robot.rotations import rotations
from freefloat.sensors.measured import Measured


@dataclass(frozen=True, slots=True, eq=False)
class DragMomentum:
    """Momentum that drag gives for each unit of the entries of its matrix, in the axes of the first instant.

    first, last: of the rates, in time since the first reading of all [s]. course, gained: splines of the torque and of
    its integral between these, (3, entries) [rad/s, rad].
    """

    first: float
    last: float
    course: PPoly
    gained: PPoly

    @classmethod
    def of(cls, measured: Mapping[str, Measured], entries: Sequence[tuple[int, int]]) -> DragMomentum:
        """From what was measured, by array of the samples, rates among it; entries: rows and columns of the matrix."""
        rates, begin = measured["w"], min(float(data.t[0]) for data in measured.values())
        R = rotations(integrate_rates(rates.t, rates.values))
        units = np.zeros((len(entries), 3, 3))
        for unit, (i, j) in zip(units, entries, strict=True):
            unit[i, j] = unit[j, i] = 1.0
        course = CubicSpline(rates.t - begin, -np.einsum("nab,kbc,nc->nak", R, units, rates.values))
        return cls(float(rates.t[0]) - begin, float(rates.t[-1]) - begin, course, course.antiderivative())

    def momentum(self, since: Array) -> Array:
        """At times since the first reading, shape (m, 3, entries) [rad]."""
        return np.asarray(self.gained(np.clip(since, self.first, self.last)))

    def torque(self, since: Array) -> Array:
        """Its rate of change there, shape (m, 3, entries) [rad/s]."""
        acts = (since >= self.first) & (since <= self.last)
        return np.where(acts[:, None, None], self.course(np.clip(since, self.first, self.last)), 0.0)
