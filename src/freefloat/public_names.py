"""Where the public names of a room are written, as its list (`__init__.pyi`) says; nothing is imported to know it."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any


def homes(room: str) -> dict[str, str]:
    """Module of every public name of a room, dotted from the room: `LeastSquares` in `linear.least_squares`."""
    listed = ast.parse((Path(__file__).parent / room / "__init__.pyi").read_text("utf-8"))
    lines = [line for line in listed.body if isinstance(line, ast.ImportFrom) and line.module is not None]
    return {each.name: str(line.module) for line in lines for each in line.names}


def place_of(name: str) -> str | None:
    """The room among whose public names a name is; None if it is nowhere."""
    rooms = (path.parent.name for path in Path(__file__).parent.glob("*/__init__.pyi"))
    return next((room for room in sorted(rooms) if name in homes(room)), None)


def class_name(name: str) -> str:
    """Of the class that users know by a name in lower case: `LeastSquares` of `least-squares`."""
    return "".join(word.capitalize() for word in name.split("-"))


def known_as(name: str) -> str:
    """What the class in a module of this name is known by: `least-squares` of `least_squares`."""
    return name.replace("_", "-")


def class_of(module: str, name: str) -> Any:
    """The class of a module of freefloat, dotted from there, that is known by a name."""
    return getattr(import_module(f"freefloat.{module}"), class_name(name))
