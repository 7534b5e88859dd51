"""JSON whose numbers are exact: what was saved comes back.

JSON knows neither infinity nor "not a number". Where these must come back they are the texts "inf", "-inf" and "nan"
(`plain` writes them, `Extended` reads them); elsewhere they are null (`finite_or_none`). Long arrays are texts
(`packed`): as numbers they would take three times the room.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from freefloat.arrays import Array
from freefloat.errors import FileError, FreefloatError
from freefloat.files import AnyNumber, FilePath, Section, write_text

_TEXTS = ("inf", "-inf", "nan")


def save_json(path: FilePath, document: Mapping[str, Any]) -> None:
    """Write plain data, a field a line, and each list or mapping of a list of them; whole or not at all."""
    try:
        lines = [f"{json.dumps(name)}: {_text(value)}" for name, value in document.items()]
    except (TypeError, ValueError) as error:
        raise FileError(path, f"cannot be written: {error}; allowed: text, finite numbers, lists, mappings") from error
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def _text(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list | dict):
        return "[\n  " + ",\n  ".join(json.dumps(each, allow_nan=False, ensure_ascii=False) for each in value) + "\n]"
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def plain(value: Any) -> Any:
    """Dataclasses as mappings, arrays and tuples as lists, texts for numbers that JSON does not know."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else str(float(value))
    return value


def _number(value: object) -> object:
    """A number where the text is one that JSON does not know."""
    return float(value) if isinstance(value, str) and value in _TEXTS else value


Extended = Annotated[AnyNumber, BeforeValidator(_number)]  # a number as `plain` writes it


def finite_or_none(value: float) -> float | None:
    """The number, or None (null) for one that JSON does not know."""
    return float(value) if math.isfinite(value) else None


class PackedSection(Section):
    """An array as text: base64 of zlib of its numbers' bytes, little-endian, all first bytes before all second ones."""

    shape: list[int] = Field(description="a list of whole numbers")
    float64: str = Field(description="packed numbers")


class UnreadableArray(FreefloatError):
    """A text that is no packed array, or one of another shape."""


def packed(values: Array) -> dict[str, Any]:
    """An array of numbers as plain data, exact; bytes of like places are alike, so that they are packed together."""
    flat = np.ascontiguousarray(values, dtype="<f8").view(np.uint8).reshape(-1, 8).T
    return {
        "shape": list(np.shape(values)),
        "float64": base64.b64encode(zlib.compress(flat.tobytes(), 6)).decode(),
    }


def unpacked(section: PackedSection) -> Array:
    """The array that was packed."""
    count = math.prod(section.shape)
    try:
        data = zlib.decompress(base64.b64decode(section.float64, validate=True))
    except (binascii.Error, zlib.error, ValueError) as error:
        raise UnreadableArray("an array cannot be unpacked; allowed: what freefloat packed") from error
    if min(section.shape, default=0) < 0 or len(data) != 8 * count:
        raise UnreadableArray(f"an array of shape {section.shape} has {len(data)} bytes; allowed: {8 * count}")
    flat = np.frombuffer(data, np.uint8).reshape(8, count).T
    return np.ascontiguousarray(flat).view("<f8").astype(np.float64).reshape(section.shape)
