"""A recording as a table of its channels."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table
from freefloat.report.words import number


def show_recording(name: str, summary: dict[str, Any]) -> None:
    """The channels of a recording, and what looks wrong with them."""
    out = console()
    origin = summary["origin"]
    made = [
        origin["kind"],
        *(f"{key} {origin[key]}" for key in ("mission", "seed", "run") if origin[key] is not None),
    ]
    out.print(f"[bold]{escape(name)}[/]  {escape(' · '.join(made))}")
    table = plain_table()
    table.add_column("column", no_wrap=True)
    for heading in ("samples", "rate Hz", "from s", "to s", "gaps", "lowest", "highest", "noise", "main Hz"):
        table.add_column(heading, justify="right")
    for channel in summary["channels"]:
        shared = [
            str(channel["samples"]),
            *map(number, (channel["rate_Hz"], channel["start_s"], channel["end_s"])),
        ]
        for index, column in enumerate(channel["columns"]):
            main = column["main_frequency_Hz"]
            values = (column["lowest"], column["highest"], column["noise"])
            first = [*shared, str(channel["gaps"])] if index == 0 else [""] * 5
            table.add_row(escape(column["name"]), *first, *map(number, values), "–" if main is None else number(main))
    out.print(table)
    for channel in summary["channels"]:
        for sentence in channel["suspicious"]:
            out.print(f" [yellow]![/] {escape(sentence)}")
