"""What it takes to repeat a run: lines for a shell, versions, seeds, files, recordings as they were given."""

from __future__ import annotations

from typing import Any

from freefloat.mission.run_commands import repeating
from freefloat.mission.run_directory import Run


def provenance(run: Run) -> dict[str, Any]:
    """As the page has it; commands where there is a directory to type them in."""
    manifest = run.manifest
    return {
        "versions": manifest.versions,
        "seeds": _seeds(run),
        "hashes": manifest.hashes,
        "seconds": {step.name: step.seconds for step in run.steps if step.name != "report"},  # while it is written
        "commands": repeating(run) if manifest.recordings else (),
        "notes": manifest.notes,
        "brought": manifest.brought,
    }


def _seeds(run: Run) -> dict[str, int]:
    """Of everything that was drawn at random, as far as it is known."""
    if run.manifest.seeds is not None:
        return run.manifest.seeds.model_dump(exclude_none=True)
    design = run.excitation.how if run.excitation is not None else None
    found = {} if design is None or not design.values else {"design": design.seed}
    seeds = [each.origin.seed for each in run.flights.values() if each.origin.seed is not None]
    return {**found, "flight": seeds[0]} if seeds else found
