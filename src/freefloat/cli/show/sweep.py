"""A sweep as a table of its settings, and as plain data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rich.markup import escape
from rich.table import Table

from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table
from freefloat.exact_json import finite_or_none
from freefloat.excitation.sweep import Sweep
from freefloat.mission.mission_file import Mission
from freefloat.report.design_words import accuracy_words, condition_words
from freefloat.report.words import number

_SHOWN = 12  # clusters whose influence is shown


def show_sweep(mission: Mission, found: Sweep) -> None:
    """A table of the points, and one of influences at the first and the last of them."""
    out = console()
    out.print(f"[bold]{escape(mission.name)}[/]  {len(found.points)} settings")
    table = plain_table()
    for heading in (*found.keys, "condition number", "median sd", "base inertia", ""):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=bool(heading))
    for point in found.points:
        base = accuracy_words(point.predictions, mission.robot.bodies[0].name)
        table.add_row(
            *(number(point.setting[key]) for key in found.keys),
            condition_words(point.condition_number).removeprefix("cond ") or "–",
            "–" if math.isnan(point.typical_accuracy) else f"{100.0 * point.typical_accuracy:.3g} %",
            base.removeprefix("base inertia ") if base.startswith("base") else "–",
            f"[yellow]{len(point.broken)} joint limits broken[/]" if point.broken else "",
        )
    out.print(table)
    if found.points[0].influences:
        out.print(_influences(found))


def _influences(found: Sweep) -> Table:
    """Of the clusters that move the base most, and least."""
    first, last = found.points[0], found.points[-1]
    rates = {each.name: each.rate_rad_s for each in last.influences}
    ordered = sorted(first.influences, key=lambda each: -each.rate_rad_s)
    half = _SHOWN // 2
    shown = ordered if len(ordered) <= _SHOWN else [*ordered[:half], *ordered[-half:]]
    table = plain_table()
    table.add_column("influence on the base's rate", no_wrap=True)
    for heading in ("first °/s", "last °/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for place, each in enumerate(shown):
        if place == half and len(shown) < len(ordered):
            table.add_row("…", "", "")
        at_last = f"{np.degrees(rates[each.name]):.2g}" if each.name in rates else "–"
        table.add_row(escape(each.name), f"{np.degrees(each.rate_rad_s):.2g}", at_last)
    return table


def sweep_document(found: Sweep) -> dict[str, Any]:
    """The sweep as plain data; null for numbers that are not there."""
    return {
        "keys": list(found.keys),
        "interrupted": found.interrupted,
        "points": [
            {
                "setting": dict(point.setting),
                "condition_number": finite_or_none(point.condition_number),
                "median_relative_sd": finite_or_none(point.typical_accuracy),
                "predictions": [
                    {"name": each.name, "value": finite_or_none(each.value), "sd": finite_or_none(each.sd)}
                    for each in point.predictions
                ],
                "influences": [{"name": each.name, "rate_rad_s": each.rate_rad_s} for each in point.influences],
                "broken": list(point.broken),
            }
            for point in found.points
        ],
    }
