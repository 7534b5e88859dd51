"""Curves of joints and wheels whose coefficients count a few at a time: where they are now, and what they may be.

The means are those that encoders and tachometers alone make likely (`data/processing/measured_curves.py`). A fit goes
on from the coefficients of the moment, which `moved` brings to those that all sensors together make most likely.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.measured_curves import MeasuredCurves, motion_of
from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import SplineCurves
from freefloat.estimate.wheel_curves import MeasuredWheels
from freefloat.motion.even_splines import EvenSpline
from freefloat.motion.trajectory import Motion


@dataclass(frozen=True, eq=False)
class LocalCurves:
    """Joints, then wheels, as far as each was measured in this way.

    parts: the curves as measured, all on the same knots. joints, wheels: how many curves of each.
    coefficients: of the moment, shape (count, joints + wheels).
    """

    parts: tuple[MeasuredCurves, ...]
    joints: int
    wheels: int
    coefficients: Array

    @classmethod
    def of(cls, flight: Flight) -> LocalCurves | None:
        """Those of a flight, at their means; None if there are none."""
        joints = flight.curves.curves if isinstance(flight.curves, SplineCurves) else None
        wheels = flight.wheels.curves if isinstance(flight.wheels, MeasuredWheels) else None
        parts = tuple(part for part in (joints, wheels) if part is not None)
        if not parts:
            return None
        some, others = (0 if part is None else part.coefficients.shape[1] for part in (joints, wheels))
        return cls(parts, some, others, np.hstack([part.coefficients for part in parts]))

    @property
    def spline(self) -> EvenSpline:
        """On whose knots all of them are."""
        return self.parts[0].spline

    @property
    def mean(self) -> Array:
        """Coefficients as encoders and tachometers alone have them, shape (count, curves)."""
        return np.hstack([part.coefficients for part in self.parts])

    @property
    def chain(self) -> tuple[Array, Array]:
        """As `MeasuredCurves.chain`, of all curves."""
        weights, sd = zip(*(part.chain for part in self.parts), strict=True)
        return np.concatenate(weights, axis=1), np.hstack(sd)

    def joint_motion(self, t: Array) -> Motion:
        """Of the joints at times t, shape (n,) [s]."""
        return motion_of(self.spline, self.coefficients[:, : self.joints], t)

    def joint_jerks(self, t: Array) -> Array:
        """Third derivatives of the joints' curves at times t, shape (n, joints)."""
        return self.spline.functions(t, 3)[3].of(self.coefficients[:, : self.joints])

    def wheel_rates(self, t: Array) -> tuple[Array, Array]:
        """Rates and accelerations of the wheels at times t of their clock, shape (n, wheels) each."""
        motion = motion_of(self.spline, self.coefficients[:, self.joints :], t)
        return motion.position, motion.rate

    def moved(self, gradient: Array) -> LocalCurves:
        """At the means and the inverse of their precision times a gradient, shape (count, curves)."""
        steps, start = [], 0
        for part in self.parts:
            stop = start + part.coefficients.shape[1]
            steps.append(part.coefficients + part.moved(gradient[:, start:stop]))
            start = stop
        return replace(self, coefficients=np.hstack(steps))
