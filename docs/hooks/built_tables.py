"""Tables that are made when the pages are built, so that they cannot go stale.

A page asks for one by a line of its own:

    {{ studies }}            figures of the published studies, from build/studies, run by `make docs`
    {{ methods }}            all estimators by name
    {{ schema mission }}     JSON schema of mission files; `robot` of robot files
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

_ASKED = re.compile(r"^\{\{ (\w+)(?: (\w+))? \}\}$", re.MULTILINE)
_SHOWN = 3  # figures of a series that are written out
_STUDIES = Path("build/studies")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page with the tables it asks for."""
    return _ASKED.sub(lambda match: _MADE[match[1]](*filter(None, [match[2]])), markdown)


# ---------------------------------------------------------------------- published studies


def studies_table() -> str:
    """A section for each study, then the counts of all; the build ends where one has not been run."""
    from freefloat.studies.reproducing import TITLES

    studies = [_study(name) for name in TITLES]
    return "\n\n".join([*map(study_section, studies), f"Of all studies together: {_counts(studies)}."])


def _study(name: str) -> dict[str, Any]:
    path = _STUDIES / f"{name}.json"
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise PluginError(f"{path} is missing: `make docs` runs the study {name} and writes it") from error
    except ValueError as error:  # empty, cut short, or not text
        raise PluginError(f"{path} is not a whole JSON file: remove it, and `make docs` writes it again") from error
    return document


def study_section(study: dict[str, Any]) -> str:
    """One study: how many figures hold, the table, how many are reproduced, better, and neither, its notes."""
    checks = study["checks"]
    notes = list(dict.fromkeys(check["note"] for check in checks if check["note"]))
    compared = [check for check in checks if check["comparable"]]
    held = sum(check["holds"] for check in compared)
    apart = [check for check in checks if not check["comparable"]]
    lines = [
        f"### {study['title']}",
        "",
        f"{held} of {len(compared)} figures that can be compared hold; in brackets: {len(apart)}, of which "
        f"{sum(check['holds'] for check in apart)} hold. "
        f"Run on {study['date']} with freefloat {study['version']}, in {study['seconds']:.0f} s.",
        "",
        "| figure | printed | ours | by | within | holds | note |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(_row(check, notes) for check in checks),
        "",
        f"{_counts([study])}.",
        "",
        *(f"{place}. {_cell(note)}" for place, note in enumerate(notes, start=1)),
    ]
    return "\n".join(lines)


def _counts(studies: Sequence[dict[str, Any]]) -> str:
    """How many figures of studies stand where."""
    counts = [study["counts"] for study in studies]
    return ", ".join(f"{sum(each[standing] for each in counts)} {standing}" for standing in counts[0])


def _row(check: dict[str, Any], notes: Sequence[str]) -> str:
    unit = f" [{check['unit']}]" if check["unit"] else ""
    word = "yes" if check["holds"] else "no"
    cells = (
        _cell(check["quantity"] + unit),
        _figures(check["published"]),
        _figures(check["ours"]),
        {"published": "its\u00a0method", "default": "our\u00a0default"}[check["way"]],
        _within(check).replace(" ", "\u00a0"),
        word if check["comparable"] else f"({word})",
        str(1 + notes.index(check["note"])) if check["note"] else "",
    )
    return f"| {' | '.join(cells)} |"


def _figures(figure: float | list[float | None] | None) -> str:
    values = figure if isinstance(figure, list) else [figure]
    shown = ", ".join(f"{math.nan if value is None else value:.4g}" for value in values[:_SHOWN])
    return f"{shown}, …" if len(values) > _SHOWN else shown


def _within(check: dict[str, Any]) -> str:
    """How far ours may be from the printed figure, and to which side."""
    printed = check["published"] if isinstance(check["published"], list) else [check["published"]]
    tolerance = check["tolerance"]
    room = f"{100.0 * tolerance:.4g} %" if any(printed) else f"{tolerance:.4g}"  # as exact as the figures
    sign = {"equal": "±", "lower": "≤ +", "higher": "≥ −"}[check["better"]]
    return f"{sign}{room}" if tolerance else {"equal": "=", "lower": "≤", "higher": "≥"}[check["better"]]


def _cell(text: str) -> str:
    return re.sub(r"([\\|*_`<\[\]])", r"\\\1", text)


# ---------------------------------------------------------------------- what the package itself says


def methods_table() -> str:
    """Every estimator: its name, its class, and what it says of itself."""
    from freefloat.estimate import recipes
    from freefloat.estimate.methods import METHODS

    rows = []
    for name, make in METHODS.items():
        estimator = type(make())
        told = getattr(recipes, name.replace("-", "_"), estimator)
        sentence = (told.__doc__ or "").split("\n")[0].split(". ")[0].rstrip(".")
        rows.append((f"`{name}`", f"`{estimator.__name__}`", _cell(sentence)))
    return _table(("name", "class", "what it is"), rows)


def schema(kind: str) -> str:
    """The JSON schema of a kind of files."""
    from freefloat.mission.sections import mission_schema
    from freefloat.robot.yaml_read import json_schema

    made = {"mission": mission_schema, "robot": json_schema}[kind]()
    return f"```json\n{json.dumps(made, indent=2, ensure_ascii=False)}\n```"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


_MADE: Mapping[str, Callable[..., str]] = {"studies": studies_table, "methods": methods_table, "schema": schema}
