"""Wide tables know the heading of every cell, so that a narrow screen can show each row as a card (docs/site.css)."""

from __future__ import annotations

import re
from typing import Any

_WIDE = 4  # columns from which a table does not fit a telephone
_TABLE = re.compile(r"<table>\s*<thead>(.*?)</thead>(.*?)</table>", re.DOTALL)
_HEADING = re.compile(r"<th[^>]*>(.*?)</th>", re.DOTALL)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)


def on_page_content(content: str, **_: Any) -> str:
    """A page whose wide tables are marked, with `data-heading` in every cell."""
    return _TABLE.sub(_marked, content)


def _marked(table: re.Match[str]) -> str:
    headings = [re.sub(r"<[^>]+>", "", heading).strip() for heading in _HEADING.findall(table[1])]
    if len(headings) < _WIDE:
        return table[0]
    rows = _ROW.sub(lambda row: _named(row[0], headings), table[2])
    return f"<table data-cards><thead>{table[1]}</thead>{rows}</table>"


def _named(row: str, headings: list[str]) -> str:
    """A row whose cells say their headings."""
    left = iter(headings)
    return re.sub(r"<td(?=[ >])", lambda _: f'<td data-heading="{next(left)}"', row)
