"""A validation as a page: verdict, measured against predicted motion, spectra, momentum balance, growing windows."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.files import FilePath, write_text
from freefloat.report.figures import PlotlyMissing
from freefloat.validation.prediction import WORDS, PredictedReading
from freefloat.validation.validation import Validation

_SHOWN = 6  # clusters of the windows
_COLOURS = {"pass": "#2a7d2a", "doubtful": "#b57b00", "fail": "#b02020"}


def write_validation_page(path: FilePath, validation: Validation, title: str) -> None:
    """One HTML file that works offline."""
    try:
        import plotly.express as px
        from plotly.graph_objects import Scattergl
        from plotly.subplots import make_subplots
    except ImportError as error:
        raise PlotlyMissing from error
    page = _Page(Scattergl, px.colors.qualitative.D3)
    for reading in validation.readings:
        page.add_reading(reading, validation)
    for momentum in validation.momentum:
        page.add_momentum(momentum.flight, momentum.t, momentum.residual, momentum.noise)
    page.add_windows(validation)
    titles = [heading for row in page.titles for heading in row]
    figure = make_subplots(len(page.titles), 3, subplot_titles=titles, vertical_spacing=0.25 / max(len(page.titles), 3))
    for row, column, trace in page.traces:
        figure.add_trace(trace, row=row, col=column)
    for row, kinds in enumerate(page.titles, start=1):
        for column, heading in enumerate(kinds, start=1):
            if not heading:  # nothing is drawn there
                figure.update_xaxes(visible=False, row=row, col=column)
                figure.update_yaxes(visible=False, row=row, col=column)
                continue
            logarithmic = "log" if "spectrum" in heading else None
            figure.update_xaxes(title_text="f [Hz]" if logarithmic else "t [s]", type=logarithmic, row=row, col=column)
            figure.update_yaxes(type=logarithmic, row=row, col=column)
    figure.update_layout(height=140 + 300 * len(page.titles), template="plotly_white", showlegend=False)
    drawn = figure.to_html(include_plotlyjs=True, full_html=False)
    write_text(path, _html(validation, title, drawn))


class _Page:
    """Rows of three plots each."""

    def __init__(self, scatter: Any, colours: list[str]) -> None:
        self.scatter, self.colours = scatter, colours
        self.titles: list[tuple[str, str, str]] = []
        self.traces: list[tuple[int, int, Any]] = []

    def _add(self, column: int, x: Array, y: Array, name: str, index: int, dash: str = "solid") -> None:
        line = {"color": self.colours[index % len(self.colours)], "width": 1.2, "dash": dash}
        trace = self.scatter(x=x, y=y, name=name, mode="lines", line=line)
        self.traces.append((len(self.titles), column, trace))

    def add_reading(self, reading: PredictedReading, validation: Validation) -> None:
        """Measured and predicted, the difference, and its spectrum with the lines found."""
        what = f"{reading.flight}: {WORDS[reading.channel]}"
        unit = reading.unit
        self.titles.append(
            (f"{what} [{unit}], predicted dashed", f"measured less predicted [{unit}]", "spectrum of that")
        )
        frequency, amplitude = _spectrum(reading)
        for index, name in enumerate(reading.components):
            self._add(1, reading.t, reading.measured[:, index], f"{name} measured", index)
            self._add(1, reading.t, reading.predicted[:, index], f"{name} predicted", index, "dash")
            self._add(2, reading.t, reading.residual[:, index], name, index)
            self._add(3, frequency, amplitude[:, index], name, index)
        for line in validation.lines:
            if (line.flight, line.channel) == (reading.flight, reading.channel):
                at = np.full(2, line.frequency_Hz)
                name = f"{line.frequency_Hz:.4g} Hz"
                self._add(3, at, np.array([amplitude.min(), amplitude.max()]), name, 7, "dot")

    def add_momentum(self, flight: str, t: Array, residual: Array, noise: Array) -> None:
        """Residual of the momentum balance, axis by axis, with three standard deviations of the gyro's noise."""
        x, y, z = (f"{flight}: momentum residual {axis} [N m s]" for axis in "xyz")
        self.titles.append((x, y, z))
        for axis in range(3):
            self._add(axis + 1, t, residual[:, axis], "residual", axis)
            for sign in (-3.0, 3.0):
                self._add(axis + 1, t[[0, -1]], np.full(2, sign * noise[axis]), "three sd of noise", 7, "dot")

    def add_windows(self, validation: Validation) -> None:
        """Shift from the estimate over the windows' ends, with two standard deviations, of the clusters that matter."""
        windows = validation.windows
        most = [each for each in validation.sensitivities[:_SHOWN] if each.name in windows.names]
        for first in range(0, len(most), 3):
            chosen = most[first : first + 3]
            headings = [f"{each.words}: growing windows less estimate" for each in chosen] + [""] * (3 - len(chosen))
            self.titles.append((headings[0], headings[1], headings[2]))
            for column, each in enumerate(chosen, start=1):
                place = windows.names.index(each.name)
                shift, sd = windows.shift[:, place], windows.sd[:, place]
                self._add(column, windows.ends_s, shift, each.words, 0)
                for sign in (-2.0, 2.0):
                    self._add(column, windows.ends_s, shift + sign * sd, "two sd", 7, "dot")


def _spectrum(reading: PredictedReading) -> tuple[Array, Array]:
    """Frequencies [Hz] and amplitudes of the residual, shape (f,), (f, k)."""
    count = reading.t.size
    interval = float(reading.t[-1] - reading.t[0]) / max(count - 1, 1)
    amplitude = np.abs(np.fft.rfft(reading.residual - reading.residual.mean(axis=0), axis=0)) * 2.0 / count
    return np.asarray(np.fft.rfftfreq(count, interval))[1:], amplitude[1:]


def _html(validation: Validation, title: str, drawn: str) -> str:
    rows = "".join(
        f"<tr><td>{escape(each.flight)}</td><td>{WORDS[each.channel]} {escape(each.component)}</td>"
        f"<td>{each.rms:.3g}</td><td>{each.largest:.3g}</td><td>{each.noise:.3g}</td><td>{each.ratio:.3g}</td>"
        f"<td>{escape(each.unit)}</td></tr>"
        for each in validation.channels
    )
    heading = "".join(f"<th>{name}</th>" for name in ("flight", "channel", "rms", "largest", "noise", "ratio", "unit"))
    reasons = "".join(f"<li>{escape(sentence)}</li>" for sentence in validation.reasons)
    style = "body{font-family:sans-serif;margin:2em}td,th{padding:0 1em 0 0;text-align:left}"
    verdict = f'<b style="color:{_COLOURS[validation.verdict]}">{validation.verdict.upper()}</b>'
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style></head>'
        f"<body><h1>{escape(title)}: {verdict}</h1><ul>{reasons}</ul><table><tr>{heading}</tr>{rows}</table>"
        f"{drawn}</body></html>\n"
    )
