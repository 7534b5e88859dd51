"""Parquet: the wide table with, in the file's own key-value metadata, origin, units and a checksum.

The checksum covers every byte before the footer, that is all of the data, and is compared before anything is
decoded: a bit that has fallen over is one sentence, not a slightly different experiment. Parquet files from
elsewhere, without this metadata, are read by the names of their columns.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from freefloat.arrays import Array
from freefloat.data.origin import Origin
from freefloat.data.table import LIMIT_CELLS, Table, wide_columns
from freefloat.errors import FileError
from freefloat.files import FilePath, Section, YamlDocument, check_format, validate
from freefloat.sensors.channel import Channel

if TYPE_CHECKING:
    import polars as pl

FORMAT = "freefloat/recording@1"
_KEY = "freefloat"
_MAGIC = b"PAR1"
_DAMAGED = "is not a whole Parquet file: it is cut short, damaged or of another kind"

Whole = Annotated[int, Field(ge=0, strict=True)]


class OriginSection(Section):
    """Where a recording came from."""

    kind: Literal["simulated", "recorded"] = Field(description="simulated or recorded")
    file: str | None = None
    hashes: dict[str, str] = Field(default_factory=dict)
    seed: Whole | None = None
    run: Whole | None = None
    mission: str | None = None
    made_by: str | None = None
    command: dict[str, Any] | None = None


class AboutSection(Section):
    """What a Parquet file says of the recording in it."""

    format: Literal["freefloat/recording@1"] = Field(description=FORMAT)
    origin: OriginSection = Field(description="a mapping with kind, file, hashes, seed, run, mission")
    start_ns: int | None = None
    notes: list[str] = Field(default_factory=list)
    units: dict[str, str] = Field(default_factory=dict)
    checksum: str | None = None


def parquet_bytes(
    channels: Sequence[Channel], origin: Origin, start_ns: int | None = None, notes: Sequence[str] = ()
) -> bytes:
    """The channels of a recording, and what is known of it, as a Parquet file."""
    import polars as pl

    frame = pl.DataFrame(wide_columns(channels), nan_to_null=True)
    about = _about(channels, origin, start_ns, notes)
    data = _data_part(_encode(frame, about))
    content = _encode(frame, {**about, "checksum": hashlib.sha256(data).hexdigest()})
    if _data_part(content) != data:  # pragma: no cover - only if polars encoded the same data in two ways
        content = _encode(frame, about)
    return content


def _encode(frame: pl.DataFrame, about: dict[str, Any]) -> bytes:
    target = io.BytesIO()
    frame.write_parquet(target, compression="zstd", metadata={_KEY: json.dumps(about)})
    return target.getvalue()


def _about(channels: Sequence[Channel], origin: Origin, start_ns: int | None, notes: Sequence[str]) -> dict[str, Any]:
    named = {name: getattr(origin, name) for name in OriginSection.model_fields}
    units = {column: unit for each in channels for column, unit in zip(each.columns, each.units, strict=True)}
    return {
        "format": FORMAT,
        "origin": {**named, "hashes": dict(origin.hashes)},
        "start_ns": start_ns,
        "notes": list(notes),
        "units": units,
    }


def _data_part(content: bytes) -> bytes:
    """All bytes before the footer, whose length stands before the last four."""
    footer = int.from_bytes(content[-8:-4], "little")
    return content[: max(0, len(content) - 8 - footer)]


# ---------------------------------------------------------------------- reading


def read_parquet(path: FilePath, content: bytes, repairs: frozenset[str]) -> Table:
    """The numbers in a Parquet file, and what it says of them; `path` is for messages."""
    if not (len(content) > 12 and content.startswith(_MAGIC) and content.endswith(_MAGIC)):
        raise FileError(path, _DAMAGED)
    about = _read_about(path, content)
    if about is not None and about.checksum not in (None, hashlib.sha256(_data_part(content)).hexdigest()):
        raise FileError(path, "is damaged: its data do not have the checksum that it gives for them")
    frame = _read_frame(path, content)
    columns = {name: _numbers(path, frame[name]) for name in frame.columns}
    if about is None:
        return Table(columns)
    _check_units(path, about.units, columns)
    origin = Origin(**about.origin.model_dump())
    return Table(columns, origin=origin, start_ns=about.start_ns, notes=tuple(about.notes))


def _read_about(path: FilePath, content: bytes) -> AboutSection | None:
    import polars as pl

    try:
        text = pl.read_parquet_metadata(io.BytesIO(content)).get(_KEY)
        data = json.loads(text) if text is not None else None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError) as error:
        raise FileError(path, _DAMAGED) from error
    if data is None:
        return None
    if not isinstance(data, dict):
        raise FileError(path, f"its metadata {_KEY!r} are not a mapping; allowed: those of {FORMAT}")
    document = YamlDocument(path, data)
    check_format(document, "recording")
    return validate(AboutSection, document)


def _check_units(path: FilePath, units: dict[str, str], columns: Iterable[str]) -> None:
    """Refuse a table that somebody has changed under the metadata that describe it."""
    for name, unit in units.items():
        if name not in columns:
            raise FileError(path, f"has no column {name!r}, which its metadata describe")
        if not name.endswith(unit):
            raise FileError(path, f"column {name!r} is in {unit!r} by its metadata; allowed: as its name says")


def _read_frame(path: FilePath, content: bytes) -> pl.DataFrame:
    import polars as pl

    try:
        lazy = pl.scan_parquet(io.BytesIO(content))
        rows = int(lazy.select(pl.len()).collect().item())  # from the footer alone
        if rows * len(lazy.collect_schema()) > LIMIT_CELLS:
            raise FileError(path, f"has {rows:,} rows; allowed: at most {LIMIT_CELLS:,} cells")
        return lazy.collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise FileError(path, _DAMAGED) from error


def _numbers(path: FilePath, column: pl.Series) -> tuple[Array, NDArray[np.bool_]]:
    import polars as pl

    if not (column.dtype.is_numeric() or column.dtype == pl.Null):
        raise FileError(path, f"column {column.name!r} holds {column.dtype}; allowed: numbers")
    empty = column.is_null().to_numpy()
    return column.cast(pl.Float64).fill_null(0.0).to_numpy(), empty
