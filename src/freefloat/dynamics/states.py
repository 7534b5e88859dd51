"""Random states that a robot can be in, for questions about structure rather than about one motion."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.errors import UnknownName
from freefloat.robot.model import Robot
from freefloat.robot.parts import Joint

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


def _anywhere(joint: Joint, rng: np.random.Generator, n: int) -> Array:
    low, high = joint.position
    reach = 1.0 if joint.kind == "prismatic" else np.pi
    low = low if np.isfinite(low) else (high - 2 * reach if np.isfinite(high) else -reach)
    high = high if np.isfinite(high) else low + 2 * reach
    return rng.uniform(low, high, n)
