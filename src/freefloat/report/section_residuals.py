"""What the fit leaves over: over time, by frequency, and whether that is noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.spectrum import spectrum
from freefloat.data.processing.whiteness import whiteness
from freefloat.report.figures import Figure, axis, level, line, log_axis, style_of
from freefloat.report.run_story import RunStory
from freefloat.report.words import prefixed
from freefloat.validation.prediction import WORDS, Reading

_FEWEST = 32  # samples of which a spectrum says something
_BANDS = 40  # of a spectrum
_LANE = 110  # height of one component [pixels]


def residuals(story: RunStory) -> dict[str, Any]:
    """A row for each component of each channel, and whether it is white."""
    several = len({each.flight for each in story.residuals}) > 1
    rows = [_row(each, index, several) for each in story.residuals for index in range(len(each.components))]
    residual = story.estimate.residual
    return {
        "rows": rows,
        "ratio": f"{residual.ratio:.2f}" if np.isfinite(residual.ratio) else None,
        "white": residual.white,
        "count": f"{residual.rows:,}".replace(",", " "),
        "unknowns": residual.unknowns,
        "own": story.estimate.method == "maximum-likelihood",
    }


def residual_figures(story: RunStory) -> list[Figure]:
    """Of every channel: residual over noise with time, and its spectrum."""
    several = len({each.flight for each in story.residuals}) > 1
    figures = list[Figure]()
    for number, each in enumerate(story.residuals):
        what = f"{each.flight}: {WORDS[each.channel]}" if several else WORDS[each.channel].capitalize()
        figures.append(lanes(each, f"residual-{number}-time", f"{what} over time"))
        if each.t.size >= _FEWEST:
            figures.append(_by_frequency(each, f"residual-{number}-spectrum", f"{what} by frequency"))
    return figures


def _by_frequency(each: Reading, name: str, title: str) -> Figure:
    """Power of the residual over that of the noise."""
    found = spectrum(each.residual / each.noise, 1.0 / float(np.median(np.diff(each.t))))
    frequency, power = _in_bands(found.frequency_Hz[1:], found.power[1:])
    traces = [
        line(frequency, power[:, index], component, **style_of(index))
        for index, component in enumerate(each.components)
    ]
    layout = {
        "xaxis": log_axis("f [Hz]", frequency),
        "yaxis": log_axis("power / noise power", np.append(power, [0.3, 3.0])),
        "shapes": [level(1.0)],
    }
    return Figure(name, title, "dashed: the sensor’s noise", traces, layout, _height(each))


def lanes(each: Reading, name: str, title: str) -> Figure:
    """Measured less predicted over the noise, components one above another, with lines at two of it."""
    return stacked_lanes(each.t, each.residual / each.noise, each.components, name, title, _height(each))


def stacked_lanes(
    t: Array, weighted: Array, components: tuple[str, ...], name: str, title: str, height: int = 3 * _LANE
) -> Figure:
    """Columns over their noise, shape (n, k), one above another, with lines at two."""
    lane = 2.2 * max(float(np.abs(weighted).max(initial=0.0)), 4.0)
    middles = [-lane * index for index in range(len(components))]
    crowded = lane > 26.0  # labels at two would touch
    width = 1.3 if crowded else 0.8
    traces = [
        line(t, weighted[:, index] + middles[index], component, width=width, hoverinfo="skip", **style_of(index))
        for index, component in enumerate(components)
    ]
    ticks = [(middle + two, two) for middle in middles for two in (2, 0, -2)]
    labelled = [(place, two) for place, two in ticks if two == 0 or not crowded]
    yaxis = axis(
        "residual / noise",
        tickvals=[place for place, _ in labelled],
        ticktext=[str(two).replace("-", "−") for _, two in labelled],
        range=[middles[-1] - 0.55 * lane, 0.55 * lane],
        showgrid=False,
        zeroline=False,
    )
    shapes = [level(place) for place, two in ticks if two]
    layout = {"xaxis": axis("t [s]"), "yaxis": yaxis, "shapes": shapes}
    return Figure(name, title, "dashed: two standard deviations", traces, layout, height)


def _height(each: Reading) -> int:
    return max(320, _LANE * len(each.components))


def _in_bands(frequency: Array, power: Array) -> tuple[Array, Array]:
    """Means over bands of equal ratio, shapes (b,) and (b, k)."""
    edges = np.geomspace(frequency[0], frequency[-1] * (1.0 + 1e-9), _BANDS + 1)
    band = np.clip(np.searchsorted(edges, frequency, side="right") - 1, 0, _BANDS - 1)
    there, place, counts = np.unique(band, return_inverse=True, return_counts=True)
    sums = np.zeros((there.size, power.shape[1]))
    np.add.at(sums, place, power)
    middles = np.bincount(place, weights=frequency) / counts
    return middles, sums / counts[:, None]


def _row(each: Reading, index: int, several: bool) -> dict[str, Any]:
    column, noise = each.residual[:, index], float(each.noise[index])
    rms = float(np.sqrt(np.mean(column**2)))
    tested = whiteness(column, noise) if column.size >= 16 else None
    scale, unit = prefixed(max(rms, noise), each.unit)
    return {
        "name": f"{f'{each.flight}: ' if several else ''}{WORDS[each.channel]} {each.components[index]}",
        "rms": f"{rms / scale:.3g}",
        "noise": f"{noise / scale:.3g}",
        "unit": unit,
        "ratio": f"{rms / noise:.3f}",
        "white": None if tested is None else tested.white,
        "excess": "" if tested is None else f"{tested.excess:.2f}",
    }
