"""The base of a planned motion as readings see it, and the way back from what they found there.

Readings that their clock stamps later show what was before: less by the base's rates and accelerations.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.mass_centre import first_moment_adjoint, first_moment_regressor
from freefloat.excitation.information.motion import Backward, InformedMotion
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import axial
from freefloat.sensors.moving_base import PulledBack


class PlannedBase:
    """A moving base (`sensors/moving_base.py`) at the instants of a plan, by all unknowns, for readings of a clock."""

    def __init__(self, motion: InformedMotion, clock: str) -> None:
        self.motion, self._base = motion, motion.base
        self._clock_columns = motion.clock_columns(clock)
        self.t, self.R = self._base.t, self._base.R
        self.v, self.w = self._base.x[:, :3], self._base.x[:, 3:]
        # All three axes as a slice: indices would copy.
        self._turning, self._sliding = (
            slice(None) if axes.size == 3 else axes for axes in (motion.turning, motion.sliding)
        )

    @cached_property
    def integral(self) -> Array:
        """Of R over time, by the trapezoidal rule, shape (n, 3, 3) [s]."""
        h = 0.5 * np.diff(self.t)[:, None, None]
        return np.concatenate([np.zeros((1, 3, 3)), np.cumsum(h * (self.R[1:] + self.R[:-1]), axis=0)])

    @cached_property
    def _moments(self) -> Array:
        """First moments by standard parameters, shape (n, 3, 10 bodies)."""
        return first_moment_regressor(self._base.robot, self._base.samples)

    @property
    def _mass(self) -> float:
        return float(self._base.A[0, 0, 0])

    @cached_property
    def centre(self) -> Array:
        """Centre of mass in base axes, shape (n, 3) [m]."""
        return self._moments @ self._base.phi / self._mass

    # ------------------------------------------------------------------ derivatives

    def rates_by_unknowns(self, gain: Array) -> Array:
        """Of gain times the rates, shape (n, rows, unknowns)."""
        columns = gain @ self.motion.twist[:, 3:][:, self._turning]
        return self._stamped(columns, self.motion.acceleration[:, 3:][:, self._turning] @ gain.T)

    def _stamped(self, columns: Array, by_time: Array) -> Array:
        """Columns (n, r, unknowns), changed in place, less what passes (n, r) while the clock is late."""
        for column, late in self._clock_columns:
            columns[:, :, column] -= late[:, None] * by_time
        return columns

    @cached_property
    def velocity_by_unknowns(self) -> Array:
        """Of v along the axes that slide, shape (n, sliding axes, unknowns)."""
        columns = np.array(self.motion.twist[:, :3][:, self._sliding])
        return self._stamped(columns, self.motion.acceleration[:, :3][:, self._sliding])

    @cached_property
    def turn_by_unknowns(self) -> Array:
        """Of the attitude, as a small rotation in base axes, shape (n, 3, unknowns)."""
        return self._stamped(np.array(self.motion.y), self.w)

    @cached_property
    def centre_by_unknowns(self) -> Array:
        """Of the centre of mass, shape (n, 3, unknowns)."""
        columns, base = self.motion.planned.columns, self._base
        parameters = (self._moments[..., columns] - self.centre[..., None] * self._is_mass) * base.present / self._mass
        position = base.A[:, :3, 6:] / self._mass
        geometry = base.moment_by_geometry / self._mass
        change = self.motion.spread(parameters, position, np.zeros_like(position), geometry)
        return self._stamped(change, (position @ base.dq[:, :, None])[..., 0])

    @property
    def pushed_velocity(self) -> None:
        """Nothing: a plan is that of a flight without pulses."""

    @property
    def pushed_way(self) -> None:
        """Nothing: a plan is that of a flight without pulses."""

    @property
    def pushed_velocity_by_unknowns(self) -> Array:
        """Zero, shape (n, 3, unknowns)."""
        return np.zeros((self.t.size, 3, self.motion.y.shape[2]))

    pushed_way_by_unknowns = pushed_velocity_by_unknowns

    @property
    def joint_rates(self) -> Array:
        """Rates of the joints, shape (n, joints) [rad/s or m/s]."""
        return self._base.dq

    @property
    def joint_rates_by_unknowns(self) -> Array:
        """Of the joints' rates, shape (n, joints, unknowns)."""
        n, joints = self._base.dq.shape
        none, by_rate = np.zeros((n, joints, joints)), np.broadcast_to(np.eye(joints), (n, joints, joints))
        change = self.motion.spread(np.zeros((n, joints, self.motion.planned.columns.size)), none, by_rate, None)
        return self._stamped(change, self._base.ddq)

    @property
    def joint_torques(self) -> Array:
        """None: a plan is that of a base that moves, whose torques are not compared."""
        raise NotImplementedError

    joint_torques_by_unknowns = joint_torques

    @property
    def _is_mass(self) -> Array:
        return (self.motion.planned.columns % PER_BODY == 0).astype(float)

    # ------------------------------------------------------------------ the way back

    def _stamped_back(self, columns: Array) -> Array:
        """The way back of `_stamped`: by what passes in time, shape (n, r)."""
        by_time = np.zeros(columns.shape[:2])
        for column, late in self._clock_columns:
            by_time -= late[:, None] * columns[:, :, column]
        return by_time

    def pull_back(self, found: PulledBack, back: Backward) -> None:
        """Add what was found to derivatives by the motion."""
        if found.by_velocity is not None:
            back.twist[:, :3][:, self._sliding] += found.by_velocity
            back.acceleration[:, :3][:, self._sliding] += self._stamped_back(found.by_velocity)
        if found.by_rates is not None:
            back.twist[:, 3:][:, self._turning] += found.by_rates
            back.acceleration[:, 3:][:, self._turning] += self._stamped_back(found.by_rates)
        if found.by_turn is not None:
            self.motion.rotate_back(found.by_turn, self.motion.y, back)
            back.bars.x[:, 3:] += self._stamped_back(found.by_turn)
        if found.w is not None:
            back.bars.x[:, 3:] += found.w
        if found.turn is not None:
            back.bars.turn += found.turn
        if found.integral is not None:
            back.bars.turn += axial(self.R.swapaxes(1, 2) @ self._integral_back(found.integral))
        if found.centre is not None and found.by_centre_change is not None:
            self._centre_back(found.by_centre_change, found.centre, back)

    def _integral_back(self, P: Array) -> Array:
        h = 0.5 * np.diff(self.t)[:, None, None]
        later = h * np.cumsum(P[:0:-1], axis=0)[::-1]
        found = np.zeros_like(P)
        found[:-1] += later
        found[1:] += later
        return found

    def _centre_back(self, change: Array, by_c: Array, back: Backward) -> None:
        base, bars, mass = self._base, back.bars, self._mass
        position = base.A[:, :3, 6:] / mass
        parameters, by_position, _ = self.motion.gather(change, position, np.zeros_like(position), bars)
        by_time = self._stamped_back(change)
        bars.A_q[:, :3] += (by_position + by_time[:, :, None] * base.dq[:, None, :]) / mass
        bars.F += self.motion.of_geometry(change) / mass
        bars.dq += np.einsum("nrj,nr->nj", position, by_time)
        weight = parameters * base.present / mass
        Z = (by_c - weight @ self._is_mass)[:, :, None] * base.phi / mass
        Z[:, :, self.motion.planned.columns] += weight
        bars.q += first_moment_adjoint(base.robot, base.samples.q, Z)
