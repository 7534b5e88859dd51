"""Errors that walk: a bias, as straight lines between knots, and an integral, by its steps from sample to sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cholesky_banded
from scipy.linalg.lapack import dtbtrs

from freefloat.arrays import Array

KNOTS = 17  # of a bias that walks: straight lines between them


def knot_functions(t: Array) -> Array:
    """One function for each knot after the first: one there, falling to zero at its neighbours, (n, knots - 1)."""
    since = t - t[0]
    place = since / since[-1] * (KNOTS - 1)
    return np.maximum(0.0, 1.0 - np.abs(place[:, None] - np.arange(1, KNOTS)))


def knot_interval(t: Array) -> float:
    """Time from knot to knot [s]."""
    return float(t[-1] - t[0]) / (KNOTS - 1)


def knot_information(sd: float, interval_s: float) -> Array:
    """Of the knots after the first, (knots - 1, knots - 1): steps between knots are independent.

    sd: of the walk after one second.
    """
    steps = np.eye(KNOTS - 1) - np.eye(KNOTS - 1, k=-1)
    return steps.T @ steps / (sd**2 * interval_s)


@dataclass(frozen=True, eq=False)
class StepWhitening:
    """Changes from sample to sample, made white: steps of a walk, and white noise that neighbours share.

    t: of the n samples [s]. white: standard deviation of a sample. walk: of the walk after one second.
    """

    t: Array
    white: float
    walk: float

    @cached_property
    def _factor(self) -> Array:
        """The lower factor of the changes' covariance by its two diagonals, (2, n - 1)."""
        band = np.zeros((2, self.t.size - 1))
        band[0] = 2.0 * self.white**2 + self.walk**2 * np.diff(self.t)
        band[1, :-1] = -(self.white**2)
        return np.asarray(cholesky_banded(band, lower=True), float)

    def whitened(self, changes: Array) -> Array:
        """L^-1 of changes (n - 1, k, c), L L^T their covariance along each axis."""
        return self._solved(changes, "N")

    def transposed(self, values: Array) -> Array:
        """L^-T of values (n - 1, k, c)."""
        return self._solved(values, "T")

    def _solved(self, values: Array, form: str) -> Array:
        solved, _ = dtbtrs(self._factor, values.reshape(self.t.size - 1, -1), uplo="L", trans=form)
        return np.asarray(solved, float).reshape(values.shape)
