"""Recordings as tables: one file, Parquet or CSV, one column per component, its unit in its name.

The table is wide: a row for every time at which any channel has a sample, and an empty cell where a channel
has none. Channels at different rates thus share a file, and their time stamps come back as they were. Parquet
keeps all there is, exactly, with origin, units and a checksum; CSV keeps the numbers, in as many digits as it
takes to tell them apart, and nothing else.

    recording = load_recording("flight.csv", repair=("sort", "drop-duplicates"))
    recording.save("flight.parquet")

What is wrong with a file is one sentence with the column and the row (counted from one, below the header).
Repairs are those of `repair.py`. A gap is no fault, for sensors do drop out: it is said in the
recording's notes, and refused only where `max_gap_s` says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.data.origin import Origin
from freefloat.data.recording import Recording
from freefloat.data.repair import RawChannel, check_gaps, check_repairs, mend
from freefloat.data.table import Table
from freefloat.data.table_file import check_ending, table_of
from freefloat.errors import FileError
from freefloat.files import FilePath, read_bytes, shown
from freefloat.sensors.quantities import QUANTITIES, TIME, Column, InvalidRecording, parse_column, quantity_of

LIMIT_BYTES = 2 * 2**30  # an hour of 50 columns at 1 kHz is 1.4 GB before compression


def read_tables(path: FilePath, repair: Iterable[str] = (), max_gap_s: float | None = None) -> Recording:
    """The recording of a `.parquet` or `.csv` file, as `load_recording` says."""
    repairs = check_repairs(repair)
    check_ending(path)
    content = read_bytes(path, LIMIT_BYTES)
    if not content:
        raise FileError(path, "is empty; allowed: a table with a column t_s")
    table = table_of(path, content, repairs)
    recording = _recording(path, table, repairs, max_gap_s)
    if table.origin is not None:
        return recording
    name = Path(path).name
    origin = Origin(file=name, hashes={name: hashlib.sha256(content).hexdigest()})
    return replace(recording, origin=origin)


def _recording(path: FilePath, table: Table, repairs: frozenset[str], max_gap_s: float | None) -> Recording:
    parsed, notes = _parse_names(path, table, repairs)
    t, rows, lost = _times(path, table, repairs)
    notes = (*table.notes, *notes, *lost)
    channels = []
    for name in dict.fromkeys(column.channel for column in parsed.values()):
        raw = _raw_channel(path, table, name, parsed, t, rows)
        channel, mended = mend(raw, repairs)
        channels.append(channel)
        notes = (*notes, *mended, *check_gaps(path, channel, max_gap_s))
    once = tuple(dict.fromkeys(notes))  # a gap may have been noted when the file was written
    return Recording({each.name: each for each in channels}, table.origin or Origin(), table.start_ns, once)


def _parse_names(path: FilePath, table: Table, repairs: frozenset[str]) -> tuple[dict[str, Column], tuple[str, ...]]:
    """What every column but the time is, in the order of the file."""
    if TIME not in table.columns:
        found = ", ".join(map(shown, list(table.columns)[:8]))
        raise FileError(path, f"has no column {TIME}, the time in seconds; it has: {found or 'none'}")
    parsed: dict[str, Column] = {}
    unknown: list[str] = []
    for name in table.columns:
        try:
            if name != TIME:
                parsed[name] = parse_column(name)
        except InvalidRecording as error:
            if "drop-unknown" not in repairs:
                raise FileError(path, f"{error} (or the repair drop-unknown)") from error
            unknown.append(name)
    _check_components(path, parsed)
    return parsed, (f"drop-unknown: left out {', '.join(map(shown, unknown))}",) if unknown else ()


def _check_components(path: FilePath, parsed: dict[str, Column]) -> None:
    if not parsed:
        raise FileError(path, f"has no column beside {TIME}; allowed: such as q_<joint>_rad, gyro_x_rad_s")
    first: dict[tuple[str, str], str] = {}
    for name, column in parsed.items():
        same = first.setdefault((column.channel, column.component), name)
        if same != name:
            raise FileError(path, f"columns {same!r} and {name!r} are the same quantity; allowed: one of them")
    for channel, _ in first:
        if QUANTITIES[quantity_of(channel)].of == "xyzw":
            missing = [f"{channel}_{axis}" for axis in "xyzw" if (channel, axis) not in first]
            if missing:
                raise FileError(path, f"has no column {missing[0]!r}; allowed: all four of a quaternion")


def _times(path: FilePath, table: Table, repairs: frozenset[str]) -> tuple[Array, NDArray[np.bool_], tuple[str, ...]]:
    """All time stamps, the rows that have one, and what was left out."""
    t, empty = table.columns[TIME]
    if not t.size:
        raise FileError(path, "has column names but no rows; allowed: at least one")
    bad = empty | ~np.isfinite(t)
    if not bad.any():
        return t, ~bad, ()
    if "drop-nan" in repairs:
        return t, ~bad, (f"drop-nan: left out {int(bad.sum()):,} rows without a time",)
    row = int(np.argmax(bad))
    found = "empty" if empty[row] else str(t[row])
    raise FileError(
        path, f"column {TIME!r}, row {row + 1}: is {found}; allowed: a finite number, or the repair drop-nan"
    )


def _raw_channel(
    path: FilePath, table: Table, name: str, parsed: dict[str, Column], t: Array, timed: NDArray[np.bool_]
) -> RawChannel:
    """The samples of one channel: the rows in which any of its components is given."""
    of = {column.component: (label, column) for label, column in parsed.items() if column.channel == name}
    if QUANTITIES[quantity_of(name)].of in ("xyz", "xyzw"):
        of = dict(sorted(of.items(), key=lambda item: "xyzw".index(item[0])))
    empty = np.stack([table.columns[label][1] for label, _ in of.values()], axis=1)
    rows = np.flatnonzero(timed & ~empty.all(axis=1))
    values = [table.columns[label][0][rows] * column.factor for label, column in of.values()]
    return RawChannel(
        path=path,
        name=name,
        columns=tuple(label for label, _ in of.values()),
        components=tuple(of),
        units=tuple(column.unit for _, column in of.values()),
        t=t[rows],
        values=np.stack(values, axis=1),
        rows=rows + 1,
        empty=empty[rows],
    )
