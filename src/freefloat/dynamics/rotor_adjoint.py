"""The reverse sweep of what rotors ask: exact gradients by the motion.

With W_u the angular velocity at which weights, as rates, would turn body u, the weighted sum of what rotors ask is

    sum over joints of  weight R r' + R ((r' a + r w_u x a) . W_u + weight a . w_u') / g

(symbols as in `rotors.py`). w, w' and W follow from body to body outwards, so derivatives by them come inwards; a joint
turns the axes of all that it carries, so that its own derivative is the moment of theirs about its axis.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.dynamics.rotors import spin_ratios, turning
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import TorqueSlope
from freefloat.errors import ShapeError
from freefloat.robot.model import Robot
from freefloat.robot.tree import REVOLUTE


def rotor_adjoint(robot: Robot, samples: Samples, weight: ArrayLike) -> TorqueSlope:
    """Gradients of sum(weight * what the rotors of the robot's drives ask), weight of shape (n, 6 + joints)."""
    samples.check(robot)
    weights, what = np.asarray(weight, float), "the spin of rotors"
    dq, ddq = samples.need("dq", what), samples.need("ddq", what)
    if weights.shape != (len(samples), 6 + dq.shape[1]):
        raise ShapeError(f"weight must have shape {(len(samples), 6 + dq.shape[1])}, found {weights.shape}")
    tree, spins = robot.tree.arrays, spin_ratios(robot)
    a, w, alpha = turning(robot, samples)
    W = _turned_by(robot, weights, a)
    by_w, by_alpha, by_W, moment = (np.zeros_like(a) for _ in range(4))
    gq, gdq = np.zeros_like(dq), np.zeros_like(dq)
    gddq = weights[:, 6:] * [joint.drive.rotor for joint in robot.joints]
    for body in range(tree.parent.size - 1, 0, -1):
        u, j, axis = tree.parent[body], tree.dof[body], a[:, body]
        if j >= 0:
            rate, rise, own, spin = dq[:, j, None], ddq[:, j, None], weights[:, 6 + j, None], spins[j]
            turns = float(tree.kind[body] == REVOLUTE)
            # Of this joint's own rotor, and of the velocities beyond it, which change as W_u and w_u do in it.
            from_W, from_alpha = spin * W[:, u] + turns * by_alpha[:, body], spin * own
            by_axis = rise * from_W + rate * np.cross(from_W, w[:, u]) + from_alpha * alpha[:, u]
            by_axis += turns * (own * by_W[:, body] + rate * by_w[:, body])
            across = np.cross(w[:, u], axis)
            gddq[:, j] += (axis * from_W).sum(axis=1)
            gdq[:, j] += (across * from_W).sum(axis=1) + turns * (axis * by_w[:, body]).sum(axis=1)
            by_w[:, u] += rate * np.cross(axis, from_W)
            by_W[:, u] += spin * (rise * axis + rate * across)
            by_alpha[:, u] += from_alpha * axis
            moment[:, body] += np.cross(axis, by_axis)
            gq[:, j] = turns * (axis * moment[:, body]).sum(axis=1)
        for each in (by_w, by_alpha, by_W, moment):
            each[:, u] += each[:, body]
    none = np.zeros((len(samples), 3))
    return TorqueSlope(gq, gdq, gddq, none, by_w[:, 0], none, by_alpha[:, 0])


def _turned_by(robot: Robot, weights: Array, a: Array) -> Array:
    """Angular velocities of all bodies if weights were rates, shape (n, bodies, 3)."""
    tree, W = robot.tree.arrays, np.zeros_like(a)
    W[:, 0] = weights[:, 3:6]
    for body in range(1, tree.parent.size):
        W[:, body] = W[:, tree.parent[body]]
        if tree.kind[body] == REVOLUTE:
            W[:, body] += weights[:, 6 + tree.dof[body], None] * a[:, body]
    return W
