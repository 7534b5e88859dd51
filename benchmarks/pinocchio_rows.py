"""Matrices of a design by Pinocchio, one instant after the other: what a function value costs without our kernels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.dynamics.samples import Samples
from freefloat.robot.model import Robot
from freefloat.robot.urdf_write import urdf_text

Array = np.ndarray


class PinocchioRows:
    """Rows of all standard parameters of a robot.

    Raises ImportError where Pinocchio is not installed.
    """

    def __init__(self, robot: Robot) -> None:
        import pinocchio

        self.pin, self.fixed = pinocchio, robot.base == "fixed"
        text = urdf_text(_with_limits(robot))
        joint = () if self.fixed else (pinocchio.JointModelFreeFlyer(),)
        self.model = pinocchio.buildModelFromXML(text, *joint)
        self.model.gravity.linear = np.array(robot.gravity)
        self.data = self.model.createData()

    def torque(self, samples: Samples) -> Array:
        """Joint torques of a fixed base, shape (n joints, columns)."""
        states = zip(samples.q, samples.dq, samples.ddq, strict=True)
        return np.vstack([self.pin.computeJointTorqueRegressor(self.model, self.data, *each) for each in states])

    def energy(self, samples: Samples) -> Array:
        """Energies of a fixed base, shape (n, columns)."""
        pin, model, data = self.pin, self.model, self.data
        kinetic, potential = pin.computeKineticEnergyRegressor, pin.computePotentialEnergyRegressor
        states = zip(samples.q, samples.dq, strict=True)
        return np.vstack([kinetic(model, data, q, dq) + potential(model, data, q) for q, dq in states])

    def momentum(self, samples: Samples) -> Array:
        """Momentum at zero momentum, base frame, shape (6 n, columns): the base's reaction, then Y(q, 0, v)."""
        pin, model, data, rest = self.pin, self.model, self.data, np.zeros(self.model.nv)
        position = np.append([0.0] * 6 + [1.0], samples.q[0])
        velocity, found = np.zeros(model.nv), []
        for q, dq in zip(samples.q, samples.dq, strict=True):
            position[7:], velocity[6:] = q, dq
            A = pin.computeCentroidalMap(model, data, position)
            velocity[:6] = -np.linalg.solve(A[:, :6], A[:, 6:] @ dq)
            found.append(pin.computeJointTorqueRegressor(model, data, position, rest, velocity)[:6].copy())
        return np.vstack(found)


def _with_limits(robot: Robot) -> Robot:
    """Without wheels, and with limits for every joint: one that turns without end is two numbers in Pinocchio."""
    moved = [
        replace(body, joint=replace(body.joint, position=(-4.0, 4.0), rate=9.0, torque=9.0))
        if body.joint is not None and body.joint.kind == "revolute"
        else body
        for body in robot.bodies
    ]
    return replace(robot, bodies=tuple(moved), wheels=())
