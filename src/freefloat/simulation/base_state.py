"""A reacting base as one locked body with free wheels: how it starts, and where it is once its momentum is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics import kernels
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates
from freefloat.dynamics.samples import Samples
from freefloat.robot.base_axes import turning_axes
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import rotations, turned
from freefloat.simulation.conditions import Start


def locked_bodies(robot: Robot, samples: Samples) -> Array:
    """First moment, inertia about the base origin, and momentum of the joints alone, shape (n, 15)."""
    inertia, momentum = np.empty((len(samples), 9)), np.empty((len(samples), 6))
    phi = robot.parameters.reshape(-1, PER_BODY)
    kernels.composite(robot.tree.arrays, samples.q, samples.need("dq", "a flight"), phi, inertia, momentum)
    return np.hstack([inertia, momentum])


def base_positions(robot: Robot, start: Array, R_IB: Array, com: Array, centre: Array) -> Array:
    """Base origin in inertial axes, shape (n, 3), from the centre of mass in base and in inertial axes.

    start: where the base origin was at first, shape (3,) or (n, 3); a planar base stays level with it.
    """
    position = centre - turned(R_IB, com)
    if robot.base == "planar":
        across = R_IB[:, :, 2]
        position -= ((position - start) * across).sum(axis=1)[:, None] * across
    return position


def free_inertia(robot: Robot) -> Array:
    """What wheels that turn freely take off the locked inertia: the sum of J a a^T, shape (3, 3)."""
    return momentum_by_wheel_rates(robot) @ robot.wheel_axes


def free_rates(robot: Robot, first: Array, w: Array) -> Array:
    """Rates of free wheels (..., n, wheels) on a base that turns with w (..., n, 3); first: (..., 1, wheels)."""
    along = (w[..., None, :] * robot.wheel_axes).sum(axis=-1)
    return first + along[..., :1, :] - along


def start_states(robot: Robot, starts: Sequence[Start], body: Array, spin: Array) -> tuple[Array, Array]:
    """Linear, angular momentum, centre of mass at the start, inertial axes (runs, 9); base rates (runs, 3).

    body (runs, 15) and spin (runs, 3): the robot as one locked body and its wheels' momentum, base axes.
    """
    mass, com, p = robot.mass, body[:, :3] / robot.mass, body[:, 9:12]
    square = (com * com).sum(axis=1)[:, None, None] * np.eye(3)
    inertia = body[:, [[3, 4, 6], [4, 5, 7], [6, 7, 8]]] - mass * (square - com[:, :, None] * com[:, None, :])
    joints = body[:, 12:15] - np.cross(com, p) + spin
    axes = turning_axes(robot)
    rate, angular, linear = np.zeros_like(com), np.zeros_like(com), np.zeros_like(com)
    angular[:, axes] = np.array([start.angular_momentum for start in starts])[:, axes]
    missing = (angular - joints)[:, axes, None]
    rate[:, axes] = np.linalg.solve(inertia[:, axes[:, None], axes], missing)[..., 0]
    turns = [run for run, start in enumerate(starts) if start.rate is not None]
    for run in turns:
        rate[run, axes] = np.asarray(starts[run].rate)[axes]
    angular[turns] = (turned(inertia, rate) + joints)[turns]
    for run, start in enumerate(starts):
        if start.velocity is not None:
            linear[run] = mass * (start.velocity + np.cross(rate[run], com[run])) + p[run]
    R_IB = rotations([start.attitude for start in starts])
    centre = np.array([start.position for start in starts]) + turned(R_IB, com)
    return np.hstack([turned(R_IB, linear), turned(R_IB, angular), centre]), rate
