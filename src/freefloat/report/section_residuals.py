"""What the fit leaves over: over time, by frequency, and whether that is noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.experiment.processing.spectrum import spectrum
from freefloat.experiment.processing.whiteness import whiteness
from freefloat.report.figures import COLOURS, Figure, axis, level, line
from freefloat.report.run_story import RunStory
from freefloat.report.words import prefixed
from freefloat.robot.transform import Array
from freefloat.validation.prediction import WORDS, Reading

_FEWEST = 32  # samples of which a spectrum says something
_BANDS = 40  # of a spectrum
_TICKS = (0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0)  # of its power over that of the noise


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
    figures = [lanes(each, f"{name}-time")]
    if each.t.size < _FEWEST:
        return figures
    found = spectrum(each.residual / each.noise, 1.0 / float(np.median(np.diff(each.t))))
    frequency, power = _in_bands(found.frequency_Hz[1:], found.power[1:])
    traces = [
        line(frequency, power[:, index], component, COLOURS[index % 8])
        for index, component in enumerate(each.components)
    ]
    layout = {
        "xaxis": axis("f [Hz]", type="log", exponentformat="power", dtick=1),
        "yaxis": axis("power / noise power", type="log", tickvals=_TICKS, ticktext=[f"{tick:g}" for tick in _TICKS]),
        "shapes": [level(1.0)],
    }
    return [*figures, Figure(f"{name}-spectrum", traces, layout, 320)]


def lanes(each: Reading, name: str) -> Figure:
    """Measured less predicted over the noise, components one above another, with lines at two of it."""
    weighted, count = each.residual / each.noise, len(each.components)
    height = 2.2 * max(float(np.abs(weighted).max(initial=0.0)), 4.0)
    middles = [-height * index for index in range(count)]
    traces = [
        line(each.t, weighted[:, index] + middles[index], component, COLOURS[index % 8], width=0.8, hoverinfo="skip")
        for index, component in enumerate(each.components)
    ]
    ticks = [(middle + two, two) for middle in middles for two in (2, 0, -2)]
    yaxis = axis(
        "residual / noise",
        tickvals=[place for place, _ in ticks],
        ticktext=[str(two).replace("-", "−") for _, two in ticks],
        range=[middles[-1] - 0.55 * height, 0.55 * height],
        showgrid=False,
        zeroline=False,
    )
    shapes = [level(place) for place, two in ticks if two]
    return Figure(name, traces, {"xaxis": axis("t [s]"), "yaxis": yaxis, "shapes": shapes}, max(320, 110 * count))


def _in_bands(frequency: Array, power: Array) -> tuple[Array, Array]:
    """Means over bands of equal ratio, shapes (b,) and (b, k)."""
    edges = np.geomspace(frequency[0], frequency[-1] * (1.0 + 1e-9), _BANDS + 1)
    band = np.clip(np.searchsorted(edges, frequency, side="right") - 1, 0, _BANDS - 1)
    there, place, counts = np.unique(band, return_inverse=True, return_counts=True)
    sums = np.zeros((there.size, power.shape[1]))
    np.add.at(sums, place, power)
    middles = np.bincount(place, weights=frequency) / counts
    return middles, sums / counts[:, None]


def _row(each: Reading, index: int) -> dict[str, Any]:
    column, noise = each.residual[:, index], float(each.noise[index])
    rms = float(np.sqrt(np.mean(column**2)))
    tested = whiteness(column, noise) if column.size >= 16 else None
    scale, unit = prefixed(max(rms, noise), each.unit)
    return {
        "name": f"{WORDS[each.channel]} {each.components[index]}",
        "rms": f"{rms / scale:.3g}",
        "noise": f"{noise / scale:.3g}",
        "unit": unit,
        "ratio": f"{rms / noise:.3f}",
        "white": None if tested is None else tested.white,
        "excess": "" if tested is None else f"{tested.excess:.2f}",
    }
