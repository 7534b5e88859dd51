"""Sampled commands from a CSV file, units in the names of the columns.

The first line names the columns: `t_s`, then `q_<joint>_<unit>` and `dq_<joint>_<unit>_s` with a unit of rad,
deg or m, and `wheel_<wheel>_<unit>_s`. Every joint has its position, its rate or both, and all have the same;
wheels have their rates. Time may start anywhere; the motion starts at zero.
"""

from __future__ import annotations

import math
import re
from io import StringIO

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import FileError, FreefloatError
from freefloat.files import FilePath, read_bytes, shown
from freefloat.motion.combined import Combined
from freefloat.motion.sampled import Sampled
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot

LIMIT_BYTES = 512 * 2**20
_COLUMN = re.compile(r"(?P<what>q|dq|wheel)_(?P<channel>.+?)_(?P<unit>rad|deg|m)(?P<rate>_s)?")
_MOVING = ("q_", "dq_", "wheel_")  # how columns of what moves begin
_EMPTY = re.compile(r"^[ \t]*,|,[ \t]*,|,[ \t\r]*$", re.MULTILINE)  # an entry
_ALLOWED = "t_s, q_<joint>_rad, dq_<joint>_rad_s, wheel_<wheel>_rad_s (or deg, or m)"
_UNITS = {"rad": 1.0, "deg": math.pi / 180.0, "m": 1.0}


def holds_commands(path: FilePath) -> bool:
    """Whether a CSV file is one of commands, right or wrong: of joints and wheels alone, with no entry left empty.

    A recording of several rates leaves entries empty.
    """
    names, body = _text(path)
    moving = all(name == "t_s" or name.startswith(_MOVING) for name in names)
    return moving and _EMPTY.search(body) is None


def read_commands(path: FilePath) -> Trajectory:
    """The motion that a CSV file of sampled commands describes."""
    names, body = _text(path)
    columns = _columns(path, names)
    table = _table(path, names, body)
    t = table[:, names.index("t_s")]
    try:
        return _trajectory(t - t[0], {what: _chosen(table, found) for what, found in columns.items()})
    except FreefloatError as error:
        raise FileError(path, str(error)) from error


def refuse_wrong_units(path: FilePath, robot: Robot) -> None:
    """Say where a file of commands gives a joint that turns in metres, or one that slides in angles."""
    for name in _text(path)[0]:
        column = _COLUMN.fullmatch(name)
        if column is None or column["what"] == "wheel" or column["channel"] not in robot.joint_names:
            continue
        slides = robot.joint(column["channel"]).kind == "prismatic"
        if slides != (column["unit"] == "m"):
            moves = "slides; allowed: m" if slides else "turns; allowed: rad or deg"
            raise FileError(path, f"line 1: {shown(name)}, but the joint {moves}")


def _text(path: FilePath) -> tuple[list[str], str]:
    """Names of the columns, and the lines below them."""
    try:
        text = read_bytes(path, LIMIT_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(path, f"is not UTF-8 text (byte {error.start}); allowed: UTF-8") from error
    header, _, body = text.partition("\n")
    return [name.strip() for name in header.split(",")], body


# ---------------------------------------------------------------------- the first line

_Columns = dict[str, tuple[int, float]]  # of each channel: the column's number, its factor to SI


def _columns(path: FilePath, names: list[str]) -> dict[str, _Columns]:
    """Columns by what they hold, `q`, `dq` or `wheel`."""
    found: dict[str, _Columns] = {}
    for index, name in enumerate(names):
        column = _COLUMN.fullmatch(name)
        if column is not None and bool(column["rate"]) == (column["what"] != "q"):
            _add(path, found.setdefault(column["what"], {}), column, index)
        elif name != "t_s":
            raise FileError(path, f"line 1: column {shown(name)} is not read; allowed: {_ALLOWED}")
    if names.count("t_s") != 1 or not found:
        raise FileError(path, f"line 1: not one t_s and one or more that move; allowed: {_ALLOWED}")
    odd = sorted(found.get("q", {}).keys() ^ found.get("dq", {}).keys())
    if odd and "q" in found and "dq" in found:
        raise FileError(path, f"line 1: only q or only dq of {', '.join(odd)}; allowed: all joints the same")
    return found


def _add(path: FilePath, columns: _Columns, column: re.Match[str], index: int) -> None:
    if column["channel"] in columns:
        raise FileError(path, f"line 1: {column['what']}_{column['channel']} is given twice; allowed: once")
    columns[column["channel"]] = (index, _UNITS[column["unit"]])


# ---------------------------------------------------------------------- the other lines


def _table(path: FilePath, names: list[str], body: str) -> Array:
    if not body.strip():
        raise FileError(path, "has no samples; allowed: one line of numbers for each")
    try:
        table = np.loadtxt(StringIO(body), delimiter=",", ndmin=2, comments=None)
    except ValueError as error:
        raise FileError(path, _first_fault(names, body)) from error
    if table.shape[1] != len(names):
        raise FileError(path, _first_fault(names, body))
    return table


def _first_fault(names: list[str], body: str) -> str:
    """What is wrong with the first line that is not one number for each column."""
    for number, line in enumerate(body.split("\n"), start=2):
        entries = line.split(",")
        if line.strip() and len(entries) != len(names):
            return f"line {number}: holds {len(entries)} entries; allowed: {len(names)}, one for each column"
        for name, entry in zip(names, entries, strict=False):
            if line.strip() and not _is_number(entry):
                return f"line {number}: {name} is {shown(entry.strip())}; allowed: a number"
    return "holds a line that is not numbers"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _chosen(table: Array, columns: _Columns) -> tuple[tuple[str, ...], Array]:
    """Channels, and their values in SI units, shape (n, channels)."""
    values = np.stack([table[:, index] * factor for index, factor in columns.values()], axis=1)
    return tuple(columns), values


def _trajectory(t: Array, found: dict[str, tuple[tuple[str, ...], Array]]) -> Trajectory:
    parts: list[Trajectory] = []
    if "q" in found:
        joints, q = found["q"]
        names, dq = found.get("dq", (joints, None))
        sorting = [names.index(name) for name in joints]
        parts.append(Sampled.from_positions(joints, t, q, None if dq is None else dq[:, sorting]))
    elif "dq" in found:
        parts.append(Sampled.from_rates(found["dq"][0], t, found["dq"][1]))
    if "wheel" in found:
        parts.append(Sampled.from_rates(found["wheel"][0], t, found["wheel"][1]))
    return parts[0] if len(parts) == 1 else Combined(tuple(parts))
