"""A robot as a heading, a table of its tree, and one of its wheels."""

from __future__ import annotations

import math
from typing import Any

from rich.markup import escape
from rich.table import Table

from freefloat.cli.console import console
from freefloat.cli.show.modes import show_modes, show_swings
from freefloat.cli.show.plain_table import plain_table, vector
from freefloat.report.words import number


def show_robot(summary: dict[str, Any]) -> None:
    """The robot as a heading, a table of its tree, its wheels, drives, springs, modes and what is unphysical."""
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
    for body in summary["bodies"]:
        if body["joint"] and body["joint"]["drive"]:
            said = ", ".join(f"{name} {number(value)}" for name, value in body["joint"]["drive"].items())
            out.print(f"drive of {escape(body['joint']['name'])}: {said}")
    for body in summary["bodies"]:
        if body["joint"] and body["joint"]["passive"]:
            said = ", ".join(f"{name} {number(value)}" for name, value in body["joint"]["passive"].items())
            out.print(f"spring of {escape(body['joint']['name'])}: {said}")
    if "modes" in summary:
        show_modes(summary)
        show_swings(summary)
    for point in summary["points"]:
        out.print(f"point {escape(point['name'])}: {vector(point['xyz_m'])} m in {escape(point['body'])}")
    if summary["unphysical"]:
        out.print("[yellow]unphysical (reported, not refused):[/]")
        for sentence in summary["unphysical"]:
            out.print(f"  [yellow]![/] {escape(sentence)}")
    else:
        out.print("[green]every body is physical[/]")


def _tree_table(summary: dict[str, Any]) -> Table:
    table = plain_table()
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
            f"part of {escape(body['part_of'])}" if fixed else _moves(joint),
            *_limits(joint, accelerations),
            number(body["mass_kg"]),
            vector(body["com_m"]) if body["mass_kg"] else "–",
            style="dim" if fixed else None,
        )
    return table


def _moves(joint: dict[str, Any]) -> str:
    """How a joint moves, and whether a spring holds it."""
    return f"{joint['kind']}, passive" if joint.get("passive") else str(joint["kind"])


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
    table = plain_table()
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
