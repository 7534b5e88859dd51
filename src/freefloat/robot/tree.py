"""The tree of bodies that move as one piece, as plain arrays that compiled code reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.robot.parts import Body
from freefloat.robot.transform import Transform, skew

REVOLUTE, PRISMATIC, RIGID = 0, 1, 2  # joint kinds; the base counts as rigid


class TreeArrays(NamedTuple):
    """What the kernels need, every array contiguous; body 0 is the base.

    parent: index of the carrying body, shape (bodies,); -1 for the base.
    kind: REVOLUTE, PRISMATIC or RIGID, shape (bodies,).
    dof: index into q, shape (bodies,); -1 for rigid.
    geometry: shape (bodies, 33). First T, (3, 3, 3) flattened, with R_parent_body(q) =
        T[0] + sin(q) T[1] + cos(q) T[2]; then the joint axis in the parent frame (the same at every
        position); then the origin in the parent frame at q = 0.
    """

    parent: NDArray[np.int64]
    kind: NDArray[np.int64]
    dof: NDArray[np.int64]
    geometry: Array


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Moving bodies by name, the arrays of their tree, and which body carries which.

    carried: for every body of the robot, the index of the moving body it belongs to and its
        placement in that body's frame.
    """

    names: tuple[str, ...]
    arrays: TreeArrays
    carried: Mapping[str, tuple[int, Transform]]

    @property
    def dofs(self) -> int:
        """Number of joint coordinates."""
        return int((self.arrays.dof >= 0).sum())


def build_tree(bodies: Sequence[Body], separate: frozenset[str]) -> Tree:
    """Lump bodies on fixed joints into their carriers, but for those named in `separate`."""
    carried: dict[str, tuple[int, Transform]] = {}
    moving: list[tuple[Body, int, Transform]] = []  # body, index of its parent, placement in it
    for body in bodies:
        if body.parent is None:
            moving.append((body, -1, Transform()))
            carried[body.name] = (0, Transform())
            continue
        parent, in_parent = carried[body.parent]
        placement = in_parent @ body.placement
        if body.joint is not None and (body.joint.moves or body.name in separate):
            carried[body.name] = (len(moving), Transform())
            moving.append((body, parent, placement))
        else:
            carried[body.name] = (parent, placement)
    return Tree(tuple(body.name for body, _, _ in moving), _arrays(moving), carried)


def _arrays(moving: Sequence[tuple[Body, int, Transform]]) -> TreeArrays:
    count = len(moving)
    kind, dof = np.full(count, RIGID), np.full(count, -1)
    axis, turn = np.zeros((count, 3)), np.zeros((count, 3, 3, 3))
    coordinate = 0
    for index, (body, _, placement) in enumerate(moving):
        R = placement.R
        turn[index, 0] = R
        if body.joint is None or not body.joint.moves:
            continue
        axis[index] = R @ body.joint.axis
        dof[index], coordinate = coordinate, coordinate + 1
        if body.joint.kind == "prismatic":
            kind[index] = PRISMATIC
            continue
        kind[index] = REVOLUTE
        K = skew(body.joint.axis)
        turn[index] = R + R @ K @ K, R @ K, -R @ K @ K  # Rodrigues, after the fixed placement
    return TreeArrays(
        parent=np.array([parent for _, parent, _ in moving], dtype=np.int64),
        kind=kind.astype(np.int64),
        dof=dof.astype(np.int64),
        geometry=np.hstack([turn.reshape(count, 27), axis, [placement.p for _, _, placement in moving]]),
    )
