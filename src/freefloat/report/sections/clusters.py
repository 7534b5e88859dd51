"""The clusters: values with intervals, what these are made of, the CAD model's values, the truth where it is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimated_clusters import cad_spread
from freefloat.estimate.uncertain import HALF
from freefloat.mission.run_directory import Run
from freefloat.models.names import cluster_unit
from freefloat.report.figures import COLOURS
from freefloat.report.words import RESTS, prefixed, relative, residual_line, shortened, with_interval

_SMALL = 0.02  # share of the largest variance: sources that matter less everywhere are `other`
_OTHER = "other"


def clusters(run: Run) -> dict[str, Any]:
    """A row for each cluster, significant ones first, and the sources that their bars are made of."""
    estimate, sources = run.estimate, _sources(run)
    spread = cad_spread(estimate) if estimate.is_standard else None
    rows = [_row(run, index, sources, spread) for index in range(len(estimate.values))]
    return {
        "sources": [(name, colour) for name, colour, _ in sources],
        "rows": [row for row in rows if row["significant"]],
        "others": [row for row in rows if not row["significant"]],
        "sums": [row["formula"] for row in rows if row["formula"]],
        "truth": run.true_values is not None,
        "line": residual_line(estimate),
        "nuisances": [_nuisance(each) for each in estimate.nuisances if np.isfinite(each.sd)],
        "exact": run.true_values is not None and bool(np.allclose(run.true_values, estimate.cad)),
        "budget": bool(sources),
        "spread": spread is not None,
        "prior": estimate.budget is not None and "prior" in estimate.budget.sources,
    }


def _row(run: Run, index: int, sources: list[tuple[str, str, list[int]]], spread: Array | None) -> dict[str, Any]:
    """spread: standard deviations of the clusters in the CAD model, shape (c,); None where they are not known."""
    estimate, true = run.estimate, run.true_values
    value, half = float(estimate.values[index]), HALF * float(estimate.sd[index])
    shown, interval = with_interval(value, half)
    shares = np.zeros(0) if estimate.budget is None else estimate.budget.shares[index]
    parts = [(name, colour, 100.0 * float(shares[places].sum())) for name, colour, places in sources]
    off = None if true is None or not estimate.sd[index] > 0.0 else (value - true[index]) / estimate.sd[index]
    name, formula = shortened(estimate.formulas[index]), estimate.formulas[index]
    return {
        "name": name,
        "formula": formula if formula != name else "",
        "value": shown,
        "interval": interval,
        "unit": cluster_unit(estimate.names[index]),
        "relative": relative(value, half) if estimate.significant[index] else "–",
        "parts": [(name, colour, f"{share:.1f}") for name, colour, share in parts if share >= 0.5],
        "rests": RESTS if estimate.rests_on_prior[index] else "",
        "cad": with_interval(float(estimate.cad[index]), half)[0],
        "cad_half": "" if spread is None else f"±{HALF * spread[index]:.2g}",
        "truth": "" if true is None else with_interval(float(true[index]), half)[0],
        "off": "" if off is None or not np.isfinite(off) else f"{off:+.1f} σ".replace("-", "−"),
        "far": off is not None and abs(off) > HALF,
        "significant": bool(estimate.significant[index]),
    }


def _sources(run: Run) -> list[tuple[str, str, list[int]]]:
    """Sources of variance with a colour and their places in the budget."""
    budget = run.estimate.budget
    if budget is None:
        return []
    large = [place for place in range(len(budget.sources)) if budget.shares[:, place].max(initial=0.0) >= _SMALL]
    named = [(budget.sources[place], COLOURS[index % 8], [place]) for index, place in enumerate(large[:7])]
    rest = [place for place in range(len(budget.sources)) if place not in large[:7]]
    there = rest and budget.shares[:, rest].max() > 0.005
    return [*named, (_OTHER, "--muted", rest)] if there else named


def _nuisance(each: Any) -> dict[str, str]:
    half = HALF * each.sd
    scale, unit = prefixed(max(abs(each.value), half), each.unit)
    value, interval = with_interval(each.value / scale, half / scale)
    return {"name": each.name, "value": value, "interval": interval, "unit": unit}
