"""How a robot with passive joints swings, as a table, a row per mode, and what of that shows, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich.markup import escape

from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table, vector
from freefloat.report.mode_words import SWINGS
from freefloat.report.words import number

_NOTHING = 1e-9  # of the base's motion: rounding


def show_modes(summary: dict[str, Any]) -> None:
    """The modes of a summary, and why there are none or fewer than passive joints."""
    out, floats = console(), summary["base"] != "fixed"
    if summary["modes"]:
        held = "driven joints locked at zero" + (", the base afloat" if floats else "")
        per = "; the base per rad or m of the joint that moves most" if floats else ""
        out.print(f"modes ({held}{per}):")
        table = plain_table()
        base = ("base turns about", "by rad", "base moves along", "by m", "coupling kg m²") if floats else ()
        for heading in ("frequency Hz", "damping %", "swings", *base):
            table.add_column(heading, justify="left" if heading == "swings" else "right", overflow="fold")
        for mode in summary["modes"]:
            moves = (*_along(mode["base_turn"]), *_along(mode["base_shift"]), number(mode["coupling_inertia_kgm2"]))
            swings = ", ".join(escape(name) for name, by in mode["joints"].items() if abs(by) > SWINGS)
            damping = number(100.0 * mode["damping_ratio"])
            table.add_row(number(mode["frequency_Hz"]), damping, swings, *(moves if floats else ()))
        out.print(table)
    if "no_modes" in summary:
        out.print(f"[yellow]![/] {escape(summary['no_modes'])}")


def show_swings(summary: dict[str, Any]) -> None:
    """What a gyro shows of springs and modes; nothing where a summary says nothing of it."""
    sentences = summary.get("swings_shown", {}).get("sentences", [])
    if sentences:
        console().print("[bold]by a gyro, while driven joints move as they like and momentum is zero:[/]")
    for sentence in sentences:
        console().print(f" {escape(sentence)}")


def _along(moved: Sequence[float]) -> tuple[str, str]:
    """Direction and size of a vector."""
    size = math.hypot(*moved)
    if size < _NOTHING:
        return "–", "0"
    return vector(round(each / size, 3) + 0.0 for each in moved), number(size)
