"""What trajectories made of B-splines share: from coefficients to control points to motion."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import interpolate

from freefloat.arrays import Array
from freefloat.motion.extremes import Extremes, piecewise_extremes
from freefloat.motion.trajectory import Motion, Trajectory


@dataclass(frozen=True, eq=False)
class Spline(Trajectory):
    """A B-spline whose control points are linear in the coefficients."""

    @abstractmethod
    def _knots(self) -> Array:
        """Knots with those repeated at both ends, shape (controls + degree + 1,) [s]."""

    @abstractmethod
    def _degree(self) -> int:
        """Degree of the polynomials."""

    @abstractmethod
    def _controls(self, coefficients: Array) -> Array:
        """Control points, shape (controls, m), of coefficients of shape (k, m)."""

    def evaluate(self, t: ArrayLike) -> Motion:
        """The motion at times t, shape (n,) [s]."""
        times = self.instants(t)
        return Motion(times, *(self._spline(times, order) for order in range(3)))

    @cached_property
    def _spline(self) -> Any:
        """The motion; its values have shape (n, channels)."""
        return interpolate.BSpline(self._knots(), self._controls(self.coefficients), self._degree())

    @cached_property
    def _unit_splines(self) -> Any:
        """What a coefficient of one adds to the motion, for each; their values have shape (n, k)."""
        unit = np.eye(self.coefficients.shape[0])
        return interpolate.BSpline(self._knots(), self._controls(unit), self._degree())

    def _basis(self, t: Array, order: int) -> Array:
        return self._unit_splines(t, order)

    def extremes(self) -> Extremes:
        """How far, how fast and how hard each channel goes, also between samples."""
        breaks = np.unique(self._knots())
        lengths = np.diff(breaks)[:, None]
        # Taylor's series at the start of each piece, where the spline's derivatives are those to the right.
        powers = [
            self._spline(breaks[:-1], order) * lengths**order / math.factorial(order)
            for order in range(self._degree() + 1)
        ]
        return piecewise_extremes(np.stack(powers, axis=1), breaks)


def clamped(inner: Array, duration: float, degree: int) -> Array:
    """Knots of a spline that begins and ends on its first and last control points."""
    return np.concatenate([np.zeros(degree + 1), inner, np.full(degree + 1, duration)])
