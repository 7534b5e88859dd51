"""Condition number, and predicted against obtained accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimated_clusters import cad_spread
from freefloat.estimate.uncertain import HALF
from freefloat.excitation.excitation import Excitation
from freefloat.mission.run_directory import Run
from freefloat.models.names import cluster_unit, cluster_words
from freefloat.report.design_words import condition_words, goal_words, how_words, searched_words, swing_words
from freefloat.report.figures import Figure, log_axis, packed
from freefloat.report.sections.cluster_grid import Cell, ClusterGrid, about, grid_of

_KINDS = {"kg": "masses", "kg m": "first moments", "kg m²": "inertias"}
_SYMBOLS = {"masses": "square", "first moments": "diamond", "inertias": "circle", "others": "cross"}
_TINT = 40  # of the colour, at three standard deviations


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Of the clusters that have both: their numbers, predicted and obtained standard deviations, shape (k,) each."""

    clusters: list[int]
    predicted: Array
    obtained: Array


def accuracy(run: Run) -> dict[str, Any]:
    """What was aimed at, how it was found, and how it came out."""
    pairs = _pairs(run)
    rows = [] if run.excitation is None else _design(run, run.excitation)
    if pairs.clusters:
        ratio = pairs.obtained / pairs.predicted
        spread = f"median {np.median(ratio):.2f}, from {ratio.min():.2f} to {ratio.max():.2f}"
        rows.append(("obtained over predicted", spread))
    return {"rows": rows, "base": _base(run, pairs), "inside": _inside(run), "grid": _errors(run)}


def _design(run: Run, excitation: Excitation) -> list[tuple[str, str]]:
    number = condition_words(excitation.condition_number).removeprefix("cond ")
    model = "torques" if run.robot.base == "fixed" else "the design’s model (angular momentum unless the mission says)"
    whole = f"{number}, of the rows of {model} in SI units; clusters that move little make it large"
    locked = [("designed", searched_words(excitation))] if excitation.locked else []
    if excitation.swings:
        locked.append(("predicted of what swings", "; ".join(swing_words(excitation.swings))))
    return [
        ("condition number", whole if number else "–"),
        ("goal", f"{excitation.goal}: {goal_words(excitation)}"),
        *locked,
        ("found", how_words(excitation.how, excitation.optimality)),
    ]


def _base(run: Run, pairs: _Pairs) -> list[dict[str, Any]]:
    """The base's clusters: 95 % intervals as predicted and as obtained, and the error where the truth is known."""
    estimate, true, rows = run.estimate, run.true_values, list[dict[str, Any]]()
    for cluster, predicted, obtained in zip(pairs.clusters, pairs.predicted, pairs.obtained, strict=True):
        name = estimate.names[cluster]
        if not name.endswith(f"_{run.robot.bodies[0].name}"):
            continue
        error = None if true is None else float(estimate.values[cluster] - true[cluster])
        rows.append(
            {
                "name": cluster_words(name, estimate.formulas[cluster]),
                "unit": cluster_unit(name),
                "predicted": f"±{HALF * predicted:.2g}",
                "obtained": f"±{HALF * obtained:.2g}",
                "ratio": f"{obtained / predicted:.2f}",
                "error": "" if error is None else f"{error:+.2g}".replace("-", "−"),
                "far": error is not None and abs(error) > HALF * obtained,
            }
        )
    return rows


def accuracy_figures(run: Run) -> list[Figure]:
    """Obtained over predicted standard deviations, in parts of the CAD model's spread: one unit for all kinds."""
    pairs, estimate = _pairs(run), run.estimate
    unit = cad_spread(estimate) if estimate.is_standard else np.abs(estimate.cad)
    scale = 100.0 / unit[pairs.clusters]
    shown = np.flatnonzero(np.isfinite(scale)) if pairs.clusters else np.zeros(0, int)
    if not shown.size:
        return []
    predicted, obtained = (scale * pairs.predicted)[shown], (scale * pairs.obtained)[shown]
    names = [estimate.names[pairs.clusters[place]] for place in shown]
    both = np.concatenate([predicted, obtained])
    ends = np.array([both.min() / 1.3, both.max() * 1.3])
    diagonal = {"color": "--muted", "width": 1, "dash": "dash"}
    traces: list[dict[str, Any]] = [
        {"type": "scatter", "mode": "lines", "x": packed(ends), "y": packed(ends), "line": diagonal}
        | {"hoverinfo": "skip", "showlegend": False}
    ]
    kinds = [_KINDS.get(cluster_unit(name), "others") for name in names]
    for index, kind in enumerate(_SYMBOLS):
        chosen = np.array([each == kind for each in kinds])
        if chosen.any():
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "x": packed(predicted[chosen]),
                    "y": packed(obtained[chosen]),
                    "text": [name for name, there in zip(names, chosen, strict=True) if there],
                    "name": kind,
                    "marker": {"color": f"--c{index + 1}", "size": 9, "symbol": _SYMBOLS[kind], "opacity": 0.85},
                    "hovertemplate": "%{text}: predicted %{x:.2g} %, obtained %{y:.2g} %<extra></extra>",
                }
            )
    of = "the CAD model’s spread" if estimate.is_standard else "the CAD model’s value"
    layout = {"xaxis": log_axis(f"predicted, % of {of}", ends), "yaxis": log_axis("obtained, %", ends)}
    note = f"standard deviations in parts of {of}; on the line they are equal"
    return [Figure("predicted-obtained", "Predicted and obtained", note, traces, layout, 400)]


def _errors(run: Run) -> ClusterGrid | None:
    """Distance of each cluster from the truth in standard deviations."""
    true, estimate = run.true_values, run.estimate
    if true is None:
        return None
    z = _away(run)
    return grid_of(
        estimate,
        {
            cluster: Cell(
                f"{off:+.1f}".replace("-", "−"),
                round(_TINT * min(abs(off) / 3.0, 1.0)),
                about(estimate, cluster),
                abs(off) > HALF,
            )
            for cluster, off in enumerate(z.tolist())
            if np.isfinite(off)
        },
    )


def _away(run: Run) -> Array:
    """Error over standard deviation, shape (c,); not a number where there is none, or where truth is not known."""
    true, estimate = run.true_values, run.estimate
    known = np.isfinite(estimate.sd) & (estimate.sd > 0.0)
    error = np.full(len(known), np.nan) if true is None else estimate.values - true
    return np.where(known, error / np.where(known, estimate.sd, 1.0), np.nan)


def _inside(run: Run) -> str | None:
    """How many intervals hold the truth."""
    if run.true_values is None:
        return None
    z = _away(run)
    z = z[np.isfinite(z)]
    return f"{int((np.abs(z) <= HALF).sum())} of {z.size} intervals of 95 % hold the true value."


def _pairs(run: Run) -> _Pairs:
    # Predicted with joints locked, as by older files, clusters hold what these joints carry: they are other sums.
    design = run.excitation
    if design is not None and design.locked and not design.swings:
        design = None
    foretold = {each.name: each.sd for each in design.predictions} if design else {}
    predicted = np.array([foretold.get(name, np.nan) for name in run.estimate.names])
    obtained = np.where(np.isfinite(run.estimate.sd), run.estimate.sd, np.nan)
    both = np.flatnonzero((predicted > 0.0) & (obtained > 0.0) & np.isfinite(predicted))
    return _Pairs(both.tolist(), predicted[both], obtained[both])
