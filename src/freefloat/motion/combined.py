"""Trajectories of different channels flown at the same time: an arm on one shape, wheels on another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import block_diag

from freefloat.arrays import Array
from freefloat.motion.extremes import Extremes, side_by_side
from freefloat.motion.trajectory import FORMAT, InvalidTrajectory, Motion, Trajectory, matrix

_ROUNDING = 1e-9  # of the duration


@dataclass(frozen=True, eq=False)
class Combined(Trajectory):
    """Several trajectories of equal duration, no channel in two of them.

    coefficients: those of the parts, in blocks on the diagonal; what is beside the blocks stays zero.
    """

    kind: ClassVar[str] = "combined"

    channels: tuple[str, ...] = field(init=False)
    coefficients: Array = field(init=False)
    duration_s: float = field(init=False)
    parts: tuple[Trajectory, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise InvalidTrajectory("parts are none; allowed: one or more trajectories")
        durations = [part.duration_s for part in self.parts]
        if max(durations) - min(durations) > _ROUNDING * max(durations):
            listed = ", ".join(f"{each:g}" for each in durations)
            raise InvalidTrajectory(f"parts last {listed} s; allowed: one duration")
        self._keep(
            parts=tuple(self.parts),
            channels=tuple(name for part in self.parts for name in part.channels),
            coefficients=block_diag(*(part.coefficients for part in self.parts)),
            duration_s=min(durations),
        )
        super().__post_init__()

    def evaluate(self, t: ArrayLike) -> Motion:
        """The motion at times t, shape (n,) [s]."""
        times = self.instants(t)
        motions = [part.evaluate(times) for part in self.parts]
        return Motion(
            times,
            np.hstack([motion.position for motion in motions]),
            np.hstack([motion.rate for motion in motions]),
            np.hstack([motion.acceleration for motion in motions]),
        )

    def with_coefficients(self, coefficients: ArrayLike) -> Self:
        """The same parts with other coefficients, shape (k, channels), zero beside their blocks."""
        values = matrix("coefficients", coefficients, len(self.channels), rows=self.coefficients.shape[0])
        shapes = np.array([part.coefficients.shape for part in self.parts])
        blocks = [
            values[bottom - rows : bottom, right - columns : right]
            for (bottom, right), (rows, columns) in zip(shapes.cumsum(axis=0), shapes, strict=True)
        ]
        if not np.array_equal(block_diag(*blocks), values):
            raise InvalidTrajectory("coefficients beside the parts' blocks are not zero; allowed: zero")
        pairs = zip(self.parts, blocks, strict=True)
        return type(self)(tuple(part.with_coefficients(block) for part, block in pairs))

    def _basis(self, t: Array, order: int) -> Array:
        return np.hstack([part._basis(t, order) for part in self.parts])

    def _offset(self, t: Array, order: int) -> Array:
        return np.hstack([part._offset(t, order) for part in self.parts])

    def _settings(self) -> dict[str, Any]:
        return {}

    def extremes(self) -> Extremes:
        """How far, how fast and how hard each channel goes, also between samples."""
        return side_by_side([part.extremes() for part in self.parts])

    def document(self) -> dict[str, Any]:
        """The parts as plain data (also for JSON), exact."""
        return {"format": FORMAT, "kind": self.kind, "parts": [part.document() for part in self.parts]}
