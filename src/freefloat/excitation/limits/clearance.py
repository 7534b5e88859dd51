"""Clearance between bodies, each made of capsules, spheres and ellipsoids.

The distance of two shapes changes by the velocity of their closest points along the normal between them. Joints that
carry both bodies leave it as it is; the others move a point x by axis x (x - origin), or along the axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from freefloat.arrays import Array
from freefloat.excitation.collision_check import CollisionCheck
from freefloat.excitation.limits.distances import Distances, distances
from freefloat.excitation.limits.limit import Limit, LimitFields
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.files import Number, entries
from freefloat.models.model import NotApplicable
from freefloat.robot.model import Robot
from freefloat.robot.shapes import Shape
from freefloat.robot.tree import PRISMATIC, RIGID, Tree

_NONE = "ask for no clearance (drop clearance_m)"


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
    kind = "clearance"
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
    """Clearance of pairs of bodies by name; unless given, of all that are no neighbours.

    Neighbours are bodies that move as one piece, and bodies with a single joint between them. What cannot be checked
    is refused: pairs of which a body has no shape and, where none are named, a robot with such a body. Bodies with
    neither mass nor shape count as frames and are left out; `collision_check` names them.
    """
    if pairs is not None:
        if not pairs:
            raise NotApplicable(f"{_cannot(least_m)}: no pair of bodies is named; name one, or {_NONE}")
        for pair in pairs:
            _refuse_useless(robot, *pair)
        return tuple(Clearance(a, b, least_m) for a, b in pairs)
    _refuse_uncheckable(robot, least_m)
    return tuple(Clearance(a, b, least_m) for a, b in shaped_pairs(robot))


def shaped_pairs(robot: Robot) -> list[tuple[str, str]]:
    """Bodies that have shapes and are no neighbours."""
    return _distant_pairs(robot, [body.name for body in robot.bodies if body.shapes])


def bodies_to_be_shaped(robot: Robot) -> tuple[str, ...]:
    """Bodies without shapes that others could run into: all with mass, and a base that nothing with a shape is part of.

    The base of a robot on the ground often has no mass in its file, and is there nevertheless.
    """
    bare_base = not any(body.shapes for body in robot.bodies if not _moving_chain(robot.tree, body.name))
    solid = [
        body for body in robot.bodies if body.shapes or body.parameters.any() or (body.parent is None and bare_base)
    ]
    return _without_shape(robot, [body.name for body in solid])


def collision_check(robot: Robot, limits: Sequence[Limit]) -> CollisionCheck:
    """What the clearances among the limits of a motion check, and what they leave out."""
    asked = [(each.a, each.b) for each in limits if isinstance(each, Clearance)]
    kept = [(a, b) for a, b in asked if robot.body(a).shapes and robot.body(b).shapes]
    if not kept:
        return CollisionCheck("none")
    if not {frozenset(pair) for pair in shaped_pairs(robot)} <= {frozenset(pair) for pair in kept}:
        return CollisionCheck("named", tuple(kept))
    left_out = _without_shape(robot, [body.name for body in robot.bodies])
    return CollisionCheck("shaped" if left_out else "all", tuple(kept), left_out)


def _refuse_uncheckable(robot: Robot, least_m: float) -> None:
    """Refuse a clearance between all bodies that would leave out one, or that there is nothing to check of."""
    bare = bodies_to_be_shaped(robot)
    if bare:
        have = "has" if len(bare) == 1 else "have"
        raise NotApplicable(
            f"{_cannot(least_m)}: {', '.join(bare)} {have} no shape; give each body a `shape` in the robot file (in a "
            f"URDF a <collision> that is no mesh), name pairs of bodies that have one (clearance_pairs), or {_NONE}"
        )
    if not shaped_pairs(robot):
        raise NotApplicable(
            f"{_cannot(least_m)}: no two bodies have more than one joint between them; name pairs of neighbours "
            f"(clearance_pairs), or {_NONE}"
        )


def _cannot(least_m: float) -> str:
    return f"a clearance of {least_m:g} m cannot be checked"


def _without_shape(robot: Robot, names: Sequence[str]) -> tuple[str, ...]:
    """Bodies without shapes, of those named, that others of them could run into: some are no neighbours."""
    apart = {name for pair in _distant_pairs(robot, names) for name in pair}
    return tuple(name for name in names if name in apart and not robot.body(name).shapes)


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


def _distant_pairs(robot: Robot, names: Sequence[str]) -> list[tuple[str, str]]:
    """Bodies, of those named, with more than one joint between them."""
    chains = {name: _moving_chain(robot.tree, name) for name in names}
    return [(a, b) for a, b in combinations(names, 2) if len(chains[a] ^ chains[b]) > 1]


class ClearanceFields(LimitFields):
    """How far bodies stay apart."""

    clearance_m: Annotated[Number, Field(ge=0.0)] | None = Field(
        default=None, description="the least distance between the shapes of two bodies"
    )
    clearance_pairs: list[Annotated[tuple[str, str], entries(2)]] | None = Field(
        default=None, description="bodies by name; all that are no neighbours unless given"
    )

    @model_validator(mode="after")
    def _pairs_of_a_clearance(self) -> Self:
        if self.clearance_pairs is not None and self.clearance_m is None:
            raise ValueError("has clearance_pairs but no clearance_m; allowed: with it only")
        return self

    def limits(self, robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
        """Of the bodies' clearance."""
        if self.clearance_m is None:
            return ()
        try:
            return clearance_limits(robot, self.clearance_m, self.clearance_pairs)
        except NotApplicable as error:
            raise NotApplicable(f"clearance_m: {error}") from error
