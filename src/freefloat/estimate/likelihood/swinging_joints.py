"""Passive joints of one flight: how they swing at a point of the unknowns, and what every unknown does to that.

The law is that of `dynamics/swinging.py`, without pulses; its derivatives leave out what parameters do to a swing by
the torque of the gravity gradient. What passive joints do to the base is then what joints do, and what errors of the
curves do to a swing `curve_noise.py` carries on.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.swinging import Around, Changed, Direct, EvenSteps, Swing
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.joint_curves import CurveErrors
from freefloat.estimate.likelihood.gravity_gradient import GravityMomentum
from freefloat.estimate.likelihood.local_curves import LocalCurves
from freefloat.estimate.likelihood.outside_torques import OutsideTorque
from freefloat.estimate.predicted_motion import Grid, JointErrors
from freefloat.estimate.unknowns import (
    GEOMETRY,
    JOINT_SCALES,
    JOINT_ZEROS,
    MOMENTUM,
    SPRINGS,
    SWING_START,
    WHEEL_INERTIAS,
    uncertain_wheels,
)
from freefloat.motion.trajectory import Motion
from freefloat.robot.geometry import tilting
from freefloat.robot.model import Robot
from freefloat.sensors.measured import Measured, span_of

_LONGEST_S = 0.03  # step where curves of the joints say nothing shorter
_BEYOND_S = 0.1  # by which the swing goes on at the end, for clocks that are off; as do curves of the joints


class MovingFlight(Protocol):
    """What a flight (`flight_prediction.py`) says of itself to what swings in it."""

    robot: Robot
    flight: Flight
    local: LocalCurves | None
    measured: dict[str, Measured]
    columns: NDArray[np.int64]
    present: NDArray[np.bool_]
    turning: NDArray[np.int64]
    gravity: GravityMomentum | None
    outside: tuple[tuple[slice, OutsideTorque], ...]

    def shared(self, kind: str) -> slice | None:
        """Where unknowns of a kind are that all flights share."""

    def place(self, kind: str) -> slice | None:
        """Where this flight's unknowns of a kind are."""

    def robot_at(self, point: Array) -> Robot:
        """The robot with its geometry as it is at a point."""

    def geometry(self, point: Array) -> Array | None:
        """Errors of the geometry at a point; None if there are none to be found."""

    def vector(self, point: Array, place: slice | None, components: NDArray[np.int64]) -> Array:
        """Three components of unknowns of which only some exist."""

    def joint_motion_at(self, name: str, t: Array) -> tuple[Motion, CurveErrors]:
        """Joints at times t by their curves."""

    def joint_errors(self, point: Array) -> JointErrors:
        """How joints move differently from their curves."""

    def grid(self, point: Array, t: Array, step: int) -> Grid:
        """Times with the wheels there."""

    def wheel_motion(self, point: Array, t: Array) -> tuple[Array, Array]:
        """Rates and accelerations of the wheels."""

    def total_momentum(self, point: Array) -> Array:
        """Angular momentum at the first instant."""

    def momentum_from_outside(self, point: Array, phi: Array, t: Array) -> Array:
        """What torques from outside have given since."""


class SwingingJoints:
    """Passive joints of a flight. locked: whether they are taken to stand still, where springs rest."""

    def __init__(self, flight: MovingFlight) -> None:
        self.flight, self.passive = flight, flight.robot.passive
        if flight.robot.base == "fixed":
            raise InvalidProblem(
                f"{flight.robot.name} has a fixed base and passive joints ({', '.join(flight.robot.passive_names)}), "
                "which are not estimated there; allowed: a free or planar base"
            )
        if flight.flight.pulses:
            raise InvalidProblem(
                f"{flight.flight.name}: pulses push a robot with passive joints, "
                "whose swing after a pulse is not predicted; allowed: recordings without pulses"
            )
        start, end = span_of(flight.measured)
        longest = _LONGEST_S if flight.local is None else flight.local.spline.spacing_s
        self.steps = EvenSteps.over(flight.robot, start, end + _BEYOND_S, longest)
        self.locked = False
        self._last: tuple[Array, Array, LocalCurves | None, Swing] | None = None

    def at_point(self, point: Array, phi: Array) -> Swing:
        """The swing at a point; phi: standard parameters there, (10 bodies,)."""
        flight, passive, last = self.flight, self.passive, self._last
        same = last is not None and np.array_equal(last[0], point) and np.array_equal(last[1], phi)
        if last is not None and same and last[2] is flight.local:
            return last[3]
        springs, begin = flight.shared(SPRINGS), flight.place(SWING_START)
        assert springs is not None
        start = np.zeros((2, passive.size)) if begin is None else point[begin].reshape(2, -1)
        guess, given = None if last is None else last[3], point[springs].reshape(2, -1)
        found = Swing.of(flight.robot_at(point), phi, given, self.steps, self._around(point, phi), start, guess)
        self._last = np.array(point), np.array(phi), flight.local, found
        return found

    def at_rest(self, point: Array, phi: Array) -> Swing:
        """The swing that is none, at a point."""
        springs = self.flight.shared(SPRINGS)
        assert springs is not None
        return Swing.none(
            self.flight.robot_at(point), phi, point[springs].reshape(2, -1), self.steps, self._around(point, phi)
        )

    def _around(self, point: Array, phi: Array) -> Around:
        flight, t = self.flight, self.steps.t
        motion, errors = flight.joint_motion_at("swing", t)
        q, dq, ddq = (np.array(each) for each in flight.joint_errors(point).moved(motion, errors))
        for each in (q, dq, ddq):
            each[:, self.passive] = 0.0
        grid, still = flight.grid(point, t, 1), np.zeros((t.size, 3))
        momentum = still + flight.total_momentum(point) + flight.momentum_from_outside(point, phi, t)
        torque = np.array(still)
        for place, outside in flight.outside:
            torque += outside.torque(t - t[0]) @ point[place]
        if flight.gravity is not None:
            torque += flight.gravity.torque(phi, t - t[0])
        return Around(q, dq, ddq, grid.spin, grid.spin_rate, momentum, torque)

    def put_into(self, motion: Motion, point: Array, phi: Array) -> Motion:
        """A motion of all joints with the passive ones as they swing."""
        if self.locked:
            return motion
        swing = self.at_point(point, phi)
        parts = (np.array(each) for each in (motion.position, motion.rate, motion.acceleration))
        moved = []
        for whole, own in zip(parts, swing.at(motion.t), strict=True):
            whole[:, self.passive] = own
            moved.append(whole)
        return Motion(motion.t, *moved)

    def by_unknowns(self, point: Array, phi: Array, count: int) -> Changed:
        """How the swing changes by the first `count` unknowns."""
        flight, swing, m = self.flight, self.at_point(point, phi), self.steps.t.size
        direct = Direct(np.zeros((m, self.passive.size, count)), np.zeros((m, 3, count)))
        own = flight.columns
        _put(direct, slice(0, own.size), swing.by_parameters(own, flight.present[own]))
        springs, begin = flight.shared(SPRINGS), flight.place(SWING_START)
        _put(direct, springs, swing.by_springs)
        momentum, by, at_once = flight.place(MOMENTUM), swing.by_momentum, swing.by_torque
        if momentum is not None:
            _put(direct, momentum, _chosen(by, flight.turning))
        since = self.steps.t - self.steps.start
        for place, outside in flight.outside:
            gained = outside.momentum(since)
            _put(direct, place, Direct(by.force @ gained + at_once.force @ outside.torque(since), by.rate @ gained))
        uncertain, wheels = flight.shared(WHEEL_INERTIAS), uncertain_wheels(flight.robot)
        if uncertain is not None and flight.flight.wheel_rates is not None:
            about, turns = flight.robot.wheel_axes[wheels].T, flight.wheel_motion(point, self.steps.t)
            _put(direct, uncertain, swing.by_spin(*(about * each[:, None, wheels] for each in turns)))
        self._put_joints(direct, swing, point)
        geometry, errors = flight.shared(GEOMETRY), flight.geometry(point)
        if geometry is not None and errors is not None and geometry.stop <= count:
            _put(direct, geometry, swing.by_geometry(tilting(flight.robot, errors)))
        first = np.zeros((2, self.passive.size, count))
        if begin is not None:
            for k, column in enumerate(range(begin.start, begin.stop)):
                first[k // self.passive.size, k % self.passive.size, column] = 1.0
        return swing.derivative(direct, first)

    def _put_joints(self, direct: Direct, swing: Swing, point: Array) -> None:
        """What zeros and scales of the driven joints do."""
        flight = self.flight
        zeros, scales = flight.shared(JOINT_ZEROS), flight.shared(JOINT_SCALES)
        if zeros is None and scales is None:
            return
        scale, (by_q, by_dq, by_ddq) = 1.0 + flight.joint_errors(point).scales, swing.by_joints
        driven = np.zeros(scale.size)
        driven[flight.robot.driven] = 1.0
        if zeros is not None:
            _put(direct, zeros, Direct(by_q.force * (driven * scale), by_q.rate * (driven * scale)))
        if scales is not None:
            around, over = swing.around, (driven / scale)[None, None]
            q, dq, ddq = (each[:, None, :] for each in (around.q, around.dq, around.ddq))
            force = (by_q.force * q + by_dq.force * dq + by_ddq.force * ddq) * over
            _put(direct, scales, Direct(force, (by_q.rate * q + by_dq.rate * dq) * over))


def _put(direct: Direct, place: slice | None, own: Direct) -> None:
    """Put what some unknowns do into their columns, as far as these are asked for."""
    if place is not None and place.stop <= direct.force.shape[2]:
        direct.force[:, :, place], direct.rate[:, :, place] = own.force, own.rate


def _chosen(direct: Direct, axes: NDArray[np.int64]) -> Direct:
    """What some of three components do."""
    return Direct(direct.force[:, :, axes], direct.rate[:, :, axes])
