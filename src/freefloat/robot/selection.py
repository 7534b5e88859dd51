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
    """Column numbers of the selected standard parameters, ascending; one selector may be given as a string."""
    chosen: set[int] = set()
    for selector in [selectors] if isinstance(selectors, str) else selectors:
        chosen.update(_columns(robot, selector))
    return np.array(sorted(chosen), dtype=np.int64)


def with_known_separate(robot: Robot, known: Iterable[str]) -> Robot:
    """The robot where bodies on fixed joints that `known` names keep parameters of their own."""
    selectors = [known] if isinstance(known, str) else list(known)
    named = set(selectors) | {selector.rpartition(".")[0] for selector in selectors}
    fixed = {body.name for body in robot.bodies if body.name in named} - set(robot.body_names)
    return robot.with_separate(robot.separate | fixed) if fixed else robot


def _columns(robot: Robot, selector: str) -> list[int]:
    names = robot.body_names
    if selector in names:
        return _of([names.index(selector)], PARAMETER_NAMES)
    body, _, parameter = selector.rpartition(".")
    if parameter not in GROUPS and parameter not in PARAMETER_NAMES:
        parameters = f"BODY.PARAMETER with {' '.join((*PARAMETER_NAMES, *GROUPS))}"
        allowed = (*names, parameters)
        raise UnknownName("body or parameter", selector, allowed)
    if body in names:
        return _of([names.index(body)], GROUPS.get(parameter, (parameter,)))
    if body != "*":
        raise UnknownName("body", body, names)
    return _of(range(len(names)), GROUPS.get(parameter, (parameter,)))


def _of(bodies: Iterable[int], parameters: Iterable[str]) -> list[int]:
    chosen = [PARAMETER_NAMES.index(parameter) for parameter in parameters]
    return [PER_BODY * body + position for body in bodies for position in chosen]
