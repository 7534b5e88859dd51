"""A recording as a page: every channel over time, one self-contained HTML file."""

from __future__ import annotations

from freefloat.errors import FreefloatError
from freefloat.experiment.recording import Recording
from freefloat.files import FilePath, write_text


class PlotlyMissing(FreefloatError):
    """The library that draws pages is not installed."""

    def __init__(self) -> None:
        super().__init__("pages need plotly, which is not installed; `pip install plotly` brings it")


def write_recording_page(path: FilePath, recording: Recording, title: str) -> None:
    """One HTML file that works offline: a plot per channel, all on one time axis [s]."""
    try:
        from plotly.graph_objects import Scattergl
        from plotly.subplots import make_subplots
    except ImportError as error:
        raise PlotlyMissing from error
    channels = list(recording)
    titles, spacing = [channel.name for channel in channels], 0.25 / max(len(channels), 3)
    figure = make_subplots(len(channels), shared_xaxes=True, subplot_titles=titles, vertical_spacing=spacing)
    for row, channel in enumerate(channels, start=1):
        values = channel.values.reshape(len(channel), -1)
        for name, column in zip(channel.columns, values.T, strict=True):
            figure.add_trace(Scattergl(x=channel.t, y=column, name=name, mode="lines"), row=row, col=1)
    figure.update_xaxes(title_text="t [s]", row=len(channels), col=1)
    figure.update_layout(title=title, height=120 + 240 * len(channels), template="plotly_white")
    write_text(path, figure.to_html(include_plotlyjs=True, full_html=True))
