"""From an estimate and recordings to a verdict in files, with a sign that something is happening."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from freefloat.cli.identification import Given
from freefloat.cli.live_bar import aside
from freefloat.cli.outputs import files_of
from freefloat.errors import FileError
from freefloat.estimate.estimate import load_estimate
from freefloat.mission.validating import validate
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
    quiet: bool,
) -> Validation:
    """Read everything, validate, write what was asked for. outputs: the page and the validation file."""
    if not 0.0 < false_alarm < 1.0:
        raise InvalidValidation(f"--false-alarm is {false_alarm}; allowed: between 0 and 1")
    page, output = outputs
    if estimate_path.suffix.lower() in (".parquet", ".csv"):
        raise FileError(estimate_path, "is a recording, not an estimate; the order is MISSION ESTIMATE RECORDINGS")
    given = Given(mission_path, tuple(recordings), trajectory_path, tuple(without), mapping, tuple(repair))
    mission, trajectory, absent = given.mission()
    read_too = (*files_of(mission), estimate_path)
    given.refuse_outputs({page: ".html", output: ".json"}, "validations", read_too)
    estimate = load_estimate(estimate_path)
    with aside(quiet).status("reading") as status:
        read = given.read(mission.robot)
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
