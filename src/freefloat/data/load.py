"""A recording from a file: a table, or with a mapping a bag."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from freefloat.data.bag_mapping import BagMapping
from freefloat.data.bags import SUFFIXES, read_bag
from freefloat.data.recording import Recording
from freefloat.data.table_file import TABLES
from freefloat.data.tables import read_tables
from freefloat.errors import FileError
from freefloat.files import FilePath


def load_recording(
    path: FilePath, mapping: BagMapping | None = None, *, repair: Iterable[str] = (), max_gap_s: float | None = None
) -> Recording:
    """Read a recording from a `.parquet` or `.csv` file, an MCAP file, or the folder or file of a ROS 2 bag.

    mapping: for bags, which topic is what (`load_bag_mapping`).
    repair: names of repairs that are wanted where they are needed.
    max_gap_s: the longest time without a sample that a channel may have [s]; None for any.
    """
    if mapping is not None:
        return read_bag(path, mapping, repair, max_gap_s)
    if _is_bag(path):
        raise FileError(path, "is not a table; allowed: a .parquet or .csv file, or a bag with a bag mapping")
    return read_tables(path, repair, max_gap_s)


def _is_bag(path: FilePath) -> bool:
    """Whether a path is that of a bag, by its ending, or of a folder without one."""
    suffix = Path(os.fspath(path)).suffix.lower()
    return suffix in SUFFIXES or (suffix not in TABLES and os.path.isdir(path))
