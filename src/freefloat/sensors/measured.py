"""What one sensor said of the base, at its own instants, as estimators compare it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.frozen import Content

BASE_CLOCK = "base"  # of readings whose sensor nobody named

Response = tuple[tuple[float, float], ...]  # delays [s] and weights, which sum to one
INSTANT: Response = ((0.0, 1.0),)


@dataclass(frozen=True, slots=True, eq=False)
class Measured(Content):
    """Readings of one quantity.

    t: time stamps by the sensor's own clock, shape (n,) [s]. values: shape (n, width), in base axes where the quantity
    has any of its own; attitudes as quaternions. sd: of a reading's white noise, shape (k,) [SI]; of an attitude, of a
    rotation vector in base axes [rad]. walk: random walk of its errors after one second, shape (k,).
    clock: name of the clock; readings with the same name share one.
    arm: where on the base it was measured, base axes, shape (3,) [m], as far as a prediction must know.
    taken_by: angular rates by which readings at `arm` were taken to the base's origin, shape (n, 3); None if they were
    not, or are of the origin.
    response: delays [s] and weights of the instants that a reading is the mean of; a delay is how long before the
    instant that its stamp says.
    own_axes: the sensor's axes as columns, in base axes, shape (3, 3): errors of its scales are along these, and
    mistakes in the names and signs of its readings.
    louder: how much larger the noise of each reading is than that of most, shape (n, k); None if it is not.
    guessed: whether nobody said the noise, and sd is but a start for weighing readings by what a model leaves of them.
    by_change: of what is read by how fast it changes, which of the values count by that and which as they are, shape
    (n,); None for what is read as it is.
    """

    t: Array
    values: Array
    sd: Array
    walk: Array = field(default_factory=lambda: np.zeros(3))
    clock: str = BASE_CLOCK
    arm: Array = field(default_factory=lambda: np.zeros(3))
    taken_by: Array | None = None
    response: Response = INSTANT
    by_change: NDArray[np.bool_] | None = None
    own_axes: Array = field(default_factory=lambda: np.eye(3))
    louder: Array | None = None
    guessed: bool = False

    def thinned(self, every: int) -> Self:
        """Every so many of the readings."""
        return self._at(slice(None, None, every))

    def since(self, start_s: float) -> Self:
        """The readings from an instant on [s]."""
        return self._at(slice(int(np.searchsorted(self.t, start_s)), None))

    def _at(self, rows: slice) -> Self:
        kept = {name: getattr(self, name) for name in ("t", "values", "taken_by", "by_change", "louder")}
        return replace(self, **{name: array[rows] for name, array in kept.items() if array is not None})


def span_of(measured: Mapping[str, Measured]) -> tuple[float, float]:
    """From the first reading of any sensor to the last, by their own clocks [s]."""
    return min(float(each.t[0]) for each in measured.values()), max(float(each.t[-1]) for each in measured.values())
