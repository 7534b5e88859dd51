"""A table of numbers, as a file of a recording holds it: wide, one column per component, its unit in its name.

There is a row for every time at which any channel has a sample, and an empty cell where a channel has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.data.origin import Origin
from freefloat.sensors.channel import Channel
from freefloat.sensors.quantities import TIME

LIMIT_CELLS = 2**28


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Numbers by column, as a file holds them.

    columns: name -> values, shape (n,), and where they are not there at all, shape (n,).
    origin, start_ns: what the file says of itself; None where it says nothing.
    notes: those in the file, and repairs that reading it took.
    """

    columns: dict[str, tuple[Array, NDArray[np.bool_]]]
    origin: Origin | None = None
    start_ns: int | None = None
    notes: tuple[str, ...] = ()


def wide_columns(channels: Iterable[Channel]) -> dict[str, Array]:
    """Time and one column per component, shape (rows,) each; NaN where a channel has no sample."""
    given = tuple(channels)
    t = np.unique(np.concatenate([channel.t for channel in given]))
    columns = {TIME: t}
    for channel in given:
        columns.update(_spread(t, channel))
    return columns


def _spread(t: Array, channel: Channel) -> dict[str, Array]:
    values = np.full((t.size, len(channel.components)), np.nan)
    values[np.searchsorted(t, channel.t)] = channel.values
    return dict(zip(channel.columns, values.T, strict=True))
