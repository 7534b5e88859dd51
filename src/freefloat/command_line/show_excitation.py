"""A designed motion in a few lines: what it will tell, how near it comes to its limits, how it was found."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.markup import escape

from freefloat.command_line.show import console, number
from freefloat.excitation.excitation import Excitation, HowFound, Prediction, typical_accuracy
from freefloat.excitation.flight_sheet import in_words

_SINGULAR = 1e12  # a condition number beyond this is rounding
_TIGHT = 4  # limits that are named
_NAMED = 2  # clusters that are named as best and as worst
_OPEN = 6  # clusters that are named as left open


def show_excitation(excitation: Excitation, name: str, base: str, everything: bool) -> None:
    """The result of a design; with `everything`, each limit and each cluster.

    name: of the mission. base: name of the base's body.
    """
    out = console()
    verdict = "[green]within all limits[/]" if excitation.feasible else "[red]beyond its limits[/]"
    duration = f"{excitation.trajectory.duration_s:.4g} s"
    out.print(f"[bold]{escape(name)}[/]  designed for {excitation.goal} · {duration} · {verdict}")
    for heading, sentence in _lines(excitation, base):
        out.print(f"{heading:<16}  {escape(sentence)}", soft_wrap=True)
    if excitation.sheet is not None:
        whole = excitation.sheet.as_text().splitlines()
        matters = [line for line in whole if everything or not line.startswith("  go ")]
        out.print(escape("\n".join(matters[1:])), soft_wrap=True)  # the duration was said
    if everything:
        for each in excitation.predictions:
            out.print(f"  {escape(each.name)}  {number(each.value)} {_expected(each)}", style="dim")
    for sentence in excitation.warnings:
        out.print(f" [yellow]![/] {escape(sentence)}")


def _lines(excitation: Excitation, base: str) -> list[tuple[str, str]]:
    lines = [("goal", goal_words(excitation))]
    if excitation.predictions:
        lines.append(("predicted", _predicted(excitation.predictions, base)))
    lines.append(("condition number", condition_words(excitation.condition_number).removeprefix("cond ") or "–"))
    tight = sorted(excitation.margins, key=lambda margin: margin.share)[:_TIGHT]
    if tight:
        lines.append(("tightest limits", ", ".join(f"{m.limit} {in_words(m.slack, m.unit)}" for m in tight)))
    return [*lines, ("found", _how(excitation.how, excitation.optimality))]


def goal_words(excitation: Excitation) -> str:
    """What the goal's value means."""
    value = excitation.value
    words = {
        "accuracy": f"standard deviations {math.exp(value):.3g} in the mean (geometric, SI units)",
        "worst-accuracy": f"standard deviations {100.0 * math.exp(value):.3g} % of the CAD model's spread, "
        "the worst counting most",
        "condition-number": f"condition number at most {math.exp(value):.4g} (smoothed)",
        "frobenius": f"Frobenius condition number {math.exp(value):.4g}",
        "d-optimal": f"half axes of the error ellipsoid {math.exp(0.5 * value):.3g} in the mean, for unit noise",
        "a-optimal": f"root of the sum of variances {math.exp(0.5 * value):.3g}, for unit noise",
        "e-optimal": f"smallest singular value at least {math.exp(-value):.3g}",
    }
    return words.get(excitation.goal, f"{value:.5g}")


def accuracy_words(predictions: Sequence[Prediction], base: str) -> str:
    """Of the base's moments of inertia where they are predicted, else of all clusters; nothing without predictions."""
    moments = [each for each in predictions if each.name in {f"I{axis}_{base}" for axis in ("xx", "yy", "zz")}]
    typical = typical_accuracy(moments or predictions)
    if math.isnan(typical):
        return ""
    return f"{'base inertia' if moments else 'clusters'} {_percent(typical)}"


def condition_words(condition_number: float) -> str:
    """Nothing where there is none."""
    if math.isnan(condition_number):
        return ""
    return f"cond {condition_number:.4g}" if condition_number < _SINGULAR else "cond infinite: rows lack rank"


def _predicted(predictions: Sequence[Prediction], base: str) -> str:
    finite = sorted((each for each in predictions if math.isfinite(each.relative)), key=lambda each: each.relative)
    parts = []
    if finite:
        median = f"median of {len(finite)} clusters {_percent(typical_accuracy(finite))}"
        parts += [accuracy_words(predictions, base), median]
        for word, chosen in (("best", finite[:_NAMED]), ("worst", finite[-_NAMED:][::-1])):
            parts.append(f"{word} {', '.join(f'{each.name} {_percent(each.relative)}' for each in chosen)}")
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
    return _percent(prediction.relative) if prediction.value else f"± {number(prediction.sd)}"


def _percent(relative: float) -> str:
    return f"± {100.0 * relative:.2g} %" if relative < 1.0 else "± more than 100 %"


def _how(how: HowFound, optimality: float) -> str:
    ended = [value for value in how.values if not math.isnan(value)]
    kept = f"{len(ended)} of {len(how.values)} starts ended within the limits"
    of_a_start = how.best < len(how.values)
    best = f", the best is number {how.best + 1}" if of_a_start else ", the best is from one that had not ended"
    left = f", optimality {optimality:.1g}" if math.isfinite(optimality) else ""
    stopped = ", interrupted" if how.interrupted else ""
    effort = f"{how.iterations} iterations in {how.seconds:.1f} s"
    return f"{how.solver}, seed {how.seed}: {kept}{best}; {effort}{left}{stopped}"
