"""Tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from freefloat.report.words import number

PLAIN_WIDTH = 120  # where the output is not a terminal, its width must not depend on who asks


def console() -> Console:
    """Standard output, at least wide enough for our tables when it goes to a file or a pipe."""
    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=PLAIN_WIDTH)


def tell(json: bool, quiet: bool, document: Callable[[], Any], show: Callable[[], None]) -> None:
    """The result on standard output: one JSON document, or for people, or with `quiet` alone nothing."""
    if json:
        print_json(document())
    elif not quiet:
        show()


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(as_json(document))


def as_json(document: Any) -> str:
    """One JSON document, indented, with a last newline."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def vector(values: Iterable[float]) -> str:
    """Three numbers in a row."""
    return ", ".join(number(value) for value in values)


def show_robot(summary: dict[str, Any]) -> None:
    """The robot as a heading, a table of its tree, its wheels and what is unphysical."""
    out = console()
    moving, joints = len(summary["moving_bodies"]), len(summary["joints"])
    wheels, mass, com = (
        len(summary["wheels"]),
        number(summary["mass_kg"]),
        vector(summary["centre_of_mass_m"]),
    )
    counts = f"{moving} moving bodies · {joints} joints · {wheels} wheels · {mass} kg"
    out.print(f"[bold]{escape(summary['robot'])}[/]  {summary['base']} base · {counts}")
    out.print(f"centre of mass with all joints at zero: {com} m from the base origin")
    if any(summary["gravity_m_s2"]):
        out.print(f"gravity: {vector(summary['gravity_m_s2'])} m/s²")
    out.print(_tree_table(summary))
    if summary["wheels"]:
        out.print(_wheel_table(summary["wheels"]))
    for point in summary["points"]:
        out.print(f"point {escape(point['name'])}: {vector(point['xyz_m'])} m in {escape(point['body'])}")
    if summary["unphysical"]:
        out.print("[yellow]unphysical (reported, not refused):[/]")
        for sentence in summary["unphysical"]:
            out.print(f"  [yellow]![/] {escape(sentence)}")
    else:
        out.print("[green]every body is physical[/]")


def show_model(summary: dict[str, Any]) -> None:
    """The clusters of a model, what they are made of, and what can be known of them."""
    out = console()
    clusters = summary["clusters"]
    counted = f"{len(clusters)} cluster{'s' * (len(clusters) != 1)}"
    out.print(f"[bold]{escape(summary['robot'])}[/]  {summary['model']}: {counted}")
    answers = [] if "where" in summary else summary.get("identifiability", {}).get("clusters", [])
    out.print(_cluster_table(clusters, {answer["name"]: _coloured(answer["status"]) for answer in answers}))
    if "where" in summary:
        out.print("[bold]where[/]")
        for row in summary["where"]:
            status = _coloured(row["status"]) if row["status"] else ""
            out.print(f"  {escape(row['name'])} = {escape(row['formula'])}  {status}")
    if summary["never_visible"]:
        out.print(f"never visible in this model: {escape(', '.join(summary['never_visible']))}")
    if "note" in summary:
        out.print(f"{escape(summary['note'])}")
    if "identifiability" in summary:
        out.print(f"[bold]{escape(summary['identifiability']['summary'])}[/]")
        for sentence in summary["identifiability"]["sentences"]:
            out.print(f" {escape(sentence)}")


def show_recording(name: str, summary: dict[str, Any]) -> None:
    """The channels of a recording, and what looks wrong with them."""
    out = console()
    origin = summary["origin"]
    made = [
        origin["kind"],
        *(f"{key} {origin[key]}" for key in ("mission", "seed", "run") if origin[key] is not None),
    ]
    out.print(f"[bold]{escape(name)}[/]  {escape(' · '.join(made))}")
    table = Table(box=None, header_style="bold", pad_edge=False)
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


def _cluster_table(clusters: list[dict[str, Any]], statuses: dict[str, str]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("", justify="right", style="dim")
    table.add_column("cluster", overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    if statuses:
        table.add_column("", no_wrap=True)
    for index, cluster in enumerate(clusters, start=1):
        row = [str(index), escape(cluster["formula"]), number(cluster["value"]), cluster["unit"]]
        table.add_row(*row, *([statuses.get(cluster["name"], "")] if statuses else []))
    return table


def _coloured(status: str) -> str:
    colour = {"identifiable": "green", "weak": "yellow", "known or zero": "dim"}.get(status, "red")
    return f"[{colour}]{status}[/]"


def _tree_table(summary: dict[str, Any]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    accelerations = any(body["joint"] and body["joint"]["acceleration"] is not None for body in summary["bodies"])
    headings = [
        "body",
        "joint",
        "moves",
        "position",
        "rate",
        *(["acceleration"] if accelerations else []),
        "torque",
    ]
    for heading in headings:
        table.add_column(heading, no_wrap=heading == "body", overflow="fold")
    table.add_column("mass kg", justify="right")
    table.add_column("centre of mass m", justify="right")
    indent = _branches(summary["bodies"])
    for body in summary["bodies"]:
        joint = body["joint"] or {"name": "", "kind": f"{summary['base']} base"}
        name = indent[body["name"]] + escape(body["name"])
        fixed = body["part_of"] is not None
        table.add_row(
            name,
            escape(joint["name"]),
            f"part of {escape(body['part_of'])}" if fixed else joint["kind"],
            *_limits(joint, accelerations),
            number(body["mass_kg"]),
            vector(body["com_m"]) if body["mass_kg"] else "–",
            style="dim" if fixed else None,
        )
    return table


def _branches(bodies: list[dict[str, Any]]) -> dict[str, str]:
    """How far each body hangs from the base, as an indent."""
    depth: dict[str | None, int] = {None: -1}
    for body in bodies:
        depth[body["name"]] = depth[body["parent"]] + 1
    return {name: "  " * (level - 1) + "└ " if level else "" for name, level in depth.items() if name is not None}


def _limits(joint: dict[str, Any], accelerations: bool) -> tuple[str, ...]:
    if joint["kind"] not in ("revolute", "continuous", "prismatic"):
        return ("",) * (3 + accelerations)
    turns = joint["kind"] != "prismatic"
    scale, unit = (180.0 / math.pi, "°") if turns else (1.0, " m")
    low, high = joint["position"]
    position = "free" if low is None and high is None else f"{_end(low, scale, '−∞')} … {_end(high, scale, '∞')}{unit}"
    rate = "free" if joint["rate"] is None else f"{number(joint['rate'] * scale)}{unit}/s"
    rise = joint["acceleration"]
    acceleration = "free" if rise is None else f"{number(rise * scale)}{unit}/s²"
    torque = "free" if joint["torque"] is None else f"{number(joint['torque'])} {'N m' if turns else 'N'}"
    return (position, rate, acceleration, torque) if accelerations else (position, rate, torque)


def _end(value: float | None, scale: float, infinite: str) -> str:
    return infinite if value is None else number(value * scale)


def _wheel_table(wheels: list[dict[str, Any]]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in (
        "wheel",
        "axis in base",
        "spin inertia kg m²",
        "largest rate rad/s",
        "largest momentum N m s",
    ):
        table.add_column(heading, justify="left" if heading == "wheel" else "right")
    for wheel in wheels:
        rate = wheel["max_rate_rad_s"]
        table.add_row(
            escape(wheel["name"]),
            vector(wheel["axis"]),
            number(wheel["spin_inertia_kgm2"]),
            "free" if rate is None else number(rate),
            "–" if rate is None else number(rate * wheel["spin_inertia_kgm2"]),
        )
    return table
