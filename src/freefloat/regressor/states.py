"""Random states that a robot can be in, for questions about structure rather than about one motion."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import UnknownName
from freefloat.regressor.momentum import momentum_matrix
from freefloat.regressor.samples import Samples
from freefloat.regressor.torque import inverse_dynamics
from freefloat.robot.model import Joint, Robot
from freefloat.robot.transform import Array

_PLANAR = np.array([1.0, 1.0, 0.0])


def random_states(robot: Robot, n: int, seed: int = 0, locked: Collection[str] = (), spin: float = 1.0) -> Samples:
    """Independent states: joints anywhere within their limits, every rate and acceleration random.

    locked: names of joints that stay at one random position.
    spin: size of the base's velocities and of the wheels' rates [m/s, rad/s].
    """
    for name in locked:
        if name not in robot.joint_names:
            raise UnknownName("joint", name, robot.joint_names)
    rng = np.random.default_rng(seed)
    moving = np.array([joint.name not in locked for joint in robot.joints], dtype=float)
    q = np.array([_anywhere(joint, rng, n) for joint in robot.joints]).reshape(-1, n).T
    q = np.where(moving > 0, q, q[:1])
    twist = [rng.normal(0.0, spin, (n, 3)) for _ in range(4)]
    attitude, position = rng.normal(size=(n, 4)), rng.normal(size=(n, 3))
    if robot.base == "planar":
        keep = (_PLANAR, 1.0 - _PLANAR) * 2
        twist = [values * mask for values, mask in zip(twist, keep, strict=True)]
        attitude, position = attitude * [0.0, 0.0, 1.0, 1.0], position * _PLANAR
    if robot.base == "fixed":
        twist = [np.zeros((n, 3))] * 4
    wheels = len(robot.wheels)
    return Samples(
        q=q,
        dq=rng.normal(size=q.shape) * moving,
        ddq=rng.normal(size=q.shape) * moving,
        v=twist[0],
        w=twist[1],
        dv=twist[2],
        dw=twist[3],
        attitude=attitude,
        position=position,
        wheel_rates=rng.normal(0.0, spin, (n, wheels)),
        wheel_accelerations=rng.normal(0.0, spin, (n, wheels)),
    )


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


def allowed_rows(robot: Robot) -> NDArray[np.int64]:
    """Numbers of the six velocities that the base can have."""
    rows = {"free": [0, 1, 2, 3, 4, 5], "planar": [0, 1, 5], "fixed": []}[robot.base]
    return np.array(rows, dtype=np.int64)


def sliding_axes(robot: Robot) -> NDArray[np.int64]:
    """Numbers of the axes along which the base can move."""
    allowed = allowed_rows(robot)
    return allowed[allowed < 3]


def turning_axes(robot: Robot) -> NDArray[np.int64]:
    """Numbers of the axes about which the base can turn."""
    allowed = allowed_rows(robot)
    return allowed[allowed >= 3] - 3


def _anywhere(joint: Joint, rng: np.random.Generator, n: int) -> Array:
    low, high = joint.position
    reach = 1.0 if joint.kind == "prismatic" else np.pi
    low = low if np.isfinite(low) else (high - 2 * reach if np.isfinite(high) else -reach)
    high = high if np.isfinite(high) else low + 2 * reach
    return rng.uniform(low, high, n)
