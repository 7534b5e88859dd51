"""Small motion of the base and of passive joints about rest, driven joints locked.

    M y'' + D y' + K y = f

y is how the base is shifted and turned, as far as it can be, in base axes, then how far passive joints are from the
posture; f the wrench on the base and torques of passive joints. M is the mass matrix there, D and K hold dampers and
springs; wheels do not spin. Gravity adds to K what a pendulum feels, exactly: on a fixed base, and on a planar one as
far as it is normal to the plane. A base that gravity accelerates falls with all that it carries, and nothing swings
for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import AXES, Array, frozen_array, read_only
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import joint_torque_slopes, mass_matrix
from freefloat.errors import ShapeError
from freefloat.frozen import Content
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot

_ROWS = tuple(f"{motion}_{axis}" for motion in ("shift", "turn") for axis in AXES)


@dataclass(frozen=True, slots=True, eq=False)
class SmallMotion(Content):
    """M, D, K of small motion at a posture, shape (n, n) each.

    coordinates: what y is: `shift_x` [m] to `turn_z` [rad], those that the base has, then passive joints [rad or m].
    base_rows: which of the six velocities the base has, shape (b,); the first b coordinates.
    """

    coordinates: tuple[str, ...]
    base_rows: NDArray[np.int64]
    M: Array
    D: Array
    K: Array

    @property
    def base_follows(self) -> Array:
        """What the base does by what passive joints do while total momentum stays zero, shape (b, passive)."""
        b = self.base_rows.size
        return np.asarray(-np.linalg.solve(self.M[:b, :b], self.M[:b, b:]), float)

    @property
    def felt(self) -> Array:
        """Inertia that passive joints feel on a base that gives way, shape (passive, passive)."""
        b = self.base_rows.size
        return np.asarray(self.M[b:, b:] + self.M[:b, b:].T @ self.base_follows, float)


def small_motion(robot: Robot, q: ArrayLike | None = None) -> SmallMotion:
    """Small motion about rest at joint positions q, shape (joints,); all at zero unless given."""
    posture = np.zeros(len(robot.joints)) if q is None else np.asarray(q, float)
    if posture.shape != (len(robot.joints),):
        raise ShapeError(f"q must have shape ({len(robot.joints)},), found {posture.shape}")
    base = allowed_rows(robot)
    rows = np.concatenate([base, 6 + robot.passive])
    springs = [spring for joint in robot.joints if (spring := joint.passive) is not None]
    still, here = np.zeros(base.size), read_only(posture[None])
    D = np.diag(np.concatenate([still, [spring.damping for spring in springs]]))
    K = np.diag(np.concatenate([still, [spring.stiffness for spring in springs]]))
    K[base.size :, base.size :] += _weight_slopes(robot, here)
    M = mass_matrix(robot, here)[0][np.ix_(rows, rows)]
    names = tuple(_ROWS[row] for row in base) + tuple(robot.joint_names[k] for k in robot.passive)
    shape = (rows.size, rows.size)
    return SmallMotion(names, base, *(frozen_array(each, shape) for each in (M, D, K)))


def _weight_slopes(robot: Robot, q: Array) -> Array:
    """Derivative of the torques that hold passive joints against gravity by their positions, (passive, passive)."""
    passive = robot.passive
    felt = {"fixed": np.ones(3), "planar": np.array([0.0, 0.0, 1.0]), "free": np.zeros(3)}[robot.base] * robot.gravity
    if not (felt.any() and passive.size):
        return np.zeros((passive.size, passive.size))
    rest = {name: np.zeros((1, 3)) for name in ("v", "w", "dv", "dw")}
    samples = Samples(q, np.zeros_like(q), np.zeros_like(q), **rest, attitude=np.array([[0.0, 0.0, 0.0, 1.0]]))
    slopes = joint_torque_slopes(replace(robot, gravity=felt), samples, robot.parameters)[0, 0]
    return slopes[np.ix_(passive, passive)]
