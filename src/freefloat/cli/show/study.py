"""A study as a table: the published figure, ours by the published method, ours by our default, and notes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table
from freefloat.studies.check import Check, Figure, Study, Way

_SHOWN, _DIGITS = 3, 3  # figures of a series that are written out, and how exactly
_NARROW = 100  # columns below which a quantity has a line of its own
_QUANTITY, _MARK, _ALLOWED, _NOTE = 36, 5, 11, 5  # widths, the first at least
_INDENT, _GAP, _COLUMNS = 2, 2, 8
_BESIDE = 2 * _MARK + _ALLOWED + _NOTE + _GAP * (_COLUMNS - 1)  # what is not quantity or figure
_FIGURES = {0: "published", 1: "its method", 3: "our default"}  # by place among the cells

Row = tuple[str, list[Check]]


def show_study(study: Study) -> None:
    """The figures, what is to be said of them, and how many hold."""
    out, notes = console(), list(dict.fromkeys(check.note for check in study.checks if check.note))
    out.print(f"\n[bold]{escape(study.title)}[/]")
    (_narrow if out.width < _NARROW else _wide)(out, _rows(study.checks), notes)
    for place, note in enumerate(notes, start=1):
        out.print(Padding(f"[dim]{place}  {escape(note)}[/]", (0, 0, 0, _INDENT)))
    out.print(_summary(study))


def _summary(study: Study) -> str:
    compared = [check for check in study.checks if check.comparable]
    held, others = sum(check.holds for check in compared), [each for each in study.checks if not each.comparable]
    colour = "green" if held == len(compared) else "yellow"
    counted = [f"[{colour}]{held} of {len(compared)} figures hold[/]"] if compared else []
    also = sum(check.holds for check in others)
    apart = [f"{len(others)} in brackets, of which {also} hold: made with what is not published"] if others else []
    return " · ".join([*counted, *apart, counts_line([study]), f"{study.seconds:.0f} s"])


def counts_line(studies: Sequence[Study]) -> str:
    """How many figures of studies are reproduced, better, and neither."""
    counts = [study.counts for study in studies]
    return " · ".join(f"{sum(each[standing] for each in counts)} {standing}" for standing in counts[0])


def _wide(out: Console, rows: Sequence[Row], notes: Sequence[str]) -> None:
    """One line for each quantity."""
    room = out.width - _BESIDE
    cells = [_cells(row, notes) for _, row in rows]
    widths = [max(len(heading), *(len(line[k]) for line in cells)) for k, heading in _FIGURES.items()]
    widths = [min(width, (room - _QUANTITY) // len(widths)) for width in widths]
    table = plain_table()
    table.add_column("quantity", max_width=room - sum(widths), overflow="fold")
    _add_columns(table, widths)
    for (quantity, _), line in zip(rows, cells, strict=True):
        table.add_row(escape(quantity), *line)
    out.print(table)


def _narrow(out: Console, rows: Sequence[Row], notes: Sequence[str]) -> None:
    """Each quantity above its figures."""
    widths = [(out.width - _INDENT - _BESIDE) // len(_FIGURES)] * len(_FIGURES)
    heading = plain_table()
    _add_columns(heading, widths)
    out.print(Padding(heading, (0, 0, 0, _INDENT)))
    for quantity, row in rows:
        line = Table(box=None, show_header=False, pad_edge=False)
        _add_columns(line, widths)
        line.add_row(*_cells(row, notes))
        out.print(escape(quantity))
        out.print(Padding(line, (0, 0, 0, _INDENT)))


def _add_columns(table: Table, widths: Sequence[int]) -> None:
    """All columns but that of the quantity. widths: of the three figures."""
    for heading, width in zip(_FIGURES.values(), widths, strict=True):
        table.add_column(heading, justify="right", width=width, overflow="fold")
        if heading != "published":
            table.add_column("holds", width=_MARK, no_wrap=True)
    table.add_column("allowed", width=_ALLOWED, overflow="fold")
    table.add_column("note", width=_NOTE, overflow="fold")


def _rows(checks: Sequence[Check]) -> list[Row]:
    """Figures of one quantity with one published value, at most one by either way, in the order they come."""
    rows = dict[tuple[str, Figure], list[list[Check]]]()
    for check in checks:
        unit = f" [{check.unit}]" if check.unit else ""
        lines = rows.setdefault((f"{check.quantity}{unit}", check.published), [])
        free = [line for line in lines if check.way not in {each.way for each in line}]
        if free:
            free[0].append(check)
        else:
            lines.append([check])
    return [(quantity, line) for (quantity, _), lines in rows.items() for line in lines]


def _cells(row: Sequence[Check], notes: Sequence[str]) -> list[str]:
    ways: tuple[Way, Way] = ("published", "default")
    ordered = [check for way in ways for check in row if check.way == way]
    cells = [_figures(row[0].published)]
    for way in ways:
        found = [check for check in row if check.way == way]
        cells += [_figures(found[0].ours), _held(found[0])] if found else ["", ""]
    allowed = dict.fromkeys(_allowed(check) for check in ordered)
    said = dict.fromkeys(str(1 + notes.index(check.note)) for check in ordered if check.note)
    return [*cells, " · ".join(allowed), " ".join(said)]


def _figures(figure: Figure) -> str:
    values = np.atleast_1d(figure)
    if values.size == 1:
        return f"{values[0]:.4g}"
    shown = ", ".join(f"{value:.{_DIGITS}g}" for value in values[:_SHOWN])
    return f"{shown}{', …' if values.size > _SHOWN else ''}"


def _held(check: Check) -> str:
    """Yes or no, in brackets where robot, motion or noise are not those of the publication."""
    word = "yes" if check.holds else "no"
    if not check.comparable:
        return f"[dim]({word})[/]"
    return f"[{'green' if check.holds else 'yellow'}]{word}[/]"


def _allowed(check: Check) -> str:
    """How far ours may be from the published figure, and to which side."""
    absolute = not np.any(check.published)
    room = f"{check.tolerance:.4g}" if absolute else f"{100.0 * check.tolerance:.4g} %"  # as exact as the figures
    if check.better == "equal":
        return f"±{room}" if check.tolerance else "="
    sign, side = ("≤", "+") if check.better == "lower" else ("≥", "-")
    return f"{sign} {side}{room}" if check.tolerance else sign
