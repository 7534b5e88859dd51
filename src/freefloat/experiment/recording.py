"""A recording: named channels with units, each on its own time base, and where they came from.

Simulated and real recordings are the same thing. The names and units of channels, and the columns that they
become in a file, are listed in `recording_columns.py`; `tables.py` reads and writes them, `bags.py` reads bags.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from freefloat.experiment.recording_columns import QUANTITIES, InvalidRecording, column_name, quantity_of
from freefloat.files import shown
from freefloat.robot.transform import Array

__all__ = ["Channel", "InvalidRecording", "Origin", "Recording"]


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
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


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a recording came from.

    kind: simulated, or recorded: brought in from a file that does not say otherwise.
    file: the file it was first read from.
    hashes: SHA-256 of everything that went into it, by name (a file; mission, robot).
    seed, run: of the random draws of a simulation. mission: its name.
    made_by: program and version. command: the motion that was commanded, as `Trajectory.document` gives it.
    """

    kind: Literal["simulated", "recorded"] = "recorded"
    file: str | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    run: int | None = None
    mission: str | None = None
    made_by: str | None = None
    command: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "hashes", MappingProxyType(dict(self.hashes)))


@dataclass(frozen=True, eq=False)
class Recording:
    """Channels by name, and where they came from.

    channels: given as a sequence of channels (or a mapping, whose names are the channels' own).
    start_ns: what t = 0 is, in nanoseconds since 1970 (UTC); None if nobody knows.
    notes: sentences about it, such as what was repaired when it was read.
    """

    channels: Mapping[str, Channel]
    origin: Origin = field(default_factory=Origin)
    start_ns: int | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = self.channels.values() if isinstance(self.channels, Mapping) else tuple(self.channels)
        by_name: dict[str, Channel] = {}
        for channel in given:
            if channel.name in by_name:
                raise InvalidRecording(
                    f"channel {shown(channel.name)} is given twice; allowed: once, or with labels that differ"
                )
            by_name[channel.name] = channel
        if not by_name:
            raise InvalidRecording("a recording needs at least one channel")
        object.__setattr__(self, "channels", MappingProxyType(by_name))
        object.__setattr__(self, "notes", tuple(self.notes))

    def __repr__(self) -> str:
        listed = ", ".join(f"{each.name} {' × '.join(map(str, each.values.shape))}" for each in self)
        return f"<Recording, {self.origin.kind}: {listed}>"

    def __iter__(self) -> Iterator[Channel]:
        return iter(self.channels.values())

    def __getitem__(self, name: str) -> Channel:
        """The channel of this name, or one sentence listing those there are."""
        if name not in self.channels:
            raise InvalidRecording(f"there is no channel {shown(name)}; there are: {', '.join(self.channels)}")
        return self.channels[name]

    def __contains__(self, name: str) -> bool:
        return name in self.channels

    def of_quantity(self, quantity: str) -> tuple[Channel, ...]:
        """All channels of one quantity, whatever their labels."""
        return tuple(channel for channel in self if channel.quantity == quantity)

    @property
    def span_s(self) -> tuple[float, float]:
        """Time of the first and of the last sample of any channel [s]."""
        return min(float(each.t[0]) for each in self), max(float(each.t[-1]) for each in self)

    @cached_property
    def sha256(self) -> str:
        """Of all channels, whatever file they came from."""
        digest = hashlib.sha256()
        for channel in sorted(self, key=lambda each: each.name):
            digest.update(f"{channel.name} {' '.join(channel.columns)} ".encode())
            for array in (channel.t, channel.values):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def replaced(self, *channels: Channel, note: str | None = None) -> Recording:
        """The same recording with these channels instead of their namesakes, or beside the others."""
        named = {channel.name: channel for channel in channels}
        notes = self.notes if note is None else (*self.notes, note)
        return replace(self, channels={**self.channels, **named}, notes=notes)
