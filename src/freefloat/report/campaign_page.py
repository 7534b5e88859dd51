"""A campaign as a page: errors, convergence, coverage and the worst clusters of every method, one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.files import FilePath, write_text
from freefloat.report.figures import PlotlyMissing

_MOST_DRAWN = 500  # runs that the boxes are of: all of them would make the page heavy
_MOST_CLUSTERS = 24  # on an axis: more names than that overlap
_TITLES = (
    "error [%]",
    "95 % intervals that hold the truth [%]",
    "mean (line) and spread (dashes) as runs come in [%]",
    "worst cluster, runs",
)
_PLOT_PX, _GAP_PX, _TOP_PX, _BOTTOM_PX = 300, 190, 140, 130  # gaps hold names of clusters and a heading


@dataclass(frozen=True, slots=True, eq=False)
class MethodPicture:
    """What is drawn of a method.

    name: for the legend. clusters: names of the c clusters. telling: those whose true value is larger than what a CAD
    model is off by, shape (c,); they are drawn first. errors: relative, shape (n, c).
    coverage: of 95 % intervals: share and ends of its interval, shape (c, 3).
    counts: of runs, shape (k,). mean_error, spread_error: of the first so many, shape (k, c).
    worst: in how many runs each cluster is the worst.
    """

    name: str
    clusters: tuple[str, ...]
    telling: NDArray[np.bool_]
    errors: Array
    coverage: Array
    counts: NDArray[np.int64]
    mean_error: Array
    spread_error: Array
    worst: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class CampaignPicture:
    """Methods that share a row of plots, since their clusters are the same; heading: of the row."""

    heading: str
    methods: tuple[MethodPicture, ...]


def write_campaign_page(path: FilePath, rows: Sequence[CampaignPicture], title: str) -> None:
    """One HTML file that works offline: for each row errors, coverage, convergence, and which cluster is worst."""
    try:
        import plotly.express as px
        from plotly.subplots import make_subplots
    except ImportError as error:
        raise PlotlyMissing from error
    count = 2 * max(len(rows), 1)
    drawn = count * _PLOT_PX + (count - 1) * _GAP_PX
    figure = make_subplots(
        count,
        2,
        subplot_titles=_TITLES * len(rows),
        vertical_spacing=_GAP_PX / drawn,
        horizontal_spacing=0.08,
        column_widths=[0.6, 0.4],
    )
    colours, seen = px.colors.qualitative.D3, dict[str, str]()
    for index, picture in enumerate(rows):
        upper, lower = 2 * index + 1, 2 * index + 2
        for each in picture.methods:
            first = each.name not in seen
            colour = seen.setdefault(each.name, colours[len(seen) % len(colours)])
            for place, trace in _traces(each, colour, first):
                figure.add_trace(trace, row=lower if place > 2 else upper, col=2 - place % 2)
        figure.add_hline(95.0, row=upper, col=2, line={"dash": "dot"})
        figure.add_annotation(
            text=f"<b>{_heading(picture)}</b>",
            x=0.0,
            y=1.0 - 2 * index * (_PLOT_PX + _GAP_PX) / drawn,
            yshift=50,
            xref="paper",
            yref="paper",
            xanchor="left",
            showarrow=False,
            font={"size": 16},
        )
        for row, col in ((upper, 1), (upper, 2), (lower, 2)):
            figure.update_xaxes(tickangle=-60, tickfont={"size": 10}, row=row, col=col)
        figure.update_xaxes(categoryorder="total descending", row=lower, col=2)
        figure.update_xaxes(title_text="runs", type="log", row=lower, col=1)
        figure.update_yaxes(title_text="median over clusters", type="log", row=lower, col=1)
    figure.update_layout(
        title=title,
        height=drawn + _TOP_PX + _BOTTOM_PX,
        margin={"t": _TOP_PX, "b": _BOTTOM_PX},
        template="plotly_white",
        boxmode="group",
    )
    write_text(path, figure.to_html(include_plotlyjs=True, full_html=True))


def _heading(picture: CampaignPicture) -> str:
    """With how many clusters are on the axes, if that is not all."""
    shown, all_of_them = (len(_chosen(picture.methods[0])), len(picture.methods[0].clusters))
    fewer = f" ({shown} of {all_of_them} clusters)" if shown < all_of_them else ""
    return f"{escape(picture.heading)}{fewer}"


def _chosen(each: MethodPicture) -> NDArray[np.int64]:
    """The clusters that are drawn: telling ones before others, in the order of the model."""
    first = np.argsort(~each.telling, kind="stable")
    return np.sort(first[:_MOST_CLUSTERS])


def _traces(each: MethodPicture, colour: str, in_legend: bool) -> Iterator[tuple[int, Any]]:
    """What is drawn of a method, each with its place: 1 and 2 above, 3 and 4 below."""
    from plotly.graph_objects import Bar, Box, Scatter

    common: dict[str, Any] = {"name": each.name, "legendgroup": each.name, "marker": {"color": colour}}
    chosen = _chosen(each)
    names, errors = np.array(each.clusters)[chosen], each.errors[:_MOST_DRAWN, chosen]
    x, y = np.repeat(names, len(errors)), 100.0 * errors.T.ravel()
    yield 1, Box(x=x, y=y, boxpoints=False, showlegend=in_legend, **common)
    common["showlegend"] = False
    share, low, high = 100.0 * each.coverage[chosen].T
    ends = {"type": "data", "symmetric": False, "array": high - share, "arrayminus": share - low}
    yield 2, Scatter(x=names, y=share, error_y=ends, mode="markers", **common)
    for values, dash in ((np.abs(each.mean_error), "solid"), (each.spread_error, "dash")):
        if values.size:
            median = 100.0 * np.median(values, axis=1)
            line = {"color": colour, "dash": dash}
            yield 3, Scatter(x=each.counts, y=median, mode="lines", line=line, **common)
    worst = sorted(each.worst.items(), key=lambda pair: -pair[1])[:_MOST_CLUSTERS]
    yield 4, Bar(x=[name for name, _ in worst], y=[runs for _, runs in worst], **common)
