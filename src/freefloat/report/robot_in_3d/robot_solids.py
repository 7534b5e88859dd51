"""A robot as solids: what stands for each body in a picture, and its joints.

Shapes in a robot file are for clearance: several capsules side by side hold a box. The base is drawn as the convex
hull of its shapes, which looks like the body they stand for. Bodies without shapes are rods between joints, a base
without any is the cuboid of even density with its mass and inertia, or a plate if it is fixed. Meshes of a URDF are
not read.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.report.robot_in_3d.solids import Surface, box, capsule, cylinder, ellipsoid, hull, joined, surface_of
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, com_of, pseudo_inertia
from freefloat.robot.shapes import Ellipsoid, Shape
from freefloat.robot.tree import PRISMATIC, RIGID

_THIN = 0.02  # of the robot's reach: radius of links that have no shape
_THICK = 0.05  # of the robot's reach: the thickest link that a joint is made for
_WIDER, _LONGER = 1.22, 1.12  # a joint's radius and half length, over the radius of its link
_THINNER = 5e-4  # of the robot's reach: every other link, or ends of equal radius would flicker where they meet
_PLATE = np.array([0.12, 0.01])  # of the robot's reach: radius and half height of what a fixed base stands on
_RAIL = 3.0  # half length of a sliding joint, over the same


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A surface in the frame of a moving body. colour: by the name that the page gives it."""

    name: str
    body: int
    surface: Surface
    colour: str


def robot_solids(robot: Robot, known: Collection[str], reach: float) -> list[Solid]:
    """Of every moving body, then of every joint. known: names of bodies whose parameters were given."""
    return [*(_body(robot, body, known, reach) for body in range(len(robot.tree.names))), *_joints(robot, reach)]


def without_shapes(robot: Robot) -> bool:
    """Whether some moving body is drawn without shapes of its own."""
    return not all(_shapes(robot, body) for body in range(len(robot.tree.names)))


def equal_inertia(phi: Array) -> Surface:
    """The ellipsoid of even density that has a body's mass, centre and inertia; phi: shape (10,)."""
    return ellipsoid(com_of(phi), np.sqrt(5.0) * _spread(phi))


def _spread(phi: Array) -> Array:
    """Principal axes of the mass, as columns of the length of its standard deviation, shape (3, 3) [m]."""
    mass, centre = float(phi[0]), com_of(phi)
    second = pseudo_inertia(phi)[:3, :3] / mass - np.outer(centre, centre)
    values, vectors = np.linalg.eigh(second)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _shapes(robot: Robot, body: int) -> list[tuple[Shape, Surface]]:
    """Of all bodies that a moving one is made of, in its frame."""
    carried = [(each, *robot.tree.carried[each.name]) for each in robot.bodies]
    return [
        (shape, surface_of(shape).placed(placement))
        for each, by, placement in carried
        if by == body
        for shape in each.shapes
    ]


def _body(robot: Robot, body: int, known: Collection[str], reach: float) -> Solid:
    name, surfaces = robot.tree.names[body], [surface for _, surface in _shapes(robot, body)]
    if not surfaces:
        surfaces = _rods(robot, body, reach)
    colour = "--base" if body == 0 else ("--link-a" if body % 2 else "--link-b")
    if body and body % 2 == 0:
        surfaces = [each.thinner(_THINNER * reach) for each in surfaces]
    whole = hull(surfaces) if body == 0 and len(surfaces) > 1 and _shapes(robot, body) else joined(surfaces)
    return Solid(name, body, whole, "--load" if name in known else colour)


def _rods(robot: Robot, body: int, reach: float) -> list[Surface]:
    """From a body's origin to what it carries, or to its centre of mass."""
    arrays, phi = robot.tree.arrays, robot.parameters.reshape(-1, PER_BODY)[body]
    ends = [arrays.geometry[child, 30:33] for child in np.flatnonzero(arrays.parent == body)]
    rods = [capsule(np.zeros(3), end, _THIN * reach) for end in ends or [com_of(phi)]]
    if body == 0 and robot.base == "fixed":
        rods.append(cylinder(np.zeros(3), np.array([0.0, 0.0, 1.0]), *(_PLATE * reach)))
    elif body == 0 and phi[0] > 0.0:
        rods.append(box(com_of(phi), np.sqrt(3.0) * _spread(phi)))
    return rods


def _joints(robot: Robot, reach: float) -> list[Solid]:
    """Turning joints as drums that turn with their body, sliding ones as rails on the body that carries it."""
    arrays, found = robot.tree.arrays, list[Solid]()
    for body, kind in enumerate(arrays.kind):
        if kind == RIGID:
            continue
        radius = _thickness(robot, body, reach)
        axis, origin = arrays.geometry[body, 27:30], arrays.geometry[body, 30:33]
        name = robot.joint_names[arrays.dof[body]]
        if kind == PRISMATIC:
            rail = cylinder(origin, axis, 0.8 * radius, _RAIL * radius)
            found.append(Solid(name, int(arrays.parent[body]), rail, "--joint"))
            continue
        turn = arrays.geometry[body, :27].reshape(3, 3, 3)
        own = (turn[0] + turn[2]).T @ axis
        found.append(Solid(name, body, cylinder(np.zeros(3), own, _WIDER * radius, _LONGER * radius), "--joint"))
    return found


def _thickness(robot: Robot, body: int, reach: float) -> float:
    """Radius of the thinner of the links that a joint holds together, the base left out [m]."""
    links = [each for each in (body, int(robot.tree.arrays.parent[body])) if each > 0]
    sizes = [[_size(shape) for shape, _ in _shapes(robot, each)] or [_THIN * reach] for each in links]
    return min([_THICK * reach, *(min(each) for each in sizes)])


def _size(shape: Shape) -> float:
    return float(shape.semi_axes.min()) if isinstance(shape, Ellipsoid) else float(shape.radius)
