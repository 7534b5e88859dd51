"""Small errors of a robot's geometry: where each joint sits on the body that carries it, and how its axis points.

Five numbers a joint: its origin is off along x, y, z of the carrying body [m], and its axis is tilted about the two
directions of `across` [rad]. A turn about the axis itself is an error of the joint's zero.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.robot.rotations import exponential, right_jacobian
from freefloat.robot.tree import TreeArrays

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
    arrays = robot.tree.arrays
    directions = across(arrays)
    for body in np.flatnonzero(arrays.dof >= 0).tolist():
        turn = errors[arrays.dof[body], 3:] @ directions[body]
        directions[body] = directions[body] @ right_jacobian(-turn[None])[0].T
    return directions


def with_geometry(robot: Robot, errors: Array) -> Robot:
    """The robot with joints that are off, (joints, 5) [m, rad], for predictions: its bodies stay as they are."""
    arrays, geometry = robot.tree.arrays, np.array(robot.tree.arrays.geometry)
    tilts = across(arrays)
    for body in np.flatnonzero(arrays.dof >= 0).tolist():
        own = errors[arrays.dof[body]]
        R = exponential((own[3:] @ tilts[body])[None])[0]
        geometry[body, :27] = (R @ geometry[body, :27].reshape(3, 3, 3)).reshape(27)
        geometry[body, _AXIS] = R @ geometry[body, _AXIS]
        geometry[body, _ORIGIN] += own[:3]
    moved = copy.copy(robot)
    vars(moved)["tree"] = replace(robot.tree, arrays=arrays._replace(geometry=geometry))
    return moved
