"""Clearance between bodies, each made of capsules, spheres and ellipsoids.

The distance of two shapes changes by the velocity of their closest points along the normal between them. Joints that
carry both bodies leave it as it is; the others move a point x by axis x (x - origin), or along the axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.excitation.limits.distances import Distances, distances
from freefloat.excitation.limits.limit import Limit
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.models.model import NotApplicable
from freefloat.robot.model import Robot
from freefloat.robot.shapes import Shape
from freefloat.robot.tree import PRISMATIC, RIGID, Tree


@dataclass(frozen=True, eq=False)
class Clearance(Limit):
    """At least `least_m` [m] between every shape of body a and every shape of body b.

    Margins come pair of shapes by pair of shapes, each at all instants. size: the distance that counts as one [m].
    """

    a: str
    b: str
    least_m: float
    size: float = 0.1
    name: str = field(init=False)
    unit = "m"

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", f"clearance of {self.a} and {self.b}")

    def margins(self, motion: PlannedMotion) -> Array:
        """(distance - least) / size, shape (pairs of shapes * n,)."""
        every = np.arange(motion.t.size)
        found = [self._distances(motion, pair, every).distance for pair in self._pairs(motion.robot)]
        return (np.concatenate(found) - self.least_m) / self.size if found else np.zeros(0)

    def jacobian(self, motion: PlannedMotion, rows: NDArray[np.int64]) -> Array:
        """Derivative of the chosen margins, shape (len(rows), k * channels)."""
        which, at = np.divmod(rows, motion.t.size)
        by_position = np.zeros((rows.size, len(motion.robot.joints)))
        for number, pair in enumerate(self._pairs(motion.robot)):
            here = np.flatnonzero(which == number)
            if here.size:
                by_position[here] = self._by_position(motion, pair, at[here])
        return motion.chain(at, position=by_position / self.size)

    def instants(self, motion: PlannedMotion) -> Array:
        """Time of each margin, shape (pairs of shapes * n,) [s]."""
        return np.tile(motion.t, len(self._pairs(motion.robot)))

    def _pairs(self, robot: Robot) -> list[tuple[Shape, Shape]]:
        return list(product(robot.body(self.a).shapes, robot.body(self.b).shapes))

    def _distances(self, motion: PlannedMotion, pair: tuple[Shape, Shape], at: NDArray[np.int64]) -> Distances:
        return distances(pair[0], *_pose(motion, self.a, at), pair[1], *_pose(motion, self.b, at))

    def _by_position(self, motion: PlannedMotion, pair: tuple[Shape, Shape], at: NDArray[np.int64]) -> Array:
        """Derivative of the distance of two shapes by joint positions, shape (len(at), joints)."""
        found = self._distances(motion, pair, at)
        tree = motion.robot.tree
        chain_a, chain_b = _moving_chain(tree, self.a), _moving_chain(tree, self.b)
        slopes = np.zeros((at.size, tree.dofs))
        for sign, point, bodies in ((-1.0, found.on_a, chain_a - chain_b), (1.0, found.on_b, chain_b - chain_a)):
            for body in bodies:
                velocity = _velocity(motion, body, point, at)
                slopes[:, tree.arrays.dof[body]] = sign * (found.normal * velocity).sum(axis=1)
        return slopes


def clearance_limits(
    robot: Robot, least_m: float, pairs: Sequence[tuple[str, str]] | None = None
) -> tuple[Clearance, ...]:
    """Clearance of pairs of bodies by name; unless given, of all that have shapes and are no neighbours.

    Neighbours are bodies that move as one piece, and bodies with a single joint between them.
    """
    if pairs is not None:
        for pair in pairs:
            _refuse_useless(robot, *pair)
        return tuple(Clearance(a, b, least_m) for a, b in pairs)
    shaped = [body.name for body in robot.bodies if body.shapes]
    return tuple(Clearance(a, b, least_m) for a, b in combinations(shaped, 2) if not _are_neighbours(robot.tree, a, b))


def _refuse_useless(robot: Robot, a: str, b: str) -> None:
    for name in (a, b):
        if not robot.body(name).shapes:
            shaped = ", ".join(body.name for body in robot.bodies if body.shapes) or "none"
            raise NotApplicable(f"{name} has no shapes to keep clear of; bodies with shapes: {shaped}")
    if _moving_chain(robot.tree, a) == _moving_chain(robot.tree, b):
        raise NotApplicable(f"no joint moves between {a} and {b}; clearance needs bodies that move on each other")


def _pose(motion: PlannedMotion, name: str, at: NDArray[np.int64]) -> tuple[Array, Array]:
    """Rotation (len(at), 3, 3) and origin (len(at), 3) of any body, moving or carried, base axes."""
    R, p, _ = motion.poses
    carrier, placement = motion.robot.tree.carried[name]
    return R[at, carrier] @ placement.R, p[at, carrier] + R[at, carrier] @ placement.p


def _velocity(motion: PlannedMotion, body: int, point: Array, at: NDArray[np.int64]) -> Array:
    """Of a point (len(at), 3) beyond a tree body's joint, per unit of the joint's rate, shape (len(at), 3)."""
    _, p, axes = motion.poses
    if motion.robot.tree.arrays.kind[body] == PRISMATIC:
        return axes[at, body]
    return np.cross(axes[at, body], point - p[at, body])


def _moving_chain(tree: Tree, name: str) -> frozenset[int]:
    """Tree bodies whose joints move a body: its piece's own and its ancestors'."""
    index = tree.carried[name][0]
    found: list[int] = []
    while index >= 0:
        if tree.arrays.kind[index] != RIGID:
            found.append(index)
        index = int(tree.arrays.parent[index])
    return frozenset(found)


def _are_neighbours(tree: Tree, a: str, b: str) -> bool:
    """Whether at most one joint lies between two bodies."""
    return len(_moving_chain(tree, a) ^ _moving_chain(tree, b)) <= 1
