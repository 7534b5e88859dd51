"""A run as one HTML page that works offline: text by jinja, figures by plotly.js from the installed plotly."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from freefloat.errors import FreefloatError
from freefloat.files import FilePath, write_text
from freefloat.mission.run_directory import Run
from freefloat.report.figures import Figure, PlotlyMissing
from freefloat.report.robot_in_3d.scene import scene_of
from freefloat.report.sections.accuracy import accuracy, accuracy_figures
from freefloat.report.sections.clusters import clusters
from freefloat.report.sections.identifiable import identifiable
from freefloat.report.sections.prediction import prediction, prediction_figures
from freefloat.report.sections.provenance import provenance
from freefloat.report.sections.residuals import residual_figures, residuals
from freefloat.report.sections.swings import swing_figures, swings
from freefloat.report.sections.trajectory import trajectory, trajectory_figures
from freefloat.report.sections.verdict import verdict

_SCRIPTS = ("page.js", "plots.js", "webgl.js", "picture.js", "film.js")  # the picture last: it is what may fail


class JinjaMissing(FreefloatError):
    """The library that fills in pages is not installed."""

    def __init__(self) -> None:
        super().__init__("reports need jinja2, which is not installed; `pip install jinja2` brings it")


def write_run_page(path: FilePath, run: Run) -> None:
    """Write the page, whole or not at all."""
    write_text(path, run_page(run))


def run_page(run: Run) -> str:
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
        "trajectory": trajectory_figures(run),
        "accuracy": accuracy_figures(run),
        "swings": swing_figures(run),
        "residuals": residual_figures(run),
        "prediction": prediction_figures(run),
    }
    scene = scene_of(run)
    loader = PackageLoader("freefloat.report", "templates")
    pages = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    style, dark, *scripts = (loader.get_source(pages, name)[0] for name in ("run.css", "dark.css", *_SCRIPTS))
    code = tuple(map(_unix, (get_plotlyjs(), "(() => {\n" + "".join(scripts) + "})();")))
    return pages.get_template("run.html").render(
        run=run,
        simulated=run.flight.origin.kind == "simulated",
        verdict=verdict(run),
        identifiable=identifiable(run),
        trajectory=trajectory(run),
        accuracy=accuracy(run),
        clusters=clusters(run),
        swings=swings(run),
        residuals=residuals(run),
        prediction=prediction(run),
        provenance=provenance(run),
        figures=figures,
        scene=scene,
        centres=any(part["group"] == "centres" for part in scene["parts"]),
        figures_json=_script(_documents(figures)),
        scene_json=_script(scene),
        policy=_policy(code),
        code=code,
        style=style,
        dark=dark,
    )


def _unix(text: str) -> str:
    """With newlines as a browser reads them, which takes its hashes after that."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _policy(code: Sequence[str]) -> str:
    """What a browser may load and run: nothing but the scripts of the page itself, known by their hashes."""
    hashes = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in code]
    allowed = " ".join(f"'sha256-{each}'" for each in hashes)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'"


def _documents(figures: Mapping[str, list[Figure]]) -> dict[str, Any]:
    return {figure.name: figure.document() for each in figures.values() for figure in each}


def _script(document: Any) -> str:
    """JSON that may stand in a script element: nothing in it ends that."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
