"""Figures as plain data for plotly.js: arrays packed as base64, colours by the names that the page gives them.

A colour is the name of a property of the page's style sheet, such as `--c1`: the page puts in what it stands for, in
light and dark.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.errors import FreefloatError

COLOURS = ("--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MOST_POINTS = 1400  # of a line: more than there are pixels


class PlotlyMissing(FreefloatError):
    """The library that draws pages is not installed."""

    def __init__(self) -> None:
        super().__init__("pages need plotly, which is not installed; `pip install plotly` brings it")


@dataclass(frozen=True, slots=True)
class Figure:
    """name: of its place in the page. title, note: what stands above it.

    traces, layout: as plotly.js takes them. height: in pixels.
    """

    name: str
    title: str
    note: str
    traces: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]
    height: int = 320

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return {"data": list(self.traces), "layout": {**self.layout, "height": self.height}}


def packed(values: ArrayLike, dtype: str = "f4") -> dict[str, str]:
    """An array of any length as plotly.js reads it; f4 or u2."""
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


def style_of(index: int) -> dict[str, str]:
    """Colour of one of many lines, and dashes once the colours are used up."""
    dashes = ("solid", "dash", "dot")
    return {"colour": COLOURS[index % len(COLOURS)], "dash": dashes[index // len(COLOURS) % len(dashes)]}


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis with a title."""
    return {"title": {"text": title}, **more}


def log_axis(title: str, values: ArrayLike, **more: Any) -> dict[str, Any]:
    """A logarithmic axis that holds positive values, its labels all in one form."""
    found = np.asarray(values, float)
    found = found[np.isfinite(found) & (found > 0.0)]
    low, high = (float(found.min()), float(found.max())) if found.size else (0.1, 10.0)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1.0, 2.0, 5.0) if last - first <= 2 else (1.0,)
    every = 1 + (last - first) // 7
    ticks = [step * 10.0**decade for decade in range(first, last + 1, every) for step in steps]
    lowest, highest = math.log10(low), math.log10(high)
    room = 0.06 * max(highest - lowest, 0.5)
    words = [power_words(tick) for tick in ticks]
    ends = [lowest - room, highest + room]
    return {**axis(title, type="log", tickvals=ticks, ticktext=words, range=ends), **more}


def power_words(value: float) -> str:
    """0.05, 1, 200; beyond four digits 10 to a power."""
    decade = math.floor(math.log10(value) + 1e-9)
    if -4 <= decade <= 4:
        return f"{value:.6f}".rstrip("0").rstrip(".") if decade < 0 else f"{value:.0f}"
    step, power = value / 10.0**decade, str(decade).translate(_RAISED)
    return f"10{power}" if round(step) == 1 else f"{step:.0f}·10{power}"


def level(y: float, axis_name: str = "y", colour: str = "--limit", dash: str = "dash") -> dict[str, Any]:
    """A horizontal line across a figure, as a shape of its layout."""
    style = {"color": colour, "width": 1, "dash": dash}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": axis_name, "y0": y, "y1": y, "line": style}
