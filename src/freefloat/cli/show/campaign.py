"""A campaign as tables and as plain data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from freefloat.campaign.campaign import Campaign
from freefloat.campaign.pictures import setting_words
from freefloat.campaign.summary import CampaignSummary, MethodSummary, Share
from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table
from freefloat.exact_json import finite_or_none
from freefloat.report.words import number

_SHOWN = 12  # clusters of a method
_LEGEND = (
    "error: rms over the runs, median over clusters; largest: of all clusters in a run, median and maximum over runs; "
    "covered: 95 % intervals that hold the truth; rms/bound: over the Cramér-Rao bound; best run: smallest mean error. "
    "Errors are in % of the true value, or of the CAD model's standard deviation (CAD sd) where that is larger."
)
_CAD = {
    "drawn": "CAD model drawn anew for every run, as the mission's prior says",
    "exact": "CAD model exact in every run, which flatters methods with a prior",
}


def show_campaign(campaign: Campaign, summary: CampaignSummary, everything: bool) -> None:
    """For every setting a line a method, then the clusters of each: the worst, or all."""
    out = console()
    out.print(f"[bold]{escape(summary.name)}[/]  {campaign.runs} runs · seed {summary.seed} · {_CAD[summary.cad]}")
    for setting in summary.settings:
        if setting.values:
            out.print(f"\n[bold]{escape(setting_words(setting.values).removesuffix(', '))}[/]")
        out.print(_methods(setting.methods))
        if setting.compared:
            out.print(f"compared as {escape(setting.compared[0].model)} clusters:")
            out.print(_methods(setting.compared))
        out.print(_LEGEND, style="dim")
        for method in setting.methods:
            if method.clusters:
                _show_clusters(out, method, everything)


def _methods(methods: tuple[MethodSummary, ...]) -> Table:
    table = _table("method", "runs", "error", "largest", "maximum", "covered", "rms/bound", "best run", "")
    for each in methods:
        given = each.largest.size > 0
        table.add_row(
            escape(each.method),
            str(each.runs),
            _percent(each.median_relative),
            _percent(float(np.median(each.largest))) if given else "–",
            _percent(float(each.largest.max())) if given else "–",
            _percent(each.coverage),
            "–" if math.isnan(each.efficiency) else f"{each.efficiency:.2f}",
            "–" if each.best_run is None else f"{each.best_run} ({_percent(each.best_error)})",
            ", ".join(f"{count} {outcome}" for outcome, count in sorted(each.outcomes.items())),
        )
    return table


def _show_clusters(out: Console, method: MethodSummary, everything: bool) -> None:
    ordered = sorted(method.clusters, key=lambda each: -each.relative)
    shown = ordered if everything else ordered[:_SHOWN]
    fewer = f", the worst {len(shown)} of {len(ordered)} (--all shows the others)" if len(shown) < len(ordered) else ""
    out.print(f"{escape(method.method)}{fewer}:")
    table = _table("cluster", "truth", "mean", "bias", "spread", "error", "covered", "rms/bound", "worst in")
    for each in shown:
        table.add_row(
            escape(each.name),
            number(each.truth),
            number(each.mean),
            f"{each.bias:.2g}",
            f"{each.spread:.2g}",
            _percent(each.relative) if each.unit == abs(each.truth) else f"{_percent(each.relative)} of CAD sd",
            _covered(each.coverage) + (f", {each.open} open" if each.open else ""),
            "–" if math.isnan(each.efficiency) else f"{each.efficiency:.2f}",
            str(method.worst.get(each.name, 0)),
        )
    out.print(table)


def _covered(share: Share) -> str:
    value, low, high = (100.0 * each for each in (share.value, share.low, share.high))
    return "–" if math.isnan(value) else f"{value:.1f} % ({low:.1f}–{high:.1f})"


def _table(*headings: str) -> Table:
    table = plain_table()
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="left" if place == 0 or not heading else "right", no_wrap=bool(heading))
    return table


def _percent(value: float) -> str:
    return "–" if math.isnan(value) else f"{100.0 * value:.3g} %"


def campaign_document(campaign: Campaign, summary: CampaignSummary) -> dict[str, Any]:
    """The summary as plain data, relative errors as fractions; null for numbers that are not there."""
    return {
        "name": summary.name,
        "directory": str(campaign.directory),
        "runs": campaign.runs,
        "seed": summary.seed,
        "cad": summary.cad,
        "interrupted": campaign.interrupted,
        "settings": [
            {
                "values": dict(setting.values),
                "methods": [_method_document(each) for each in setting.methods],
                "compared": [_method_document(each) for each in setting.compared],
            }
            for setting in summary.settings
        ],
    }


def _method_document(method: MethodSummary) -> dict[str, Any]:
    largest = method.largest
    return {
        "method": method.method,
        "model": method.model,
        "runs": method.runs,
        "outcomes": {
            outcome: {"runs": count, **_share(method.share(outcome))} for outcome, count in method.outcomes.items()
        },
        "median_relative_rms": finite_or_none(method.median_relative),
        "coverage": finite_or_none(method.coverage),
        "efficiency": finite_or_none(method.efficiency),
        "residual_ratio": finite_or_none(method.residual_ratio),
        "best_run": {"run": method.best_run, "mean_relative_error": finite_or_none(method.best_error)},
        "largest_relative_error": {
            "mean": finite_or_none(float(largest.mean())) if largest.size else None,
            "median": finite_or_none(float(np.median(largest))) if largest.size else None,
            "worst": finite_or_none(float(largest.max())) if largest.size else None,
        },
        "worst_in_runs": dict(method.worst),
        "convergence": {
            "runs": method.counts.tolist(),
            "median_mean_error": np.median(np.abs(method.mean_error), axis=1).tolist() if method.counts.size else [],
            "median_spread": np.median(method.spread_error, axis=1).tolist() if method.counts.size else [],
        },
        "clusters": [
            {
                "name": each.name,
                **{
                    key: finite_or_none(getattr(each, key))
                    for key in ("truth", "unit", "mean", "bias", "spread", "rms")
                },
                "relative_rms": finite_or_none(each.relative),
                "coverage": _share(each.coverage),
                "open": each.open,
                "bound_sd": finite_or_none(each.bound),
                "efficiency": finite_or_none(each.efficiency),
            }
            for each in method.clusters
        ],
    }


def _share(share: Share) -> dict[str, float | None]:
    return {"share": finite_or_none(share.value), "low": finite_or_none(share.low), "high": finite_or_none(share.high)}
