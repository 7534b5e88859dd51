"""The base's reaction to joints and wheels, and the way back from its motion to theirs.

The twist follows the law of `dynamics/reaction.py`; its derivative keeps the wrench at zero, so that with
lambda = A_b^-1 g the derivative g . d(dx) is the reverse sweep of the wrench with the weights -lambda phi^T. A fixed
base does not react.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.reacting_base import ReactingBase
from freefloat.dynamics.reaction import base_accelerations
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import TorqueSlope, inverse_dynamics_adjoint
from freefloat.excitation.rows.rows import MotionSlope
from freefloat.models.model import NotApplicable
from freefloat.robot.model import Robot


@dataclass(frozen=True, slots=True, eq=False)
class ReactedMotion:
    """A motion of joints and wheels together with the base's reaction.

    samples: with v and w, and with dv and dw where accelerations were asked for.
    """

    robot: Robot
    samples: Samples
    base: ReactingBase

    def slope(self, gq: Array, gdq: Array, gv: Array, gw: Array) -> MotionSlope:
        """Derivative by joints and wheels of a number with derivatives gq, gdq by joints and gv, gw by the base."""
        if self.robot.base == "fixed":
            return replace(MotionSlope.zero(self.robot, len(self.samples)), q=gq, dq=gdq)
        bars = self.base.bars()
        bars.x, bars.q, bars.dq = np.hstack([gv, gw]), np.array(gq), np.array(gdq)
        by_wheels = self.base.pull_back_twist(bars)
        return MotionSlope(bars.q, bars.dq, bars.ddq, by_wheels, np.zeros_like(by_wheels))

    def slope_with_accelerations(self, found: TorqueSlope) -> MotionSlope:
        """Derivative by the joints of a number that depends on their and the base's accelerations as well."""
        if self.robot.base == "fixed":
            return replace(self.slope(found.q, found.dq, found.v, found.w), ddq=found.ddq)
        weight = np.zeros((len(self.samples), 6 + self.samples.q.shape[1]))
        weight[:, :6] = -self.base.solved(np.hstack([found.dv, found.dw])[..., None])[..., 0]
        more = inverse_dynamics_adjoint(self.robot, self.samples, weight)
        q, dq, ddq, v, w, _, _ = (one + other for one, other in zip(found, more, strict=True))
        return replace(self.slope(q, dq, v, w), ddq=ddq)


def react(robot: Robot, samples: Samples, momentum: Array | None = None) -> ReactedMotion:
    """The motion with the twist that the base takes.

    momentum: total angular momentum, base axes at the first instant, (3,) [N m s], zero unless given. With it the
    attitude counts, so that samples need t, close enough together to follow the base as it turns.
    """
    held = np.zeros(3) if momentum is None else momentum
    base = ReactingBase(robot, samples, held, turns=bool(held.any()), phi=robot.parameters)
    if robot.base == "fixed":
        return ReactedMotion(robot, samples, base)
    return ReactedMotion(robot, replace(samples, v=base.x[:, :3], w=base.x[:, 3:]), base)


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
