"""The base of one flight as readings see it: the motion predicted at a point, and its derivatives where asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.mass_centre import first_moment_regressor
from freefloat.dynamics.samples import Samples
from freefloat.estimate.likelihood.flight_prediction import FlightPrediction
from freefloat.estimate.unknowns import CLOCK_DRIFT, JOINT_MOTION, JOINT_ZEROS, TIME_OFFSET
from freefloat.robot.parameters import PER_BODY


class PredictedBase:
    """A moving base (`sensors/moving_base.py`) at the samples of a flight, by the first `count` unknowns.

    point: in the space of unknowns. phi: its standard parameters, (10 bodies,).
    """

    def __init__(self, flight: FlightPrediction, point: Array, phi: Array, count: int) -> None:
        self.flight, self.point, self.phi, self.count = flight, point, phi, count
        self.t = flight.flight.t
        self.motion = flight.motion(point, phi)
        step = flight.grid.step
        self.R, self.v, self.w = self.motion.R[::step], self.motion.v[::step], self.motion.w[::step]
        self._slides = flight.sliding.size

    @cached_property
    def integral(self) -> Array:
        """Of R over time by Simpson's rule, shape (n, 3, 3) [s]."""
        R, h = self.motion.R, np.diff(self.t)[:, None, None]
        pieces = h / 6.0 * (R[:-2:2] + 4.0 * R[1::2] + R[2::2])
        return np.concatenate([np.zeros((1, 3, 3)), np.cumsum(pieces, axis=0)])

    @cached_property
    def _A(self) -> Array:
        return self.motion.A[:: self.flight.grid.step]

    @cached_property
    def centre(self) -> Array:
        """Centre of mass in base axes, shape (n, 3) [m]; A_b holds -[s]x of the first moment s."""
        A = self._A
        return np.stack([A[:, 1, 5], A[:, 2, 3], A[:, 0, 4]], axis=1) / A[:, :1, 0]

    # ------------------------------------------------------------------ derivatives

    @cached_property
    def _twist_and_turn(self) -> tuple[Array, Array]:
        flight, motion = self.flight, self.motion
        return flight.through_attitude(motion, flight.by_unknowns(self.point, motion, self.phi, self.count))

    def rates_by_unknowns(self, gain: Array) -> Array:
        """Of gain times the rates, shape (n, rows, count)."""
        flight = self.flight
        if flight.grid.step == 1:  # rates alone: the gain goes first, as there are fewer columns then
            return flight.by_unknowns(self.point, self.motion, self.phi, self.count, gain)
        return gain @ self._twist_and_turn[0][:, self._slides :]

    @property
    def velocity_by_unknowns(self) -> Array:
        """Of v along the axes that slide, shape (n, sliding axes, count)."""
        return self._twist_and_turn[0][:, : self._slides]

    @property
    def turn_by_unknowns(self) -> Array:
        """Of the attitude, as a small rotation in base axes, shape (n, 3, count)."""
        return self._twist_and_turn[1]

    @cached_property
    def centre_by_unknowns(self) -> Array:
        """Of the centre of mass, shape (n, 3, count)."""
        flight, motion, columns, t = self.flight, self.motion, self.flight.columns, self.t
        mass, joints = self._A[:, :1, :1], len(flight.robot.joints)
        moved = np.zeros((t.size, 3, self.count))
        S = first_moment_regressor(flight.robot, Samples(q=motion.q[:: flight.grid.step]))[..., columns]
        S = (S - self.centre[:, :, None] * (columns % PER_BODY == 0)) * flight.present[columns]
        moved[:, :, : columns.size] = S / mass
        by_joint = self._A[:, :3, 6 : 6 + joints] / mass
        late = -(by_joint @ motion.dq[:: flight.grid.step, :, None])
        changes = {
            JOINT_ZEROS: by_joint,
            TIME_OFFSET: late,
            CLOCK_DRIFT: late * (t - 0.5 * (t[0] + t[-1]))[:, None, None],
        }
        for kind, change in changes.items():
            place = flight.unknowns.bearing_on(kind, flight.index)
            if place is not None:
                moved[:, :, place] = change
        bends = flight.place(JOINT_MOTION)
        if bends is not None and bends.start < self.count:
            errors = motion.errors
            moved[:, :, bends] = by_joint[:, :, errors.joint] * errors.position[:: flight.grid.step, None, :]
        return moved
