"""The robot: a tree of bodies on a free, planar or fixed base.

A `Robot` keeps every body as its source described it, bodies on fixed joints included. What moves
as one piece is derived: `robot.tree` lumps each fixed body into the body that carries it, except those
named in `separate` (a load whose parameters are known, say), which keep columns of their own.

The base frame is the frame of the root body. Reaction wheels sit in the base: their mass and their
inertia at rest belong to it, and only `spin_inertia * relative rate` is theirs.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array, frozen_array
from freefloat.errors import FileError, InvalidRobot, ShapeError, UnknownName
from freefloat.frozen import Content
from freefloat.robot.drive import Drive
from freefloat.robot.parameters import PER_BODY, com_of, parameter_names, seen_from
from freefloat.robot.parts import BaseKind, Body, Joint, Point, Wheel
from freefloat.robot.spring import Spring
from freefloat.robot.transform import Transform
from freefloat.robot.tree import Tree, build_tree

if TYPE_CHECKING:
    from freefloat.files import FilePath


@dataclass(frozen=True, eq=False)
class Robot(Content):
    """A tree of bodies, its wheels, its named points.

    bodies: the base first, then every body after its parent.
    base: how the base moves. A planar base moves along x and y of its frame and turns about z.
    gravity: in the inertial frame (for a fixed base: the base frame) [m/s^2], shape (3,).
    separate: bodies on fixed joints that keep parameters of their own instead of being lumped.
    """

    name: str
    bodies: tuple[Body, ...]
    base: BaseKind = "free"
    gravity: Array = field(default_factory=lambda: np.zeros(3))
    wheels: tuple[Wheel, ...] = ()
    points: tuple[Point, ...] = ()
    separate: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", frozen_array(self.gravity, (3,)))
        if self.base not in get_args(BaseKind):
            raise InvalidRobot("base", f"kind is {self.base!r}; allowed: {', '.join(get_args(BaseKind))}")
        if not np.isfinite(self.gravity).all():
            raise InvalidRobot("gravity", "holds a number that is not finite")
        object.__setattr__(self, "bodies", _parents_first(self.bodies))
        _refuse_duplicates("joint", [body.joint.name for body in self.bodies if body.joint])
        _refuse_duplicates("wheel", [wheel.name for wheel in self.wheels])
        _refuse_duplicates("point", [point.name for point in self.points])
        known = {body.name for body in self.bodies}
        for where, name in [(f"point {point.name!r}", point.body) for point in self.points] + [
            ("separate", name) for name in sorted(self.separate)
        ]:
            if name not in known:
                raise InvalidRobot(where, f"{name!r} is not a body of this robot; it has: {', '.join(sorted(known))}")

    def __repr__(self) -> str:
        mass = sum(float(body.parameters[0]) for body in self.bodies)
        counted = f"{len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.wheels)} wheels"
        return f"<Robot {self.name}: {self.base} base, {counted}, {mass:.5g} kg>"

    # ------------------------------------------------------------------ what moves as one piece

    @cached_property
    def tree(self) -> Tree:
        """The bodies that move as one piece, as arrays for the kernels."""
        return build_tree(self.bodies, self.separate)

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the moving bodies, base first; ten parameters each, in this order."""
        return self.tree.names

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that move, in the order of the coordinates q."""
        return tuple(body.joint for body in self.bodies if body.joint is not None and body.joint.moves)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that move, in the order of the coordinates q."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def passive(self) -> NDArray[np.int64]:
        """Which of the joints that move nobody drives or measures, shape (k,)."""
        return np.array([k for k, joint in enumerate(self.joints) if joint.passive is not None], dtype=np.int64)

    @cached_property
    def driven(self) -> NDArray[np.int64]:
        """Which of the joints that move are driven and measured, shape (k,)."""
        return np.array([k for k, joint in enumerate(self.joints) if joint.passive is None], dtype=np.int64)

    @property
    def driven_names(self) -> tuple[str, ...]:
        """Names of the joints that are driven and measured, in the order of the coordinates q."""
        return tuple(self.joint_names[k] for k in self.driven)

    @property
    def passive_names(self) -> tuple[str, ...]:
        """Names of the passive joints, in the order of the coordinates q."""
        return tuple(self.joint_names[k] for k in self.passive)

    @property
    def springs(self) -> tuple[Spring, ...]:
        """Of the passive joints, in the order of `passive`."""
        return tuple(spring for joint in self.joints if (spring := joint.passive) is not None)

    def with_springs(self, springs: Sequence[Spring]) -> Robot:
        """The same robot with these springs of its passive joints, in the order of `passive`."""
        if len(springs) != self.passive.size:
            raise ShapeError(f"expected {self.passive.size} springs for this robot, found {len(springs)}")
        given = dict(zip((self.joint_names[k] for k in self.passive), springs, strict=True))
        bodies = (
            replace(body, joint=replace(body.joint, passive=given[body.joint.name]))
            if body.joint is not None and body.joint.passive is not None
            else body
            for body in self.bodies
        )
        return replace(self, bodies=tuple(bodies))

    @cached_property
    def parameters(self) -> Array:
        """Standard parameters of the moving bodies, stacked, shape (10 bodies,)."""
        phi = np.zeros((len(self.tree.names), PER_BODY))
        for body in self.bodies:
            carrier, placement = self.tree.carried[body.name]
            phi[carrier] += seen_from(placement, body.parameters)
        return frozen_array(phi.ravel(), (phi.size,))

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """`m_base, mx_base, ..., Izz_<last body>`: names of `parameters`."""
        return parameter_names(self.tree.names)

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(sum(body.parameters[0] for body in self.bodies))

    @cached_property
    def wheel_axes(self) -> Array:
        """Wheel axes in the base frame, shape (wheels, 3)."""
        return np.array([wheel.axis for wheel in self.wheels]).reshape(-1, 3)

    @cached_property
    def wheel_inertias(self) -> Array:
        """Spin inertias [kg m^2], shape (wheels,)."""
        return np.array([wheel.spin_inertia for wheel in self.wheels])

    # ------------------------------------------------------------------ looking things up

    def body(self, name: str) -> Body:
        """The body of this name."""
        return _named("body", name, self.bodies)

    def joint(self, name: str) -> Joint:
        """The joint of this name, moving or fixed."""
        return _named("joint", name, [body.joint for body in self.bodies if body.joint is not None])

    def wheel(self, name: str) -> Wheel:
        """The wheel of this name."""
        return _named("wheel", name, self.wheels)

    def point(self, name: str) -> Point:
        """The point of this name, given in the moving body that carries it."""
        point = _named("point", name, self.points)
        carrier, placement = self.tree.carried[point.body]
        return Point(name, self.tree.names[carrier], placement.p + placement.R @ point.xyz)

    # ------------------------------------------------------------------ variants

    def with_separate(self, names: Iterable[str]) -> Robot:
        """The same robot where these bodies, though on fixed joints, keep their own parameters."""
        return replace(self, separate=frozenset(names))

    def with_parameters(self, phi: ArrayLike) -> Robot:
        """The same robot with these standard parameters of its moving bodies, shape (10 bodies,).

        Lumped bodies keep what they had; the moving body that carries them takes the change, or, where
        that is a mere frame without mass, the heaviest body of the piece.
        """
        phi = np.asarray(phi, float)
        if phi.shape != self.parameters.shape:
            raise ShapeError(f"expected {self.parameters.size} parameters for this robot, found shape {phi.shape}")
        changes = (phi - self.parameters).reshape(-1, PER_BODY)
        taker = {index: self._taker(index) for index in np.flatnonzero(changes.any(axis=1)).tolist()}
        bodies = []
        for body in self.bodies:
            carrier, placement = self.tree.carried[body.name]
            if taker.get(carrier) == body.name:
                change = seen_from(placement.inverse(), changes[carrier])
                bodies.append(replace(body, parameters=body.parameters + change))
            else:
                bodies.append(body)
        return replace(self, bodies=tuple(bodies))

    def with_drives(self, drives: Sequence[Drive]) -> Robot:
        """The same robot with these drives of the joints that move, in the order of `joints`."""
        if len(drives) != len(self.joints):
            raise ShapeError(f"expected {len(self.joints)} drives for this robot, found {len(drives)}")
        given = dict(zip(self.joint_names, drives, strict=True))
        bodies = (
            replace(body, joint=replace(body.joint, drive=given[body.joint.name]))
            if body.joint is not None and body.joint.moves
            else body
            for body in self.bodies
        )
        return replace(self, bodies=tuple(bodies))

    def _taker(self, carrier: int) -> str:
        """Name of the body that takes a change of the parameters of this moving body."""
        name = self.tree.names[carrier]
        if self.body(name).parameters[0] > 0.0:
            return name
        piece = [body for body in self.bodies if self.tree.carried[body.name][0] == carrier]
        return max(piece, key=lambda body: float(body.parameters[0])).name

    # ------------------------------------------------------------------ at rest

    def centre_of_mass(self) -> Array:
        """Centre of mass in the base frame with all joints at zero [m], shape (3,)."""
        whole = np.zeros(PER_BODY)
        placements: dict[str, Transform] = {}
        for body in self.bodies:
            parent = placements[body.parent] if body.parent is not None else Transform()
            placements[body.name] = parent @ body.placement if body.parent is not None else parent
            whole += seen_from(placements[body.name], body.parameters)
        return com_of(whole)

    # ------------------------------------------------------------------ to a file

    def save(self, path: FilePath) -> None:
        """Write .yaml, .yml, .json (all exact) or .urdf (also .xml), whole or not at all; `load_robot` reads it."""
        match PurePath(os.fspath(path)).suffix.lower():
            case ".yaml" | ".yml":
                from freefloat.robot.yaml_write import write_yaml as write
            case ".json":
                from freefloat.robot.yaml_write import write_json as write
            case ".urdf" | ".xml":
                from freefloat.robot.urdf_write import write_urdf as write
            case _:
                raise FileError(path, "not a robot file freefloat writes; allowed: .yaml, .yml, .json, .urdf")
        write(self, path)


Named = TypeVar("Named", Body, Joint, Wheel, Point)


def _named(kind: str, name: str, things: Sequence[Named]) -> Named:
    for thing in things:
        if thing.name == name:
            return thing
    raise UnknownName(kind, name, (thing.name for thing in things))


def _refuse_duplicates(kind: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not name.isprintable() or not name.strip():
            raise InvalidRobot(f"{kind} {name!r}", "a name must be made of printable characters, and not be empty")
        if name in seen:
            raise InvalidRobot(f"{kind} {name!r}", "this name is given twice; names must differ")
        seen.add(name)


def _parents_first(bodies: Sequence[Body]) -> tuple[Body, ...]:
    """The bodies in their given order as far as every parent can come before its children."""
    roots = [body.name for body in bodies if body.parent is None]
    if len(roots) != 1:
        found = ", ".join(roots) or "none"
        raise InvalidRobot("bodies", f"exactly one body must have no parent (the base); found: {found}")
    _refuse_duplicates("body", [body.name for body in bodies])
    known = {body.name for body in bodies}
    for body in bodies:
        if body.parent is not None and body.parent not in known:
            raise InvalidRobot(f"body {body.name!r}", f"its parent {body.parent!r} is not a body of this robot")
    return tuple(_in_order(bodies))


def _in_order(bodies: Sequence[Body]) -> list[Body]:
    """Of all bodies whose parent is placed, always the one that was given first."""
    order = {body.name: index for index, body in enumerate(bodies)}
    children: dict[str | None, list[int]] = {}
    for index, body in enumerate(bodies):
        children.setdefault(body.parent, []).append(index)
    ready, placed = list(children[None]), list[Body]()
    while ready:
        body = bodies[heapq.heappop(ready)]
        placed.append(body)
        for child in children.get(body.name, ()):
            heapq.heappush(ready, child)
    if len(placed) < len(bodies):
        loop = ", ".join(sorted(order.keys() - {body.name for body in placed}, key=order.__getitem__))
        raise InvalidRobot("bodies", f"these bodies form a cycle and never reach the base: {loop}")
    return placed
