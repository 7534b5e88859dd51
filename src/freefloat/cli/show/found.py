"""One body of an estimate as a table."""

from __future__ import annotations

from rich.markup import escape

from freefloat.cli.console import console
from freefloat.cli.show.estimate import COLOURS, quantities_table
from freefloat.estimate.unknown_body import FoundBody
from freefloat.report.words import residual_line


def show_found(found: FoundBody, title: str) -> None:
    """Its parameters, its centre of mass and the inertia about that; then what is to be said."""
    out, estimate = console(), found.estimate
    verdict = f"[{COLOURS[estimate.outcome]}]{estimate.outcome}[/]"
    out.print(f"[bold]{escape(estimate.robot.name)}[/]  {escape(estimate.method)} · {verdict}")
    if found.names:
        out.print(quantities_table(list(found.quantities), title))
    else:
        out.print(f" the flights show no parameter of {escape(found.body)} alone")
    out.print(escape(residual_line(estimate)))
    for sentence in estimate.warnings:
        out.print(f" [yellow]![/] {escape(sentence)}")
