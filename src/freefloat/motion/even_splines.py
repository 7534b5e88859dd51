"""Quintic B-splines on even knots: values, derivatives and roughness from one small table, without searching.

A curve is the sum of its coefficients times copies of one bump, each a knot later than the last (I. J. Schoenberg,
"Contributions to the problem of approximation of equidistant data by analytic functions", 1946), so that at any time
six of them count. Roughness is the integral of the squared third derivative, the jerk of a position.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.linalg import cholesky_banded

from freefloat.arrays import Array
from freefloat.motion import even_spline_kernels as kernels

ORDER = 6  # coefficients that count at any time
_HALVED = np.array([1.0, 6.0, 15.0, 20.0, 15.0, 6.0, 1.0]) / 32.0  # a bump as a sum of bumps half as wide


def _powers() -> Array:
    """Coefficients of the six functions of a piece by powers of the place in it, shape (powers, functions)."""
    u = np.linspace(0.0, 1.0, ORDER)
    bump = BSpline.basis_element(np.arange(ORDER + 1.0))
    values = np.column_stack([bump(u + (ORDER - 1 - k)) for k in range(ORDER)])
    values[0, 0], values[-1, -1] = bump(ORDER - 1.0), bump(1.0)
    return np.linalg.solve(np.vander(u, ORDER, increasing=True), values)


_POWERS = _powers()


@dataclass(frozen=True, slots=True)
class PlacedFunctions:
    """The functions that count at n instants. first: number of the first of six, shape (n,). values: shape (n, 6)."""

    first: NDArray[np.int64]
    values: Array

    def of(self, coefficients: Array) -> Array:
        """Curves with these coefficients, shape (count, k), at the instants, shape (n, k)."""
        found = np.empty((self.first.size, coefficients.shape[1]))
        kernels.sum_functions(self.first, self.values, np.ascontiguousarray(coefficients), found)
        return found

    def gathered(self, y: Array, count: int) -> Array:
        """Sums of readings y, shape (n,), times the functions at their instants, shape (count,)."""
        found = np.zeros(count)
        kernels.gather_readings(self.first, self.values, np.ascontiguousarray(y), found)
        return found

    def gram(self, count: int) -> Array:
        """Sums of products of the functions over the instants, the lower band of a matrix, shape (6, count)."""
        band = np.zeros((ORDER, count))
        kernels.gather_products(self.first, self.values, band)
        return band


@dataclass(frozen=True)
class EvenSpline:
    """All splines with knots from start_s on, spacing_s apart, `pieces` intervals between them."""

    start_s: float
    spacing_s: float
    pieces: int

    @classmethod
    def over(cls, start_s: float, end_s: float, pieces: int) -> EvenSpline:
        """Between two times [s]."""
        return cls(start_s, (end_s - start_s) / pieces, pieces)

    @property
    def count(self) -> int:
        """How many coefficients a curve has."""
        return self.pieces + ORDER - 1

    @property
    def end_s(self) -> float:
        """Where the last piece ends [s]."""
        return self.start_s + self.pieces * self.spacing_s

    def functions(self, t: Array, derivatives: int = 0) -> tuple[PlacedFunctions, ...]:
        """The functions at times t, shape (n,) [s], and so many derivatives; beyond the ends they are those there."""
        first, values = np.empty(t.size, np.int64), np.empty((derivatives + 1, t.size, ORDER))
        powers = np.zeros((derivatives + 1, ORDER, ORDER))
        powers[0] = _POWERS
        for order in range(derivatives):
            powers[order + 1, :-1] = np.arange(1.0, ORDER)[:, None] * powers[order, 1:] / self.spacing_s
        times = np.ascontiguousarray(t, float)
        kernels.place_functions(times, self.start_s, self.spacing_s, self.pieces, powers, first, values)
        return tuple(PlacedFunctions(first, each) for each in values)

    @cached_property
    def roughness(self) -> Array:
        """The matrix of the integral of the squared third derivative, its lower band, shape (6, count)."""
        third = _POWERS[3:] * np.array([6.0, 24.0, 60.0])[:, None]
        inner = 1.0 / (np.arange(3)[:, None] + np.arange(3) + 1.0)
        piece = third.T @ inner @ third / self.spacing_s**5
        band = np.zeros((ORDER, self.count))
        for lag in range(ORDER):
            for k in range(ORDER - lag):
                band[lag, k : k + self.pieces] += piece[k + lag, k]
        return band

    @cached_property
    def jerks(self) -> Array:
        """The matrix of products of quadratic splines on these knots, spacing one, its lower band, (3, pieces + 2)."""
        inner = np.array([[1.0, -2.0, 1.0], [1.0, 2.0, -2.0], [0.0, 0.0, 1.0]]).T / 2.0  # by powers of the place
        piece = inner.T @ (1.0 / (np.arange(3)[:, None] + np.arange(3) + 1.0)) @ inner
        band = np.zeros((3, self.pieces + 2))
        for lag in range(3):
            for k in range(3 - lag):
                band[lag, k : k + self.pieces] += piece[k + lag, k]
        return band

    def roughness_of(self, c: Array) -> tuple[float, Array]:
        """Roughness of a curve, c (count,), and half its derivative by c, (count,), without loss of digits.

        The third derivative is a quadratic spline, whose coefficients are third differences over the spacing cubed.
        """
        slope = np.empty(c.size)
        value = kernels.roughness(np.ascontiguousarray(c), self.jerks, self.spacing_s**-5, slope)
        return float(value), slope

    @cached_property
    def log_determinant(self) -> float:
        """Logarithm of the determinant of roughness among curves that differ by more than a parabola.

        Parabolas are told apart by the first three coefficients.
        """
        gram = 2.0 * float(np.log(cholesky_banded(self.jerks, lower=True)[0]).sum())
        return gram - 5.0 * (self.count - 3) * math.log(self.spacing_s) - 2.0 * math.log(2.0 * self.spacing_s**3)

    def halved(self) -> EvenSpline:
        """Splines with twice as many pieces, among which are all of these."""
        return EvenSpline(self.start_s, 0.5 * self.spacing_s, 2 * self.pieces)

    def halved_coefficients(self, coefficients: Array) -> Array:
        """The same curves, coefficients (count, k), among the splines with twice as many pieces."""
        fine = np.zeros((2 * self.count + ORDER - 1, coefficients.shape[1]))
        for shift, weight in enumerate(_HALVED):
            fine[shift : shift + 2 * self.count : 2] += weight * coefficients
        return fine[ORDER - 1 : ORDER - 1 + self.halved().count]
