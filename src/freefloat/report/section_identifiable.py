"""What can be identified and why: what the sensors show of this robot, what the flight showed, what is held."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.estimate.estimated_clusters import cad_spread
from freefloat.report.figures import Figure, axis, packed
from freefloat.report.run_story import RunStory
from freefloat.robot.transform import Array

_HELD = 6  # directions that are listed
_KINDS = {"m": "masses", "mx": "first moments", "my": "first moments", "mz": "first moments"}
_SYMBOLS = {"masses": "square", "first moments": "diamond", "inertias": "circle"}


def identifiable(story: RunStory) -> dict[str, Any]:
    """Counts, sentences, held directions."""
    estimate, advice = story.estimate, story.advice
    return {
        "summary": advice.summary if advice else f"{len(estimate.values)} clusters of {estimate.model}",
        "sentences": advice.sentences if advice else (),
        "counts": _counts(story),
        "held": estimate.held[:_HELD],
        "more_held": max(len(estimate.held) - _HELD, 0),
        "never": estimate.minimal.never,
        "known": [(name, f"±{100.0 * sd:.2g} %") for name, sd in estimate.known.items()],
    }


def identifiable_figures(story: RunStory) -> list[Figure]:
    """How far the flight narrowed each cluster beyond what the CAD model said."""
    estimate = story.estimate
    if estimate.minimal.names != estimate.robot.parameter_names:
        return []
    share = np.where(np.isfinite(estimate.sd), estimate.sd, np.nan) / cad_spread(estimate)
    kinds = [kind_of(name) for name in estimate.names]
    traces = []
    for index, kind in enumerate(_SYMBOLS):
        chosen = np.array([each == kind for each in kinds])
        if not chosen.any():
            continue
        names = [name for name, there in zip(estimate.names, chosen, strict=True) if there]
        traces.append(
            {
                "type": "bar",
                "x": names,
                "y": packed(np.minimum(share[chosen], 1.0)),
                "name": kind,
                "marker": {"color": f"--c{index + 1}"},
                "hovertemplate": "%{x}: %{y:.2~%} of the CAD model's spread<extra></extra>",
            }
        )
    layout = {
        "xaxis": {
            "tickangle": -60,
            "tickfont": {"size": 10},
            "showgrid": False,
            "categoryorder": "array",
            "categoryarray": estimate.names,
        },
        "yaxis": axis("of the CAD spread", type="log", tickformat=".2~%", tickvals=_ticks(share)),
        "bargap": 0.25,
        "margin": {"b": 84},
    }
    return [Figure("narrowed", traces, layout, 340)]


def _ticks(share: Array) -> list[float]:
    """1, 2 and 5 of every decade, or where there are many of these the decades alone."""
    lowest = float(np.log10(np.nanmin(share, initial=1.0)))
    steps = (1.0, 2.0, 5.0) if lowest > -3.0 else (1.0,)
    return [step * 10.0**decade for decade in range(int(np.floor(lowest)), 1) for step in steps]


def kind_of(name: str) -> str:
    """masses, first moments or inertias, by the name of a cluster."""
    return _KINDS.get(name.strip("[]").split("_")[0], "inertias")


def symbol_of(kind: str) -> str:
    """The sign that stands for a kind in figures."""
    return _SYMBOLS[kind]


def _counts(story: RunStory) -> list[tuple[str, str]]:
    estimate = story.estimate
    counts = [
        (f"clusters of {estimate.model}", str(len(estimate.values))),
        ("significant", str(int(estimate.significant.sum()))),
    ]
    if story.advice:
        answer = story.advice.answer
        counts += [(status, str(len(answer.with_status(status)))) for status in ("weak", "up to scale", "open")]
    counts.append(("directions held at CAD", str(len(estimate.held))))
    return [(name, count) for name, count in counts if count != "0"]
