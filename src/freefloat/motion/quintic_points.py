"""Points with given positions and rates, joined by polynomials of degree five.

After M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of
robots", 1992, section 5, where accelerations at the points are zero. How long each interval must last for the
limits' sake is the business of shortest_intervals.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.motion.extremes import Extremes, Index, piecewise_extremes
from freefloat.motion.limits import limits_of
from freefloat.motion.quintic import quintic_basis, quintic_polynomials
from freefloat.motion.shortest_intervals import shortest_intervals
from freefloat.motion.trajectory import Trajectory, increasing, matrix
from freefloat.robot.model import Robot


@dataclass(frozen=True, eq=False)
class QuinticPoints(Trajectory):
    """Quintics from point to point, continuous in position, rate and acceleration.

    coefficients: positions at the points, then rates there, shape (2 points, channels) [rad or m, per s].
    t: when the points are passed, from 0, shape (points,) [s].
    accelerations: at the points, shape (points, channels).
    """

    kind: ClassVar[str] = "quintic-points"

    duration_s: float = field(init=False)
    t: Array
    accelerations: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        t = increasing("t", self.t, fewest=2)
        rows, channels = self.coefficients.shape
        if rows != 2 * t.size:
            raise ShapeError(f"coefficients must be {t.size} positions, then {t.size} rates, found {rows} rows")
        accelerations = matrix("accelerations", self.accelerations, channels, rows=t.size)
        self._keep(t=t, duration_s=float(t[-1]), accelerations=accelerations)

    @classmethod
    def from_points(
        cls,
        channels: Sequence[str],
        t: ArrayLike,
        positions: ArrayLike,
        rates: ArrayLike,
        accelerations: ArrayLike | None = None,
    ) -> Self:
        """Through points at times t, from 0, shape (points,) [s]; each table of shape (points, channels).

        accelerations: zero unless given.
        """
        q, dq = matrix("positions", positions, len(channels)), matrix("rates", rates, len(channels))
        ddq = np.zeros_like(q) if accelerations is None else np.asarray(accelerations, float)
        return cls(tuple(channels), np.vstack([q, dq]), np.asarray(t, float), ddq)

    @classmethod
    def shortest(
        cls,
        robot: Robot,
        channels: Sequence[str],
        positions: ArrayLike,
        rates: ArrayLike,
        accelerations: ArrayLike | None = None,
    ) -> Self:
        """As fast through the points as the robot's limits allow; each table of shape (points, channels)."""
        q, dq = matrix("positions", positions, len(channels)), matrix("rates", rates, len(channels))
        given = np.zeros_like(q) if accelerations is None else accelerations
        ddq = matrix("accelerations", given, len(channels))
        lengths = shortest_intervals(q, dq, ddq, limits_of(robot, channels))
        return cls.from_points(channels, np.concatenate([[0.0], np.cumsum(lengths)]), q, dq, ddq)

    @property
    def passed(self) -> Array:
        """When points are passed without a stop, shape (n,) [s]."""
        return self.t[self.coefficients[self.t.size :].any(axis=1)]

    def _pieces(self, t: Array) -> tuple[Index, Array, Array]:
        """The piece that each time is in, normalised time in it, and its length [s], each of shape (n,)."""
        piece = np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, self.t.size - 2)
        length = np.diff(self.t)[piece]
        return piece, (t - self.t[piece]) / length, length

    def _basis(self, t: Array, order: int) -> Array:
        piece, s, length = self._pieces(t)
        ends, row, points = quintic_basis(s, order, length), np.arange(t.size), self.t.size
        basis = np.zeros((t.size, 2 * points))
        basis[row, piece], basis[row, piece + 1] = ends[:, 0], ends[:, 3]
        basis[row, points + piece], basis[row, points + piece + 1] = ends[:, 1], ends[:, 4]
        return basis

    def _offset(self, t: Array, order: int) -> Array:
        piece, s, length = self._pieces(t)
        ends = quintic_basis(s, order, length)
        return ends[:, 2:3] * self.accelerations[piece] + ends[:, 5:6] * self.accelerations[piece + 1]

    def _settings(self) -> dict[str, Any]:
        given = {"accelerations": self.accelerations.tolist()} if self.accelerations.any() else {}
        return {"t_s": self.t.tolist()} | given

    def extremes(self) -> Extremes:
        """How far, how fast and how hard each channel goes, also between the points."""
        q, dq = np.split(self.coefficients, 2)
        points = np.stack([q, dq, self.accelerations], axis=1)  # (points, 3, channels)
        ends = np.concatenate([points[:-1], points[1:]], axis=1)
        return piecewise_extremes(quintic_polynomials(ends, np.diff(self.t)), self.t)


def telling_instants(motion: Trajectory, count: int) -> Array:
    """Where rows of a motion are taken [s]: at points that it passes without a stop, else at so many even instants."""
    passed = motion.passed if isinstance(motion, QuinticPoints) else np.zeros(0)
    return passed if passed.size > 1 else np.linspace(0.0, motion.duration_s, count)
