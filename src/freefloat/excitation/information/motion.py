"""How a planned base motion changes with every unknown of a problem, and the way back from those changes.

`twist` (n, 6, unknowns) and, where the attitude matters, the small rotation psi in the axes of the first instant: with
N = R B R^T [H x] and f = R dw the change of the rate at a given attitude,

    psi' = N psi + f.

Time is that of the joints' clock. A reading whose own clock stamps it later shows the motion as it was before: that is
in `acceleration` and the rates, and belongs to the clock of that reading alone (`planned_base.py`). Here a clock counts
as far as all readings see it: the attitude begins where the first of them was stamped, and wheels turn by their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import cumulative_trapezoid

from freefloat.arrays import Array
from freefloat.dynamics.attitude_kernels import carry, carry_adjoint
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates, wheel_momentum
from freefloat.dynamics.reacting_base import Bars, ReactingBase
from freefloat.dynamics.samples import Samples
from freefloat.estimate.likelihood.outside_torques import OrbitTorque, WalkingTorque
from freefloat.estimate.unknowns import (
    BASE_TORQUE,
    EXTERNAL_TORQUE,
    GEOMETRY,
    JOINT_MOTION,
    JOINT_SCALES,
    JOINT_ZEROS,
    MOMENTUM,
    TORQUE_WALK,
    WHEEL_INERTIAS,
    clock_kinds,
    clocks_of,
    uncertain_wheels,
)
from freefloat.excitation.information.planned_flight import PlannedFlight
from freefloat.excitation.rows.rows import MotionSlope
from freefloat.robot.base_axes import sliding_axes, turning_axes
from freefloat.robot.rotations import axial, cross_matrices


@dataclass(eq=False)
class Backward:
    """Derivatives of one number, to be added to.

    By twist, by psi, by the acceleration of the base, (n, 6), and by what the reacting base offers.
    """

    twist: Array
    psi: Array
    acceleration: Array
    bars: Bars


class InformedMotion:
    """One motion of a design."""

    def __init__(self, planned: PlannedFlight, samples: Samples) -> None:
        problem = planned.problem
        self.planned, self.unknowns = planned, planned.unknowns
        present = problem.present(planned.flight)[planned.columns].astype(float)
        self.base = ReactingBase(
            problem.robot,
            samples,
            planned.momentum,
            planned.turns,
            planned.phi,
            planned.columns,
            present,
            geometry=self.place(GEOMETRY) is not None,
        )
        self.turning, self.sliding = turning_axes(problem.robot), sliding_axes(problem.robot)
        self.errors = planned.flight.joints.errors(self.base.t)
        self.since = self.base.t - 0.5 * (self.base.t[0] + self.base.t[-1])
        self._clocks = clocks_of(problem, planned.flight)

    def place(self, kind: str) -> slice | None:
        """Where unknowns of a kind are; None if there are none."""
        shared = self.unknowns.find(kind)
        return self.unknowns.find(kind, 0) if shared is None else shared

    def clock_columns(self, clock: str) -> tuple[tuple[int, Array], ...]:
        """Columns of a clock's offset and drift, and how much later each makes its stamps, shape (n,).

        None for the joints' own clock.
        """
        if clock not in self._clocks:
            return ()
        kinds = zip(clock_kinds(self._clocks, clock), (np.ones_like(self.since), self.since), strict=True)
        places = ((self.place(kind), late) for kind, late in kinds)
        return tuple((place.start, late) for place, late in places if place is not None)

    @property
    def _first_clock_columns(self) -> tuple[tuple[int, Array], ...]:
        """Of the clock that stamped the first reading, where attitude begins."""
        return self.clock_columns(self.planned.readings[0].data.clock)

    @property
    def _wheel_clock_columns(self) -> tuple[tuple[int, Array], ...]:
        wheels = self.planned.flight.wheel_rates
        return () if wheels is None or not self.base.robot.wheels else self.clock_columns(wheels.clock)

    @property
    def _joints(self) -> int:
        return int(self.base.samples.q.shape[1])

    # ------------------------------------------------------------------ forward

    @cached_property
    def held(self) -> Array:
        """Of the twist at a given attitude, shape (n, 6, unknowns)."""
        base = self.base
        parameters = base.G[:, :, : self.planned.columns.size]
        held = self.spread(parameters, base.by_position, base.by_rate, base.by_geometry, base.B)
        for column, late in self._wheel_clock_columns:
            held[:, :, column] -= late[:, None] * (base.B @ self._spin_rate[:, :, None])[..., 0]
        for column, axis, rate, _ in self._uncertain_wheels:
            held[:, :, column] -= rate[:, None] * (base.B @ axis)
        return held

    @property
    def _uncertain_wheels(self) -> Iterator[tuple[int, Array, Array, int]]:
        """Of wheels whose spin inertia has a spread: its column, the wheel's axis, its rates (n,), its number."""
        robot, rates, place = self.base.robot, self.base.samples.wheel_rates, self.place(WHEEL_INERTIAS)
        if place is not None and rates is not None:
            for column, number in enumerate(uncertain_wheels(robot).tolist(), start=place.start):
                yield column, robot.wheel_axes[number], rates[:, number], number

    @cached_property
    def _spin_rate(self) -> Array:
        """Of the wheels' momentum in base axes, shape (n, 3) [N m]."""
        accelerations = self.base.samples.wheel_accelerations
        if accelerations is None or not self.base.robot.wheels:
            return np.zeros((self.base.n, 3))
        return wheel_momentum(self.base.robot, accelerations)

    @cached_property
    def _torque(self) -> Array:
        """That turns the base's own axes in the momentum, less that of the wheels, shape (n, 3) [N m]."""
        return np.cross(self.base.u, self.base.x[:, 3:]) - self._spin_rate

    @cached_property
    def acceleration(self) -> Array:
        """Of the twist by time, shape (n, 6)."""
        base = self.base
        by_joints = base.by_position @ base.dq[..., None] + base.by_rate @ base.ddq[..., None]
        return (by_joints + base.B @ self._torque[:, :, None])[..., 0]

    def spread(
        self, parameters: Array, position: Array, rate: Array, geometry: Array | None, momentum: Array | None = None
    ) -> Array:
        """Of r quantities with these derivatives (n, r, ...), by all unknowns but clocks, shape (n, r, unknowns)."""
        base, c = self.base, self.planned.columns.size
        found = np.zeros((*parameters.shape[:2], len(self.unknowns)))
        found[:, :, :c] = parameters
        columns = {
            JOINT_ZEROS: position,
            JOINT_SCALES: position * base.samples.q[:, None] + rate * base.dq[:, None],
            JOINT_MOTION: position[:, :, self.errors.joint] * self.errors.position[:, None]
            + rate[:, :, self.errors.joint] * self.errors.rate[:, None],
        }
        if geometry is not None:
            columns[GEOMETRY] = geometry
        if momentum is not None:
            along = momentum @ base.R.swapaxes(1, 2)
            columns |= {kind: along @ gained for kind, gained in self._gained.items()}
        for kind, values in columns.items():
            place = self.place(kind)
            if place is not None:
                found[:, :, place] = values
        return found

    @cached_property
    def _gained(self) -> dict[str, Array]:
        """Angular momentum that a unit of each unknown has given, in the axes of the first instant, (n, 3, k) each."""
        since, axes = self.base.t - self.base.t[0], np.eye(3)[:, self.turning]
        found = {MOMENTUM: np.broadcast_to(axes, (since.size, *axes.shape))}
        if self.place(EXTERNAL_TORQUE) is not None:
            found[EXTERNAL_TORQUE] = OrbitTorque.of(self.planned.flight.orbit, axes).momentum(since)
        if self.place(TORQUE_WALK) is not None:
            found[TORQUE_WALK] = WalkingTorque.of(self.planned.flight.measured, axes).momentum(since)
        if self.place(BASE_TORQUE) is not None:
            found[BASE_TORQUE] = cumulative_trapezoid(self.base.R @ axes, since, axis=0, initial=0.0)
        return found

    @cached_property
    def _N(self) -> Array:
        base = self.base
        return np.ascontiguousarray(base.R @ base.B[:, 3:] @ base.R.swapaxes(1, 2) @ cross_matrices(base.H))

    @cached_property
    def psi(self) -> Array:
        """Small rotation of the attitude in the axes of the first instant, shape (n, 3, unknowns)."""
        psi = np.empty((self.base.n, 3, len(self.unknowns)))
        psi[0] = 0.0
        for column, late in self._first_clock_columns:
            psi[0, :, column] = late[0] * self.base.x[0, 3:]
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
        return Backward(np.zeros(shape), np.zeros((shape[0], 3, shape[2])), np.zeros(shape[:2]), self.base.bars())

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
            f, first = np.empty_like(back.psi), np.empty(back.psi.shape[1:])
            carry_adjoint(base.t, self._N, np.ascontiguousarray(back.psi), f, first)
            for column, late in self._first_clock_columns:
                bars.x[0, 3:] += late[0] * first[:, column]
            seen = base.R.swapaxes(1, 2) @ f
            held[:, 3:] += seen
            bars.turn += np.cross(self.held[:, 3:], seen, axis=1).sum(axis=2)
            if base.momentum.any():
                self._through_N(f @ self.psi.swapaxes(1, 2), bars)
        c, joints = self.planned.columns.size, self._joints
        parameters, position, rate = self.gather(held, base.by_position, base.by_rate, bars)
        bars.G[:, :, :c] += parameters
        bars.G[:, :, c : c + joints] += position
        bars.G[:, :, c + joints : c + 2 * joints] += rate
        bars.G[:, :, c + 2 * joints :] += self.of_geometry(held)
        self._gather_momentum(held, bars)
        spin_rate = self._wheel_clock_back(held, bars) + self._acceleration_back(back.acceleration, bars)
        by_own_rates = self._wheel_inertia_back(held, bars)
        by_wheels = base.pull_back(bars) + by_own_rates
        by_accelerations = spin_rate @ momentum_by_wheel_rates(base.robot)
        return MotionSlope(bars.q, bars.dq, bars.ddq, by_wheels, by_accelerations)

    def _wheel_clock_back(self, held: Array, bars: Bars) -> Array:
        """The way back of the columns of the wheels' clock; that by the rate of the wheels' momentum, (n, 3)."""
        spin_rate = np.zeros((self.base.n, 3))
        for column, late in self._wheel_clock_columns:
            weight = late[:, None] * held[:, :, column]
            bars.B -= weight[:, :, None] * self._spin_rate[:, None, :]
            spin_rate -= np.einsum("nri,nr->ni", self.base.B, weight)
        return spin_rate

    def _wheel_inertia_back(self, held: Array, bars: Bars) -> Array:
        """The way back of the columns of wheels' inertias; that by the wheels' rates, (n, wheels)."""
        by_rates = np.zeros((self.base.n, len(self.base.robot.wheels)))
        for column, axis, rate, number in self._uncertain_wheels:
            weight = held[:, :, column]
            bars.B -= (weight * rate[:, None])[:, :, None] * axis
            by_rates[:, number] -= (weight * (self.base.B @ axis)).sum(axis=1)
        return by_rates

    def _acceleration_back(self, weight: Array, bars: Bars) -> Array:
        """The way back of `acceleration`; that by the rate of the wheels' momentum, shape (n, 3)."""
        base, c, joints = self.base, self.planned.columns.size, self._joints
        bars.G[:, :, c : c + joints] += weight[:, :, None] * base.dq[:, None, :]
        bars.G[:, :, c + joints : c + 2 * joints] += weight[:, :, None] * base.ddq[:, None, :]
        bars.dq += np.einsum("nrj,nr->nj", base.by_position, weight)
        bars.ddq += np.einsum("nrj,nr->nj", base.by_rate, weight)
        bars.B += weight[:, :, None] * self._torque[:, None, :]
        torque = np.einsum("nri,nr->ni", base.B, weight)
        bars.x[:, 3:] += np.cross(torque, base.u)
        bars.turn -= np.cross(base.u, np.cross(base.x[:, 3:], torque))
        return -torque

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
        """The way back of `spread`: derivatives by its first three arguments; what joints do to it goes into bars."""
        c = self.planned.columns.size
        by_position, by_rate = np.zeros_like(position), np.zeros_like(rate)
        zeros, scales, bends = (self.place(kind) for kind in (JOINT_ZEROS, JOINT_SCALES, JOINT_MOTION))
        if zeros is not None:
            by_position += held[:, :, zeros]
        if scales is not None:
            by_position += held[:, :, scales] * self.base.samples.q[:, None]
            by_rate += held[:, :, scales] * self.base.dq[:, None]
            bars.q += (held[:, :, scales] * position).sum(axis=1)
            bars.dq += (held[:, :, scales] * rate).sum(axis=1)
        if bends is not None:
            of_joint = np.equal.outer(self.errors.joint, np.arange(self._joints)).astype(float)
            by_position += (held[:, :, bends] * self.errors.position[:, None]) @ of_joint
            by_rate += (held[:, :, bends] * self.errors.rate[:, None]) @ of_joint
        return held[:, :, :c], by_position, by_rate

    def of_geometry(self, columns: Array) -> Array:
        """Those of the geometry among columns of all unknowns, (n, r, unknowns) -> (n, r, 5 joints), or none."""
        place = self.place(GEOMETRY)
        return columns[:, :, :0] if place is None else columns[:, :, place]

    def _base_torque_back(self, held: Array) -> Array:
        """What attitudes do to the momentum that a torque in base axes gives, (n, 6, k): by small turns, (n, 3)."""
        base, half = self.base, 0.5 * np.diff(self.base.t)[:, None, None]
        by_gained = base.R @ (base.B.swapaxes(1, 2) @ held)
        later = half * np.cumsum(by_gained[:0:-1], axis=0)[::-1]
        by_R = np.zeros((base.n, 3, 3))
        by_R[:-1, :, self.turning] += later
        by_R[1:, :, self.turning] += later
        return axial(base.R.swapaxes(1, 2) @ by_R)

    def _gather_momentum(self, held: Array, bars: Bars) -> None:
        along = np.zeros((self.base.n, 6, 3))
        for kind, gained in self._gained.items():
            place = self.place(kind)
            if place is not None:
                along += held[:, :, place] @ gained.swapaxes(1, 2)
        if self.place(BASE_TORQUE) is not None:
            bars.turn += self._base_torque_back(held[:, :, self.place(BASE_TORQUE)])
        if along.any():
            by_B = along @ self.base.R
            bars.B += by_B
            bars.turn -= axial(self.base.B.swapaxes(1, 2) @ by_B)
