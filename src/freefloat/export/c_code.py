"""Code for a controller in C99: mass matrix, bias, friction, springs, motion, Jacobian of an identified robot.

The algorithms are those of two fixed files beside this one (`controller_template.c` and `.h`); only tables, names and
the account of where the numbers came from are filled in. No memory is allocated, and nothing is kept between calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.structured.as_standard import standard_estimate
from freefloat.export.controller_code import ControllerTables, about, controller_tables


@dataclass(frozen=True, slots=True)
class CSource:
    """A header and the file that includes it. name: what their functions begin with."""

    name: str
    header: str
    source: str


def controller_c(estimate: Estimate, name: str | None = None) -> CSource:
    """C99 code of an identified robot; its functions begin with `name`, by default that of the robot."""
    estimate = standard_estimate(estimate)
    tables = controller_tables(estimate, name)
    values = _values(estimate, tables)
    return CSource(tables.name, _filled("controller_template.h", values), _filled("controller_template.c", values))


def _values(estimate: Estimate, tables: ControllerTables) -> dict[str, str]:
    robot, tree = estimate.robot, tables.tree
    joints, allowed = len(robot.joints), tables.allowed.tolist()
    return {
        "ABOUT": "\n".join(f" * {_harmless(line)}" for line in about(estimate)),
        "NAME": tables.name,
        "NAME_UPPER": tables.name.upper(),
        "GUARD": f"{tables.name.upper()}_H",
        "HEADER": f"{tables.name}.h",
        "JOINTS": str(joints),
        "BODIES": str(tree.parent.size),
        "SIZE": str(6 + joints),
        "ALLOWED": str(len(allowed)),
        "ALLOWED_ROWS": _listed([*allowed, *[0] * (6 - len(allowed))]),
        "PARENT": _listed(tree.parent.tolist()),
        "KIND": _listed(tree.kind.tolist()),
        "DOF": _listed(tree.dof.tolist()),
        "GEOMETRY": _table(tree.geometry),
        "INERTIAL": _table(tables.parameters),
        "LIFT": _listed(tables.lift.tolist()),
        "ROTOR": _listed(tables.rotor.tolist()),
        "SPIN": _listed(tables.spin.tolist()),
        "NAMES": ", ".join(json.dumps(joint, ensure_ascii=False) for joint in tables.joints),
        "PASSIVE": _listed([int(place in tables.passive) for place in range(joints)]),
        "SPRINGS": _table(np.column_stack([tables.stiffness, tables.damping])),
        "FRICTION": _table(np.transpose(tables.friction)),
        "WEIGHT": ", weight included" if tables.lift.any() else "",
    }


def _filled(template: str, values: dict[str, str]) -> str:
    text = files(__package__).joinpath(template).read_text("utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def _table(rows: Array) -> str:
    return ",\n".join(f"    {{{_listed(row.tolist())}}}" for row in rows)


def _listed(numbers: Iterable[float]) -> str:
    return ", ".join(repr(number + 0) for number in numbers)  # adding zero turns -0.0 into 0.0


def _harmless(line: str) -> str:
    """Text that neither ends the comment it stands in nor begins another."""
    return line.replace("*/", "* /").replace("/*", "/ *")
