"""The base's reaction at zero momentum, and the way back from its motion to that of joints and wheels.

The twist x = (v, w) keeps the momentum h(q, dq, x) + wheels at zero, its derivative keeps the wrench at zero:

    A_b dx = -(dh/dq) dq - ...,      so with lambda = A_b^-1 g the derivative g . dx is -lambda . dh,

which is the reverse sweep of the momentum (of the wrench) with the weights -lambda phi^T. A fixed base does not react.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.momentum_rows import momentum_adjoint, momentum_matrix
from freefloat.dynamics.reaction import base_accelerations
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import TorqueSlope, inverse_dynamics_adjoint
from freefloat.estimate.bound.reaction import inverse_inertia
from freefloat.excitation.rows.rows import MotionSlope
from freefloat.models.model import NotApplicable
from freefloat.robot.model import Robot


@dataclass(frozen=True, slots=True, eq=False)
class ReactedMotion:
    """A motion of joints and wheels together with the base's reaction.

    samples: with v and w, and with dv and dw where accelerations were asked for.
    inverse: A_b^-1, zero in what the base cannot do, shape (n, 6, 6).
    """

    robot: Robot
    samples: Samples
    inverse: Array

    def slope(self, gq: Array, gdq: Array, gv: Array, gw: Array) -> MotionSlope:
        """Derivative by joints and wheels of a number with derivatives gq, gdq by joints and gv, gw by the base."""
        robot, own = self.robot, MotionSlope.zero(self.robot, len(self.samples))
        if robot.base == "fixed":
            return replace(own, q=gq, dq=gdq)
        multiplier = self._multiplier(gv, gw)
        more_q, more_dq, _, _ = momentum_adjoint(robot, self.samples, -multiplier[:, :, None] * robot.parameters)
        by_wheels = -(multiplier[:, 3:] @ robot.wheel_axes.T) * robot.wheel_inertias
        return replace(own, q=gq + more_q, dq=gdq + more_dq, wheel_rates=by_wheels)

    def slope_with_accelerations(self, found: TorqueSlope) -> MotionSlope:
        """Derivative by the joints of a number that depends on their and the base's accelerations as well."""
        if self.robot.base == "fixed":
            return replace(self.slope(found.q, found.dq, found.v, found.w), ddq=found.ddq)
        weight = np.zeros((len(self.samples), 6 + self.samples.q.shape[1]))
        weight[:, :6] = -self._multiplier(found.dv, found.dw)
        more = inverse_dynamics_adjoint(self.robot, self.samples, weight)
        q, dq, ddq, v, w, _, _ = (one + other for one, other in zip(found, more, strict=True))
        return replace(self.slope(q, dq, v, w), ddq=ddq)

    def _multiplier(self, linear: Array, angular: Array) -> Array:
        """Lambda = A_b^-1 g, shape (n, 6)."""
        return (self.inverse @ np.hstack([linear, angular])[..., None])[..., 0]


def react(robot: Robot, samples: Samples) -> ReactedMotion:
    """The motion with the twist that the base takes at zero momentum."""
    if robot.base == "fixed":
        return ReactedMotion(robot, samples, np.zeros((len(samples), 6, 6)))
    A = momentum_matrix(robot, samples.q)
    inverse = inverse_inertia(robot, A)
    momentum = (A[:, :, 6:] @ samples.need("dq", "the base's reaction")[..., None])[..., 0]
    if robot.wheels:
        rates = samples.need("wheel_rates", "the base's reaction")
        momentum[:, 3:] += (rates * robot.wheel_inertias) @ robot.wheel_axes
    x = -(inverse @ momentum[..., None])[..., 0]
    return ReactedMotion(robot, replace(samples, v=x[:, :3], w=x[:, 3:]), inverse)


def react_with_accelerations(robot: Robot, samples: Samples) -> ReactedMotion:
    """As `react`, with the derivatives of the twist from the balance of forces."""
    if robot.base == "fixed":
        return react(robot, samples)
    if robot.wheels:
        raise NotApplicable(
            f"{robot.name} has wheels, whose accelerations a design by torques does not cover; "
            "allowed: a fixed base, or a moving one without wheels"
        )
    refuse_gravity(robot, "torques")
    moving = react(robot, samples)
    dv, dw = base_accelerations(robot, moving.samples)
    return replace(moving, samples=replace(moving.samples, dv=dv, dw=dw))


def refuse_gravity(robot: Robot, what: str) -> None:
    """Refuse gravity on a base that moves: momentum would not stay."""
    if robot.base != "fixed" and robot.gravity.any():
        raise NotApplicable(
            f"{robot.name} moves freely under gravity, and a design by {what} does not cover that; "
            "allowed: a fixed base, or no gravity"
        )
