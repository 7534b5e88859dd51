"""What swings: modes, springs, spectra of the measured and the predicted rate, and how far passive joints are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.data.processing.spectrum import spectrum
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import ChannelResidual
from freefloat.estimate.estimated_springs import estimated_modes, spring_names
from freefloat.estimate.uncertain import HALF
from freefloat.mission.run_directory import Run
from freefloat.report.figures import Figure, axis, line, log_axis, style_of
from freefloat.report.mode_words import mode_words
from freefloat.report.words import number, relative, with_interval

_FEWEST = 32  # readings of which a spectrum says something
_LEAST = 1e-3  # of the noise's power: a prediction has none, and falls to rounding


def swings(run: Run) -> dict[str, Any] | None:
    """Rows of modes and of springs; None where no joint is passive."""
    estimate = run.estimate
    if not estimate.robot.passive.size:
        return None
    modes = zip(mode_words(estimate), estimated_modes(estimate), strict=True)
    springs = [_spring(run, joint, name) for joint, pair in enumerate(spring_names(estimate.robot)) for name in pair]
    return {
        "modes": [
            {
                "frequency": words.frequency,
                "damping": words.damping,
                "swings": words.swings,
                "turn": _along(mode.axis),
                "by": f"{np.linalg.norm(mode.turn):.3g}",
                "coupling": number(mode.coupling_inertia),
            }
            for words, mode in modes
        ],
        "springs": [each for each in springs if each is not None],
        "floats": estimate.robot.base != "fixed",
        "truth": run.truth is not None,
    }


def swing_figures(run: Run) -> list[Figure]:
    """Of each flight: spectra of the base's rate, and passive joints over time."""
    estimate, figures = run.estimate, list[Figure]()
    if not estimate.robot.passive.size:
        return figures
    several = len(estimate.flights) > 1
    for place, left in enumerate(estimate.residuals):
        if left.measured is not None and left.t.size >= _FEWEST:
            figures.append(_spectra(left, left.measured, estimate, f"swings-{place}-spectrum", several))
    for place, used in enumerate(estimate.flights):
        title = f"{used.name}: passive joints" if several else "Passive joints"
        t, q = used.motion.need("t", "a figure"), used.motion.q[:, estimate.robot.passive]
        figures.append(_deflections(t, q, estimate, f"swings-{place}-joints", title))
    return figures


def _spectra(left: ChannelResidual, measured: Array, estimate: Estimate, name: str, several: bool) -> Figure:
    """Power of all axes together over that of the noise: measured, predicted and left, with lines at the modes."""
    unit = np.where(left.noise > 0.0, left.noise, 1.0)
    rate = 1.0 / float(np.median(np.diff(left.t)))
    lines, powers = [], list[Array]()
    for words, values, colour, width, opacity in (
        ("measured", measured, "--c1", 4.0, 0.35),
        ("predicted", measured - left.residual, "--c2", 1.3, 1.0),
        ("left over", left.residual, "--muted", 1.0, 1.0),
    ):
        found = spectrum(values / unit, rate)
        frequency, power = found.frequency_Hz[1:], np.maximum(found.power[1:].mean(axis=1), _LEAST)
        powers.append(power)
        lines.append(line(frequency, power, words, colour, width=width, opacity=opacity))
    modes = [mode.frequency_Hz for mode in estimated_modes(estimate) if mode.frequency_Hz < 0.5 * rate]
    layout = {
        "xaxis": log_axis("f [Hz]", frequency),
        "yaxis": log_axis("power / noise power", np.concatenate(powers)),
        "shapes": [_upright(each) for each in modes],
        "annotations": _labels(modes),
    }
    title = f"{left.flight}: rate of the base by frequency" if several else "Rate of the base by frequency"
    note = "broad: measured; fine: predicted; grey: left over; upright: modes found"
    return Figure(name, title, note, lines, layout, 360)


def _upright(frequency: float) -> dict[str, Any]:
    """A line at a frequency, as a shape of a layout."""
    style = {"color": "--limit", "width": 1, "dash": "dash"}
    return {"type": "line", "x0": frequency, "x1": frequency, "yref": "paper", "y0": 0, "y1": 1, "line": style}


def _labels(modes: Sequence[float]) -> list[dict[str, Any]]:
    """Frequencies beside their lines, one lower than the other so that none hides another."""
    return [
        {
            "x": math.log10(each),
            "y": 0.98 - 0.07 * (place % 4),
            "yref": "paper",
            "text": f"{each:.3g} Hz",
            "showarrow": False,
            "xanchor": "left",
            "xshift": 3,
            "font": {"color": "--limit", "size": 11},
        }
        for place, each in enumerate(modes)
    ]


def _deflections(t: Array, q: Array, estimate: Estimate, name: str, title: str) -> Figure:
    """How far passive joints are from where springs rest, as predicted."""
    traces, units = [], dict[str, None]()
    for index, place in enumerate(estimate.robot.passive):
        slides = estimate.robot.joints[place].kind == "prismatic"
        scale, unit = (1e3, "mm") if slides else (math.degrees(1.0), "°")
        units[unit] = None
        traces.append(line(t, scale * q[:, index], estimate.robot.passive_names[index], **style_of(index)))
    layout = {"xaxis": axis("t [s]"), "yaxis": axis(f"from rest [{', '.join(units)}]"), "hovermode": "x unified"}
    return Figure(name, title, "as predicted by what was found; nobody measures them", traces, layout, 360)


def _spring(run: Run, place: int, name: str) -> dict[str, str] | None:
    """A row; None where it was not estimated."""
    found = {each.name: each for each in run.estimate.nuisances}.get(name)
    if found is None:
        return None
    field, half = name.partition(" ")[0], HALF * found.sd
    value, interval = with_interval(found.value, half)
    said = run.robot.springs[place]
    real = None if run.truth is None else run.truth.springs[place]
    return {
        "name": name,
        "value": value,
        "interval": interval,
        "unit": found.unit,
        "relative": relative(found.value, half),
        "cad": number(getattr(said, field)),
        "truth": "" if real is None else number(getattr(real, field)),
    }


def _along(axis_of: Array) -> str:
    """A unit vector in words: the axis it is nearly about, else its components."""
    if not axis_of.any():
        return "–"
    largest = int(np.argmax(np.abs(axis_of)))
    if abs(axis_of[largest]) > 0.995:
        return AXES[largest]
    return ", ".join(f"{component:.2f}".replace("-", "−") for component in axis_of * np.sign(axis_of[largest]))
