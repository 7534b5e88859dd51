"""A run as one HTML page that works offline: text by jinja, figures by plotly.js from the installed plotly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from freefloat.errors import FreefloatError
from freefloat.files import FilePath, write_text
from freefloat.report.figures import Figure
from freefloat.report.recording_page import PlotlyMissing
from freefloat.report.run_story import RunStory
from freefloat.report.scene import scene_of
from freefloat.report.section_accuracy import accuracy, accuracy_figures
from freefloat.report.section_clusters import clusters
from freefloat.report.section_identifiable import identifiable, identifiable_figures
from freefloat.report.section_prediction import prediction, prediction_figures
from freefloat.report.section_residuals import residual_figures, residuals
from freefloat.report.section_trajectory import trajectory, trajectory_figures
from freefloat.report.section_verdict import verdict


class JinjaMissing(FreefloatError):
    """The library that fills in pages is not installed."""

    def __init__(self) -> None:
        super().__init__("reports need jinja2, which is not installed; `pip install jinja2` brings it")


def write_run_page(path: FilePath, story: RunStory) -> None:
    """Write the page, whole or not at all."""
    write_text(path, run_page(story))


def run_page(story: RunStory) -> str:
    """The page as text."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise JinjaMissing from error
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise PlotlyMissing from error
    figures = {
        "identifiable": identifiable_figures(story),
        "trajectory": trajectory_figures(story),
        "accuracy": accuracy_figures(story),
        "residuals": residual_figures(story),
        "prediction": prediction_figures(story),
    }
    scene = scene_of(story)
    loader = PackageLoader("freefloat.report", "templates")
    pages = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    style, script = (loader.get_source(pages, name)[0] for name in ("run.css", "run.js"))
    return pages.get_template("run.html").render(
        story=story,
        simulated=story.truth is not None,
        verdict=verdict(story),
        identifiable=identifiable(story),
        trajectory=trajectory(story),
        accuracy=accuracy(story),
        clusters=clusters(story),
        residuals=residuals(story),
        prediction=prediction(story),
        figures=figures,
        times=scene["times"],
        centres=any(part["group"] == "centres" for part in scene["parts"]),
        figures_json=_script(_documents(figures)),
        scene_json=_script(scene),
        plotlyjs=get_plotlyjs(),
        style=style,
        script=script,
    )


def _documents(figures: Mapping[str, list[Figure]]) -> dict[str, Any]:
    return {figure.name: figure.document() for each in figures.values() for figure in each}


def _script(document: Any) -> str:
    """JSON that may stand in a script element: nothing in it ends that."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
