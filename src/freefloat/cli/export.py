"""`freefloat export`: an identified robot in files that other programs read."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from freefloat.cli.options import AsJson, Quiet
from freefloat.cli.outputs import refuse_output
from freefloat.errors import FileError

_CODE = (".c", ".casadi")


def export(
    estimate: Annotated[Path, typer.Argument(help="An estimate file.", show_default=False)],
    urdf: Annotated[
        Path | None,
        typer.Option(help="Your URDF, whose inertias and friction alone are changed; a new one is made unless given."),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The URDF to write.")] = None,
    robot: Annotated[Path | None, typer.Option(help="A robot file to write: .yaml or .json.")] = None,
    mjcf: Annotated[Path | None, typer.Option(help="An MJCF file to write, for MuJoCo: .xml or .mjcf.")] = None,
    controller: Annotated[
        Path | None, typer.Option(help="Code to write for a controller: .c (with a header), or .casadi.")
    ] = None,
    free_flying: Annotated[
        Path | None,
        typer.Option(help="Free-flying matrices about the centre of mass at one posture, wheels included, to .json."),
    ] = None,
    modes: Annotated[
        Path | None,
        typer.Option(help="M, D, K of what swings about one posture, its state space and modes, to .json."),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(help="For these two: a joint's position in rad or m, as NAME=VALUE; repeat."),
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(help="For free-flying matrices: a joint's rate in rad/s or m/s, as NAME=VALUE; repeat."),
    ] = None,
    add_load: Annotated[
        bool, typer.Option("--add-load", help="Add a load that your URDF lacks to it, which is left out otherwise.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write it even if the estimate failed, or no such robot can exist.")
    ] = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Give an identified robot back: as a URDF, a robot file, MJCF, or matrices for a controller.

    In: an estimate. Out: the files asked for, and what there is to say about them.
    """
    from freefloat.cli.console import error_console, print_result
    from freefloat.estimate.estimate import load_estimate
    from freefloat.export.export import (
        MJCF_ENDINGS,
        NotExported,
        export_controller,
        export_free_flying,
        export_mjcf,
        export_robot,
        export_small_motion,
        export_urdf,
    )
    from freefloat.robot.urdf_update import Lacking

    answer = load_estimate(estimate)
    if urdf is not None and output is None:
        raise FileError(urdf, "is a template, and nothing says where the new URDF goes; allowed: -o OUT.urdf with it")
    if all(each is None for each in (output, robot, mjcf, controller, free_flying, modes)):
        files = "--robot OUT.yaml, --mjcf OUT.xml, --controller OUT.c, --free-flying OUT.json, --modes OUT.json"
        allowed = f"-o OUT.urdf, {files}"
        raise FileError(estimate, f"nothing says what to write; allowed: {allowed}")
    inputs = [each for each in (estimate, urdf) if each is not None]
    targets = (
        (output, (".urdf", ".xml")),
        (robot, (".yaml", ".yml", ".json")),
        (mjcf, MJCF_ENDINGS),
        (controller, _CODE),
        (free_flying, (".json",)),
        (modes, (".json",)),
    )
    _refuse_unread(at, rate, free_flying, modes)
    postures = _numbers("--at", at), _numbers("--rate", rate)
    for target, endings in targets:
        if target is not None:
            refuse_output(target, inputs, "such exports", endings)  # all of them before any is written
    try:
        with error_console(quiet).status("writing"):
            written = []
            if output is not None and urdf is not None:
                lacking: Lacking = "add" if add_load else "leave-out"
                written.append(export_urdf(answer, urdf, output, lacking=lacking, force=force))
            elif output is not None:
                written.append(export_robot(answer, output, force=force))
            if robot is not None:
                written.append(export_robot(answer, robot, force=force))
            if mjcf is not None:
                written.append(export_mjcf(answer, mjcf, force=force))
            if controller is not None:
                written.append(export_controller(answer, controller, force=force))
            if free_flying is not None:
                written.append(export_free_flying(answer, free_flying, *postures, force=force))
            if modes is not None:
                written.append(export_small_motion(answer, modes, postures[0], force=force))
    except NotExported as error:
        raise FileError(estimate, f"{error}; allowed: --force to write it anyway") from error
    document = {
        "files": [str(path) for each in written for path in each.paths],
        "warnings": list(dict.fromkeys(sentence for each in written for sentence in each.warnings)),
        "notes": list(dict.fromkeys(sentence for each in written for sentence in each.notes)),
    }
    print_result(json, quiet, lambda: document, lambda: _show_exported(document))


def _show_exported(document: dict[str, Any]) -> None:
    """The files, what asks for a decision, and which part of them is the CAD model's."""
    from rich.markup import escape

    from freefloat.cli.console import console

    out = console()
    for path in document["files"]:
        out.print(f"wrote {escape(path)}")
    for sentence in document["warnings"]:
        out.print(f" [yellow]![/] {escape(sentence)}")
    for sentence in document["notes"]:
        out.print(f" {escape(sentence)}")


def _refuse_unread(at: list[str] | None, rate: list[str] | None, free_flying: Path | None, modes: Path | None) -> None:
    """Postures that no file asks for."""
    if rate and free_flying is None:
        raise typer.BadParameter("--rate goes with --free-flying")
    if at and free_flying is None and modes is None:
        raise typer.BadParameter("--at goes with --free-flying or --modes")


def _numbers(option: str, given: list[str] | None) -> dict[str, float]:
    """Numbers by name, as an option has them."""
    from freefloat.errors import FreefloatError

    found = dict[str, float]()
    for text in given or ():
        name, _, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            name = ""
        if not name or not isfinite(found[name]):
            raise FreefloatError(f"{option} is {text!r}; allowed: the name of a joint, =, and a number")
    return found
