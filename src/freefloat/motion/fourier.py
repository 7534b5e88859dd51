"""Truncated Fourier series, alone or with a quintic that sets both ends.

    q(t) = sum_j a_j / (w j) sin(w j t) - b_j / (w j) cos(w j t) + sum_{k=0..5} c_k t^k,    w = 2 pi / duration

The form of J. Swevers, C. Ganseman, D. B. Tükel, J. De Schutter, H. Van Brussel, "Optimal robot excitation and
identification", 1997, with the polynomial that M. Spirolazzi, "Free-floating robot inertial parameter
identification towards in orbit servicing", 2022, eq. 3.33, adds. The c_k follow from position, rate and
acceleration at both ends, so the a_j and b_j, which are rates, remain as coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.motion.extremes import Extremes, smooth_extremes
from freefloat.motion.quintic import ENDS, quintic_basis
from freefloat.motion.trajectory import Trajectory, matrix, numbers, positive

_NODES_PER_PERIOD = 32  # of the highest harmonic, in the search for extremes


@dataclass(frozen=True, eq=False)
class Fourier(Trajectory):
    """A Fourier series plus the quintic that gives the ends their values; at rest at zero unless given.

    coefficients: a_1 ... a_N, then b_1 ... b_N, shape (2 N, channels) [rad/s or m/s].
    ends: position, rate, acceleration at the start, then at the end, shape (6, channels) or (6, 1).
    """

    kind: ClassVar[str] = "fourier"

    ends: Array = field(default_factory=lambda: np.zeros((ENDS, 1)))

    def __post_init__(self) -> None:
        super().__post_init__()
        rows, channels = self.coefficients.shape
        if rows % 2:
            raise ShapeError(f"coefficients must be as many sines as cosines, found {rows} rows")
        ends = numbers("ends", self.ends)
        same = ends.shape == (ENDS, 1)
        self._keep(
            duration_s=positive("duration_s", self.duration_s),
            ends=matrix("ends", ends.repeat(channels, axis=1) if same else ends, channels, rows=ENDS),
        )

    @classmethod
    def from_harmonics(
        cls,
        channels: Sequence[str],
        a: ArrayLike,
        b: ArrayLike,
        duration_s: float,
        ends: ArrayLike | None = None,
    ) -> Self:
        """From tables as they are printed: a and b of shape (channels, harmonics) [rad/s or m/s].

        ends: position, rate, acceleration at the start, then at the end, (6, channels); zero unless given.
        """
        given = np.zeros((ENDS, 1)) if ends is None else numbers("ends", ends)
        return cls(tuple(channels), _stacked(a, b), duration_s, given)

    @property
    def frequencies(self) -> Array:
        """Of each harmonic, shape (N,) [rad/s]."""
        return _frequencies(self.coefficients.shape[0] // 2, self.duration_s)

    def _basis(self, t: Array, order: int) -> Array:
        w = self.frequencies
        zero, one = np.zeros_like(w), np.ones_like(w)
        sines, cosines = np.stack([zero, one, zero]), np.stack([-1.0 / w, zero, w])
        at_one_end = np.hstack([sines, cosines])  # position, rate, acceleration; the same at the other
        quintic = quintic_basis(t / self.duration_s, order, self.duration_s) @ np.vstack([at_one_end] * 2)
        return _harmonics(t, order, w.size, self.duration_s) - quintic

    def _offset(self, t: Array, order: int) -> Array:
        return quintic_basis(t / self.duration_s, order, self.duration_s) @ self.ends

    def _settings(self) -> dict[str, Any]:
        given = {"ends": self.ends.tolist()} if self.ends.any() else {}
        return {"duration_s": self.duration_s} | given

    def extremes(self) -> Extremes:
        """How far, how fast and how hard each channel goes, also between samples."""
        return smooth_extremes(self._curve, _nodes(self.frequencies, self.duration_s), len(self.channels))


@dataclass(frozen=True, eq=False)
class PlainFourier(Trajectory):
    """A Fourier series about a constant, nothing forced at the ends.

    coefficients: the constant [rad or m], a_1 ... a_N, then b_1 ... b_N [per s], shape (1 + 2 N, channels).
    period_s: of the first harmonic.
    """

    kind: ClassVar[str] = "plain-fourier"

    period_s: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.coefficients.shape[0] % 2 == 0:
            rows = self.coefficients.shape[0]
            raise ShapeError(f"coefficients must be a constant, then sines and cosines, found {rows} rows")
        self._keep(duration_s=positive("duration_s", self.duration_s), period_s=positive("period_s", self.period_s))

    @classmethod
    def from_harmonics(
        cls,
        channels: Sequence[str],
        constant: ArrayLike,
        a: ArrayLike,
        b: ArrayLike,
        duration_s: float,
        period_s: float | None = None,
    ) -> Self:
        """From a constant, shape (channels,), and a and b, shape (channels, harmonics) [rad/s or m/s].

        period_s: of the first harmonic; the duration unless given.
        """
        constants, harmonics = np.atleast_1d(np.asarray(constant, float)), _stacked(a, b)
        if constants.shape != harmonics.shape[1:]:
            raise ShapeError(f"constant must have shape {harmonics.shape[1:]}, found {constants.shape}")
        return cls(
            tuple(channels),
            np.vstack([constants, harmonics]),
            duration_s,
            duration_s if period_s is None else period_s,
        )

    @property
    def frequencies(self) -> Array:
        """Of each harmonic, shape (N,) [rad/s]."""
        return _frequencies(self.coefficients.shape[0] // 2, self.period_s)

    def _basis(self, t: Array, order: int) -> Array:
        constant = np.full((t.size, 1), 1.0 if order == 0 else 0.0)
        harmonics = self.coefficients.shape[0] // 2
        return np.hstack([constant, _harmonics(t, order, harmonics, self.period_s)])

    def _settings(self) -> dict[str, Any]:
        return {"duration_s": self.duration_s, "period_s": self.period_s}

    def extremes(self) -> Extremes:
        """How far, how fast and how hard each channel goes, also between samples."""
        return smooth_extremes(self._curve, _nodes(self.frequencies, self.duration_s), len(self.channels))


def _stacked(a: ArrayLike, b: ArrayLike) -> Array:
    sines, cosines = np.atleast_2d(np.asarray(a, float)), np.atleast_2d(np.asarray(b, float))
    if sines.shape != cosines.shape:
        raise ShapeError(f"a and b must have one shape, found {sines.shape} and {cosines.shape}")
    return np.vstack([sines.T, cosines.T])


def _frequencies(harmonics: int, period: float) -> Array:
    return 2.0 * np.pi / period * np.arange(1.0, harmonics + 1.0)


def _harmonics(t: Array, order: int, harmonics: int, period: float) -> Array:
    """Derivative of this order of sin(w j t)/(w j), then of -cos(w j t)/(w j), shape (n, 2 N)."""
    # Whole turns are taken off first: at the end of a period sine and cosine are exactly 0 and 1.
    angle = 2.0 * np.pi * (np.outer(t / period, np.arange(1, harmonics + 1)) % 1.0)
    sine, cosine = np.sin(angle), np.cos(angle)
    cycle = (sine, cosine, -sine, -cosine)
    scale = _frequencies(harmonics, period) ** (order - 1)
    both: Array = np.hstack([cycle[order % 4] * scale, -cycle[(order + 1) % 4] * scale])
    return both


def _nodes(frequencies: Array, duration: float) -> Array:
    periods = duration * frequencies.max(initial=0.0) / (2.0 * np.pi)
    return np.linspace(0.0, duration, int(np.ceil(_NODES_PER_PERIOD * (periods + 1.0))) + 1)
