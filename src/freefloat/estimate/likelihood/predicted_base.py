"""The base of one flight as readings see it: the motion predicted at a point, and its derivatives where asked for.

Columns of derivatives are the first `count` unknowns and, where curves have errors that count a few at a time, behind
them what changes at the very instant of a reading: positions and rates of the joints, rates of the wheels, and where
it counts the attitude.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.attitude_kernels import turn_by_halves_change
from freefloat.dynamics.mass_centre import first_moment_regressor
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates
from freefloat.dynamics.reaction import geometry_slopes
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.swinging import Changed, Pulled
from freefloat.estimate.likelihood.flight_prediction import FlightPrediction
from freefloat.estimate.likelihood.outside_torques import changed
from freefloat.estimate.likelihood.pushed_change import PushedChange
from freefloat.estimate.predicted_motion import BaseMotion, Targets, by_geometry, sensitivities
from freefloat.estimate.pushes import ROUNDS, centre_of_mass
from freefloat.estimate.unknowns import (
    FRICTION,
    GEOMETRY,
    JOINT_MOTION,
    JOINT_SCALES,
    JOINT_ZEROS,
    MOMENTUM,
    PULSE_FORCE,
    WHEEL_INERTIAS,
    uncertain_wheels,
)
from freefloat.robot.geometry import tilting
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import cross_matrices

_SAME = 1e-11  # over the largest: changes of attitudes under pushes that agree from round to round


@dataclass(frozen=True, slots=True)
class InstantColumns:
    """Columns for what changes at the instant of a reading, behind the unknowns' own.

    positions, rates: of the joints' curves. wheels: their rates. accelerations: of the joints' curves, where torques
    are read. turn: the attitude. stop: of all columns.
    """

    positions: slice
    rates: slice
    wheels: slice
    accelerations: slice
    turn: slice
    stop: int

    @classmethod
    def of(cls, flight: FlightPrediction, count: int, of_curves: bool) -> InstantColumns:
        """Those of a flight, none if its curves have no such errors or these are not asked for."""
        if flight.local is None or not of_curves:
            none = slice(count, count)
            return cls(none, none, none, none, none, count)
        joints, wheels = len(flight.robot.joints), len(flight.robot.wheels)
        driven, turns = joints if flight.driven is not None else 0, 3 if flight.turns else 0
        a, b, c, d, e, f = np.cumsum([count, joints, joints, wheels, driven, turns]).tolist()
        return cls(slice(a, b), slice(b, c), slice(c, d), slice(d, e), slice(e, f), f)


class PredictedFlight:
    """A flight at a point in the space of unknowns, by the first `count` of them.

    phi: standard parameters of the point, (10 bodies,). of_curves: whether derivatives by what errors of curves change
    at an instant are asked for. carried: whether motion is, too, through which such errors are carried on; where
    attitude counts it is in any case.
    """

    def __init__(
        self,
        flight: FlightPrediction,
        point: Array,
        phi: Array,
        count: int,
        *,
        of_curves: bool = False,
        carried: bool = False,
    ) -> None:
        self.flight, self.point, self.count = flight, point, count
        self.phi = np.where(flight.present, phi, 0.0)
        self.robot = flight.robot_at(point)
        self.columns = InstantColumns.of(flight, count, of_curves)
        through_all = flight.turns if carried else flight.attitude_counts
        self.instants = flight.instants(point) if through_all and flight.readings else None

    def base(self, name: str) -> PredictedBase:
        """As the readings of an array see it."""
        return PredictedBase(self, name)

    @cached_property
    def tilts(self) -> Array:
        """Directions about which joints tilt, (bodies, 2, 3)."""
        errors = self.flight.geometry(self.point)
        assert errors is not None
        return tilting(self.flight.robot, errors)

    @cached_property
    def whole_motion(self) -> BaseMotion:
        """Through the instants of all readings, and half-way between them."""
        assert self.instants is not None
        return self.flight.motion(self.point, self.phi, self.instants)

    def motion_of(self, name: str) -> tuple[BaseMotion, NDArray[np.int64] | slice]:
        """The motion that readings of an array see, and which of its instants are theirs."""
        if self.instants is None:
            return self.flight.motion_at(self.point, self.phi, name), slice(None)
        return self.whole_motion, 2 * self.instants.at[name]

    # ------------------------------------------------------------------ derivatives

    def at_given_attitude(
        self, motion: BaseMotion, gain: Array, stop: int, offset: int, drift: int, since: Array
    ) -> Array:
        """Derivatives of gain times the velocities at a given attitude, (m, rows, stop); no attitude's columns.

        offset, drift: first columns of a clock by which all of it was stamped, -1 for none; since: of its drift.
        """
        flight, columns = self.flight, self.columns
        zeros, scales, bends = (
            -1 if place is None or place.start >= self.count else place.start
            for place in (flight.shared(JOINT_ZEROS), flight.shared(JOINT_SCALES), flight.place(JOINT_MOTION))
        )
        joints, swings = (columns.positions.start if columns.stop > self.count else -1), self.swings
        if swings is not None and joints < 0:
            joints = stop
        asked = stop + 2 * len(flight.robot.joints) if joints == stop else stop
        targets = Targets(asked, 0, zeros, scales, bends, offset, drift, joints)
        parameters = flight.columns if self.count else np.zeros(0, np.int64)
        G = sensitivities(self.robot, motion, self.phi, parameters, flight.present, since, targets, gain)
        if swings is not None:
            self._swing(swings, motion.grid.t, G, joints)
            G = np.ascontiguousarray(G[:, :, :stop])
        geometry = flight.shared(GEOMETRY)
        if geometry is not None and geometry.start < self.count:
            G[:, :, geometry] += by_geometry(self.robot, self.tilts, motion, self.phi, gain)
        if flight.robot.wheels:
            self._wheels(motion, gain, G)
        return G

    @cached_property
    def swings(self) -> Changed | None:
        """How passive joints swing by the unknowns; None without any."""
        swinging = self.flight.swinging
        if swinging is None or swinging.locked or not self.count:
            return None
        return swinging.by_unknowns(self.point, self.phi, self.count)

    def _swing(self, swings: Changed, t: Array, G: Array, joints: int) -> None:
        """Put what unknowns do by the swing of passive joints into derivatives; joints: their first column."""
        passive = self.flight.robot.passive
        at, rate = joints + passive, joints + len(self.flight.robot.joints) + passive
        swings.add_to(G, np.concatenate([G[:, :, at], G[:, :, rate]], axis=2), t)

    @cached_property
    def pulled(self) -> Pulled | None:
        """What accelerates passive joints at all instants and half-way between them; None without any."""
        swinging = self.flight.swinging
        if swinging is None or swinging.locked:
            return None
        return swinging.at_point(self.point, self.phi).pulled(self.whole_motion.grid.t)

    @property
    def carried_columns(self) -> NDArray[np.int64]:
        """Columns of what errors of curves change for good: attitude, then positions and rates of passive joints."""
        columns, passive = self.columns, self.flight.robot.passive if self.pulled is not None else np.zeros(0, int)
        places = [columns.positions.start + passive, columns.rates.start + passive]
        return np.concatenate([np.arange(columns.turn.start, columns.turn.stop), *places])

    @cached_property
    def carried(self) -> Array:
        """F of alpha' = F alpha + G, alpha being errors of the attitude and of passive joints, (m, a, a)."""
        pulled, by_attitude = self.pulled, self.by_attitude_rates
        if pulled is None:
            return by_attitude
        passive, joints = self.flight.robot.passive, len(self.flight.robot.joints)
        p, rates = passive.size, self.rates_at_instants
        F = np.zeros((len(by_attitude), 3 + 2 * p, 3 + 2 * p))
        F[:, :3, :3] = by_attitude
        F[:, :3, 3 : 3 + p], F[:, :3, 3 + p :] = rates[:, :, passive], rates[:, :, joints + passive]
        F[:, 3 : 3 + p, 3 + p :] = np.eye(p)
        F[:, 3 + p :] = np.concatenate([pulled.turn, pulled.position, pulled.rate], axis=2)
        return F

    def _wheels(self, motion: BaseMotion, gain: Array, G: Array) -> None:
        """Put what wheels do at the instant, what their clock does and their inertias do, into derivatives."""
        by_spin, robot = -(gain @ motion.B), self.flight.robot
        if self.columns.wheels.stop > self.columns.wheels.start:
            inertias = self.flight.wheel_inertias(self.point)
            G[:, :, self.columns.wheels] = by_spin @ momentum_by_wheel_rates(robot, inertias)
        if not self.count:
            return
        uncertain = self.flight.shared(WHEEL_INERTIAS)
        if uncertain is not None and self.flight.flight.wheel_rates is not None:
            own, (rates, _) = uncertain_wheels(robot), self.flight.wheel_motion(self.point, motion.grid.t)
            G[:, :, uncertain] += (by_spin @ robot.wheel_axes[own].T) * rates[:, None, own]
        later = (by_spin @ motion.grid.spin_rate[:, :, None])[..., 0]
        offset, drift = self.flight.clock_places(self.flight.wheel_clock)
        if offset is not None:
            G[:, :, offset.start] += later
        if drift is not None:
            shown = self.flight.wheel_time(self.point, motion.grid.t) - self.flight.middle
            G[:, :, drift.start] += later * shown[:, None]

    @cached_property
    def _held(self) -> Array:
        """Of velocities at a given attitude, (m, r, columns and one by time), at all instants and half-way."""
        motion, stop = self.whole_motion, self.columns.stop
        every, still = np.eye(self.flight.allowed.size), np.zeros(motion.grid.t.size)
        return self.at_given_attitude(motion, every, stop + 1, stop, -1, still)

    @cached_property
    def whole_derivative(self) -> tuple[Array, Array, Array]:
        """Of velocities (n, r, columns), of attitude (n, 3, columns), of velocities by time (n, r), at all instants.

        Clocks of readings are not in it, but for that of the first, at which attitude begins.
        """
        flight, motion, instants, columns = self.flight, self.whole_motion, self.instants, self.columns
        assert instants is not None
        m, G = motion.grid.t.size, self._held
        by_momentum = motion.B @ motion.R.swapaxes(1, 2)
        momentum, back = flight.place(MOMENTUM), motion.R.swapaxes(1, 2)
        if momentum is not None:
            G[:, :, momentum] += by_momentum[:, :, flight.turning]  # beside what it does by the swing of passive joints
        pushed, since = np.zeros((m, 3)), motion.grid.t - motion.grid.t[0]
        for place, torque in flight.outside:
            G[:, :, place] += changed(torque, by_momentum, since)
            pushed += (back @ (torque.torque(since) @ self.point[place])[:, :, None])[..., 0]
        if flight.gravity is not None:
            own = flight.columns
            if self.count and flight.gravity.informs:
                by_parameters = flight.gravity.by_parameters(self.phi, own, since) * flight.present[own]
                G[:, :, : own.size] += by_momentum @ by_parameters
            pushed += (back @ flight.gravity.torque(self.phi, since)[:, :, None])[..., 0]
        if pushed.any():
            self._begin(G, (motion.B @ pushed[:, :, None])[..., 0])
        alpha = self._turned(G)
        by_turn = motion.B[::2] @ cross_matrices(motion.u[::2])
        twist, turn = np.array(G[::2, :, : columns.stop]), np.zeros((instants.t.size, 3, columns.stop))
        twist[:, :, : self.count] += by_turn @ alpha
        turn[:, :, : self.count] = alpha
        if columns.turn.stop > columns.turn.start:
            twist[:, :, columns.turn], turn[:, :, columns.turn] = by_turn, np.eye(3)
        change = (pushed + np.cross(motion.u, motion.w) - motion.grid.spin_rate)[::2]
        if motion.gained is not None:
            change += motion.gained.pushes.at_instants(motion.gained.centre)[1]
        by_time = (motion.B[::2] @ change[:, :, None])[..., 0] - G[::2, :, columns.stop]
        return twist, turn, by_time

    def _turned(self, G: Array) -> Array:
        """Of the attitude by unknowns, at all instants, (n, 3, count), from that of velocities at a given attitude, G.

        What pulses give depends on the attitude while they push: it is found in turn with it, and put into G.
        """
        motion, instants = self.whole_motion, self.instants
        assert instants is not None
        by_momentum = motion.B @ motion.R.swapaxes(1, 2)
        change, given, alpha = self._pushed_change, None, np.zeros((instants.t.size, 3, self.count))
        for _ in range(ROUNDS):
            here = G[:, :, : self.count] if given is None else G[:, :, : self.count] + by_momentum @ given
            turned = np.zeros((motion.grid.t.size, 3, self.count))
            turned[:, self.flight.turning] = here[:, self.flight.sliding.size :]
            before, alpha = alpha, np.zeros_like(alpha)
            self._begin(alpha[0], motion.w[0])
            turn_by_halves_change(motion.grid.t, self.by_attitude_rates, turned, alpha)
            if change is None:
                return alpha
            moved, size = (np.abs(each).max(axis=(0, 1)) for each in (alpha - before, alpha))
            if given is not None and (moved <= _SAME * size).all():
                break
            change.turn_to(alpha, turned, self.by_attitude_rates)
            given = change.momentum()
            self._begin(given, change.first[3:])
        G[:, :, : self.count] = here
        return alpha

    @cached_property
    def _pushed_change(self) -> PushedChange | None:
        gained, flight = self.whole_motion.gained, self.flight
        if gained is None or not self.count:
            return None
        places = flight.force_errors(flight.shared(PULSE_FORCE))
        return PushedChange(gained, self.whole_motion.R, self.count, places, self.centre_change)

    @cached_property
    def pushed_derivative(self) -> tuple[Array, Array]:
        """Of linear momentum that pulses gave and of its integral, at all instants, (n, 3, columns) each."""
        assert self.whole_derivative  # which turns the change to the attitudes
        assert self._pushed_change is not None
        assert self.instants is not None
        change, t = self._pushed_change, self.instants.t
        found = np.zeros((2, t.size, 3, self.columns.stop))
        found[0, :, :, : self.count], found[1, :, :, : self.count] = change.impulse()
        self._begin(found[0], change.first[:3])
        self._begin(found[1], (t - t[0])[:, None] * change.first[:3])
        return found[0], found[1]

    def centre_change(self, at: NDArray[np.int64] | slice) -> Array:
        """Of the centre of mass at instants of the motion, no clocks, shape (n, 3, columns)."""
        return centre_change(self, self.whole_motion, at)

    def _begin(self, columns: Array, later: Array) -> None:
        """Add what has happened by then, (..., rows), where the first reading's clock has the flight begin later.

        At that reading attitude begins, and a torque from outside to act.
        """
        assert self.instants is not None
        name, stamp = self.instants.first
        offset, drift = self.flight.clock_places(self.flight.measured[name].clock)
        if offset is not None:
            columns[..., offset.start] += later
        if drift is not None:
            columns[..., drift.start] += later * (stamp - self.flight.middle)

    @cached_property
    def rates_at_instants(self) -> Array:
        """Of the rates by positions and rates of joints and by those of wheels, all at that instant, (m, 3, k).

        At the instants of all readings and half-way between them.
        """
        flight, own = self.flight, slice(self.columns.positions.start, self.columns.wheels.stop)
        found = np.zeros((len(self._held), 3, own.stop - own.start))
        found[:, flight.turning] = self._held[:, flight.sliding.size :, own]
        return found

    @cached_property
    def by_attitude_rates(self) -> Array:
        """F of alpha' = F alpha + G, an error of the attitude, at all instants and half-way, (m, 3, 3)."""
        motion, flight = self.whole_motion, self.flight
        gain = np.zeros((motion.grid.t.size, 3, 3))
        gain[:, flight.turning] = motion.B[:, flight.sliding.size :]
        return gain @ cross_matrices(motion.u) - cross_matrices(motion.w)


class PredictedBase:
    """A moving base (`sensors/moving_base.py`) at the readings of one array."""

    def __init__(self, whole: PredictedFlight, name: str) -> None:
        self.whole, self.flight, self.data = whole, whole.flight, whole.flight.measured[name]
        self.motion, self.at = whole.motion_of(name)
        self.t = self.data.t
        self.R, self.v, self.w = self.motion.R[self.at], self.motion.v[self.at], self.motion.w[self.at]
        self._slides = self.flight.sliding.size

    @cached_property
    def integral(self) -> Array:
        """Of R over time by Simpson's rule, shape (n, 3, 3) [s]."""
        R, h = self.motion.R, np.diff(self.motion.grid.t[::2])[:, None, None]
        pieces = h / 6.0 * (R[:-2:2] + 4.0 * R[1::2] + R[2::2])
        total = np.concatenate([np.zeros((1, 3, 3)), np.cumsum(pieces, axis=0)])
        assert self.whole.instants is not None
        return total[np.asarray(self.at) // 2] - total[np.asarray(self.at)[0] // 2]

    @cached_property
    def _A(self) -> Array:
        return self.motion.A[self.at]

    @cached_property
    def centre(self) -> Array:
        """Centre of mass in base axes, shape (n, 3) [m]."""
        return centre_of_mass(self._A)

    @property
    def joint_rates(self) -> Array:
        """Rates of the joints, shape (n, joints) [rad/s or m/s]."""
        return self.motion.dq[self.at]

    # ------------------------------------------------------------------ derivatives

    @property
    def _since(self) -> Array:
        return self.t - self.flight.middle

    def _add_clock(self, columns: Array, later: Array) -> None:
        """Add the changes (n, rows) by later readings to the columns of this reading's clock."""
        offset, drift = self.flight.clock_places(self.data.clock)
        if offset is not None and offset.start < columns.shape[2]:
            columns[:, :, offset.start] -= later
        if drift is not None and drift.start < columns.shape[2]:
            columns[:, :, drift.start] -= later * self._since[:, None]

    @cached_property
    def _twist_and_turn(self) -> tuple[Array, Array]:
        whole, nodes = self.whole, np.asarray(self.at) // 2
        twist, turn, by_time = (array[nodes] for array in whole.whole_derivative)
        self._add_clock(twist, by_time)
        self._add_clock(turn, self.w)
        return twist, turn

    def rates_by_unknowns(self, gain: Array) -> Array:
        """Of gain times the rates, shape (n, rows, columns)."""
        whole, flight = self.whole, self.flight
        if whole.instants is not None:
            return gain @ self._twist_and_turn[0][:, self._slides :]
        offset, drift = (-1 if place is None else place.start for place in flight.clock_places(self.data.clock))
        wide = np.hstack([np.zeros((len(gain), self._slides)), gain])  # rates alone: there are fewer columns then
        G = whole.at_given_attitude(self.motion, wide, whole.columns.stop, offset, drift, self._since)
        if flight.robot.wheels and self.motion.grid.spin_rate.any():
            self._add_clock(G, -((wide @ self.motion.B) @ self.motion.grid.spin_rate[:, :, None])[..., 0])
        return G

    @property
    def velocity_by_unknowns(self) -> Array:
        """Of v along the axes that slide, shape (n, sliding axes, columns)."""
        return self._twist_and_turn[0][:, : self._slides]

    @property
    def turn_by_unknowns(self) -> Array:
        """Of the attitude, as a small rotation in base axes, shape (n, 3, columns)."""
        return self._twist_and_turn[1]

    @cached_property
    def centre_by_unknowns(self) -> Array:
        """Of the centre of mass, shape (n, 3, columns)."""
        moved, joints = centre_change(self.whole, self.motion, self.at), len(self.flight.robot.joints)
        by_joint = self._A[:, :3, 6 : 6 + joints] / self._A[:, :1, :1]
        self._add_clock(moved, (by_joint @ self.motion.dq[self.at][:, :, None])[..., 0])
        return moved

    # ------------------------------------------------------------------ what pulses gave

    @property
    def pushed_velocity(self) -> Array | None:
        """Of the centre of mass by pulses, axes of the first instant, shape (n, 3) [m/s]; None without any."""
        gained = self.motion.gained
        return None if gained is None else gained.impulse[self.at] / self._A[:, 0, :1]

    @property
    def pushed_way(self) -> Array | None:
        """The integral of that velocity, shape (n, 3) [m]; None without any."""
        gained = self.motion.gained
        return None if gained is None else gained.way[np.asarray(self.at) // 2] / self._A[:, 0, :1]

    @property
    def pushed_velocity_by_unknowns(self) -> Array:
        """Of the velocity that pulses gave, shape (n, 3, columns)."""
        gained, nodes, mass = self.motion.gained, np.asarray(self.at) // 2, self._A[:, 0, :1]
        assert gained is not None
        assert self.pushed_velocity is not None
        change = self._over_mass(self.whole.pushed_derivative[0][nodes], self.pushed_velocity)
        force = gained.pushes.at_instants(gained.centre)[0][nodes] / mass
        self._add_clock(change, (self.R @ force[:, :, None])[..., 0])
        return change

    @property
    def pushed_way_by_unknowns(self) -> Array:
        """Of the way that pulses gave, shape (n, 3, columns)."""
        assert self.pushed_velocity is not None
        assert self.pushed_way is not None
        change = self._over_mass(self.whole.pushed_derivative[1][np.asarray(self.at) // 2], self.pushed_way)
        self._add_clock(change, self.pushed_velocity)
        return change

    def _over_mass(self, change: Array, value: Array) -> Array:
        """Of a momentum over the total mass, from its change (n, 3, columns); value: of the quotient, (n, 3)."""
        columns, present = self.flight.columns, self.flight.present
        heavier = (columns % PER_BODY == 0) * present[columns]
        change[:, :, : columns.size] -= value[:, :, None] * heavier
        return change / self._A[:, :1, :1]

    @cached_property
    def joint_torques(self) -> Array:
        """What motors give to the joints, shape (n, joints) [N m or N]."""
        assert self.flight.driven is not None
        motion, point = self.motion, self.whole.point
        moving = motion.q[self.at], motion.dq[self.at], motion.ddq[self.at]
        return self.flight.driven.torques(*moving, self.flight.drives(point), self.whole.phi)

    @property
    def joint_torques_by_unknowns(self) -> Array:
        """Of these torques, shape (n, joints, columns)."""
        flight, whole, motion = self.flight, self.whole, self.motion
        assert flight.driven is not None
        columns, scale, own = whole.columns, motion.scale, flight.columns
        q, dq, ddq = motion.q[self.at], motion.dq[self.at], motion.ddq[self.at]
        slopes = flight.driven.slopes(q, dq, ddq, flight.drives(whole.point), whole.phi, own)
        found = np.zeros((*q.shape, columns.stop))
        found[:, :, : own.size] = slopes.parameters * flight.present[own]
        friction, zeros, scales = (flight.shared(kind) for kind in (FRICTION, JOINT_ZEROS, JOINT_SCALES))
        if friction is not None:
            found[:, :, friction] = slopes.drives
        if zeros is not None:
            found[:, :, zeros] = slopes.positions * scale
        if scales is not None:
            by_scale = slopes.positions * q[:, None] + slopes.rates * dq[:, None] + slopes.accelerations * ddq[:, None]
            found[:, :, scales] = by_scale / scale
        if columns.stop > whole.count:
            found[:, :, columns.positions] = slopes.positions * scale
            found[:, :, columns.rates] = slopes.rates * scale
            found[:, :, columns.accelerations] = slopes.accelerations * scale
        jerk = flight.joint_jerks(motion.grid.t[self.at]) * scale
        later = slopes.positions @ dq[:, :, None] + slopes.rates @ ddq[:, :, None]
        self._add_clock(found, (later + slopes.accelerations @ jerk[:, :, None])[..., 0])
        return found

    @property
    def joint_rates_by_unknowns(self) -> Array:
        """Of the joints' rates, shape (n, joints, columns)."""
        columns, errors, scale = self.whole.columns, self.motion.errors, self.motion.scale
        scales, bends = self.flight.shared(JOINT_SCALES), self.flight.place(JOINT_MOTION)
        found = np.zeros((self.t.size, len(self.flight.robot.joints), columns.stop))
        if scales is not None and scales.start < self.whole.count:
            found[:, np.arange(scale.size), np.arange(scales.start, scales.stop)] = self.joint_rates / scale
        if bends is not None and bends.start < self.whole.count:
            found[:, errors.joint, np.arange(bends.start, bends.stop)] = scale[errors.joint] * errors.rate[self.at]
        if columns.stop > self.whole.count:
            found[:, :, columns.rates] = np.diag(scale)
        self._add_clock(found, self.motion.ddq[self.at])
        return found


def centre_change(whole: PredictedFlight, motion: BaseMotion, at: NDArray[np.int64] | slice) -> Array:
    """Of the centre of mass at instants of a motion, by unknowns other than clocks, shape (n, 3, columns)."""
    flight, columns, A = whole.flight, whole.flight.columns, motion.A[at]
    mass, joints, centre = A[:, :1, :1], len(flight.robot.joints), centre_of_mass(A)
    moved = np.zeros((len(A), 3, whole.columns.stop))
    S = first_moment_regressor(whole.robot, Samples(q=motion.q[at]))[..., columns]
    S = (S - centre[:, :, None] * (columns % PER_BODY == 0)) * flight.present[columns]
    moved[:, :, : columns.size] = S / mass
    by_curve = A[:, :3, 6 : 6 + joints] / mass * motion.scale
    zeros, scales = flight.shared(JOINT_ZEROS), flight.shared(JOINT_SCALES)
    geometry, bends = flight.shared(GEOMETRY), flight.place(JOINT_MOTION)
    if scales is not None:
        moved[:, :, scales] = by_curve * (motion.q[at] / motion.scale**2)[:, None, :]
    if zeros is not None:
        moved[:, :, zeros] = by_curve
    if geometry is not None and geometry.start < whole.count:
        moving = motion.q[at], motion.dq[at], motion.v[at], motion.w[at]
        moved[:, :, geometry] = geometry_slopes(whole.robot, whole.tilts, whole.phi, *moving)[1] / mass
    if bends is not None and bends.start < whole.count:
        errors = motion.errors
        moved[:, :, bends] = by_curve[:, :, errors.joint] * errors.position[at][:, None, :]
    if whole.columns.stop > whole.count:
        moved[:, :, whole.columns.positions] = by_curve
    if whole.swings is not None:
        passive = flight.robot.passive
        by = np.concatenate([by_curve[:, :, passive], np.zeros((*moved.shape[:2], passive.size))], axis=2)
        whole.swings.add_to(moved, by, np.ascontiguousarray(motion.grid.t[at]))
    return moved
