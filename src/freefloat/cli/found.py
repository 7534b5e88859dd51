"""What verbs that look for one body share: read, find, write, show, end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import typer

from freefloat.cli.console import print_result
from freefloat.cli.ending import ExitCode
from freefloat.cli.outputs import files_of
from freefloat.cli.progress.fitting import FitProgress
from freefloat.cli.recordings import RecordingInputs
from freefloat.cli.show.found import show_found
from freefloat.data.recording import Recording
from freefloat.estimate.unknown_body import FoundBody
from freefloat.mission.mission_file import Mission
from freefloat.motion.trajectory import Trajectory

Find = Callable[[Mission, Mapping[str, Recording], Trajectory | None, Mapping[str, list[str]]], FoundBody]


def find_body(inputs: RecordingInputs, output: Path | None, find: Find, title: str, json: bool, quiet: bool) -> None:
    """Find a body in recordings, and say what it is. title: of the table."""
    loaded, motion, absent = inputs.load_mission()
    inputs.refuse_outputs({output: ".json"}, "estimates", files_of(loaded))
    with FitProgress("reading", quiet, json) as progress:
        read = inputs.read(loaded.robot)
        progress.begin(f"identifying {loaded.name}")
        found = find(loaded, read, motion, absent)
    if output is not None:
        found.estimate.save(output)

    def show() -> None:
        show_found(found, title)
        if output is not None:
            typer.echo(f"wrote {output}")

    print_result(json, quiet, found.summary, show)
    if found.estimate.outcome == "failed":
        raise typer.Exit(ExitCode.BAD_RESULT)
