"""JSON whose numbers are exact: what was saved comes back.

JSON knows neither infinity nor "not a number". Where these must come back they are the texts "inf", "-inf" and "nan"
(`plain` writes them, `Extended` reads them); elsewhere they are null (`finite_or_none`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from freefloat.errors import FileError
from freefloat.files import AnyNumber, FilePath, write_text

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
