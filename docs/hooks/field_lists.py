"""Docstrings name what goes in as `robot: whose it is. known: what is trusted.`; the reference lists these."""

from __future__ import annotations

import re
from typing import Any

import griffe

_NAMES = r"(?:^|(?<=[.;] ))(?P<names>\w+(?:, \w+)*):(?=\s)"


class FieldLists(griffe.Extension):
    """One item for each parameter or field that a docstring names."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """List the parameters."""
        _list_fields(func, {parameter.name for parameter in func.parameters})

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """List the fields."""
        _list_fields(cls, set(cls.members))


def _list_fields(described: griffe.Object, fields: set[str]) -> None:
    if described.docstring is not None:
        paragraphs = described.docstring.value.split("\n\n")
        described.docstring.value = "\n\n".join(with_list(paragraph, fields) for paragraph in paragraphs)


def with_list(paragraph: str, fields: set[str]) -> str:
    """A paragraph with an item for each of the fields that it explains; as it is if it explains none."""
    if paragraph.startswith("    "):
        return paragraph  # a formula
    starts = [
        match for match in re.finditer(_NAMES, paragraph, re.MULTILINE) if set(match["names"].split(", ")) <= fields
    ]
    if not starts:
        return paragraph
    ends = [match.start() for match in starts[1:]] + [len(paragraph)]
    before = paragraph[: starts[0].start()].strip()
    items = []
    for match, end in zip(starts, ends, strict=True):
        names = ", ".join(f"`{name}`" for name in match["names"].split(", "))
        items.append(f"- {names}: {' '.join(paragraph[match.end() : end].split())}")
    return "\n\n".join(filter(None, [before, "\n".join(items)]))
