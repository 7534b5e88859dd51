"""The clusters of a model as a table, and what can be known of them in words."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from freefloat.cli.console import console
from freefloat.cli.show.modes import show_swings
from freefloat.cli.show.plain_table import plain_table
from freefloat.report.words import number


def show_model(summary: dict[str, Any]) -> None:
    """The clusters of a model, what they are made of, and what can be known of them."""
    out = console()
    count = summary["cluster_count"]
    counted = f"{count} cluster{'s' * (count != 1)}" if count is not None else "too many clusters to be counted"
    out.print(f"[bold]{escape(summary['robot'])}[/]  {summary['model']}: {counted}")
    answers = summary.get("identifiability", {}).get("clusters", [])
    if "clusters" in summary:
        statuses = {} if "where" in summary else {answer["name"]: _coloured(answer["status"]) for answer in answers}
        out.print(_cluster_table(summary["clusters"], statuses))
    else:
        way = "--clusters lists them" if summary["can_be_listed"] else "they are too many for a list"
        unknowns = summary["underlying_unknowns"]
        out.print(f"Clusters are functions of {unknowns} unknowns: {way}, --json shows each unknown.")
    if "where" in summary:
        out.print("[bold]where[/]")
        for row in summary["where"]:
            status = _coloured(row["status"]) if row["status"] else ""
            out.print(f"  {escape(row['name'])} = {escape(row['formula'])}  {status}")
    if summary["never_visible"]:
        out.print(f"never visible in this model: {escape(', '.join(summary['never_visible']))}")
    if "note" in summary:
        out.print(f"{escape(summary['note'])}")
    if "identifiability" in summary:
        out.print(f"[bold]{escape(summary['identifiability']['summary'])}[/]")
        for sentence in summary["identifiability"]["sentences"]:
            out.print(f" {escape(sentence)}")
        if "clusters" not in summary:
            _show_weak(summary["identifiability"])
    show_swings(summary)


def _show_weak(answer: dict[str, Any]) -> None:
    """What of many unknowns shows badly, by name: no list says it."""
    for status in ("weak", "open"):
        names = [cluster["name"] for cluster in answer["clusters"] if cluster["status"] == status]
        if names:
            console().print(f" {status}: {escape(', '.join(names))}")
    if answer["weak_directions"]:
        weak, weakest = answer["weak_directions"], ", ".join(answer["weakest_direction"])
        console().print(
            f" {weak} of the {answer['rank']} directions that show {'is' if weak == 1 else 'are'} weak: a change of "
            f"100 % explains less than 0.1 % of the motion. The weakest is mostly {escape(weakest)}."
        )


def _cluster_table(clusters: list[dict[str, Any]], statuses: dict[str, str]) -> Table:
    table = plain_table()
    table.add_column("", justify="right", style="dim")
    table.add_column("cluster", overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    if statuses:
        table.add_column("", no_wrap=True)
    for index, cluster in enumerate(clusters, start=1):
        row = [str(index), escape(cluster["formula"]), number(cluster["value"]), cluster["unit"]]
        table.add_row(*row, *([statuses.get(cluster["name"], "")] if statuses else []))
    return table


def _coloured(status: str) -> str:
    colour = {"identifiable": "green", "weak": "yellow", "known or zero": "dim"}.get(status, "red")
    return f"[{colour}]{status}[/]"
