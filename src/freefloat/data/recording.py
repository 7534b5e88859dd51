"""A recording: named channels with units, each on its own time base, and where they came from.

Simulated and real recordings are the same thing. The names and units of channels, and the columns that they
become in a file, are listed in `sensors/quantities.py`; `load.py` reads recordings back, and bags.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from freefloat.data.origin import Origin
from freefloat.data.table_file import write_table
from freefloat.files import FilePath, shown
from freefloat.frozen import Content, FrozenMapping
from freefloat.sensors.channel import Channel
from freefloat.sensors.quantities import InvalidRecording


@dataclass(frozen=True, eq=False)
class Recording(Content):
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
        object.__setattr__(self, "channels", FrozenMapping(by_name))
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

    def save(self, path: FilePath) -> None:
        """Write a `.parquet` or `.csv` file, whole or not at all; `load_recording` reads it back.

        Parquet keeps all there is, exactly; CSV the numbers alone.
        """
        write_table(path, tuple(self), self.origin, self.start_ns, self.notes)
