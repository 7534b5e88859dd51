"""An estimate as a table: each cluster with its interval, what that is made of, and what the CAD model said."""

from __future__ import annotations

import math

from rich.markup import escape
from rich.table import Table

from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Quantity
from freefloat.estimate.estimated_springs import UNTOLD, spring_names
from freefloat.estimate.single_body import about_centre, has_centres
from freefloat.estimate.uncertain import HALF
from freefloat.models.names import cluster_unit
from freefloat.report.mode_words import ModeWords, mode_words
from freefloat.report.words import MARK, number, prefixed, relative, residual_line, shortened, with_interval

_WORTH = 2.0  # standard deviations by which a nuisance is worth a line
_IN_ANY_CASE = ("friction chosen", "friction given", "essential", UNTOLD)  # notes that are always shown
_LONG = 40  # characters of a cluster's name, above which names are folded, or numbers would have no room
COLOURS = {"good": "green", "doubtful": "yellow", "failed": "red"}


def show_estimate(estimate: Estimate, everything: bool) -> None:
    """The table of clusters, nuisances, residual and warnings; with `everything`, all nuisances and the notes too."""
    out = console()
    count = f"{len(estimate.values)} clusters of {estimate.model}"
    verdict = f"[{COLOURS[estimate.outcome]}]{estimate.outcome}[/]"
    out.print(f"[bold]{escape(estimate.robot.name)}[/]  {escape(estimate.method)} · {escape(count)} · {verdict}")
    out.print(_clusters(estimate))
    if has_centres(estimate):
        out.print(quantities_table(list(about_centre(estimate)), "about the centre of mass"))
    springs = {name for pair in spring_names(estimate.robot) for name in pair}
    worth = [each for each in estimate.nuisances if everything or each.name in springs or _is_worth_a_line(each)]
    if worth:
        out.print(quantities_table(worth, "beside them"))
    modes = mode_words(estimate)
    if modes:
        out.print(_modes(modes))
    out.print(escape(residual_line(estimate)))
    if estimate.torque_words:
        out.print(escape(estimate.torque_words))
    for sentence in estimate.warnings:
        out.print(f" [yellow]![/] {escape(sentence)}")
    for sentence in estimate.notes:
        if everything or sentence.startswith(_IN_ANY_CASE):
            out.print(f" {escape(sentence)}", style="dim")


def _clusters(estimate: Estimate) -> Table:
    table = plain_table()
    names = [shortened(formula) for formula in estimate.formulas]
    table.add_column("cluster", no_wrap=max(map(len, names), default=0) <= _LONG, overflow="fold")
    for heading in ("value", "", "95 %", "relative"):
        table.add_column(heading, justify="left" if heading == "" else "right", no_wrap=True)
    table.add_column("made of", overflow="fold")
    table.add_column("prior", justify="right", no_wrap=True)
    for index, name in enumerate(names):
        value, half = float(estimate.values[index]), HALF * float(estimate.sd[index])
        shown, interval = with_interval(value, half)
        table.add_row(
            escape(name),
            shown,
            cluster_unit(estimate.names[index]),
            interval,
            relative(value, half),
            escape(_made_of(estimate, index)),
            f"{MARK if estimate.rests_on_prior[index] else ''}{number(float(estimate.cad[index]))}",
            style=None if estimate.significant[index] else "dim",
        )
    return table


def quantities_table(quantities: list[Quantity], title: str) -> Table:
    """A line a quantity: value, unit, half its 95 % interval."""
    table = plain_table()
    table.add_column(title, no_wrap=True)
    for heading in ("value", "", "95 %"):
        table.add_column(heading, justify="left" if heading == "" else "right", no_wrap=True)
    for each in quantities:
        half = HALF * each.sd
        scale, unit = prefixed(max(abs(each.value), half if math.isfinite(half) else 0.0), each.unit)
        value, interval = with_interval(each.value / scale, half / scale)
        table.add_row(escape(each.name), value, escape(unit), interval)
    return table


def _modes(modes: list[ModeWords]) -> Table:
    table = plain_table()
    table.add_column("modes of this robot", no_wrap=True)
    table.add_column("damping", justify="right", no_wrap=True)
    table.add_column("swings", overflow="fold")
    for mode in modes:
        table.add_row(mode.frequency, mode.damping, escape(mode.swings))
    return table


def _is_worth_a_line(quantity: Quantity) -> bool:
    return math.isfinite(quantity.sd) and abs(quantity.value) > _WORTH * quantity.sd


def _made_of(estimate: Estimate, cluster: int) -> str:
    """Sources of the variance and their shares in per cent."""
    if estimate.budget is None:
        return ""
    parts = [f"{source} {100.0 * share:.0f}" for source, share in estimate.budget.of(cluster)]
    return f"{' · '.join(parts)} %" if parts else ""
