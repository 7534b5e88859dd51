"""A recording as a table of its channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape

from freefloat.cli.console import console
from freefloat.cli.show.plain_table import plain_table
from freefloat.report.words import number

if TYPE_CHECKING:
    from freefloat.data.processing.imu_accelerometer import FittedCalibration


def show_recording(name: str, summary: dict[str, Any]) -> None:
    """The channels of a recording, and what looks wrong with them."""
    out = console()
    origin = summary["origin"]
    made = [
        origin["kind"],
        *(f"{key} {origin[key]}" for key in ("mission", "seed", "run") if origin[key] is not None),
    ]
    out.print(f"[bold]{escape(name)}[/]  {escape(' · '.join(made))}")
    table = plain_table()
    table.add_column("column", no_wrap=True)
    for heading in ("samples", "rate Hz", "from s", "to s", "gaps", "lowest", "highest", "noise", "main Hz"):
        table.add_column(heading, justify="right")
    for channel in summary["channels"]:
        shared = [
            str(channel["samples"]),
            *map(number, (channel["rate_Hz"], channel["start_s"], channel["end_s"])),
        ]
        for index, column in enumerate(channel["columns"]):
            main = column["main_frequency_Hz"]
            values = (column["lowest"], column["highest"], column["noise"])
            first = [*shared, str(channel["gaps"])] if index == 0 else [""] * 5
            table.add_row(escape(column["name"]), *first, *map(number, values), "–" if main is None else number(main))
    out.print(table)
    for channel in summary["channels"]:
        for sentence in channel["suspicious"]:
            out.print(f" [yellow]![/] {escape(sentence)}")


def show_calibration(found: dict[str, FittedCalibration]) -> None:
    """Misalignment, scale and bias of each channel, and how well they fit."""
    out, table = console(), plain_table()
    for heading in ("calibration", "misalignment rad", "scale", "bias", "misfit"):
        table.add_column(heading, overflow="fold")
    for name, each in found.items():
        angles = ", ".join(f"{angle}: {number(value)}" for angle, value in each.calibration.angles.items() if value)
        scale, bias = (", ".join(map(number, row.tolist())) for row in (each.calibration.scale, each.calibration.bias))
        table.add_row(*map(escape, (name, f"{{{angles}}}", f"[{scale}]", f"[{bias}]", number(each.misfit))))
    out.print(table)
    out.print(" for identify: {processing: {calibrations: ...}} of a mission; with all digits: --json")
