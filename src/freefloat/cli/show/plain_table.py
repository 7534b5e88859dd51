"""Tables as all commands show them, and numbers in their cells."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from freefloat.report.words import number


def plain_table() -> Table:
    """A table without lines, to which columns and rows are added."""
    return Table(box=None, header_style="bold", pad_edge=False)


def vector(values: Iterable[float]) -> str:
    """Three numbers in a row."""
    return ", ".join(number(value) for value in values)
