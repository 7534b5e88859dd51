"""Which standard parameters are meant: `load`, `link2.my`, `*.products`.

A selector is a body's name (all ten parameters), or `body.parameter`, with `*` for every body and the groups
`products` (Ixy, Ixz, Iyz), `inertias` (all six) and `moments` (mx, my, mz).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import UnknownName
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PARAMETER_NAMES, PER_BODY

GROUPS = {
    "products": ("Ixy", "Ixz", "Iyz"),
    "inertias": ("Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"),
    "moments": ("mx", "my", "mz"),
}


def select_parameters(robot: Robot, selectors: Iterable[str]) -> NDArray[np.int64]:
    """Column numbers of the selected standard parameters, ascending."""
    chosen: set[int] = set()
    for selector in selectors:
        chosen.update(_columns(robot, selector))
    return np.array(sorted(chosen), dtype=np.int64)


def _columns(robot: Robot, selector: str) -> list[int]:
    names = robot.body_names
    parameters: tuple[str, ...] = PARAMETER_NAMES
    if selector in names:
        body = selector
    else:
        body, _, parameter = selector.rpartition(".")
        if parameter not in GROUPS and parameter not in PARAMETER_NAMES:
            raise UnknownName("body or parameter", selector, (*names, *PARAMETER_NAMES, *GROUPS))
        parameters = GROUPS.get(parameter, (parameter,))
    if body != "*" and body not in names:
        raise UnknownName("body", body, names)
    bodies = range(len(names)) if body == "*" else [names.index(body)]
    return [PER_BODY * index + PARAMETER_NAMES.index(parameter) for index in bodies for parameter in parameters]
