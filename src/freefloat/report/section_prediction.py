"""Prediction of motion that the estimate has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.report.figures import COLOURS, Figure, axis, line
from freefloat.report.run_story import RunStory
from freefloat.report.section_residuals import lanes
from freefloat.report.words import prefixed
from freefloat.validation.extent import Sensitivity
from freefloat.validation.prediction import WORDS, Reading
from freefloat.validation.validation import ChannelError

_SENSITIVE = 6


def prediction(story: RunStory) -> dict[str, Any] | None:
    """Verdict, reasons, channels, tests, what the prediction depends on; None without a validation."""
    found = story.validation
    if found is None:
        return None
    return {
        "verdict": found.verdict,
        "reasons": found.reasons,
        "false_alarm": f"{100.0 * found.false_alarm:.2g} %",
        "channels": [_channel(each) for each in found.channels],
        "checks": [
            {
                "name": each.name,
                "statistic": f"{each.statistic:.4g}",
                "limit": f"{each.limit:.4g}",
                "meaning": each.meaning,
                "fired": each.fired,
            }
            for each in found.checks
        ],
        "sensitivities": [_sensitivity(each) for each in found.sensitivities[:_SENSITIVE]],
        "turned": None if found.turned_away_rad is None else f"{np.degrees(found.turned_away_rad):.2g}°",
    }


def prediction_figures(story: RunStory) -> list[Figure]:
    """Measured and predicted, and the difference over the noise."""
    if story.validation is None:
        return []
    figures = list[Figure]()
    for number, each in enumerate(story.validation.readings):
        figures += [_measured(each, f"unseen-{number}"), lanes(each, f"unseen-{number}-error")]
    return figures


def _measured(each: Reading, name: str) -> Figure:
    turns = each.unit.startswith("rad")
    scale, unit = (np.degrees(1.0), each.unit.replace("rad", "°", 1)) if turns else (1.0, each.unit)
    traces = []
    for index, component in enumerate(each.components):
        measured, predicted = scale * each.measured[:, index], scale * each.predicted[:, index]
        colour = COLOURS[index % 8]
        traces.append(line(each.t, measured, f"{component} measured", colour, width=3.5, opacity=0.35))
        traces.append(line(each.t, predicted, f"{component} predicted", colour, width=1.3))
    layout = {"xaxis": axis("t [s]"), "yaxis": axis(f"{WORDS[each.channel]} [{unit}]"), "hovermode": "x unified"}
    return Figure(name, traces, layout, 340)


def _channel(each: ChannelError) -> dict[str, str]:
    scale, unit = prefixed(each.largest, each.unit)
    return {
        "name": f"{WORDS[each.channel]} {each.component}",
        "rms": f"{each.rms / scale:.3g}",
        "largest": f"{each.largest / scale:.3g}",
        "noise": f"{each.noise / scale:.3g}",
        "ratio": f"{each.ratio:.3f}",
        "unit": unit,
    }


def _sensitivity(each: Sensitivity) -> dict[str, str]:
    scale, unit = prefixed(each.change, each.unit)
    own_scale, own_unit = prefixed(each.by_own_sd, each.unit)
    return {
        "name": each.words,
        "change": f"{each.change / scale:.3g} {unit}",
        "own": f"{each.by_own_sd / own_scale:.2g} {own_unit}",
        "share": f"{100.0 * each.share:.0f} %",
    }
