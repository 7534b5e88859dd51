"""Rotors behind gears: what their spin asks of the joints and of the base.

The rotor of a joint of rate r sits in the body u that carries the joint; its mass and its inertia while held are
counted in u. It spins about the joint's axis a at g r relative to u, g being the gear ratio, and adds to the energy

    R (r^2 / 2 + r a . w_u / g),      R = g^2 times its spin inertia: `rotor` of the joint's drive,

so that (Lagrange) the joint's own torque is R (r' + a . w_u' / g), and u needs the moment R (r' a + r w_u x a) / g, the
change of the momentum R r a / g, which the joints that turn u give, and the base. All of it is linear in R. After
L. Sciavicco, B. Siciliano, L. Villani, "Lagrange and Newton-Euler dynamic modeling of a gear-driven robot manipulator
with inclusion of motor inertia effects", Advanced Robotics 1995. Where g is infinite, R r' is all there is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.samples import Samples
from freefloat.robot.model import Robot
from freefloat.robot.tree import REVOLUTE


class _Carrier(NamedTuple):
    """What carries the joint of a coordinate: bodies, and the coordinates of the joints that turn the carrier."""

    joint: int
    body: int
    parent: int
    turned_by: NDArray[np.int64]
    turners: NDArray[np.int64]


def rotor_columns(robot: Robot, samples: Samples) -> Array:
    """Base wrench and torques per unit of each joint's rotor inertia, shape (n, 6 + joints, joints)."""
    samples.check(robot)
    ddq = samples.need("ddq", "rotor inertia")
    n, joints = ddq.shape
    columns, every = np.zeros((n, 6 + joints, joints)), np.arange(joints)
    columns[:, 6 + every, every] = ddq
    carriers = _carriers(robot)
    if not carriers:
        return columns
    dq, (a, w, alpha) = samples.need("dq", "the spin of rotors"), turning(robot, samples)
    for joint, body, parent, turned_by, turners in carriers:
        per_turn, axis = 1.0 / robot.joints[joint].drive.gear_ratio, a[:, body]
        spinning = dq[:, joint, None] * np.cross(w[:, parent], axis)
        moment = per_turn * (ddq[:, joint, None] * axis + spinning)
        columns[:, 3:6, joint] = moment
        columns[:, 6 + turned_by, joint] = np.einsum("kci,ki->kc", a[:, turners], moment)
        columns[:, 6 + joint, joint] += per_turn * (axis * alpha[:, parent]).sum(axis=1)
    return columns


def rotor_momentum(robot: Robot, q: Array, dq: Array) -> Array:
    """Angular momentum that rotors have because they spin, base axes, shape (n, 3) [N m s]."""
    carriers, momentum = (
        [each for each in _carriers(robot) if robot.joints[each.joint].drive.rotor],
        np.zeros((len(q), 3)),
    )
    if carriers:
        still = read_only(np.zeros((len(q), 3)))
        axes = kernels.sweep(robot.tree.arrays, read_only(q), read_only(dq), still, still)[4]
        for each in carriers:
            drive = robot.joints[each.joint].drive
            momentum += drive.rotor / drive.gear_ratio * dq[:, each.joint, None] * axes[:, each.body]
    return momentum


def rotor_energy_columns(robot: Robot, samples: Samples) -> Array:
    """Energy per unit of each joint's rotor inertia beyond that of bodies whose rotors are held, (n, joints)."""
    samples.check(robot)
    what = "the energy of rotors"
    dq, (v, w) = samples.need("dq", what), samples.base_twist(robot, what)
    columns = 0.5 * dq**2
    carriers = _carriers(robot)
    if carriers:
        _, _, _, velocity, axes = kernels.sweep(robot.tree.arrays, samples.q, dq, v, w)
        for each in carriers:
            along = (axes[:, each.body] * velocity[:, each.parent]).sum(axis=1)
            columns[:, each.joint] += dq[:, each.joint] * along / robot.joints[each.joint].drive.gear_ratio
    return columns


def without_gears(robot: Robot) -> Robot:
    """The same robot whose rotors are felt by their own joints only."""
    return robot.with_drives([replace(joint.drive, gear_ratio=np.inf) for joint in robot.joints])


def spin_ratios(robot: Robot) -> Array:
    """Momentum of each joint's rotor along its axis per unit of the joint's rate, shape (joints,)."""
    return np.array([joint.drive.rotor / joint.drive.gear_ratio for joint in robot.joints])


def _carriers(robot: Robot) -> list[_Carrier]:
    """Of the joints whose gears have a ratio."""
    tree, found = robot.tree.arrays, []
    for body in range(1, tree.parent.size):
        joint, parent = int(tree.dof[body]), int(tree.parent[body])
        if joint < 0 or not np.isfinite(robot.joints[joint].drive.gear_ratio):
            continue
        turners, above = [], parent
        while above > 0:
            if tree.kind[above] == REVOLUTE:
                turners.append(above)
            above = int(tree.parent[above])
        bodies = np.array(turners, dtype=np.int64)
        found.append(_Carrier(joint, body, parent, tree.dof[bodies], bodies))
    return found


def turning(robot: Robot, samples: Samples) -> tuple[Array, Array, Array]:
    """Joint axes, angular velocities and accelerations of all bodies, base axes, shape (n, bodies, 3) each."""
    tree, what = robot.tree.arrays, "the spin of rotors"
    dq, ddq = samples.need("dq", what), samples.need("ddq", what)
    v, w = samples.base_twist(robot, what)
    _, _, _, velocity, a = kernels.sweep(tree, samples.q, dq, v, w)
    alpha = np.zeros_like(velocity)
    if robot.base != "fixed":
        alpha[:, 0] = samples.need("dw", what)
    for body in range(1, tree.parent.size):
        parent, joint = tree.parent[body], tree.dof[body]
        alpha[:, body] = alpha[:, parent]
        if tree.kind[body] == REVOLUTE:
            across = np.cross(velocity[:, parent], a[:, body])
            alpha[:, body] += ddq[:, joint, None] * a[:, body] + dq[:, joint, None] * across
    return a, velocity, alpha
