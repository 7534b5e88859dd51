"""Errors of least squares under perturbations, beside their bounds."""

from __future__ import annotations

from rich.markup import escape

from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table
from freefloat.excitation.perturbed_rows import Perturbations
from freefloat.report.words import number

_WORDS = {"right": "right-hand side", "regressor": "regressor", "both": "both"}


def show_perturbations(name: str, found: Perturbations) -> None:
    """A table of what is perturbed, level by level; name: of the mission."""
    out, table = console(), plain_table()
    size = f"{found.rows} {found.model} rows of {found.unknowns} unknowns"
    conditions = f"condition number {found.condition_number:.4g}, equilibrium {found.equilibrium:.4g}"
    out.print(f"[bold]{escape(name)}[/]  {size} · {conditions}")
    table.add_column("perturbed", no_wrap=True)
    for heading in ("level", "dY/Y", "dW/W", "dX/X", "95 %", "bound", "cond(W+dW)", "within bound"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in found.document()["entries"]:
        sizes = (each["right"], each["regressor"], each["error"], each["error_of_95_percent"], each["bound"])
        table.add_row(
            _WORDS[each["perturbed"]],
            number(each["level"]),
            *(f"{size:.2g}" for size in sizes),
            f"{each['perturbed_condition_number']:.4g}",
            f"{100.0 * each['within_bound']:.0f} %",
        )
    out.print(table)
    out.print("medians over the draws; norms of all rows and unknowns together", style="dim")
