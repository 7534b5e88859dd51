"""Sampled commands, joined by splines that are linear in the samples.

Given positions, a spline through them; given rates too, one that has those as well (of degree three that is
cubic Hermite interpolation, whose acceleration jumps at the samples); given rates only, the integral of a
spline through them. Nothing is assumed about the ends: the spline has as many inner knots as the samples
determine, those next to the ends left out ("not a knot"; C. de Boor, "A practical guide to splines", 1978).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import interpolate, sparse
from scipy.sparse import linalg

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.motion.spline import Spline, clamped
from freefloat.motion.trajectory import InvalidTrajectory, increasing, matrix

Given = Literal["position", "position-and-rate", "rate"]

DEGREES: dict[Given, tuple[int, ...]] = {
    "position": (5, 3),
    "position-and-rate": (5, 3),
    "rate": (4, 2),  # of the position: that of the rate is one less
}


@dataclass(frozen=True, eq=False)
class Sampled(Spline):
    """A spline through sampled positions, rates or both.

    coefficients: positions, shape (n, channels); or positions, then rates, (2 n, channels); or the position
        at the start, then rates, (1 + n, channels) [rad or m, per s].
    t: when the samples are, from 0, shape (n,) [s].
    given: "position", "position-and-rate" or "rate".
    degree: of the position; 5 or 3, for rates alone 4 or 2.
    """

    kind: ClassVar[str] = "sampled"

    duration_s: float = field(init=False)
    t: Array
    given: Given = "position"
    degree: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.given not in get_args(Given):
            raise InvalidTrajectory(f"given is {self.given!r}; allowed: {', '.join(get_args(Given))}")
        allowed = DEGREES[self.given]
        if self.degree not in allowed:
            listed = " or ".join(map(str, allowed))
            raise InvalidTrajectory(f"degree is {self.degree}; allowed for {self.given}: {listed}")
        t = increasing("t", self.t, fewest=_fewest(self.given, self.degree))
        rows = {"position": t.size, "position-and-rate": 2 * t.size, "rate": 1 + t.size}[self.given]
        if self.coefficients.shape[0] != rows:
            found = self.coefficients.shape[0]
            raise ShapeError(f"coefficients must have {rows} rows for {t.size} samples of {self.given}, found {found}")
        self._keep(t=t, duration_s=float(t[-1]))

    @classmethod
    def from_positions(
        cls,
        channels: Sequence[str],
        t: ArrayLike,
        positions: ArrayLike,
        rates: ArrayLike | None = None,
        degree: int = 5,
    ) -> Self:
        """Through positions (and rates) of shape (n, channels) at times t, from 0, shape (n,) [s]."""
        rows = matrix("positions", positions, len(channels))
        if rates is None:
            return cls(tuple(channels), rows, np.asarray(t, float), "position", degree)
        both = np.vstack([rows, matrix("rates", rates, len(channels), rows=len(rows))])
        return cls(tuple(channels), both, np.asarray(t, float), "position-and-rate", degree)

    @classmethod
    def from_rates(
        cls, channels: Sequence[str], t: ArrayLike, rates: ArrayLike, start: ArrayLike = 0.0, degree: int = 4
    ) -> Self:
        """With rates of shape (n, channels) at times t, from 0, and positions `start` there, (channels,)."""
        rows = matrix("rates", rates, len(channels))
        first = np.broadcast_to(np.asarray(start, float), (1, len(channels)))
        return cls(tuple(channels), np.vstack([first, rows]), np.asarray(t, float), "rate", degree)

    def _degree(self) -> int:
        return self.degree

    def _knots(self) -> Array:
        if self.given == "position-and-rate":
            inner, left_out = np.repeat(self.t[1:-1], 2), (self.degree - 3) // 2
        else:
            inner, left_out = self.t[1:-1], (self.degree - 1) // 2
        return clamped(inner[left_out : inner.size - left_out], self.duration_s, self.degree)

    def _controls(self, coefficients: Array) -> Array:
        knots = self._knots()
        rows = {
            "position": [(self.t, 0)],
            "position-and-rate": [(self.t, 0), (self.t, 1)],
            "rate": [(self.t[:1], 0), (self.t, 1)],
        }[self.given]
        conditions = sparse.vstack([_design(t, knots, self.degree, order) for t, order in rows])
        return linalg.splu(conditions.tocsc()).solve(np.ascontiguousarray(coefficients))

    def _settings(self) -> dict[str, Any]:
        return {"t_s": self.t.tolist(), "given": self.given, "degree": self.degree}


def _fewest(given: Given, degree: int) -> int:
    """Samples that determine one polynomial."""
    return {"position": degree + 1, "position-and-rate": (degree + 1) // 2, "rate": degree}[given]


def _design(t: Array, knots: Array, degree: int, order: int) -> Any:
    """Positions (order 0) or rates (order 1) of every B-spline, a sparse matrix of shape (n, controls)."""
    if order == 0:
        return interpolate.BSpline.design_matrix(t, knots, degree)
    controls = knots.size - degree - 1
    slope = degree / (knots[degree + 1 : -1] - knots[1 : -degree - 1])
    sides: Any = [-slope, slope]
    steps = sparse.diags_array(sides, offsets=[0, 1], shape=(controls - 1, controls))
    return interpolate.BSpline.design_matrix(t, knots[1:-1], degree - 1) @ steps
