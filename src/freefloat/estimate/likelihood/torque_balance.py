"""Joint torques that a motion needs when the base takes whatever acceleration its own balance asks for.

With x the acceleration of the base (of its origin less gravity, then angular) the equations of motion are

    A_b x + Y_b phi = f       base: f is what pushes it, from outside and by its wheels
    A_q^T x + Y_j phi = tau   joints

Y being the regressor at x = 0. With x solving the base's rows, and Y at that x from here on,

    tau(phi) = Y_j phi,     d tau / d phi = Y_j - A_q^T A_b^-1 Y_b.

The velocity of the base drops out with its acceleration. Angular rates are measured; else, at zero momentum, they are
predicted, and with C = d(Y phi) / dw, exact because torques are quadratic in rates,

    d tau / d phi += (C_j - A_q^T A_b^-1 C_b) dw / d phi,      dw / d phi = -(A_b^-1 K)_w.

What the drives of the robot's joints give is taken off the measured torques, but for the spin of rotors, which would
move the base as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.drive_torques import drive_torques
from freefloat.dynamics.momentum_rows import momentum_matrix, momentum_regressor, spin_momentum, wheel_momentum
from freefloat.dynamics.reaction import Reaction, check_inertia, six_rows, solve_base, without_base
from freefloat.dynamics.rotors import without_gears
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.problem import Problem
from freefloat.models.model import NotApplicable
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.parameters import PER_BODY


class TorqueBalance:
    """Torques of one flight as a function of standard parameters.

    columns: of the parameters that derivatives are by, shape (c,).
    """

    def __init__(self, problem: Problem, flight: Flight, columns: NDArray[np.int64]) -> None:
        samples = flight.samples
        if samples.torques is None:
            raise NotApplicable(f"{flight.name}: joint torques were not measured; input error compares them")
        self.robot, self.flight, self.columns = problem.robot, flight, columns
        self.measured = samples.torques - self._driven(samples)
        self.present = problem.present(flight)
        self.allowed = allowed_rows(self.robot)
        self.q, self.dq = samples.q, samples.need("dq", "input error")
        self.ddq = samples.need("ddq", "input error")
        self.still = read_only(np.zeros((len(samples), 3)))
        self.predicts = samples.w is None and self.allowed.size > 0
        self._check()
        self.spin, self.pushed = self._wheels()

    def _driven(self, samples: Samples) -> Array:
        """What drives give, as far as each joint feels its own; the sign of a rate is as sharp as it is measured."""
        smooth = self.flight.sd("dq", samples.q.shape[1])
        return drive_torques(without_gears(self.robot), samples, smooth)

    def _check(self) -> None:
        if self.predicts and not self.flight.momentum.is_zero:
            raise NotApplicable(
                f"{self.flight.name}: angular rates of the base were not measured and its momentum is not zero; input "
                "error needs one or the other"
            )
        for name in ("ddq", "torques"):
            good = np.isfinite(self.flight.samples.need(name, "input error")).all(axis=1)
            if not good.all():
                raise InvalidProblem(
                    f"{self.flight.name}: {name} of sample {int(np.argmin(good))} is not a finite number; leave such "
                    "samples out"
                )

    def _wheels(self) -> tuple[Array, Array]:
        """Momentum of the wheels, shape (n, 3), and what pushes the base but for turning it, shape (n, 6)."""
        robot, samples = self.robot, self.flight.samples
        pushed = np.zeros((len(samples), 6)) if samples.base_wrench is None else np.array(samples.base_wrench)
        if not robot.wheels or not self.allowed.size:
            return self.still, pushed
        spin, rises = spin_momentum(robot, samples), samples.need("wheel_accelerations", "the wheels' torque")
        pushed[:, 3:] -= wheel_momentum(robot, rises)
        return read_only(spin), pushed

    # ------------------------------------------------------------------ torques

    def torques(self, parameters: Array) -> Array:
        """Joint torques that the motion needs, shape (n, joints)."""
        return self._motion(np.where(self.present, parameters, 0.0))[-1]

    def with_derivative(self, parameters: Array) -> tuple[Array, Array]:
        """Joint torques, shape (n, joints), and their derivative by the columns, shape (n, joints, c)."""
        phi = np.where(self.present, parameters, 0.0)
        A, v, w, x, tau = self._motion(phi)
        Y = np.empty((len(w), 6 + self.q.shape[1], phi.size))
        kernels.torque(self.robot.tree.arrays, self.q, self.dq, self.ddq, self.still, w, *_split(x), Y)
        Y = Y[:, :, self.columns] * self.present[self.columns]
        if self.predicts:
            K = momentum_regressor(self.robot, Samples(q=self.q, dq=self.dq, v=v, w=w), self.columns)
            twist = -six_rows(solve_base(A, K * self.present[self.columns], self.allowed), self.allowed)
            Y += self._by_rate(phi, w) @ twist[:, 3:]
        return tau, without_base(A, Y, self.allowed)

    def _motion(self, phi: Array) -> tuple[Array, Array, Array, Array, Array]:
        """A, shape (n, 6, 6 + joints); v and w, (n, 3); acceleration of the base, (n, 6); joint torques."""
        A, v, w = self._reacting(phi)
        check_inertia(A, self.allowed)
        x = np.zeros((len(w), 6))
        x[:, :3] -= self.robot.gravity  # as far as the base cannot follow it: else the balance has it
        if self.allowed.size:
            x[:, self.allowed] = 0.0
            missing = self.pushed - self._needed(phi, w, x)[:, :6]
            missing[:, 3:] -= np.cross(w, self.spin)
            x[:, self.allowed] = solve_base(A, missing[..., None], self.allowed)[..., 0]
        return A, v, w, x, self._needed(phi, w, x)[:, 6:]

    def _reacting(self, phi: Array) -> tuple[Array, Array, Array]:
        """A; velocities of the base, (n, 3) each, the first only where both are predicted."""
        if self.predicts:
            reaction = Reaction.of(self.robot, self.q, self.dq, self.spin, phi)
            return reaction.A, *reaction.velocities(self.still)
        measured = self.flight.samples.w if self.allowed.size else self.still
        assert measured is not None
        return momentum_matrix(self.robot, self.q, phi), self.still, measured

    def _needed(self, phi: Array, w: Array, x: Array) -> Array:
        """Wrench on the base and joint torques, without wheels, shape (n, 6 + joints)."""
        return self._torques(phi, self.dq, self.ddq, w, x)

    def _torques(self, phi: Array, dq: Array, ddq: Array, w: Array, x: Array) -> Array:
        tau = np.empty((len(w), 6 + self.q.shape[1]))
        inertia, motion = read_only(phi).reshape(-1, PER_BODY), (self.q, dq, ddq, self.still, read_only(w))
        kernels.inverse_dynamics(self.robot.tree.arrays, inertia, *motion, *_split(x), tau)
        return tau

    # ------------------------------------------------------------------ derivatives

    def _by_rate(self, phi: Array, w: Array) -> Array:
        """Derivative of wrench and torques by the base's angular rates, shape (n, 6 + joints, 3).

        With c(r) the torques at rates r without accelerations, c(r + e) - c(r) - c(e) is the derivative along e.
        """
        rest, none = read_only(np.zeros_like(self.dq)), np.zeros((len(w), 6))
        here = self._torques(phi, self.dq, rest, w, none)
        by_rate = np.empty((*here.shape, 3))
        for axis, e in enumerate(np.eye(3)):
            alone = self._torques(phi, rest, rest, np.broadcast_to(e, w.shape), none)
            by_rate[..., axis] = self._torques(phi, self.dq, rest, w + e, none) - here - alone
            by_rate[:, 3:6, axis] += np.cross(e, self.spin)
        return by_rate


def _split(x: Array) -> tuple[Array, Array]:
    """Linear and angular part, each contiguous."""
    return read_only(x[:, :3]), read_only(x[:, 3:])
