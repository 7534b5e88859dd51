"""A planned motion on a grid of instants: joints, poses, the base's reaction and attitude, and how they change.

Computed once, when first asked for, and read by all limits. Everything is in base axes unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.dynamics.samples import Samples
from freefloat.estimate.bound.reaction import inverse_inertia
from freefloat.estimate.likelihood.reaction_kernels import momentum_by_position
from freefloat.excitation import attitude_kernels
from freefloat.motion.trajectory import LinearMap, Motion
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY


@dataclass(frozen=True, eq=False)
class Conditions:
    """The robot as it is believed to be, and how the flight begins.

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


@dataclass(frozen=True, slots=True, eq=False)
class Reaction:
    """The base's twist x = (v, w), (n, 6), and its derivatives at a given attitude.

    by_position, by_rate: (n, 6, joints). by_wheel: by wheel rates, (n, 6, wheels). by_momentum: B, (n, 6, 3).
    R: attitude against the first instant, (n, 3, 3).
    """

    x: Array
    by_position: Array
    by_rate: Array
    by_wheel: Array
    by_momentum: Array
    R: Array


@dataclass(frozen=True, eq=False)
class PlannedMotion:
    """The motion that coefficients give at the n instants of a linear map.

    coefficients: shape (k, channels).
    """

    conditions: Conditions
    channels: tuple[str, ...]
    linear: LinearMap
    coefficients: Array

    @property
    def robot(self) -> Robot:
        """The robot as it is believed to be."""
        return self.conditions.robot

    @property
    def t(self) -> Array:
        """Instants, shape (n,) [s]."""
        return self.linear.t

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
    def reaction(self) -> Reaction:
        """The base's motion; no motion for a fixed base."""
        robot, samples, n = self.robot, self.samples, self.t.size
        A = momentum_matrix(robot, samples.q)
        inverse = inverse_inertia(robot, A)
        wheels = np.zeros((n, 6, len(robot.wheels)))
        if robot.wheels:
            wheels[:, 3:] = robot.wheel_axes.T * robot.wheel_inertias
        by_rate, by_wheel, B = -inverse @ A[:, :, 6:], -inverse @ wheels, inverse[:, :, 3:]
        x = (by_rate @ np.asarray(samples.dq)[..., None])[..., 0]
        if robot.wheels:
            x += (by_wheel @ np.asarray(samples.wheel_rates)[..., None])[..., 0]
        R, _ = self._turned(np.ascontiguousarray(B[:, 3:]), np.ascontiguousarray(x[:, 3:]))
        x += np.einsum("nij,nj->ni", B, np.einsum("nkj,k->nj", R, self.conditions.momentum))
        v, w = read_only(x[:, :3]), read_only(x[:, 3:])
        poses = kernels.sweep(robot.tree.arrays, samples.q, np.asarray(samples.dq), v, w)
        change = np.zeros((n, 6, samples.q.shape[1]))
        phi = read_only(robot.parameters).reshape(-1, PER_BODY)
        momentum_by_position(robot.tree.arrays, phi, *poses, change)
        return Reaction(x, -inverse @ change, by_rate, by_wheel, B, R)

    def _turned(self, B: Array, c: Array) -> tuple[Array, Array]:
        R, w = np.empty((self.t.size, 3, 3)), np.empty((self.t.size, 3))
        R[0] = np.eye(3)
        H = np.ascontiguousarray(np.broadcast_to(self.conditions.momentum, w.shape))
        attitude_kernels.turn(self.t, B, c, H, R, w)
        return R, w

    @cached_property
    def attitude(self) -> Array:
        """R_IB, shape (n, 3, 3)."""
        return self.conditions.attitude @ self.reaction.R

    @cached_property
    def turn(self) -> Array:
        """Small rotation of the attitude, base axes, by the flattened coefficients, shape (n, 3, k * channels)."""
        reaction = self.reaction
        every = np.arange(self.t.size)
        g = np.stack([self._at_given_attitude(reaction, every, 3 + axis) for axis in range(3)], axis=1)
        alpha = np.empty_like(g)
        H = np.ascontiguousarray(np.broadcast_to(self.conditions.momentum, (self.t.size, 3)))
        B = np.ascontiguousarray(reaction.by_momentum[:, 3:])
        w = np.ascontiguousarray(reaction.x[:, 3:])
        attitude_kernels.turn_change(self.t, B, H, reaction.R, w, np.ascontiguousarray(g), alpha)
        return alpha

    def twist_change(self, rows: NDArray[np.int64], component: int) -> Array:
        """Derivative of one component of the twist at chosen instants by the coefficients, (rows, k * channels)."""
        found = self._at_given_attitude(self.reaction, rows, component)
        if self.conditions.momentum.any():
            u = np.einsum("nij,i->nj", self.reaction.R[rows], self.conditions.momentum)
            per_turn = np.cross(self.reaction.by_momentum[rows, component], u)  # b . (u x alpha) = (b x u) . alpha
            found += np.einsum("ni,nij->nj", per_turn, self.turn[rows])
        return found

    def _at_given_attitude(self, reaction: Reaction, rows: NDArray[np.int64], component: int) -> Array:
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
