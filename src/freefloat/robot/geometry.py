"""Small errors of a robot's geometry: where each joint sits on the body that carries it, and how its axis points.

Five numbers a joint: its origin is off along x, y, z of the carrying body [m], and its axis is tilted about the two
directions of `across` [rad]. A turn about the axis itself is an error of the joint's zero.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body
from freefloat.robot.rotations import cross_matrices, exponential, right_jacobian
from freefloat.robot.transform import Transform
from freefloat.robot.tree import PRISMATIC, REVOLUTE, TreeArrays

PER_JOINT = 5
_AXIS, _ORIGIN = slice(27, 30), slice(30, 33)


def across(arrays: TreeArrays) -> Array:
    """Two directions across each joint's axis in the carrying body's frame, (bodies, 2, 3); zero for rigid bodies."""
    axes = arrays.geometry[:, _AXIS]
    least = np.eye(3)[np.abs(axes).argmin(axis=1)]
    first = np.cross(axes, least)
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-300)
    return np.where((arrays.dof >= 0)[:, None, None], np.stack([first, np.cross(axes, first)], axis=1), 0.0)


def tilting(robot: Robot, errors: Array) -> Array:
    """Directions about which a joint turns as its two tilts grow from these errors, (joints, 5) -> (bodies, 2, 3)."""
    directions = across(robot.tree.arrays)
    return directions @ right_jacobian(-_turns(robot, errors, directions)).swapaxes(1, 2)


def with_geometry(robot: Robot, errors: Array) -> Robot:
    """The robot with joints that are off, (joints, 5) [m, rad], for predictions: its bodies stay as they are."""
    arrays = robot.tree.arrays
    R, shifts = _moves(robot, errors)
    geometry = np.array(arrays.geometry)
    geometry[:, :27] = (R[:, None] @ geometry[:, :27].reshape(-1, 3, 3, 3)).reshape(-1, 27)
    geometry[:, _AXIS] = (R @ geometry[:, _AXIS, None])[..., 0]
    geometry[:, _ORIGIN] += shifts
    moved = copy.copy(robot)
    vars(moved)["tree"] = replace(robot.tree, arrays=arrays._replace(geometry=geometry))
    return moved


def built_with(robot: Robot, errors: Array) -> Robot:
    """The robot whose bodies are placed as joints that are off place them, (joints, 5) [m, rad]: one that can fly."""
    if not errors.any():
        return robot
    names, carried = robot.tree.names, robot.tree.carried
    moves = dict(zip(names, zip(*_moves(robot, errors), strict=True), strict=True))

    def placed(body: Body) -> Body:
        if body.parent is None or body.joint is None or not body.joint.moves:
            return body
        (R, shift), (_, in_carrier) = moves[body.name], carried[body.parent]
        nominal = in_carrier @ body.placement
        return replace(body, placement=in_carrier.inverse() @ Transform(R @ nominal.R, nominal.p + shift))

    return replace(robot, bodies=tuple(placed(body) for body in robot.bodies))


class StillJoints(NamedTuple):
    """A robot whose errors of geometry are joints of their own that stand still, five before each of its joints.

    arrays: of its tree, in which added bodies have no mass. bodies: which are the robot's own, (bodies,). errors: which
    coordinates are errors, (joints, 5), behind those of its own joints. sizes: of these, per unit, (joints, 5).
    """

    arrays: TreeArrays
    bodies: NDArray[np.int64]
    errors: NDArray[np.int64]
    sizes: Array


def with_still_joints(robot: Robot, tilts: Array) -> StillJoints:
    """That of a robot; tilts: directions about which its joints tilt, (bodies, 2, 3) (`tilting`)."""
    own, count = robot.tree.arrays, len(robot.joints)
    parent, kind, dof, geometry, place = [-1], [own.kind[0]], [-1], [own.geometry[0]], [0]
    errors, sizes = np.zeros((count, PER_JOINT), np.int64), np.ones((count, PER_JOINT))
    for b in range(1, own.parent.size):
        here, carrier = np.array(own.geometry[b]), place[own.parent[b]]
        if (j := own.dof[b]) >= 0:
            axes = [*np.eye(3), *tilts[b]]
            for e, axis in enumerate(axes):
                sizes[j, e], errors[j, e] = np.linalg.norm(axis), count + PER_JOINT * j + e
                geometry.append(_at_zero(axis / sizes[j, e], here[_ORIGIN] if e == 0 else np.zeros(3), turns=e > 2))
                parent.append(carrier)
                kind.append(REVOLUTE if e > 2 else PRISMATIC)
                dof.append(int(errors[j, e]))
                carrier = len(parent) - 1
            here[_ORIGIN] = 0.0
        geometry.append(here)
        parent.append(carrier)
        kind.append(own.kind[b])
        dof.append(int(j))
        place.append(len(parent) - 1)
    arrays = TreeArrays(np.array(parent), np.array(kind, np.int64), np.array(dof, np.int64), np.array(geometry))
    return StillJoints(arrays, np.array(place), errors, sizes)


def _at_zero(axis: Array, origin: Array, turns: bool) -> Array:
    """Geometry of a joint whose frame is that of its carrier where it stands at zero, (33,)."""
    T, along = np.zeros((3, 3, 3)), np.outer(axis, axis)
    T[0] = along if turns else np.eye(3)
    if turns:
        T[1], T[2] = cross_matrices(axis[None])[0], np.eye(3) - along
    return np.concatenate([T.ravel(), axis, origin])


def _moves(robot: Robot, errors: Array) -> tuple[Array, Array]:
    """How every body's joint is turned, (bodies, 3, 3), and shifted in the frame that carries it, (bodies, 3) [m]."""
    arrays = robot.tree.arrays
    shifts = np.where((arrays.dof >= 0)[:, None], errors[arrays.dof, :3], 0.0)
    return exponential(_turns(robot, errors, across(arrays))), shifts


def _turns(robot: Robot, errors: Array, directions: Array) -> Array:
    """Rotation vectors of the joints, (bodies, 3) [rad]; directions are zero where there is none, (bodies, 2, 3)."""
    return np.einsum("bi,bij->bj", errors[robot.tree.arrays.dof, 3:], directions)
