"""Clamped B-splines: control points at even knots, optionally at rest at both ends.

C. de Boor, "A practical guide to splines", 1978. The motion stays within the hull of its control points, which
bounds it before any sample is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.motion.spline import Spline, clamped
from freefloat.motion.trajectory import InvalidTrajectory, positive

_DEGREES = (3, 4, 5)
_REPEATED = 2  # control points equal to the first, and to the last, put rate and acceleration there to zero


@dataclass(frozen=True, eq=False)
class BSpline(Spline):
    """A clamped B-spline with even knots.

    coefficients: control points, shape (k, channels) [rad or m].
    degree: 3, 4 or 5; rates and accelerations are continuous.
    rest: whether it starts and ends at rest, rate and acceleration zero; the first and the last control point
        are then repeated as often as that takes.
    """

    kind: ClassVar[str] = "b-spline"

    degree: int = 5
    rest: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._keep(duration_s=positive("duration_s", self.duration_s))
        if self.degree not in _DEGREES:
            raise InvalidTrajectory(f"degree is {self.degree}; allowed: {', '.join(map(str, _DEGREES))}")
        fewest = max(self.degree + 1 - 2 * _REPEATED * self.rest, 2)
        if self.coefficients.shape[0] < fewest:
            found = self.coefficients.shape[0]
            raise ShapeError(f"coefficients must be at least {fewest} control points, found {found}")

    def _degree(self) -> int:
        return self.degree

    def _knots(self) -> Array:
        controls = self.coefficients.shape[0] + 2 * _REPEATED * self.rest
        inner = np.linspace(0.0, self.duration_s, controls - self.degree + 1)[1:-1]
        return clamped(inner, self.duration_s, self.degree)

    def _controls(self, coefficients: Array) -> Array:
        repeated = _REPEATED if self.rest else 0
        return np.pad(coefficients, ((repeated, repeated), (0, 0)), mode="edge")

    def _settings(self) -> dict[str, Any]:
        return {"duration_s": self.duration_s, "degree": self.degree, "rest": self.rest}
