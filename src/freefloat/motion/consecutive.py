"""Trajectories of the same channels flown one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.motion.extremes import Extremes
from freefloat.motion.trajectory import FORMAT, InvalidTrajectory, Trajectory, matrix

_JUMP = 1e-6  # [rad or m, per s, per s^2]: what files and rounding leave between the end of a part and the next start


@dataclass(frozen=True, eq=False)
class Consecutive(Trajectory):
    """Several trajectories of the same channels, each beginning as the one before ended.

    coefficients: those of the parts, one below the other.
    """

    kind: ClassVar[str] = "consecutive"

    channels: tuple[str, ...] = field(init=False)
    coefficients: Array = field(init=False)
    duration_s: float = field(init=False)
    parts: tuple[Trajectory, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise InvalidTrajectory("parts are none; allowed: one or more trajectories")
        first = self.parts[0].channels
        for part in self.parts[1:]:
            if part.channels != first:
                raise InvalidTrajectory(
                    f"parts move {', '.join(first)} and {', '.join(part.channels)}; allowed: the same"
                )
        for number, (one, other) in enumerate(zip(self.parts, self.parts[1:], strict=False), start=1):
            _refuse_jump(number, one, other)
        self._keep(
            parts=tuple(self.parts),
            channels=first,
            coefficients=np.vstack([part.coefficients for part in self.parts]),
            duration_s=float(self._starts[-1]),
        )
        super().__post_init__()

    @property
    def _starts(self) -> Array:
        """When each part begins, and when the last ends, shape (parts + 1,) [s]."""
        return np.concatenate([[0.0], np.cumsum([part.duration_s for part in self.parts])])

    def with_coefficients(self, coefficients: ArrayLike) -> Self:
        """The same parts with other coefficients, shape (k, channels)."""
        values = matrix("coefficients", coefficients, len(self.channels), rows=self.coefficients.shape[0])
        ends = np.cumsum([part.coefficients.shape[0] for part in self.parts])[:-1]
        pairs = zip(self.parts, np.split(values, ends), strict=True)
        return type(self)(tuple(part.with_coefficients(rows) for part, rows in pairs))

    def _basis(self, t: Array, order: int) -> Array:
        found, column = np.zeros((t.size, self.coefficients.shape[0])), 0
        for part, own, since in self._shared(t):
            rows = part.coefficients.shape[0]
            found[own, column : column + rows] = part._basis(since, order)
            column += rows
        return found

    def _offset(self, t: Array, order: int) -> Array:
        found = np.zeros((t.size, len(self.channels)))
        for part, own, since in self._shared(t):
            found[own] = part._offset(since, order)
        return found

    def _shared(self, t: Array) -> list[tuple[Trajectory, Any, Array]]:
        """Each part, which of the times are its own, and these since its start [s]."""
        starts = self._starts
        owner = np.clip(np.searchsorted(starts, t, side="right") - 1, 0, len(self.parts) - 1)
        every = enumerate(self.parts)
        return [(part, owner == k, np.clip(t[owner == k] - starts[k], 0.0, part.duration_s)) for k, part in every]

    def _settings(self) -> dict[str, Any]:
        return {}

    def extremes(self) -> Extremes:
        """How far, how fast and how hard each channel goes, also between samples."""
        found, starts = [part.extremes() for part in self.parts], self._starts
        farthest: dict[str, Array] = {}
        for name in (each.name for each in fields(Extremes) if not each.name.endswith("_at")):
            values = np.stack([getattr(each, name) for each in found])
            best = values.argmin(axis=0) if name == "lowest" else values.argmax(axis=0)
            times = np.stack([getattr(each, f"{name}_at") + start for each, start in zip(found, starts, strict=False)])
            columns = np.arange(values.shape[1])
            farthest |= {name: values[best, columns], f"{name}_at": times[best, columns]}
        return Extremes(**farthest)

    def document(self) -> dict[str, Any]:
        """The parts as plain data (also for JSON), exact."""
        return {"format": FORMAT, "kind": self.kind, "parts": [part.document() for part in self.parts]}


def _refuse_jump(number: int, one: Trajectory, other: Trajectory) -> None:
    end, start = one.evaluate([one.duration_s]), other.evaluate([0.0])
    for what in ("position", "rate", "acceleration"):
        away = np.abs(getattr(end, what) - getattr(start, what))[0]
        if away.max() > _JUMP:
            name = one.channels[int(np.argmax(away))]
            raise InvalidTrajectory(
                f"{what} of {name} jumps by {away.max():.3g} between parts {number} and {number + 1}; allowed: parts "
                "that begin as the one before ends"
            )
