"""What a run found, in a few lines and as plain data."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from freefloat.cli.console import console
from freefloat.mission.run_directory import Run
from freefloat.report.sections.verdict import verdict

_COLOURS = {"pass": "green", "doubtful": "yellow", "fail": "red"}


def run_document(made: Run) -> dict[str, Any]:
    """What a run found, as plain data: the verdict, the numbers that matter, where everything is."""
    found = verdict(made)
    return {
        "mission": made.mission.name,
        "state": found["state"],
        "verdict": found["sentence"],
        "numbers": [
            {
                "about": each.about,
                "value": f"{each.value} {each.unit}".strip(),
                "more": each.more,
                "relative_half_width": each.relative_half_width,
                "total_mass_kg": each.total_mass_kg,
                "condition_number": each.condition_number,
                "ratio": each.ratio,
            }
            for each in found["headlines"]
        ],
        "warnings": list(found["warnings"]),
        "notes": list(made.manifest.notes),
        "seconds": {step.name: step.seconds for step in made.steps},
        "directory": str(made.directory),
        "report": str(made.report),
    }


def show_run(document: dict[str, Any]) -> None:
    """The same for people."""
    out, colour = console(), _COLOURS[document["state"]]
    out.print(f" [bold {colour}]{document['state'].upper()}[/]  {escape(document['verdict'])}", soft_wrap=True)
    for each in document["numbers"]:
        line = f"   {each['about']:<18} [bold]{escape(each['value']):<12}[/] [dim]{escape(each['more'])}[/]"
        out.print(line, soft_wrap=True)
    for sentence in document["warnings"]:
        out.print(f" [yellow]![/] {escape(sentence)}", soft_wrap=True)
    out.print(f" everything  {escape(document['directory'])}", soft_wrap=True)
    out.print(f" report      {escape(document['report'])}", soft_wrap=True)
