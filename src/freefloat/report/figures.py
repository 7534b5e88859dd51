"""Figures as plain data for plotly.js: arrays packed as base64, colours by the names that the page gives them.

A colour is the name of a property of the page's style sheet, such as `--c1`: the page puts in what it stands for, in
light and dark.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.robot.transform import Array

COLOURS = ("--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8")
MOST_POINTS = 1400  # of a line: more than there are pixels


@dataclass(frozen=True, slots=True)
class Figure:
    """name: of its place in the page. traces, layout: as plotly.js takes them. height: in pixels."""

    name: str
    traces: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]
    height: int = 320

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return {"data": list(self.traces), "layout": {**self.layout, "height": self.height}}


def packed(values: ArrayLike, dtype: str = "f4") -> dict[str, str]:
    """An array of any length as plotly.js reads it; f4, i4 or u1."""
    flat = np.ascontiguousarray(values, dtype=f"<{dtype}")
    return {"dtype": dtype, "bdata": base64.b64encode(flat.tobytes()).decode()}


def thinned(t: Array, y: Array, most: int = MOST_POINTS) -> tuple[Array, Array]:
    """A line of shape (n,) with no more than so many points: lowest and highest of each stretch of it."""
    if t.size <= most:
        return t, y
    stretch = -(-t.size // (most // 2))
    whole = t.size // stretch * stretch
    rows, first = y[:whole].reshape(-1, stretch), np.arange(0, whole, stretch)
    chosen = np.unique(np.concatenate([first + rows.argmin(axis=1), first + rows.argmax(axis=1), [t.size - 1]]))
    return t[chosen], y[chosen]


def line(x: Array, y: Array, name: str, colour: str, **more: Any) -> dict[str, Any]:
    """A line, thinned."""
    x, y = thinned(x, y)
    style = {"color": colour, "width": more.pop("width", 1.4), "dash": more.pop("dash", "solid")}
    return {"type": "scatter", "mode": "lines", "x": packed(x), "y": packed(y), "name": name, "line": style, **more}


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis with a title."""
    return {"title": {"text": title}, **more}


def names_axis() -> dict[str, Any]:
    """An axis of many names."""
    return {"tickangle": -60, "tickfont": {"size": 10}, "showgrid": False}


def level(y: float, axis_name: str = "y", colour: str = "--limit", dash: str = "dash") -> dict[str, Any]:
    """A horizontal line across a figure, as a shape of its layout."""
    style = {"color": colour, "width": 1, "dash": dash}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": axis_name, "y0": y, "y1": y, "line": style}
