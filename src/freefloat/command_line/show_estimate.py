"""An estimate as a table: each cluster with its interval, what that is made of, and what the CAD model said."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from freefloat.command_line.show import console, number
from freefloat.estimate.estimate import Estimate, Quantity
from freefloat.regressor.summary import cluster_unit

_HALF = 1.959963984540054  # standard deviations on either side of a 95 % interval
_TERMS = 2  # of a formula that are shown
_MOSTLY = 0.5  # of a variance: then the prior is what the value rests on
_WORTH = 2.0  # standard deviations by which a nuisance is worth a line
_LISTED = 3
_DECIMALS, _LARGE = 8, 1e6  # beyond these, numbers are written with exponents
_PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_SCALED = ("s", "rad", "m", "rad/s", "m/s", "N m", "N m s")
_COLOURS = {"good": "green", "doubtful": "yellow", "failed": "red"}


def show_estimate(estimate: Estimate, everything: bool) -> None:
    """The table of clusters, nuisances, residual and warnings; with `everything`, all nuisances and the notes too."""
    out = console()
    count = f"{len(estimate.values)} clusters of {estimate.model}"
    verdict = f"[{_COLOURS[estimate.outcome]}]{estimate.outcome}[/]"
    out.print(f"[bold]{escape(estimate.robot.name)}[/]  {escape(estimate.method)} · {escape(count)} · {verdict}")
    out.print(_clusters(estimate))
    nuisances = [each for each in estimate.nuisances if everything or _is_worth_a_line(each)]
    if nuisances:
        out.print(_nuisances(nuisances))
    out.print(escape(residual_line(estimate)))
    for sentence in estimate.warnings:
        out.print(f" [yellow]![/] {escape(sentence)}")
    if everything:
        for sentence in estimate.notes:
            out.print(f" {escape(sentence)}", style="dim")


def residual_line(estimate: Estimate) -> str:
    """What the fit leaves over, and what the data did not show, in one line."""
    residual = estimate.residual
    known = math.isfinite(residual.ratio)
    parts = [f"residual {residual.ratio:.2f} × sensor noise" if known else "residual: the sensors' noise is not known"]
    if residual.white is not None:
        parts.append("white" if residual.white else "not white")
    unsure = int((~estimate.significant).sum())
    if unsure:
        parts.append(f"{_counted(unsure)} not significant")
    parts += _listed("held at the prior", estimate.held, "direction")
    parts += _listed("mostly the prior's", _told_by_prior(estimate), "cluster")
    return " · ".join(parts)


def _listed(what: str, names: Sequence[str], noun: str) -> list[str]:
    """Names if they are few, else how many there are; nothing if there are none."""
    if len(names) > _LISTED:
        return [f"{_counted(len(names), noun)} {what}"]
    return [f"{what}: {', '.join(names)}"] if names else []


def _counted(count: int, noun: str = "cluster") -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _told_by_prior(estimate: Estimate) -> list[str]:
    """Clusters whose interval comes mostly from the prior."""
    if estimate.budget is None or "prior" not in estimate.budget.sources:
        return []
    share = estimate.budget.shares[:, estimate.budget.sources.index("prior")]
    return [name for name, part in zip(estimate.names, share, strict=True) if part > _MOSTLY]


def _clusters(estimate: Estimate) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("cluster", no_wrap=True)
    for heading in ("value", "", "95 %", "relative"):
        table.add_column(heading, justify="left" if heading == "" else "right", no_wrap=True)
    table.add_column("made of", overflow="fold")
    table.add_column("prior", justify="right", no_wrap=True)
    for index, formula in enumerate(estimate.formulas):
        value, half = float(estimate.values[index]), _HALF * float(estimate.sd[index])
        shown, interval = with_interval(value, half)
        table.add_row(
            escape(shortened(formula)),
            shown,
            cluster_unit(estimate.names[index]),
            interval,
            _relative(value, half),
            escape(_made_of(estimate, index)),
            number(float(estimate.cad[index])),
            style=None if estimate.significant[index] else "dim",
        )
    return table


def _nuisances(nuisances: list[Quantity]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("beside them", no_wrap=True)
    for heading in ("value", "", "95 %"):
        table.add_column(heading, justify="left" if heading == "" else "right", no_wrap=True)
    for each in nuisances:
        half = _HALF * each.sd
        scale, unit = _prefixed(max(abs(each.value), half if math.isfinite(half) else 0.0), each.unit)
        value, interval = with_interval(each.value / scale, half / scale)
        table.add_row(escape(each.name), value, escape(unit), interval)
    return table


def _is_worth_a_line(quantity: Quantity) -> bool:
    return math.isfinite(quantity.sd) and abs(quantity.value) > _WORTH * quantity.sd


def with_interval(value: float, half: float) -> tuple[str, str]:
    """A value and half its interval, to two digits of the latter."""
    if not math.isfinite(half):
        return number(value), "open"
    if half == 0.0:
        return number(value), "exact"
    decimals = max(0, 1 - math.floor(math.log10(half)))
    if decimals > _DECIMALS or half > _LARGE:
        return number(value), f"±{half:.2g}"
    return f"{round(value, decimals) + 0.0:.{decimals}f}", f"±{half:.{decimals}f}"  # no negative zeros


def _relative(value: float, half: float) -> str:
    if not math.isfinite(half) or value == 0.0:
        return "–"
    share = 100.0 * half / abs(value)
    return f"{share:.2g} %" if share < 100.0 else "> 100 %"


def _made_of(estimate: Estimate, cluster: int) -> str:
    """Sources of the variance and their shares in per cent."""
    if estimate.budget is None:
        return ""
    parts = [f"{source} {100.0 * share:.0f}" for source, share in estimate.budget.of(cluster)]
    return f"{' · '.join(parts)} %" if parts else ""


def shortened(formula: str) -> str:
    """The first terms of a formula, and a sign that there are more."""
    words, kept, terms = formula.split(" "), list[str](), 1
    for word in words:
        terms += word in ("+", "-")
        if terms > _TERMS:
            return " ".join([*kept, "+ …"])
        kept.append(word)
    return formula


def _prefixed(size: float, unit: str) -> tuple[float, str]:
    """A scale in which a number of this size is not far from one, and its unit."""
    if unit not in _SCALED or size == 0.0:
        return 1.0, unit
    scale, prefix = next((each for each in _PREFIXES if size >= each[0]), _PREFIXES[-1])
    return scale, f"{prefix}{unit}"
