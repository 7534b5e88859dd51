"""From an estimate to files that other programs read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape

from freefloat.cli.live_bar import aside
from freefloat.cli.outputs import refuse_output
from freefloat.cli.show import console
from freefloat.errors import FileError
from freefloat.estimate.estimate import load_estimate
from freefloat.export.export import Exported, export_controller, export_robot, export_urdf

_CODE = (".c", ".casadi")


def export_estimate(
    path: Path,
    urdf: Path | None,
    output: Path | None,
    robot: Path | None,
    controller: Path | None,
    force: bool,
    quiet: bool,
) -> list[Exported]:
    """Write what was asked for; what each file is, with what there is to say about it. force: even if it failed."""
    estimate = load_estimate(path)
    if urdf is not None and output is None:
        raise FileError(urdf, "is a template, and nothing says where the new URDF goes; allowed: -o OUT.urdf with it")
    if output is None and robot is None and controller is None:
        raise FileError(path, "nothing says what to write; allowed: -o OUT.urdf, --robot OUT.yaml, --controller OUT.c")
    inputs = [each for each in (path, urdf) if each is not None]
    for target, endings in ((output, (".urdf", ".xml")), (robot, (".yaml", ".yml", ".json")), (controller, _CODE)):
        if target is not None:
            refuse_output(target, inputs, "such exports", endings)  # all of them before any is written
    if estimate.outcome == "failed" and not force:
        raise FileError(path, "the estimate failed, and nothing is made of it; allowed: --force to write it anyway")
    with aside(quiet).status("writing"):
        written = []
        if output is not None:
            written.append(export_urdf(estimate, urdf, output))
        if robot is not None:
            written.append(export_robot(estimate, robot))
        if controller is not None:
            written.append(export_controller(estimate, controller))
    return written


def exported_document(written: Sequence[Exported]) -> dict[str, Any]:
    """The files, what asks for a decision, and which part of them is the CAD model's."""
    return {
        "files": [str(path) for each in written for path in each.paths],
        "warnings": list(dict.fromkeys(sentence for each in written for sentence in each.warnings)),
        "notes": list(dict.fromkeys(sentence for each in written for sentence in each.notes)),
    }


def show_exported(document: dict[str, Any]) -> None:
    """The same for people."""
    out = console()
    for path in document["files"]:
        out.print(f"wrote {escape(path)}")
    for sentence in document["warnings"]:
        out.print(f" [yellow]![/] {escape(sentence)}")
    for sentence in document["notes"]:
        out.print(f" {escape(sentence)}")
