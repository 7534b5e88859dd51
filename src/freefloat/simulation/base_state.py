"""A reacting base as one locked body with free wheels, and where it is once its momentum was propagated."""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics import kernels
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates
from freefloat.dynamics.samples import Samples
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import turned


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
