"""Condition number, and predicted against obtained accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.report.design_words import condition_words, goal_words, how_words
from freefloat.report.figures import Figure, axis, names_axis, packed
from freefloat.report.run_story import RunStory
from freefloat.report.section_identifiable import kind_of, symbol_of
from freefloat.report.words import HALF
from freefloat.robot.transform import Array


def accuracy(story: RunStory) -> dict[str, Any]:
    """What was aimed at, how it was found, and how it came out."""
    excitation = story.excitation
    predicted, obtained, _ = _pairs(story)
    rows = [
        ("condition number", condition_words(excitation.condition_number).removeprefix("cond ") or "–"),
        ("goal", f"{excitation.goal}: {goal_words(excitation)}"),
        ("found", how_words(excitation.how, excitation.optimality)),
    ]
    if predicted.size:
        ratio = obtained / predicted
        rows.append(
            ("obtained over predicted", f"median {np.median(ratio):.2f}, from {ratio.min():.2f} to {ratio.max():.2f}")
        )
    return {"rows": rows, "inside": _inside(story)}


def accuracy_figures(story: RunStory) -> list[Figure]:
    """Obtained over predicted standard deviations, and errors in units of these where the truth is known."""
    figures = []
    predicted, obtained, names = _pairs(story)
    if predicted.size:
        ends = np.array([min(predicted.min(), obtained.min()) / 1.6, max(predicted.max(), obtained.max()) * 1.6])
        traces: list[dict[str, Any]] = [
            {
                "type": "scatter",
                "mode": "lines",
                "x": packed(ends),
                "y": packed(ends),
                "line": {"color": "--muted", "width": 1, "dash": "dash"},
                "hoverinfo": "skip",
                "showlegend": False,
            }
        ]
        for index, kind in enumerate(("masses", "first moments", "inertias")):
            chosen = np.array([kind_of(name) == kind for name in names])
            if chosen.any():
                traces.append(
                    {
                        "type": "scatter",
                        "mode": "markers",
                        "x": packed(predicted[chosen]),
                        "y": packed(obtained[chosen]),
                        "text": [name for name, there in zip(names, chosen, strict=True) if there],
                        "name": kind,
                        "marker": {"color": f"--c{index + 1}", "size": 8, "symbol": symbol_of(kind), "opacity": 0.85},
                        "hovertemplate": "%{text}: predicted %{x:.3g}, obtained %{y:.3g}<extra></extra>",
                    }
                )
        common = {"type": "log", "exponentformat": "power", "dtick": 1}
        layout = {
            "xaxis": axis("predicted standard deviation [SI]", **common),
            "yaxis": axis("obtained [SI]", **common),
        }
        figures.append(Figure("predicted-obtained", traces, layout, 380))
    return [*figures, *_errors(story)]


def _errors(story: RunStory) -> list[Figure]:
    """Distance of each cluster from the truth in standard deviations."""
    true, estimate = story.true_values, story.estimate
    if true is None:
        return []
    told = np.isfinite(estimate.sd) & (estimate.sd > 0.0)
    z = (estimate.values[told] - true[told]) / estimate.sd[told]
    names = [name for name, there in zip(estimate.names, told, strict=True) if there]
    farthest = max(3.6, 1.1 * float(np.abs(z).max(initial=0.0)))
    trace = {
        "type": "bar",
        "x": names,
        "y": packed(z),
        "marker": {"color": "--c1"},
        "hovertemplate": "%{x}: %{y:.2f} standard deviations<extra></extra>",
        "showlegend": False,
    }
    band = {
        "type": "rect",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": -HALF,
        "y1": HALF,
        "fillcolor": "--band",
        "line": {"width": 0},
        "layer": "below",
    }
    layout = {
        "xaxis": names_axis(),
        "yaxis": axis("error / standard deviation", range=[-farthest, farthest]),
        "shapes": [band],
        "bargap": 0.3,
        "margin": {"b": 84},
    }
    return [Figure("errors", [trace], layout, 340)]


def _inside(story: RunStory) -> str | None:
    """How many intervals hold the truth."""
    true, estimate = story.true_values, story.estimate
    if true is None:
        return None
    told = np.isfinite(estimate.sd) & (estimate.sd > 0.0)
    inside = int((np.abs(estimate.values - true)[told] <= HALF * estimate.sd[told]).sum())
    return f"{inside} of {int(told.sum())} intervals of 95 % hold the true value."


def _pairs(story: RunStory) -> tuple[Array, Array, list[str]]:
    """Predicted and obtained standard deviations of the clusters that have both."""
    foretold, estimate = {each.name: each.sd for each in story.excitation.predictions}, story.estimate
    names = [name for name in estimate.names if name in foretold]
    predicted = np.array([foretold[name] for name in names])
    obtained = np.array([estimate.value(name)[1] for name in names])
    both = np.isfinite(predicted) & np.isfinite(obtained) & (predicted > 0.0) & (obtained > 0.0)
    return predicted[both], obtained[both], [name for name, there in zip(names, both, strict=True) if there]
