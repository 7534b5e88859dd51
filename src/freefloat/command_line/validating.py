"""From an estimate and recordings to a verdict in files, with a sign that something is happening."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from freefloat.command_line.flights import read_any
from freefloat.command_line.identification import absent_bodies, flight_name, refuse_repeated
from freefloat.command_line.outputs import refuse_output
from freefloat.errors import FileError
from freefloat.estimate.estimate_file import load_estimate
from freefloat.excitation.excitation_file import load_motion
from freefloat.mission import load_mission, validate
from freefloat.report.validation_page import write_validation_page
from freefloat.validation.prediction import InvalidValidation, UnfitEstimate
from freefloat.validation.validation import Validation


def validate_recordings(
    mission_path: Path,
    estimate_path: Path,
    recordings: Sequence[Path],
    false_alarm: float,
    trajectory_path: Path | None,
    without: Sequence[str],
    mapping: Path | None,
    repair: list[str],
    outputs: tuple[Path | None, Path | None],
) -> Validation:
    """Read everything, validate, write what was asked for. outputs: the page and the validation file."""
    if not 0.0 < false_alarm < 1.0:
        raise InvalidValidation(f"--false-alarm is {false_alarm}; allowed: between 0 and 1")
    refuse_repeated(recordings)
    page, output = outputs
    given = [path for path in (mission_path, estimate_path, *recordings, trajectory_path, mapping) if path is not None]
    for path, ending in ((page, ".html"), (output, ".json")):
        if path is not None:  # before the work, not after it
            refuse_output(path, given, "validations", (ending,))
    mission, estimate = load_mission(mission_path), load_estimate(estimate_path)
    trajectory = None if trajectory_path is None else load_motion(trajectory_path, mission.robot)
    absent = absent_bodies(without)
    with Console(stderr=True).status("reading") as status:
        read = {flight_name(path, recordings): read_any(path, mapping, repair) for path in recordings}
        status.update(f"validating {mission.name}")
        try:
            found = validate(mission, estimate, read, trajectory, absent, false_alarm=false_alarm)
        except UnfitEstimate as error:
            raise FileError(estimate_path, str(error)) from error
    if output is not None:
        found.save(output)
    if page is not None:
        write_validation_page(page, found, f"{mission.name}: {estimate_path.name}")
    return found
