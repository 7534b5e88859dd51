"""A validation in a few lines: the verdict, its reasons, how well each channel is predicted, what it depends on."""

from __future__ import annotations

import math

from rich.markup import escape
from rich.table import Table

from freefloat.arrays import AXES
from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table
from freefloat.estimate.estimate_parts import in_percent
from freefloat.estimate.uncertain import HALF
from freefloat.report.design_words import locked_words
from freefloat.robot.model import Robot
from freefloat.validation.prediction import WORDS
from freefloat.validation.random_motions import RandomMotions
from freefloat.validation.validation import Validation

_COLOURS = {"pass": "green", "doubtful": "yellow", "fail": "red"}
_SHOWN = 5  # clusters


def show_validation(validation: Validation) -> None:
    """Verdict, reasons, a table of channels, and the clusters that the prediction is most sensitive to."""
    out = console()
    first, *others = validation.reasons
    colour = _COLOURS[validation.verdict]
    out.print(f" [bold {colour}]{validation.verdict.upper()}[/]  {escape(first)}", soft_wrap=True)
    for sentence in others:
        out.print(f" [{colour}]![/] {escape(sentence)}", soft_wrap=True)
    out.print(_channels(validation))
    for sentence in _lines(validation):
        out.print(f" {escape(sentence)}", soft_wrap=True)
    for sentence in validation.notes:
        out.print(f" {escape(sentence)}", style="dim", soft_wrap=True)


def _channels(validation: Validation) -> Table:
    table = plain_table()
    several = len({each.flight for each in validation.channels}) > 1
    table.add_column("channel", no_wrap=True)
    for heading in ("rms", "largest", "noise", "ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("of signal", justify="right", no_wrap=True)
    for each in validation.channels:
        name = f"{f'{each.flight}: ' if several else ''}{WORDS[each.channel]} {each.component}"
        numbers = (f"{value:.3g}" for value in (each.rms, each.largest, each.noise))
        part = "–" if math.isnan(each.of_signal) else in_percent(each.of_signal)
        table.add_row(escape(name), *numbers, f"{each.ratio:.2f}", each.unit, part)
    return table


def _lines(validation: Validation) -> list[str]:
    """What else is worth a line."""
    parts, most = list[str](), validation.sensitivities[:_SHOWN]
    if most:
        listed = ", ".join(f"{each.words} {each.change:.2g}" for each in most)
        parts.append(f"most sensitive to: {listed} ({most[0].unit} for 100 %)")
    uncertain = max(validation.sensitivities, key=lambda each: each.by_own_sd, default=None)
    if uncertain is not None and uncertain.by_own_sd > 0.0:
        parts.append(f"most uncertain by: {uncertain.words}, {uncertain.by_own_sd:.2g} {uncertain.unit}")
    if validation.turned_away_rad is not None:
        parts.append(
            f"attitude from predicted rates: within {validation.turned_away_rad:.2g} rad of that from measured"
        )
    return parts


def show_random_motions(found: RandomMotions, robot: Robot) -> None:
    """Of each axis: rates in random motions, how surely they are predicted, and how well where the truth is known."""
    table, known = plain_table(), found.largest_error is not None
    table.add_column(f"{len(found.largest_rate)} random motions of {found.duration_s:g} s", no_wrap=True)
    for heading in ("largest rate", "its 95 %", *(["error"] if known else [])):
        table.add_column(f"{heading} deg/s", justify="right", no_wrap=True)
    for place, axis in enumerate(AXES):
        shown = [found.largest_rate, HALF * found.largest_sd, *([found.largest_error] if known else [])]
        means = (math.degrees(float(values[:, place].mean())) for values in shown if values is not None)
        table.add_row(f"rate {axis}, mean of largest", *("–" if math.isnan(mean) else f"{mean:.3g}" for mean in means))
    out = console()
    out.print(table)
    if robot.passive.size:
        out.print(f" {locked_words(robot.passive_names)}", style="dim")
    if found.within is not None:
        out.print(f" {100.0 * found.within:.1f} % of all rates are within their 95 %")
