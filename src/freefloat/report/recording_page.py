"""A recording as a page: every channel over time and its spectrum, one self-contained HTML file."""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.data.recording import Recording
from freefloat.files import FilePath, write_text
from freefloat.report.figures import PlotlyMissing
from freefloat.sensors.channel import Channel


def write_recording_page(path: FilePath, recording: Recording, title: str) -> None:
    """One HTML file that works offline: each channel over time [s], and the amplitudes of its frequencies [Hz]."""
    try:
        import plotly.express as px
        from plotly.graph_objects import Scattergl
        from plotly.subplots import make_subplots
    except ImportError as error:
        raise PlotlyMissing from error
    channels = list(recording)
    titles = [title for channel in channels for title in (channel.name, f"spectrum of {channel.name}")]
    spacing = 0.25 / max(len(channels), 3)
    figure = make_subplots(
        len(channels), 2, subplot_titles=titles, vertical_spacing=spacing, column_widths=[0.65, 0.35]
    )
    colours = px.colors.qualitative.D3
    for row, channel in enumerate(channels, start=1):
        values = channel.values.reshape(len(channel), -1)
        frequency, amplitude = _spectrum(channel, values)
        for index, (name, column) in enumerate(zip(channel.columns, values.T, strict=True)):
            line = {"color": colours[index % len(colours)], "width": 1.2}
            common = {"mode": "lines", "line": line, "legendgroup": name}
            figure.add_trace(Scattergl(x=channel.t, y=column, name=name, **common), row=row, col=1)
            spectrum = Scattergl(x=frequency, y=amplitude[:, index], name=name, showlegend=False, **common)
            figure.add_trace(spectrum, row=row, col=2)
    figure.update_xaxes(title_text="t [s]", row=len(channels), col=1)
    figure.update_xaxes(title_text="f [Hz]", row=len(channels), col=2)
    figure.update_xaxes(type="log", col=2)
    figure.update_yaxes(type="log", col=2)
    figure.update_layout(title=title, height=120 + 240 * len(channels), template="plotly_white")
    write_text(path, figure.to_html(include_plotlyjs=True, full_html=True))


def _spectrum(channel: Channel, values: Array) -> tuple[Array, Array]:
    """Frequencies [Hz] and amplitudes of each column, its mean left out, a Hann window over it."""
    window = np.hanning(len(channel))[:, None]
    amplitude = np.abs(np.fft.rfft((values - values.mean(axis=0)) * window, axis=0)) * 2.0 / max(window.sum(), 1.0)
    frequency = np.asarray(np.fft.rfftfreq(len(channel), channel.interval_s), dtype=np.float64)
    return frequency[1:], amplitude[1:]
