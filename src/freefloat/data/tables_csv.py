"""CSV: a line of column names, then a line per row, commas between fields, an empty field for no sample.

Numbers are written with as many digits as tell them apart from their neighbours, so that they come back
exactly. Since a file that was cut short can still look well, the last line must end.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.data.table import LIMIT_CELLS, Table, wide_columns
from freefloat.errors import FileError
from freefloat.files import FilePath, shown
from freefloat.sensors.channel import Channel

if TYPE_CHECKING:
    import polars as pl

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def csv_bytes(channels: Iterable[Channel]) -> bytes:
    """The channels of a recording as CSV text."""
    import polars as pl

    target = io.BytesIO()
    pl.DataFrame(wide_columns(channels), nan_to_null=True).write_csv(target)
    return target.getvalue()


def read_csv(path: FilePath, content: bytes, repairs: frozenset[str]) -> Table:
    """The numbers in CSV text; `path` is for messages."""
    head, _, body = content.removeprefix(_BYTE_ORDER_MARK).partition(b"\n")
    names = _header(path, head)
    body, notes = _whole_rows(path, body, len(names), repairs)
    if not body:
        raise FileError(path, "has column names but no rows; allowed: at least one")
    if body.count(b"\n") * len(names) > LIMIT_CELLS:
        raise FileError(path, f"has more than {LIMIT_CELLS:,} cells; allowed: fewer, or a Parquet file")
    frame = _as_text(path, body, len(names))
    columns = {name: _numbers(path, name, frame[:, index]) for index, name in enumerate(names)}
    return Table(columns, notes=notes)


def _header(path: FilePath, head: bytes) -> list[str]:
    try:
        names = next(csv.reader([head.decode("utf-8").rstrip("\r")]), [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(path, "its first line is not UTF-8 text; allowed: column names with commas") from error
    names = [name.strip() for name in names]
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        raise FileError(path, "its columns are separated by semicolons or tabs; allowed: commas")
    if not any(names):
        raise FileError(path, "its first line names no columns; allowed: such as t_s,q_<joint>_rad")
    for name in names:
        if names.count(name) > 1:
            raise FileError(path, f"column {shown(name)} is given twice; allowed: once")
    return names


def _whole_rows(path: FilePath, body: bytes, width: int, repairs: frozenset[str]) -> tuple[bytes, tuple[str, ...]]:
    """The rows, each with as many fields as the header."""
    ended = body.endswith(b"\n") or not body
    body = body.rstrip(b"\r\n") + b"\n" if body.strip(b"\r\n") else b""
    fields = _field_counts(body)
    cut = fields.size > 0 and (not ended or fields[-1] < width)
    if cut and "drop-last" in repairs:
        body, fields = body[: body.rstrip(b"\n").rfind(b"\n") + 1], fields[:-1]
    uneven = np.flatnonzero(fields != width)
    if uneven.size:
        row = int(uneven[0])
        short = row == fields.size - 1 and fields[row] < width
        advice = "; the file may be cut short (repair drop-last)" if short else ""
        raise FileError(path, f"row {row + 1} has {fields[row]} of {width} fields; allowed: as named{advice}")
    if cut and "drop-last" not in repairs:
        raise FileError(
            path,
            f"row {fields.size} does not end with a line end and may be cut short; "
            "allowed: a whole file, or the repair drop-last",
        )
    return body, ("drop-last: left out the last row, which was cut short",) if cut else ()


def _field_counts(body: bytes) -> NDArray[np.int64]:
    """Fields per line. A number holds no comma, so quotes need no thought."""
    text = np.frombuffer(body, np.uint8)
    ends, commas = np.flatnonzero(text == ord("\n")), np.flatnonzero(text == ord(","))
    return np.diff(np.searchsorted(commas, ends), prepend=0) + 1


def _as_text(path: FilePath, body: bytes, width: int) -> pl.DataFrame:
    import polars as pl

    try:
        frame = pl.read_csv(io.BytesIO(body), has_header=False, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise FileError(path, "is not well-formed CSV text in UTF-8") from error
    if frame.width != width:  # pragma: no cover - the counts above say so already
        raise FileError(path, f"has {frame.width} columns of numbers under {width} names")
    return frame


def _numbers(path: FilePath, name: str, text: pl.Series) -> tuple[Array, NDArray[np.bool_]]:
    import polars as pl

    empty = text.is_null().to_numpy()
    numbers = text.cast(pl.Float64, strict=False)
    if numbers.null_count() > int(empty.sum()):  # spaces around numbers are rare, so they are met only here
        stripped = text.str.strip_chars()
        empty = (text.is_null() | (stripped == "").fill_null(False)).to_numpy()
        numbers = stripped.cast(pl.Float64, strict=False)
    wrong = numbers.is_null().to_numpy() & ~empty
    if wrong.any():
        row = int(np.argmax(wrong))
        raise FileError(path, f"column {name!r}, row {row + 1}: is {shown(text[row])}; allowed: a number")
    return numbers.fill_null(0.0).to_numpy(), empty
