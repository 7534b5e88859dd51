"""What air takes of a body's turn: a torque against its rate, small beside what else it does.

With a coefficient d, the same about all axes, the torque is -d w. It is so small that its course is that of the
measured rates: with R the attitude that these make, angular momentum in the axes of the first instant gains

    -d (integral of R w),

which is linear in d and depends on no other unknown. What that neglects is the product of the drag, a percent of the
momentum, with errors of attitude and rates, themselves of a percent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PPoly

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.robot.rotations import rotations, turned
from freefloat.sensors.measured import Measured


@dataclass(frozen=True, slots=True, eq=False)
class DragMomentum:
    """Momentum that drag gives for each unit of its coefficient, in the axes of the first instant.

    first, last: of the rates, in time since the first reading of all [s]. course, gained: splines of the torque and of
    its integral between these, (3,) [rad/s, rad].
    """

    first: float
    last: float
    course: PPoly
    gained: PPoly

    @classmethod
    def of(cls, measured: Mapping[str, Measured]) -> DragMomentum:
        """From what was measured, by array of the samples, rates among it."""
        rates, begin = measured["w"], min(float(data.t[0]) for data in measured.values())
        R = rotations(integrate_rates(rates.t, rates.values))
        course = CubicSpline(rates.t - begin, -turned(R, rates.values))
        return cls(float(rates.t[0]) - begin, float(rates.t[-1]) - begin, course, course.antiderivative())

    def momentum(self, since: Array) -> Array:
        """At times since the first reading, shape (m, 3) [rad]."""
        return np.asarray(self.gained(np.clip(since, self.first, self.last)))

    def torque(self, since: Array) -> Array:
        """Its rate of change there, shape (m, 3) [rad/s]."""
        acts = (since >= self.first) & (since <= self.last)
        return np.where(acts[:, None], self.course(np.clip(since, self.first, self.last)), 0.0)
