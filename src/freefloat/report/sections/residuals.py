"""What the fit leaves over: over time, by frequency, and whether that is noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.spectrum import spectrum
from freefloat.data.processing.whiteness import whiteness
from freefloat.estimate.estimate_parts import ChannelResidual
from freefloat.mission.run_directory import Run
from freefloat.report.figures import Figure, axis, level, line, log_axis, style_of
from freefloat.report.words import prefixed
from freefloat.validation.prediction import WORDS

_FEWEST = 32  # samples of which a spectrum says something
_TESTED = 16  # samples of a test for whiteness
_BANDS = 40  # of a spectrum
_LANE = 110  # height of one component [pixels]


def residuals(run: Run) -> dict[str, Any]:
    """A row for each component of each channel, and whether it is white."""
    left = run.estimate.need_residuals()
    several = len({each.flight for each in left}) > 1
    rows = [_row(each, index, several) for each in left for index in range(len(each.components))]
    residual = run.estimate.residual
    return {
        "rows": rows,
        "ratio": f"{residual.ratio:.2f}" if np.isfinite(residual.ratio) else None,
        "of_signal": run.estimate.signal_words,
        "white": residual.white,
        "count": f"{residual.rows:,}".replace(",", " "),
        "unknowns": residual.unknowns,
    }


def residual_figures(run: Run) -> list[Figure]:
    """Of every channel: residual over noise with time, and its spectrum."""
    left, figures = run.estimate.need_residuals(), list[Figure]()
    several = len({each.flight for each in left}) > 1
    for number, each in enumerate(left):
        what = f"{each.flight}: {_words(each)}" if several else _words(each).capitalize()
        figures.append(lanes(each, f"residual-{number}-time", f"{what} over time"))
        if each.t.size >= _FEWEST:
            figures.append(_by_frequency(each, f"residual-{number}-spectrum", f"{what} by frequency"))
    return figures


def _words(each: ChannelResidual) -> str:
    """Of a sensor's channel; rows of a linear method are called by their quantity."""
    return WORDS.get(each.channel, each.channel)


def _unit(each: ChannelResidual) -> tuple[Array, str]:
    """What residuals are drawn in, shape (k,), and what that is: the noise, or where it is not known their size."""
    if (each.noise > 0.0).all():
        return each.noise, "noise"
    size = np.sqrt(np.mean(each.residual**2, axis=0))
    return np.where(size > 0.0, size, 1.0), "its rms"


def _by_frequency(each: ChannelResidual, name: str, title: str) -> Figure:
    """Power of the residual over that of the noise."""
    unit, what = _unit(each)
    found = spectrum(each.residual / unit, 1.0 / float(np.median(np.diff(each.t))))
    frequency, power = _in_bands(found.frequency_Hz[1:], found.power[1:])
    traces = [
        line(frequency, power[:, index], component, **style_of(index))
        for index, component in enumerate(each.components)
    ]
    layout = {
        "xaxis": log_axis("f [Hz]", frequency),
        "yaxis": log_axis(
            "power / noise power" if what == "noise" else "power / mean power", np.append(power, [0.3, 3.0])
        ),
        "shapes": [level(1.0)],
    }
    note = "dashed: the sensor’s noise" if what == "noise" else "dashed: as if it were white; the noise is not known"
    return Figure(name, title, note, traces, layout, _height(each))


def lanes(each: ChannelResidual, name: str, title: str) -> Figure:
    """Measured less predicted over the noise, components one above another, with lines at two of it."""
    unit, what = _unit(each)
    return stacked_lanes(each.t, each.residual / unit, each.components, name, title, _height(each), what)


def stacked_lanes(
    t: Array,
    weighted: Array,
    components: tuple[str, ...],
    name: str,
    title: str,
    height: int = 3 * _LANE,
    over: str = "noise",
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
        f"residual / {over}",
        tickvals=[place for place, _ in labelled],
        ticktext=[str(two).replace("-", "−") for _, two in labelled],
        range=[middles[-1] - 0.55 * lane, 0.55 * lane],
        showgrid=False,
        zeroline=False,
    )
    shapes = [level(place) for place, two in ticks if two]
    layout = {"xaxis": axis("t [s]"), "yaxis": yaxis, "shapes": shapes}
    return Figure(name, title, "dashed: two standard deviations", traces, layout, height)


def _height(each: ChannelResidual) -> int:
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


def _row(each: ChannelResidual, index: int, several: bool) -> dict[str, Any]:
    column, noise = each.residual[:, index], float(each.noise[index])
    rms, known = float(np.sqrt(np.mean(column**2))), noise > 0.0
    tested = whiteness(column, noise if known else None) if column.size >= _TESTED and rms > 0.0 else None
    scale, unit = prefixed(max(rms, noise) if known else rms, each.unit)
    component = "" if each.components[index] == each.channel else each.components[index]
    return {
        "name": f"{f'{each.flight}: ' if several else ''}{_words(each)} {component}".strip(),
        "rms": f"{rms / scale:.3g}",
        "noise": f"{noise / scale:.3g}" if known else "–",
        "unit": unit,
        "ratio": f"{rms / noise:.3f}" if known else "–",
        "white": None if tested is None else tested.white,
        "excess": "" if tested is None else f"{tested.excess:.2f}",
    }
