"""How a planned base motion changes with every unknown of a problem, and the way back from those changes.

`twist` (n, 6, unknowns) and, where the attitude matters, the small rotation psi in the axes of the first instant: with
N = R B R^T [H x] and f = R dw the change of the rate at a given attitude,

    psi' = N psi + f.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.attitude_kernels import carry, carry_adjoint
from freefloat.dynamics.reacting_base import Bars, ReactingBase
from freefloat.dynamics.samples import Samples
from freefloat.estimate.unknowns import CLOCK_DRIFT, EXTERNAL_TORQUE, JOINT_MOTION, JOINT_ZEROS, MOMENTUM, TIME_OFFSET
from freefloat.excitation.information.planned_flight import PlannedFlight
from freefloat.excitation.rows.rows import MotionSlope
from freefloat.robot.base_axes import sliding_axes, turning_axes
from freefloat.robot.rotations import axial, cross_matrices


@dataclass(eq=False)
class Backward:
    """Derivatives of one number, to be added to: by twist, by psi, and by what the reacting base offers."""

    twist: Array
    psi: Array
    bars: Bars


class InformedMotion:
    """One motion of a design."""

    def __init__(self, planned: PlannedFlight, samples: Samples) -> None:
        problem = planned.problem
        self.planned, self.unknowns = planned, planned.unknowns
        present = problem.present(planned.flight)[planned.columns].astype(float)
        self.base = ReactingBase(
            problem.robot, samples, planned.momentum, planned.turns, planned.phi, planned.columns, present
        )
        self.turning, self.sliding = turning_axes(problem.robot), sliding_axes(problem.robot)
        self.errors = planned.flight.joints.errors(self.base.t)
        self.since = self.base.t - 0.5 * (self.base.t[0] + self.base.t[-1])

    def place(self, kind: str) -> slice | None:
        """Where unknowns of a kind are; None if there are none."""
        shared = self.unknowns.find(kind)
        return self.unknowns.find(kind, 0) if shared is None else shared

    @property
    def _joints(self) -> int:
        return int(self.base.samples.q.shape[1])

    # ------------------------------------------------------------------ forward

    @cached_property
    def held(self) -> Array:
        """Of the twist at a given attitude, shape (n, 6, unknowns)."""
        base = self.base
        return self.spread(base.G[:, :, : self.planned.columns.size], base.by_position, base.by_rate, base.B)

    def spread(self, parameters: Array, position: Array, rate: Array, momentum: Array | None = None) -> Array:
        """Of r quantities with these derivatives (n, r, ...), by all unknowns, shape (n, r, unknowns)."""
        base, c = self.base, self.planned.columns.size
        found = np.zeros((*parameters.shape[:2], len(self.unknowns)))
        found[:, :, :c] = parameters
        later = position @ base.dq[..., None] + rate @ base.ddq[..., None]
        columns = {
            JOINT_ZEROS: position,
            JOINT_MOTION: position[:, :, self.errors.joint] * self.errors.position[:, None]
            + rate[:, :, self.errors.joint] * self.errors.rate[:, None],
            TIME_OFFSET: -later,
            CLOCK_DRIFT: -later * self.since[:, None, None],
        }
        if momentum is not None:
            along = (momentum @ base.R.swapaxes(1, 2))[:, :, self.turning]
            columns |= {MOMENTUM: along, EXTERNAL_TORQUE: along * self._elapsed}
        for kind, values in columns.items():
            place = self.place(kind)
            if place is not None:
                found[:, :, place] = values
        return found

    @property
    def _elapsed(self) -> Array:
        return (self.base.t - self.base.t[0])[:, None, None]

    @cached_property
    def _N(self) -> Array:
        base = self.base
        return np.ascontiguousarray(base.R @ base.B[:, 3:] @ base.R.swapaxes(1, 2) @ cross_matrices(base.H))

    @cached_property
    def psi(self) -> Array:
        """Small rotation of the attitude in the axes of the first instant, shape (n, 3, unknowns)."""
        psi = np.empty((self.base.n, 3, len(self.unknowns)))
        carry(self.base.t, self._N, self.base.R @ self.held[:, 3:], psi)
        return psi

    @cached_property
    def y(self) -> Array:
        """The same in base axes."""
        return self.base.R.swapaxes(1, 2) @ self.psi

    @cached_property
    def twist(self) -> Array:
        """Of the twist, shape (n, 6, unknowns)."""
        if not self.base.momentum.any():
            return self.held
        return self.held + self.base.B @ np.cross(self.base.u[:, :, None], self.y, axis=1)

    # ------------------------------------------------------------------ backward

    def backward(self) -> Backward:
        """Derivatives, all zero so far."""
        shape = (self.base.n, 6, len(self.unknowns))
        return Backward(np.zeros(shape), np.zeros((shape[0], 3, shape[2])), self.base.bars())

    def pull_back(self, back: Backward) -> MotionSlope:
        """To the motion of joints and wheels."""
        base, bars = self.base, back.bars
        held = np.array(back.twist)
        if base.momentum.any():
            moved = np.cross(base.u[:, :, None], self.y, axis=1)
            bars.B += back.twist @ moved.swapaxes(1, 2)
            z = base.B.swapaxes(1, 2) @ back.twist
            self.rotate_back(np.cross(z, base.u[:, :, None], axis=1), self.y, back)
            bars.turn -= np.cross(base.u, np.cross(self.y, z, axis=1).sum(axis=2))
        if self.planned.turns:
            f = np.empty_like(back.psi)
            carry_adjoint(base.t, self._N, np.ascontiguousarray(back.psi), f)
            seen = base.R.swapaxes(1, 2) @ f
            held[:, 3:] += seen
            bars.turn += np.cross(self.held[:, 3:], seen, axis=1).sum(axis=2)
            if base.momentum.any():
                self._through_N(f @ self.psi.swapaxes(1, 2), bars)
        c, joints = self.planned.columns.size, self._joints
        parameters, position, rate = self.gather(held, base.by_position, base.by_rate, bars)
        bars.G[:, :, :c] += parameters
        bars.G[:, :, c : c + joints] += position
        bars.G[:, :, c + joints :] += rate
        self._gather_momentum(held, bars)
        by_wheels = base.pull_back(bars)
        return MotionSlope(bars.q, bars.dq, bars.ddq, by_wheels)

    def rotate_back(self, y_bar: Array, y: Array, back: Backward) -> None:
        """From the derivative by y = R^T psi to those by psi and R; constants may take the place of psi."""
        back.psi += self.base.R @ y_bar
        back.bars.turn -= np.cross(y, y_bar, axis=1).sum(axis=2)

    def _through_N(self, N: Array, bars: Bars) -> None:
        base = self.base
        by_B = base.R.swapaxes(1, 2) @ N @ cross_matrices(base.H).swapaxes(1, 2) @ base.R
        bars.B[:, 3:] += by_B
        B = base.B[:, 3:]
        bars.turn += axial(by_B @ B.swapaxes(1, 2) - B.swapaxes(1, 2) @ by_B)

    def gather(self, held: Array, position: Array, rate: Array, bars: Bars) -> tuple[Array, Array, Array]:
        """The way back of `spread`: derivatives by its first three arguments; those by the joints go to the bars."""
        base, c = self.base, self.planned.columns.size
        by_position, by_rate = np.zeros_like(position), np.zeros_like(rate)
        zeros, bends = self.place(JOINT_ZEROS), self.place(JOINT_MOTION)
        if zeros is not None:
            by_position += held[:, :, zeros]
        if bends is not None:
            of_joint = np.equal.outer(self.errors.joint, np.arange(self._joints)).astype(float)
            by_position += (held[:, :, bends] * self.errors.position[:, None]) @ of_joint
            by_rate += (held[:, :, bends] * self.errors.rate[:, None]) @ of_joint
        later = np.zeros(held.shape[:2])
        for kind, factor in ((TIME_OFFSET, np.ones_like(self.since)), (CLOCK_DRIFT, self.since)):
            place = self.place(kind)
            if place is not None:
                later -= held[:, :, place.start] * factor[:, None]
        by_position += later[:, :, None] * base.dq[:, None, :]
        by_rate += later[:, :, None] * base.ddq[:, None, :]
        bars.dq += np.einsum("nrj,nr->nj", position, later)
        bars.ddq += np.einsum("nrj,nr->nj", rate, later)
        return held[:, :, :c], by_position, by_rate

    def _gather_momentum(self, held: Array, bars: Bars) -> None:
        along = np.zeros((self.base.n, 6, 3))
        for kind, factor in ((MOMENTUM, np.ones_like(self._elapsed)), (EXTERNAL_TORQUE, self._elapsed)):
            place = self.place(kind)
            if place is not None:
                along[:, :, self.turning] += held[:, :, place] * factor
        if along.any():
            by_B = along @ self.base.R
            bars.B += by_B
            bars.turn -= axial(self.base.B.swapaxes(1, 2) @ by_B)
