"""Estimates from parts of a flight as a page: every cluster over time with its interval, one self-contained file."""

from __future__ import annotations

import numpy as np

from freefloat.estimate.uncertain import HALF
from freefloat.files import FilePath, write_text
from freefloat.mission.history import History
from freefloat.report.figures import PlotlyMissing


def write_history_page(path: FilePath, history: History, title: str) -> None:
    """One HTML file that works offline: each cluster over its last value, against where its part ends [s]."""
    try:
        from plotly.graph_objects import Figure, Scatter
    except ImportError as error:
        raise PlotlyMissing from error
    last, ends = history.values[-1], history.spans_s[:, 1]
    figure = Figure()
    for place, name in enumerate(history.names):
        if last[place] == 0.0:
            continue
        half = HALF * history.sd[:, place] / abs(last[place])
        figure.add_trace(
            Scatter(
                x=ends,
                y=history.values[:, place] / last[place],
                error_y={"type": "data", "array": np.where(np.isfinite(half), half, 0.0)},
                name=name,
            )
        )
    figure.update_xaxes(title_text="end of the part [s]")
    figure.update_yaxes(title_text="value over the last one", range=[0.0, 2.0])
    figure.update_layout(title=title, height=700, template="plotly_white")
    write_text(path, figure.to_html(include_plotlyjs=True, full_html=True))
