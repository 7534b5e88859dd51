"""A channel: what one sensor said, on its own time base."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.files import shown
from freefloat.frozen import Content
from freefloat.sensors.quantities import QUANTITIES, InvalidRecording, column_name, quantity_of


@dataclass(frozen=True, slots=True, eq=False)
class Channel(Content):
    """What one sensor said, on its own time base.

    name: `<quantity>` or `<quantity>.<label>`, such as `gyro` or `gyro.aft`.
    t: time since the start of the recording, strictly increasing, shape (n,) [s].
    values: shape (n, k), or (n,) where there is one component [SI].
    components: names of the k columns: axes, joints or wheels.
    units: the SI unit of each as written in column names (`rad_s`); one text stands for all.
    """

    name: str
    t: Array
    values: Array
    components: tuple[str, ...]
    units: tuple[str, ...] | str

    def __post_init__(self) -> None:
        object.__setattr__(self, "components", tuple(self.components))
        units = (self.units,) * len(self.components) if isinstance(self.units, str) else tuple(self.units)
        object.__setattr__(self, "units", units)
        self._check_names(units)
        t, values = np.array(self.t, float), np.array(self.values, float)
        if values.ndim == 1 and len(self.components) == 1:
            values = values[:, None]
        self._check_shapes(t, values)
        self._check_numbers(t, values)
        for name, array in (("t", t), ("values", values)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def _check_names(self, units: tuple[str, ...]) -> None:
        quantity = QUANTITIES[quantity_of(self.name)]
        if len(set(self.components)) < len(self.components) or "" in self.components:
            raise self._fault(f"components are {_listed(self.components)}; allowed: names that differ")
        axes = quantity.of if quantity.of in ("xyz", "xyzw") else None
        if axes and not set(self.components) <= set(axes):
            raise self._fault(f"components are {_listed(self.components)}; allowed: {', '.join(axes)}")
        if quantity.of == "xyzw" and self.components != tuple("xyzw"):
            raise self._fault(f"components are {_listed(self.components)}; allowed: all of x, y, z, w")
        if len(units) != len(self.components) or not set(units) <= quantity.si_units:
            allowed = " or ".join(sorted(quantity.si_units)) or "none"
            raise self._fault(f"units are {_listed(units)}; allowed: {allowed} for each component")

    def _check_shapes(self, t: Array, values: Array) -> None:
        if t.ndim != 1 or values.shape != (t.size, len(self.components)):
            expected = f"({t.size}, {len(self.components)})" if t.ndim == 1 else "(n, k) with t of shape (n,)"
            raise self._fault(f"values have shape {values.shape}; allowed: {expected}")
        if t.size == 0 or not self.components:
            raise self._fault("there are no samples; allowed: at least one")

    def _check_numbers(self, t: Array, values: Array) -> None:
        if not np.isfinite(t).all():
            raise self._fault(f"the time of sample {_first(~np.isfinite(t))} is not a finite number")
        bad = ~np.isfinite(values)
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            raise self._fault(f"{self.components[column]} of sample {row + 1} is {values[row, column]}")
        backwards = t[1:] <= t[:-1]
        if backwards.any():
            at = int(np.argmax(backwards)) + 1
            raise self._fault(f"sample {at + 1} is at {t[at]} s, after one at {t[at - 1]} s; allowed: increasing time")

    def _fault(self, problem: str) -> InvalidRecording:
        return InvalidRecording(f"channel {shown(self.name)}: {problem}")

    def __len__(self) -> int:
        return int(self.t.size)

    @property
    def quantity(self) -> str:
        """`gyro` of the channel `gyro.aft`."""
        return quantity_of(self.name)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names that its components have as columns of a table."""
        return tuple(map(column_name, [self.name] * len(self.components), self.components, self.units))

    @property
    def interval_s(self) -> float:
        """Median time between samples [s]; infinite for a single sample."""
        return float(np.median(np.diff(self.t))) if len(self) > 1 else float("inf")

    @property
    def rate_Hz(self) -> float:
        """Samples per second, by the median interval; zero for a single sample."""
        return 1.0 / self.interval_s

    def gaps(self, longer_than_s: float | None = None) -> Array:
        """Start and end of every interval without samples, shape (gaps, 2) [s].

        longer_than_s: what counts as one; five median intervals unless given.
        """
        limit = 5.0 * self.interval_s if longer_than_s is None else longer_than_s
        before = np.flatnonzero(np.diff(self.t) > limit)
        return np.stack([self.t[before], self.t[before + 1]], axis=1)

    def of(self, components: Sequence[str]) -> Array:
        """The values of these components in this order, shape (n, len(components)) [SI]."""
        missing = [name for name in components if name not in self.components]
        if missing:
            raise self._fault(f"there is no {missing[0]}; there are: {', '.join(self.components)}")
        return self.values[:, [self.components.index(name) for name in components]]

    def at_rows(self, chosen: slice | ArrayLike) -> Channel:
        """The chosen samples."""
        index = chosen if isinstance(chosen, slice) else np.asarray(chosen)
        return replace(self, t=self.t[index], values=self.values[index])


def _first(mask: Array) -> int:
    return int(np.argmax(mask)) + 1  # people count from one


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
