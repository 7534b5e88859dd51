"""Estimates from parts of a flight as a table."""

from __future__ import annotations

import math

import numpy as np
from rich.markup import escape

from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table
from freefloat.mission.history import History


def show_history(history: History) -> None:
    """A line a part: from when to when, how sure, and how far from the last in its own standard deviations."""
    table = plain_table()
    for heading in ("from s", "to s"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("outcome", overflow="fold")
    shown = {"median 95 % / last value": history.relative, "farthest from last, in sd": history.away}
    if history.truth is not None:
        shown["median error / true value"] = np.median(history.errors, axis=1)
        shown["worst error"] = history.errors.max(axis=1)
    for heading in shown:
        table.add_column(heading, justify="right", no_wrap=True)
    columns = zip(history.spans_s.tolist(), history.outcomes, zip(*shown.values(), strict=True), strict=True)
    for (start, end), outcome, row in columns:
        figures = ("–" if math.isnan(value) else f"{value:.3g}" for value in row)
        table.add_row(f"{start:.4g}", f"{end:.4g}", escape(outcome), *figures)
    console().print(table)
