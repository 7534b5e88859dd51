"""What the fit leaves over: over time, by frequency, and whether that is noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.experiment.processing.spectrum import spectrum
from freefloat.experiment.processing.whiteness import whiteness
from freefloat.report.figures import COLOURS, Figure, axis, level, line
from freefloat.report.run_story import RunStory
from freefloat.validation.prediction import WORDS, Reading

_FEWEST = 32  # samples of which a spectrum says something
_SMOOTHED = 9  # bins of a spectrum that are drawn as one


def residuals(story: RunStory) -> dict[str, Any]:
    """A row for each component of each channel, and whether it is white."""
    rows = [_row(each, index) for each in story.residuals for index in range(len(each.components))]
    ratio = story.estimate.residual.ratio
    return {
        "rows": rows,
        "ratio": f"{ratio:.2f}" if np.isfinite(ratio) else None,
        "white": story.estimate.residual.white,
        "count": f"{story.estimate.residual.rows:,}".replace(",", " "),
        "unknowns": story.estimate.residual.unknowns,
    }


def residual_figures(story: RunStory) -> list[Figure]:
    """Of every channel: residual over noise with time, and its spectrum."""
    figures = list[Figure]()
    for number, each in enumerate(story.residuals):
        figures += reading_figures(each, f"residual-{number}")
    return figures


def reading_figures(each: Reading, name: str) -> list[Figure]:
    """Residual over noise with time, and its power by frequency."""
    weighted = each.residual / each.noise
    over_time = [
        line(each.t, weighted[:, index], component, COLOURS[index % 8], width=0.8)
        for index, component in enumerate(each.components)
    ]
    layout = {"xaxis": axis("t [s]"), "yaxis": axis(f"{WORDS[each.channel]}: residual / noise")}
    figures = [Figure(f"{name}-time", over_time, {**layout, "shapes": [level(2.0), level(-2.0)]}, 300)]
    if each.t.size < _FEWEST:
        return figures
    found = spectrum(weighted, 1.0 / float(np.median(np.diff(each.t))))
    power = [
        line(_means(found.frequency_Hz), _means(found.power[:, index]), component, COLOURS[index % 8], width=1.0)
        for index, component in enumerate(each.components)
    ]
    log = {"type": "log", "exponentformat": "power", "dtick": 1}
    shown = {"xaxis": axis("f [Hz]", **log), "yaxis": axis("power / noise power", **log), "shapes": [level(1.0)]}
    return [*figures, Figure(f"{name}-spectrum", power, shown, 300)]


def _means(values: Any) -> Any:
    """Means over bins, the first of which (the mean itself) is left out."""
    whole = (values.size - 1) // _SMOOTHED * _SMOOTHED
    return values[1 : whole + 1].reshape(-1, _SMOOTHED).mean(axis=1)


def _row(each: Reading, index: int) -> dict[str, Any]:
    column, noise = each.residual[:, index], float(each.noise[index])
    tested = whiteness(column, noise) if column.size >= 16 else None
    return {
        "name": f"{WORDS[each.channel]} {each.components[index]}",
        "rms": f"{np.sqrt(np.mean(column**2)):.3g}",
        "noise": f"{noise:.3g}",
        "unit": each.unit,
        "ratio": f"{np.sqrt(np.mean(column**2)) / noise:.3f}",
        "white": None if tested is None else tested.white,
        "excess": "" if tested is None else f"{tested.excess:.2f}",
    }
