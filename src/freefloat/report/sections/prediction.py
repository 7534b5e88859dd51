"""Prediction of motion that the estimate has not seen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from freefloat.arrays import AXES
from freefloat.estimate.cause import Cause
from freefloat.estimate.estimate_parts import in_percent
from freefloat.estimate.uncertain import HALF
from freefloat.mission.run_directory import Run
from freefloat.report.figures import COLOURS, Figure, axis, line, packed, style_of
from freefloat.report.sections.residuals import lanes, stacked_lanes
from freefloat.report.words import prefixed
from freefloat.validation.extent import Sensitivity
from freefloat.validation.lines import Line
from freefloat.validation.prediction import WORDS, PredictedMomentum, PredictedReading
from freefloat.validation.validation import ChannelError, Validation

_SENSITIVE = 6
_WINDOWED = 6  # clusters whose growing windows are drawn


def prediction(run: Run) -> dict[str, Any] | None:
    """Verdict, reasons, causes, channels, tests, what the prediction depends on; None without a validation."""
    found = run.validation
    if found is None:
        return None
    return {
        "verdict": found.verdict,
        "reasons": found.reasons,
        "causes": [_cause(each) for each in found.causes],
        "lines": [_line(each) for each in found.lines],
        "notes": found.notes,
        "false_alarm": f"{100.0 * found.false_alarm:.2g} %",
        "channels": [_channel(each, _several(found)) for each in found.channels],
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


def prediction_figures(run: Run) -> list[Figure]:
    """Measured and predicted, and the difference over the noise; then the balance of momentum, and growing windows."""
    found = run.validation
    if found is None:
        return []
    figures, several = list[Figure](), _several(found)
    for number, each in enumerate(found.readings):
        what = f"{each.flight}: {WORDS[each.channel]}" if several else WORDS[each.channel].capitalize()
        figures += [
            _measured(each, f"unseen-{number}", f"{what}, measured and predicted"),
            lanes(each, f"unseen-{number}-error", f"{what}, the difference"),
        ]
    for number, balance in enumerate(found.momentum):
        figures += _balance(balance, f"momentum-{number}", f"{balance.flight}: " if several else "")
    return [*figures, *_windows(run, found)]


def _several(found: Validation) -> bool:
    return len({each.flight for each in found.readings}) > 1


def _measured(each: PredictedReading, name: str, title: str) -> Figure:
    turns = each.unit.startswith("rad")
    scale, unit = (np.degrees(1.0), each.unit.replace("rad", "°", 1)) if turns else (1.0, each.unit)
    traces = []
    for index, component in enumerate(each.components):
        measured, predicted = scale * each.measured[:, index], scale * each.predicted[:, index]
        style = style_of(index)
        traces.append(line(each.t, measured, f"{component} measured", style["colour"], width=3.5, opacity=0.35))
        traces[-1] |= {"showlegend": False}
        traces.append(line(each.t, predicted, component, width=1.3, **style))
    layout = {"xaxis": axis("t [s]"), "yaxis": axis(f"{WORDS[each.channel]} [{unit}]"), "hovermode": "x unified"}
    return Figure(name, title, "broad: measured; fine: predicted", traces, layout, 330)


def _balance(each: PredictedMomentum, name: str, flight: str) -> list[Figure]:
    """What is missing in the balance of angular momentum, over the noise; none where that is not known."""
    there = np.flatnonzero(each.noise > 0.0)
    if not there.size:
        return []
    scale, unit = prefixed(float(each.noise.max()), "N m s")
    noise = ", ".join(f"{each.noise[place] / scale:.2g}" for place in there)
    names = tuple(AXES[place] for place in there)
    weighted = each.residual[:, there] / each.noise[there]
    found = stacked_lanes(each.t, weighted, names, name, f"{flight}Angular momentum about the centre of mass")
    note = f"measured less balanced; the noise is {noise} {unit}"
    return [Figure(name, found.title, note, found.traces, found.layout, found.height)]


def _windows(run: Run, found: Validation) -> list[Figure]:
    """What growing parts of the flight alone say of the clusters that matter, less the estimate, over both errors."""
    windows, traces = found.windows, list[dict[str, Any]]()
    own = dict(zip(run.estimate.names, run.estimate.sd.tolist(), strict=True))
    chosen = [each for each in found.sensitivities if each.name in windows.names][:_WINDOWED]
    for index, each in enumerate(chosen):
        place = windows.names.index(each.name)
        shift, sd = windows.shift[:, place], np.hypot(windows.sd[:, place], own.get(each.name, 0.0))
        if np.isfinite(shift).all() and np.isfinite(sd).all() and (sd > 0.0).all():
            trace = line(windows.ends_s, shift / sd, each.words, COLOURS[index % 8])
            traces.append({**trace, "mode": "lines+markers", "marker": {"color": COLOURS[index % 8], "size": 5}})
    if not traces:
        return []
    ends = packed(np.array([windows.ends_s[0], windows.ends_s[-1], windows.ends_s[-1], windows.ends_s[0]]))
    band: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines",
        "x": ends,
        "y": packed(np.array([-2.0, -2.0, 2.0, 2.0])),
    }
    band |= {"fill": "toself", "fillcolor": "--band", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    layout = {"xaxis": axis("the first seconds of the flight [s]"), "yaxis": axis("shift / standard deviation")}
    note = (
        "clusters from the beginning of this flight alone, less the estimate; the band: two standard deviations of both"
    )
    return [Figure("windows", "Growing windows", note, [band, *traces], layout, 330)]


def _cause(each: Cause) -> dict[str, str]:
    known = math.isfinite(each.amount) and math.isfinite(each.sd)
    amount = f"{each.amount:+.3g} ± {HALF * each.sd:.1g}" if known else ""
    share = f"{100.0 * each.share:.0f} %" if math.isfinite(each.share) else ""
    return {"kind": each.kind, "what": each.what, "amount": amount, "share": share}


def _line(each: Line) -> dict[str, str]:
    scale, unit = prefixed(each.amplitude, each.unit)
    return {
        "name": f"{WORDS[each.channel]} {each.component}",
        "frequency": f"{each.frequency_Hz:.4g} Hz",
        "amplitude": f"{each.amplitude / scale:.3g} {unit}",
    }


def _channel(each: ChannelError, several: bool) -> dict[str, str]:
    scale, unit = prefixed(each.largest, each.unit)
    return {
        "name": f"{f'{each.flight}: ' if several else ''}{WORDS[each.channel]} {each.component}",
        "rms": f"{each.rms / scale:.3g}",
        "largest": f"{each.largest / scale:.3g}",
        "noise": f"{each.noise / scale:.3g}",
        "ratio": f"{each.ratio:.3f}",
        "of_signal": "–" if math.isnan(each.of_signal) else in_percent(each.of_signal),
        "unit": unit,
    }


def _sensitivity(each: Sensitivity) -> dict[str, str]:
    scale, unit = prefixed(each.change, each.unit)
    own_scale, own_unit = prefixed(each.by_own_sd, each.unit)
    return {
        "name": each.words,
        "change": f"{each.change / scale:.3g} {unit}",
        "own": f"{each.by_own_sd / own_scale:.2g} {own_unit}",
    }
