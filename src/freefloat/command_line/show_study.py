"""A study as a table: the published figure, ours by the published method, ours by our default, and notes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from freefloat.command_line.show import console
from freefloat.studies.check import Check, Figure, Study, Way

_WANTED = {"lower": "≤ ", "equal": "", "higher": "≥ "}
_SHOWN = 4  # figures of a series that are written out


def show_study(study: Study) -> None:
    """The figures, what is to be said of them, and how many hold."""
    out, notes = console(), list(dict.fromkeys(check.note for check in study.checks if check.note))
    out.print(f"\n[bold]{escape(study.title)}[/]")
    out.print(_table(study.checks, notes))
    for place, note in enumerate(notes, start=1):
        out.print(Padding(f"[dim]{place}  {escape(note)}[/]", (0, 0, 0, 2)))
    compared = [check for check in study.checks if check.comparable]
    held, others = sum(check.holds for check in compared), len(study.checks) - len(compared)
    colour = "green" if held == len(compared) else "yellow"
    apart = f" · {others} of another robot or motion" if others else ""
    out.print(f"[{colour}]{held} of {len(compared)} figures hold[/]{apart} · {study.seconds:.0f} s")


def _table(checks: Sequence[Check], notes: Sequence[str]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("quantity")
    for heading in ("published", "its method", "our default", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("holds", no_wrap=True)
    for quantity, row in _by_quantity(checks).items():
        unit = f" [{row[0].unit}]" if row[0].unit else ""
        figures = dict.fromkeys(_figures(check.published, f"{_WANTED[check.better]}") for check in row)
        table.add_row(
            escape(f"{quantity}{unit}"),
            " ".join(figures),
            *(_ours(row, way) for way in ("published", "default")),
            " ".join(str(1 + notes.index(check.note)) for check in row if check.note),
            _held(row),
        )
    return table


def _by_quantity(checks: Sequence[Check]) -> dict[str, list[Check]]:
    """Figures that share a row, in the order in which quantities come first."""
    rows = dict[str, list[Check]]()
    for check in checks:
        rows.setdefault(check.quantity, []).append(check)
    return rows


def _ours(row: Sequence[Check], way: Way) -> str:
    return " ".join(_figures(check.ours) for check in row if check.way == way)


def _figures(figure: Figure, sign: str = "") -> str:
    values = np.atleast_1d(figure)
    shown = ", ".join(f"{value:.4g}" for value in values[:_SHOWN])
    return f"{sign}{shown}{', …' if values.size > _SHOWN else ''}"


def _held(row: Sequence[Check]) -> str:
    """Whether each figure of the row holds, as far as it can be compared; one word where all do alike."""
    words = {True: "[green]yes[/]", False: "[yellow]no[/]", None: "[dim]–[/]"}
    held = [check.holds if check.comparable else None for check in row]
    return words[held[0]] if len(set(held)) == 1 else " ".join(words[each] for each in held)
