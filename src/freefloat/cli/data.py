"""`freefloat data`: what a recording holds, and what looks wrong with it; an IMU calibrated from rests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from freefloat.cli.options import AsJson, Page, Quiet, Repairs, split_commas
from freefloat.errors import FileError, FreefloatError

if TYPE_CHECKING:
    from freefloat.data.processing.imu_accelerometer import FittedCalibration
    from freefloat.data.recording import Recording

_REST_S = 20.0


def data(
    recording: Annotated[
        Path,
        typer.Argument(help="A recording: .parquet, .csv, or a ROS 2 bag (folder, .mcap, .db3).", show_default=False),
    ],
    mapping: Annotated[
        Path | None, typer.Option(help="For a bag: the file that says which topic is what.", show_default=False)
    ] = None,
    plot: Page = None,
    repair: Repairs = None,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Calibrate its IMU, laid down at rest in nine attitudes or more.")
    ] = False,
    rest_s: Annotated[
        float | None,
        typer.Option("--rest-s", help="For that: how long it rests at the beginning.", show_default=f"{_REST_S:g}"),
    ] = None,
    gravity_m_s2: Annotated[
        float | None,
        typer.Option("--gravity-m-s2", help="For that: the local |g|.", show_default="9.80665"),
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Describe a recording: channels, rates, gaps, noise, main frequencies, and what looks wrong.

    In: a recording, simulated or measured. Out: a table, and with --plot a page; with --calibrate the lines for
    `identify: {processing: {calibrations: ...}}` of a mission.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.outputs import refuse_output
    from freefloat.cli.recordings import read_any
    from freefloat.cli.show.recording import show_calibration, show_recording
    from freefloat.data.description import recording_summary
    from freefloat.sensors.quantities import STANDARD_GRAVITY

    if plot is not None:
        refuse_output(plot, [path for path in (recording, mapping) if path is not None], "pages", (".html",))
    if not calibrate and (rest_s is not None or gravity_m_s2 is not None):
        raise FileError(
            recording, "is not calibrated, which --rest-s and --gravity-m-s2 are of; allowed: with --calibrate"
        )
    loaded = read_any(recording, mapping, split_commas(repair))
    rests = _REST_S if rest_s is None else rest_s
    gravity = STANDARD_GRAVITY if gravity_m_s2 is None else gravity_m_s2
    found = _calibrated(recording, loaded, rests, gravity) if calibrate else None
    if plot is not None:
        from freefloat.report.recording_page import write_recording_page

        write_recording_page(plot, loaded, recording.name)
    summary: dict[str, Any] = recording_summary(loaded)

    def document() -> dict[str, Any]:
        return summary if found is None else {**summary, "calibrations": _document(found)}

    def show() -> None:
        show_recording(recording.name, summary)
        if found is not None:
            show_calibration(found)
        if plot is not None:
            typer.echo(f"wrote {plot}")

    print_result(json, quiet, document, show)


def _calibrated(path: Path, recording: Recording, rest_s: float, gravity: float) -> dict[str, FittedCalibration]:
    """By channel, the calibration of the recording's accelerometer and, if there is one, gyro."""
    from freefloat.data.processing.imu_calibration import calibrate_imu

    accelerometers, gyros = recording.of_quantity("accelerometer"), recording.of_quantity("gyro")
    if not accelerometers:
        there = ", ".join(recording.channels)
        raise FileError(path, f"holds the channels {there}; allowed for --calibrate: an accelerometer among them")
    try:
        found = calibrate_imu(accelerometers[0], gyros[0] if gyros else None, rest_s, gravity)
    except FreefloatError as error:
        raise FileError(path, str(error)) from error
    fitted = {accelerometers[0].name: found.accelerometer}
    return fitted if found.gyro is None else fitted | {gyros[0].name: found.gyro}


def _document(found: dict[str, FittedCalibration]) -> dict[str, Any]:
    """By channel, as a mission has it."""
    return {
        name: {
            "misalignment_rad": {angle: value for angle, value in each.calibration.angles.items() if value},
            "scale": each.calibration.scale.tolist(),
            "bias": each.calibration.bias.tolist(),
        }
        for name, each in found.items()
    }
