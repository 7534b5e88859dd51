"""Errors that walk: a bias, as straight lines between knots, and an integral, by its steps from sample to sample.

Where the bias of what was integrated flickers, steps err alike for long: at the slow end, where the motion is, by more
than those of a walk that is right at the fast end. `FlickerWhitening` has the slow end of the flicker itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cholesky_banded, toeplitz
from scipy.linalg.lapack import dtbtrs

from freefloat.arrays import Array
from freefloat.frozen import Content
from freefloat.sensors.noise import flicker_response

KNOTS = 17  # of a bias that walks: straight lines between them
PIECES = 48  # of the time, in each of which a flicker is constant: fine for ten harmonics and their products


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


@dataclass(frozen=True, slots=True, eq=False)
class UnstableBias(Content):
    """Errors of an integrated acceleration whose bias flickers.

    walk: of the integral after one second, shape (3,) [m/s]. flicker: bias instability B of the acceleration, base
    axes, shape (3,) [m/s^2].
    """

    walk: Array
    flicker: Array


def faster_walk(flicker: Array, t: Array) -> Array:
    """The walk, after one second, of an integral by what of a flicker is faster than its pieces, shape (3,).

    White, as strong as the flicker's spectrum B^2 / (2 pi f) at half as many periods a second as there are pieces,
    which is more than there is beyond. Weights by the very spectrum would lean on high frequencies, where noise of
    rates in the columns draws clusters.
    """
    pieces_per_s = min(PIECES, t.size - 1) / float(t[-1] - t[0])
    return np.asarray(flicker / math.sqrt(math.pi * pieces_per_s))


@dataclass(frozen=True, eq=False)
class FlickerWhitening:
    """Changes that `StepWhitening` made white but for a flicker of what was integrated, made white.

    With U what independent draws of unit size add to the changes, their covariance is I + U U^T, of low rank beside the
    identity. With U^T U = V l V^T, what makes them white is I - U V m V^T U^T, where m = (1 - (1 + l)^(-1/2)) / l.

    steps: what made them white. turned: axes of the bias in those of the changes, at the start of each, (n - 1, k, k).
    flicker: B along its axes, shape (k,), in units of the changes per second.
    """

    steps: StepWhitening
    turned: Array
    flicker: Array

    @cached_property
    def _factors(self) -> tuple[Array, Array]:
        """U and V m V^T, shapes ((n - 1) k, r) and (r, r)."""
        added = self.steps.whitened(self._added)
        U = added.reshape(-1, added.shape[2])
        values, V = np.linalg.eigh(U.T @ U)
        size = np.maximum(values, np.finfo(float).tiny)
        return U, V * (-np.expm1(-0.5 * np.log1p(size)) / size) @ V.T

    @property
    def _added(self) -> Array:
        """What unit draws add to the changes, one for each piece and axis, shape (n - 1, k, draws)."""
        t = self.steps.t
        n, k, pieces = t.size - 1, self.flicker.size, min(PIECES, t.size - 1)
        piece = np.minimum((t[:-1] - t[0]) / (t[-1] - t[0]) * pieces + 1e-9, pieces - 1).astype(int)
        drawn = toeplitz(flicker_response(pieces), np.zeros(pieces))[piece]
        along = self.turned * self.flicker * np.diff(t)[:, None, None]
        return np.asarray((along[:, :, None] * drawn[:, None, :, None]).reshape(n, k, pieces * k))

    def whitened(self, changes: Array) -> Array:
        """Of changes (n - 1, k, c) that `steps` made white."""
        U, removed = self._factors
        flat = changes.reshape(len(U), -1)
        return np.asarray(flat - U @ (removed @ (U.T @ flat))).reshape(changes.shape)
