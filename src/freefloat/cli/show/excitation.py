"""A designed motion in a few lines: what it will tell, how near it comes to its limits, how it was found."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.markup import escape

from freefloat.cli.console import console
from freefloat.estimate.uncertain import HALF
from freefloat.excitation.excitation import Excitation, Prediction, typical_accuracy
from freefloat.excitation.sheet import go_or_no_go, in_words
from freefloat.report.design_words import (
    accuracy_words,
    condition_words,
    goal_words,
    how_words,
    percent,
    searched_words,
    swing_words,
)
from freefloat.report.words import number

_TIGHT = 4  # limits that are named
_NAMED = 2  # clusters that are named as best and as worst
_OPEN = 6  # clusters that are named as left open


def show_excitation(excitation: Excitation, name: str, base: str, everything: bool) -> None:
    """The result of a design; with `everything`, each limit and each cluster.

    name: of the mission. base: name of the base's body.
    """
    out = console()
    verdict = "[green]within all limits[/]" if excitation.feasible else "[red]beyond its limits[/]"
    verdict += f", [yellow]{doubt}[/]" if (doubt := excitation.collisions.doubt) else ""
    duration = f"{excitation.trajectory.duration_s:.4g} s"
    out.print(f"[bold]{escape(name)}[/]  designed for {excitation.goal} · {duration} · {verdict}")
    sheet = excitation.sheet
    matters = () if sheet is None else sheet.matters[1:]  # the duration was said
    for heading, sentence in (*_lines(excitation, base), *matters):
        out.print(escape(f"{heading:<16}  {sentence}"), soft_wrap=True)
    for margin in () if sheet is None else sheet.margins:
        if everything or not margin.kept:
            out.print(f"  {escape(go_or_no_go(margin))}", soft_wrap=True)
    if everything:
        for each in excitation.predictions:
            out.print(f"  {escape(each.name)}  {number(each.value)} {_expected(each)}", style="dim")
    for sentence in excitation.warnings:
        out.print(f" [yellow]![/] {escape(sentence)}")


def _lines(excitation: Excitation, base: str) -> list[tuple[str, str]]:
    lines = [("goal", goal_words(excitation))]
    if excitation.locked:
        lines.append(("designed", searched_words(excitation)))
    if excitation.predictions:
        lines.append(("predicted", _predicted(excitation.predictions, base)))
    if excitation.swings:
        lines.append(("what swings", " · ".join(swing_words(excitation.swings))))
    lines.append(("condition number", condition_words(excitation.condition_number).removeprefix("cond ") or "–"))
    tight = sorted(excitation.margins, key=lambda margin: margin.share)[:_TIGHT]
    if tight:
        lines.append(("nearest limits", ", ".join(f"{m.limit} ({in_words(m.slack, m.unit)} left)" for m in tight)))
    return [*lines, ("found", how_words(excitation.how, excitation.optimality))]


def _predicted(predictions: Sequence[Prediction], base: str) -> str:
    finite = sorted((each for each in predictions if math.isfinite(each.relative)), key=lambda each: each.relative)
    parts = []
    if finite:
        median = f"median of {len(finite)} clusters {percent(typical_accuracy(finite))} (95 %)"
        parts += [accuracy_words(predictions, base), median]
        for word, chosen in (("best", finite[:_NAMED]), ("worst", finite[-_NAMED:][::-1])):
            parts.append(f"{word} {', '.join(f'{each.name} {percent(each.relative)}' for each in chosen)}")
    parts.append(_left_open([each.name for each in predictions if math.isinf(each.sd)], len(predictions)))
    return " · ".join(dict.fromkeys(filter(None, parts))) or "no cluster has a value to be relative to"


def _left_open(names: Sequence[str], clusters: int) -> str:
    """Clusters that neither the motion nor a prior tells of; nothing where there are none."""
    if not names:
        return ""
    more = f" and {len(names) - _OPEN} more" if len(names) > _OPEN else ""
    return f"{len(names)} of {clusters} clusters are left open: {', '.join(names[:_OPEN])}{more}"


def _expected(prediction: Prediction) -> str:
    if math.isinf(prediction.sd):
        return "left open"
    return percent(prediction.relative) if prediction.value else f"± {number(HALF * prediction.sd)}"
