"""Sweeps from the command line: what is varied, a table, and files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from freefloat.cli.live_bar import work_bar
from freefloat.cli.outputs import files_of, refuse_output
from freefloat.cli.show import console
from freefloat.exact_json import finite_or_none
from freefloat.excitation.excitation_file import load_motion
from freefloat.excitation.sweep import Sweep
from freefloat.mission.mission_file import Mission, load_mission
from freefloat.mission.sweeping import InvalidSweep, sweep
from freefloat.report.design_words import accuracy_words, condition_words
from freefloat.report.sweep_page import write_sweep_page, write_sweep_table
from freefloat.report.words import number

_MOST_POINTS = 10_000
_SHOWN = 12  # clusters whose influence is shown


def sweep_mission(
    path: Path,
    over: Sequence[str],
    motion: Path | None,
    inertia_scales: bool,
    starts: int,
    seed: int,
    outputs: Sequence[Path],
    quiet: bool,
) -> tuple[Mission, Sweep]:
    """Sweep, and write what was asked for. An interrupt ends the sweep, not the command, once a setting is finished."""
    ranges = ranges_of(over)
    mission = load_mission(path)
    for output in outputs:
        given = files_of(mission) if motion is None else (*files_of(mission), motion)
        refuse_output(output, given, "sweeps", (".html", ".csv"))
    trajectory = None if motion is None else load_motion(motion, mission.robot)
    points = math.prod(len(values) for values in ranges.values())
    if points > _MOST_POINTS:
        raise InvalidSweep(f"the sweep has {points:,} points; allowed: at most {_MOST_POINTS:,}")
    with work_bar(quiet) as progress:
        task = progress.add_task(f"sweeping {escape(mission.name)}", total=points)
        found = sweep(mission, ranges, trajectory, inertia_scales, starts, seed, watch=lambda _: progress.advance(task))
    if found.interrupted:
        typer.echo(f"interrupted: {len(found.points)} of {points} settings were finished until then", err=True)
    for output in outputs:
        if output.suffix.lower() == ".csv":
            write_sweep_table(output, found)
        else:
            write_sweep_page(output, found, mission.name)
    return mission, found


def ranges_of(over: Sequence[str]) -> dict[str, list[float]]:
    """Values by name, each name once."""
    ranges = dict[str, list[float]]()
    for key, values in map(parse_range, over):
        if key in ranges:
            raise InvalidSweep(f"{key} is varied twice; allowed: every key once")
        ranges[key] = values
    return ranges


def parse_range(text: str) -> tuple[str, list[float]]:
    """Name and values of `key=FROM:TO:COUNT`, evenly spaced, or with `:log` by equal factors."""
    key, equals, said = text.partition("=")
    start, stop, count, *spacing = [*said.split(":"), "", "", ""][: max(3, said.count(":") + 1)]
    try:
        low, high, n = float(start), float(stop), int(count)
        logarithmic = spacing == ["log"]
        if not (key.strip() and equals and n > 0 and (logarithmic or not spacing)):
            raise ValueError
        if not (math.isfinite(low) and math.isfinite(high)) or (logarithmic and not (low > 0.0 and high > 0.0)):
            raise ValueError
    except ValueError:
        raise InvalidSweep(
            f"{text!r} does not say what is varied from where to where; allowed: key=FROM:TO:COUNT, or"
            " key=FROM:TO:COUNT:log from and to positive values"
        ) from None
    values = np.geomspace(low, high, n) if logarithmic else np.linspace(low, high, n)
    return key.strip(), values.tolist()


def show_sweep(mission: Mission, found: Sweep) -> None:
    """A table of the points, and one of influences at the first and the last of them."""
    out = console()
    out.print(f"[bold]{escape(mission.name)}[/]  {len(found.points)} settings")
    table = Table(box=None, header_style="bold", pad_edge=False)
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
    table = Table(box=None, header_style="bold", pad_edge=False)
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
