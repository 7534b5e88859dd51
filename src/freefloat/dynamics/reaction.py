"""How the base reacts to its joints: velocities from momentum, accelerations from the balance of forces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot


def base_reaction(robot: Robot, samples: Samples, momentum: Array | None = None) -> tuple[Array, Array]:
    """Base velocities v and w, each (n, 3), that the joints' motion causes at a given total momentum.

    momentum: of robot and wheels, linear then angular about the base origin, base frame, (n, 6); zero unless
        given. What a planar or fixed base cannot do, it does not.
    """
    n, allowed = len(samples), allowed_rows(robot)
    A = momentum_matrix(robot, samples.q)
    right = np.zeros((n, 6)) if momentum is None else np.array(momentum)
    right -= np.einsum("kij,kj->ki", A[:, :, 6:], samples.need("dq", "the base's reaction"))
    if robot.wheels:
        rates = samples.need("wheel_rates", "the base's reaction")
        right[:, 3:] -= (rates * robot.wheel_inertias) @ robot.wheel_axes
    twist = np.zeros((n, 6))
    if allowed.size:
        inner = A[:, allowed[:, None], allowed]
        twist[:, allowed] = np.linalg.solve(inner, right[:, allowed, None])[..., 0]
    return twist[:, :3], twist[:, 3:]


def base_accelerations(
    robot: Robot, samples: Samples, wrench: Array | None = None, free_inertia: Array | None = None
) -> tuple[Array, Array]:
    """Derivatives dv and dw of the base's velocities, each (n, 3), from the balance of forces.

    wrench: force and moment about the base origin from outside, base frame, (n, 6); none unless given.
    free_inertia: what wheels that turn freely take off the locked inertia, (3, 3).
    """
    n, allowed = len(samples), allowed_rows(robot)
    v, w = samples.base_twist(robot, "the base's acceleration")
    still = replace(samples, dv=-np.cross(w, v), dw=np.zeros((n, 3)))
    missing = -inverse_dynamics(robot, still)[:, :6] + (0.0 if wrench is None else wrench)
    A_b = momentum_matrix(robot, samples.q)[:, :, :6]
    A_b[:, 3:, 3:] -= 0.0 if free_inertia is None else free_inertia
    acceleration = np.zeros((n, 6))
    if allowed.size:
        inner = A_b[:, allowed[:, None], allowed]
        acceleration[:, allowed] = np.linalg.solve(inner, missing[:, allowed, None])[..., 0]
    return acceleration[:, :3] - np.cross(w, v), acceleration[:, 3:]
