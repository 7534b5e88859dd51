"""Files of tables, Parquet or CSV by their ending: from the file to the numbers, and back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from freefloat.data.origin import Origin
from freefloat.data.table import Table
from freefloat.errors import FileError
from freefloat.files import FilePath, write_bytes
from freefloat.sensors.channel import Channel

TABLES = (".parquet", ".csv")


def table_of(path: FilePath, content: bytes, repairs: frozenset[str]) -> Table:
    """The table that the bytes of a file hold; `path` says of which kind, and is for messages."""
    if check_ending(path) == ".csv":
        from freefloat.data.tables_csv import read_csv as read
    else:
        from freefloat.data.tables_parquet import read_parquet as read
    return read(path, content, repairs)


def write_table(
    path: FilePath, channels: Sequence[Channel], origin: Origin, start_ns: int | None, notes: Sequence[str]
) -> None:
    """Write the channels of a recording, and in Parquet what is known of it, whole or not at all."""
    if check_ending(path) == ".csv":
        from freefloat.data.tables_csv import csv_bytes

        content = csv_bytes(channels)
    else:
        from freefloat.data.tables_parquet import parquet_bytes

        content = parquet_bytes(channels, origin, start_ns, notes)
    write_bytes(path, content)


def check_ending(path: FilePath) -> str:
    """The ending of the name, refused unless it is that of a table."""
    suffix = Path(os.fspath(path)).suffix.lower()
    if suffix not in TABLES:
        raise FileError(path, f"ends in {suffix!r}; allowed: .parquet or .csv")
    return suffix
