"""A planned motion on a grid of instants: joints, poses, the base's reaction and attitude, and how they change.

Computed once, when first asked for, and read by all limits. Everything is in base axes unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.reacting_base import ReactingBase
from freefloat.dynamics.reaction import base_accelerations
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.motion.trajectory import InvalidTrajectory, LinearMap, Motion, Trajectory
from freefloat.robot.model import Robot


@dataclass(frozen=True, eq=False)
class Conditions:
    """The robot as it is assumed to be, and how the flight begins.

    momentum: total angular momentum about the centre of mass, base axes at the first instant, (3,) [N m s].
    attitude: R_IB at the first instant, (3, 3). wheel_rates: added to the trajectory's, (wheels,) [rad/s].
    """

    robot: Robot
    momentum: Array = field(default_factory=lambda: np.zeros(3))
    attitude: Array = field(default_factory=lambda: np.eye(3))
    wheel_rates: Array | None = None

    def samples(self, channels: Sequence[str], motion: Motion) -> Samples:
        """The motion as the robot's q, dq, ddq and wheel rates; what is no channel stays at zero, at rest."""
        joints, wheels = self.places(channels)
        n, robot = motion.t.size, self.robot
        q, dq, ddq = (np.zeros((n, len(robot.joints))) for _ in range(3))
        rates, rises = (np.zeros((n, len(robot.wheels))) for _ in range(2))
        moved, spun = joints >= 0, wheels >= 0
        for array, values in ((q, motion.position), (dq, motion.rate), (ddq, motion.acceleration)):
            array[:, joints[moved]] = values[:, moved]
        rates[:, wheels[spun]], rises[:, wheels[spun]] = motion.rate[:, spun], motion.acceleration[:, spun]
        if self.wheel_rates is not None:
            rates += self.wheel_rates
        return Samples(q=q, dq=dq, ddq=ddq, wheel_rates=rates, wheel_accelerations=rises, t=motion.t)

    def places(self, channels: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of each channel its joint's number, or -1, and its wheel's number, or -1."""
        joints = {name: index for index, name in enumerate(self.robot.joint_names)}
        wheels = {wheel.name: index for index, wheel in enumerate(self.robot.wheels) if wheel.name not in joints}
        return (
            np.array([joints.get(name, -1) for name in channels], dtype=np.int64),
            np.array([wheels.get(name, -1) for name in channels], dtype=np.int64),
        )


@dataclass(frozen=True, eq=False)
class PlannedMotion:
    """The motion that coefficients give at the n instants of a linear map.

    coefficients: shape (k, channels). shape: of which the linear map is, for what must look at other instants too.
    """

    conditions: Conditions
    channels: tuple[str, ...]
    linear: LinearMap
    coefficients: Array
    shape: Trajectory | None = None

    @classmethod
    def of(cls, conditions: Conditions, trajectory: Trajectory, t: Array) -> PlannedMotion:
        """A trajectory at times t (n,) [s]."""
        return cls(conditions, trajectory.channels, trajectory.linear_map(t), trajectory.coefficients, trajectory)

    @property
    def robot(self) -> Robot:
        """The robot as it is assumed to be."""
        return self.conditions.robot

    @property
    def t(self) -> Array:
        """Instants, shape (n,) [s]."""
        return self.linear.t

    @property
    def whole(self) -> Trajectory:
        """The shape, from beginning to end."""
        if self.shape is None:
            raise InvalidTrajectory("how joints swing follows from the whole motion; allowed: with its shape")
        return self.shape

    @cached_property
    def remembered(self) -> dict[Any, Any]:
        """What limits found along this motion, for others that need the same."""
        return {}

    @cached_property
    def motion(self) -> Motion:
        """Of the channels."""
        return self.linear.motion(self.coefficients)

    @cached_property
    def samples(self) -> Samples:
        """Of joints and wheels."""
        return self.conditions.samples(self.channels, self.motion)

    @cached_property
    def poses(self) -> tuple[Array, Array, Array]:
        """Rotations (n, bodies, 3, 3), origins and joint axes (n, bodies, 3) of the tree's bodies, base axes."""
        samples, still = self.samples, read_only(np.zeros((self.t.size, 3)))
        R, p, _, _, a = kernels.sweep(self.robot.tree.arrays, samples.q, samples.q, still, still)
        return R, p, a

    @cached_property
    def reaction(self) -> ReactingBase:
        """The base's motion; no motion for a fixed base."""
        robot, momentum = self.robot, self.conditions.momentum
        return ReactingBase(robot, self.samples, momentum, turns=True, phi=robot.parameters)

    @cached_property
    def accelerated(self) -> Samples:
        """Joints and wheels with the base's twist and its derivative, without gravity on a base that moves."""
        x = self.reaction.x
        moving = replace(self.samples, v=x[:, :3], w=x[:, 3:])
        dv, dw = base_accelerations(self.robot, moving)
        return replace(moving, dv=dv, dw=dw)

    @cached_property
    def loads(self) -> Array:
        """Wrench on the base from outside and torques of the joints that the motion needs, shape (n, 6 + joints)."""
        return inverse_dynamics(self.robot, self.accelerated)

    @cached_property
    def attitude(self) -> Array:
        """R_IB, shape (n, 3, 3)."""
        return self.conditions.attitude @ self.reaction.R

    @cached_property
    def turn(self) -> Array:
        """Small rotation of the attitude, base axes, by the flattened coefficients, shape (n, 3, k * channels)."""
        every = np.arange(self.t.size)
        return self.reaction.turn(np.stack([self._at_given_attitude(every, 3 + axis) for axis in range(3)], axis=1))

    def twist_change(self, rows: NDArray[np.int64], component: int) -> Array:
        """Derivative of one component of the twist at chosen instants by the coefficients, (rows, k * channels)."""
        found = self._at_given_attitude(rows, component)
        if self.conditions.momentum.any():
            u = self.reaction.u[rows]
            per_turn = np.cross(self.reaction.B[rows, component], u)  # b . (u x alpha) = (b x u) . alpha
            found += np.einsum("ni,nij->nj", per_turn, self.turn[rows])
        return found

    def _at_given_attitude(self, rows: NDArray[np.int64], component: int) -> Array:
        reaction = self.reaction
        return self.chain(
            rows,
            position=reaction.by_position[rows, component],
            rate=reaction.by_rate[rows, component],
            wheel_rate=reaction.by_wheel[rows, component],
        )

    def chain(
        self,
        rows: NDArray[np.int64],
        position: Array | None = None,
        rate: Array | None = None,
        acceleration: Array | None = None,
        wheel_rate: Array | None = None,
        wheel_acceleration: Array | None = None,
    ) -> Array:
        """From derivatives by joints and wheels at chosen instants to those by coefficients, (rows, k * channels).

        position, rate, acceleration: of the joints, (rows, joints). wheel_rate, wheel_acceleration: (rows, wheels).
        """
        joints, wheels = self.conditions.places(self.channels)
        linear = self.linear
        found = np.zeros((rows.size, linear.basis.shape[1], len(self.channels)))
        parts = (
            (position, linear.basis, joints),
            (rate, linear.basis_rate, joints),
            (acceleration, linear.basis_acceleration, joints),
            (wheel_rate, linear.basis_rate, wheels),
            (wheel_acceleration, linear.basis_acceleration, wheels),
        )
        for values, basis, places in parts:
            if values is not None:
                there = places >= 0
                found[:, :, there] += basis[rows][:, :, None] * values[:, None, places[there]]
        return found.reshape(rows.size, -1)
