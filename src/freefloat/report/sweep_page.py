"""A sweep as a page or a table: condition number and predicted accuracy over what was varied."""

from __future__ import annotations

import csv
import io
import math

import numpy as np

from freefloat.excitation.sweep import Sweep, SweepPoint
from freefloat.files import FilePath, write_text
from freefloat.report.figures import PlotlyMissing


def write_sweep_page(path: FilePath, sweep: Sweep, title: str) -> None:
    """One HTML file that works offline: over the first of the varied names, a line for each setting of the others."""
    try:
        from plotly.graph_objects import Scatter
        from plotly.subplots import make_subplots
    except ImportError as error:
        raise PlotlyMissing from error
    first, *others = sweep.keys
    figure = make_subplots(1, 2, subplot_titles=("condition number", "predicted standard deviation, median [%]"))
    for name, points in _lines(sweep, others).items():
        x = [point.setting[first] for point in points]
        values = ([point.condition_number for point in points], [100.0 * point.typical_accuracy for point in points])
        for column, y in enumerate(values, start=1):
            line = Scatter(x=x, y=y, name=name, legendgroup=name, showlegend=bool(name) and column == 1)
            figure.add_trace(line, row=1, col=column)
    figure.update_xaxes(title_text=first)
    figure.update_yaxes(type="log")
    figure.update_layout(title=title, height=520, template="plotly_white")
    write_text(path, figure.to_html(include_plotlyjs=True, full_html=True))


def write_sweep_table(path: FilePath, sweep: Sweep) -> None:
    """A CSV file: a row for each setting; what is not there is empty."""
    first = sweep.points[0]
    predicted = [each.name for each in first.predictions]
    shares = [each.name for each in first.influences]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [
            *sweep.keys,
            "condition_number",
            "median_relative_sd",
            *(f"sd {name}" for name in predicted),
            *(f"influence_rad_s {name}" for name in shares),
        ]
    )
    for point in sweep.points:
        sd = {each.name: each.sd for each in point.predictions}
        rates = {each.name: each.rate_rad_s for each in point.influences}
        numbers = [*(point.setting[key] for key in sweep.keys), point.condition_number, point.typical_accuracy]
        numbers += [sd.get(name, math.nan) for name in predicted] + [rates.get(name, math.nan) for name in shares]
        writer.writerow([repr(float(number)) if np.isfinite(number) else "" for number in numbers])
    write_text(path, text.getvalue())


def _lines(sweep: Sweep, others: list[str]) -> dict[str, list[SweepPoint]]:
    """Points by the setting of what is not on the axis."""
    found: dict[str, list[SweepPoint]] = {}
    for point in sweep.points:
        name = ", ".join(f"{key} = {point.setting[key]:.4g}" for key in others)
        found.setdefault(name, []).append(point)
    return found
