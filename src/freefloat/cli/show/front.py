"""Condition number against equilibrium, a line for each weight."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape

from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table
from freefloat.excitation.procedures.optimum_points import FrontPoint
from freefloat.report.words import number


def show_front(name: str, found: Sequence[FrontPoint]) -> None:
    """A table of the weights; name: of the mission."""
    table = plain_table()
    for heading in ("weight", "condition number", "equilibrium", "duration s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in found:
        table.add_row(*map(number, (each.weight, each.condition_number, each.equilibrium, each.duration_s)))
    out = console()
    out.print(f"[bold]{escape(name)}[/]  optimum points for {len(found)} weights of the equilibrium")
    out.print(table)
