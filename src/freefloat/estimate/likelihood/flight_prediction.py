"""One flight as a likelihood sees it: its base motion, predicted wherever a sensor read it, with derivatives.

Time is that of the joints' clock. A reading that its own sensor stamped t shows the motion at

    t - offset - drift (t - middle),

and the wheels turn as they did when their clock showed it. Where attitude counts, the law is integrated once, through
the instants of all readings; else each reading is predicted at its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.dynamics.drive_torques import doubt_near_standstill
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.joint_curves import CurveErrors, ProjectedCurves, Remembered
from freefloat.estimate.likelihood.driven_joints import DrivenJoints
from freefloat.estimate.likelihood.gravity_gradient import GravityMomentum
from freefloat.estimate.likelihood.local_curves import LocalCurves
from freefloat.estimate.likelihood.outside_torques import outside_torques
from freefloat.estimate.likelihood.reading_nodes import ReadingNodes, means_of, nodes_of
from freefloat.estimate.likelihood.swinging_joints import SwingingJoints
from freefloat.estimate.predicted_motion import (
    BaseMotion,
    Clock,
    Grid,
    JointErrors,
    missing_momentum,
    predict,
    standing,
)
from freefloat.estimate.problem import Problem
from freefloat.estimate.pushes import Pushes
from freefloat.estimate.unknowns import (
    FRICTION,
    GEOMETRY,
    JOINT_MOTION,
    JOINT_SCALES,
    JOINT_ZEROS,
    MOMENTUM,
    PULSE_FORCE,
    WHEEL_INERTIAS,
    Unknowns,
    clock_kinds,
    clocks_of,
    thrusters_of,
    uncertain_wheels,
)
from freefloat.motion.trajectory import Motion
from freefloat.robot.base_axes import allowed_rows, sliding_axes, turning_axes
from freefloat.robot.geometry import PER_JOINT, with_geometry
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations
from freefloat.sensors.kinds import readings_among
from freefloat.sensors.measured import INSTANT, Measured
from freefloat.sensors.reading import Reading, Setting
from freefloat.sensors.torque_sensor import TorqueReading
from freefloat.simulation.simulate import with_midpoints

_NEAR = 1e-3  # of the interval between readings: a change of the clock that Taylor's series bridges
_LONGEST_S = 0.05  # step of the law between readings
_MEANS_PER_KNOT = 8.0  # of torques, which change no faster than the joints' accelerations
_STEADY, _CLEAR = 1e-3, 2.0  # of a typical rate, of a rate's spread: a joint that is faster has a direction


@dataclass(frozen=True, slots=True, eq=False)
class Instants:
    """Where the law is integrated through: all readings' instants, and more where they are far apart.

    t: shape (n,) [s], increasing. at: by array, which of them are its readings'. first: an array whose reading is the
    first of all, and its stamp.
    """

    t: Array
    at: dict[str, NDArray[np.int64]]
    first: tuple[str, float]


class FlightPrediction:
    """Base motion of one flight as a function of the unknowns; what does not depend on them is computed once."""

    def __init__(self, problem: Problem, unknowns: Unknowns, columns: NDArray[np.int64], index: int) -> None:
        self.problem, self.unknowns, self.columns, self.index = problem, unknowns, columns, index
        self.flight = problem.flights[index]
        self.robot, self.samples = self.problem.robot, self.flight.samples
        self.allowed = allowed_rows(self.robot)
        self.turning, self.sliding = turning_axes(self.robot), sliding_axes(self.robot)
        self.local = LocalCurves.of(self.flight)
        self.outside = outside_torques(self.flight, self.turning, self.place)
        self.nodes = self._nodes()
        self.measured = {name: each.data for name, each in self.nodes.items()}
        self.clocks = clocks_of(problem, self.flight)
        orbit = self.flight.orbit
        self.setting = Setting.of(self.robot, self.measured, lambda kind: unknowns.bearing_on(kind, index), orbit)
        self.readings = self._readings()
        self.channels = tuple(self.readings)
        self.present = self.problem.present(self.flight)
        self.middle = 0.5 * float(self.flight.t[0] + self.flight.t[-1])
        self._remembered = dict[str, Remembered]()
        self.driven = self._driven() if TorqueReading.array in self.readings else None
        self.swinging = SwingingJoints(self) if self.robot.passive.size else None
        self._bent: tuple[Array, Robot] | None = None  # errors of the geometry, and the robot that was last asked for
        self.gravity = None if orbit is None else GravityMomentum.of(self.robot, self.flight, orbit)

    def _nodes(self) -> dict[str, ReadingNodes]:
        """By array of the samples, where its readings are predicted."""
        measured = self.flight.measured
        self.attitude_counts = self._needs_attitude(measured)
        self.turns = self.attitude_counts or bool(self.robot.passive.size)  # errors of curves are carried on
        changes = {reading.array: reading.changes for reading in readings_among(measured)}
        longest = {True: self._longest_change(measured), False: self._longest_stretch()}
        found = {name: nodes_of(data, longest[changes[name]], changes[name]) for name, data in measured.items()}
        torques = measured.get(TorqueReading.array)
        if torques is not None and self.local is not None and torques.response == INSTANT:
            found[TorqueReading.array] = self._torque_means(torques, self.local)
        return found

    @staticmethod
    def _torque_means(measured: Measured, local: LocalCurves) -> ReadingNodes:
        """Of torques means, for friction jumps where a joint turns back, as no polynomial does; there they are loud."""
        means = means_of(measured, local.spline.spacing_s / _MEANS_PER_KNOT)
        motion, t = local.joint_motion(means.data.t), means.data.t
        louder = doubt_near_standstill(motion.rate, motion.acceleration, float(np.median(np.diff(t))))
        return replace(means, data=replace(means.data, louder=louder))

    def _longest_change(self, measured: Mapping[str, Measured]) -> float:
        """How long a polynomial may follow the base's velocities [s]: a radian of its turn, four pieces of curves."""
        rates = measured["w"].values if "w" in measured else self.samples.w
        turned = np.inf if rates is None else 1.0 / max(float(np.abs(rates).max()), 1e-9)
        pieces = np.inf if self.local is None else 4.0 * self.local.spline.spacing_s
        return min(turned, pieces, 2.0 * _LONGEST_S)

    def _longest_stretch(self) -> float:
        """Of readings that may become a few rows [s]: not where errors of samples, one by one, are in their weights."""
        if self.turns:
            return 0.0
        if self.local is not None:
            return self.local.spline.spacing_s
        noisy_wheels = bool(self.flight.sd("wheel_rates", len(self.robot.wheels)).any())
        return np.inf if isinstance(self.flight.curves, ProjectedCurves) and not noisy_wheels else 0.0

    def _readings(self) -> dict[str, Reading[Any]]:
        """What is compared with its prediction, by array of the samples."""
        found = {kind.array: kind(self.setting, self.measured[kind.array]) for kind in readings_among(self.measured)}
        for name, reading in found.items():
            if not (reading.sd > 0.0).all() and not reading.steps:
                raise InvalidProblem(f"{self.flight.name}: noise of {name} is zero; allowed: greater than zero")
        return found

    def _needs_attitude(self, measured: Mapping[str, Measured]) -> bool:
        return (
            not self.flight.momentum.is_zero
            or bool(self.flight.pulses)
            or self.flight.orbit is not None
            or bool(self.outside)
            or any(reading.needs_attitude for reading in readings_among(measured))
        )

    def place(self, kind: str) -> slice | None:
        """Where this flight's unknowns of a kind are; None if there are none."""
        return self.unknowns.find(kind, self.index)

    def shared(self, kind: str) -> slice | None:
        """Where unknowns of a kind are that all flights share; None if there are none."""
        return self.unknowns.find(kind)

    def vector(self, point: Array, place: slice | None, components: NDArray[np.int64]) -> Array:
        """Three components of unknowns of which only some exist."""
        vector = np.zeros(3)
        if place is not None:
            vector[components] = point[place]
        return vector

    # ------------------------------------------------------------------ drives

    def _driven(self) -> DrivenJoints:
        """The robot on the ground; signs of rates are clear beyond a few of the spreads that curves have."""
        if self.local is None or not self.local.joints:
            raise InvalidProblem(
                f"{self.flight.name}: joints are no curves that encoders measured, along which torques are compared; "
                "allowed: recordings of encoders that were not filtered"
            )
        t = self.measured[TorqueReading.array].t
        typical = np.sqrt((self.local.joint_motion(t).rate ** 2).mean(axis=0))
        smooth = np.maximum(_STEADY * typical, _CLEAR * self.local.parts[0].sd(t)[1])
        return DrivenJoints(self.robot, self.problem.friction, smooth)

    def drives(self, point: Array) -> Array:
        """Unknown terms of the drives at a point, (terms, joints)."""
        place = self.shared(FRICTION)
        return (
            np.zeros((0, len(self.robot.joints))) if place is None else point[place].reshape(-1, len(self.robot.joints))
        )

    def joint_jerks(self, t: Array) -> Array:
        """Third derivatives of the joints' curves at times t, shape (n, joints)."""
        assert self.local is not None
        return self.local.joint_jerks(t)

    # ------------------------------------------------------------------ clocks

    def clock_places(self, clock: str) -> tuple[slice | None, slice | None]:
        """Where offset and drift of a clock are; None for what it has not."""
        if clock not in self.clocks:
            return None, None
        offset, drift = (self.place(kind) for kind in clock_kinds(self.clocks, clock))
        return offset, drift

    def clock(self, clock: str, point: Array) -> Clock:
        """A clock at a point."""
        offset, drift = (0.0 if place is None else float(point[place][0]) for place in self.clock_places(clock))
        return Clock(offset, drift, self.middle)

    @property
    def wheel_clock(self) -> str:
        """That by which the wheels were stamped."""
        wheels = self.flight.wheel_rates
        return self.flight.clock if wheels is None else wheels.clock

    # ------------------------------------------------------------------ prediction

    def start(self, point: Array, phi: Array) -> None:
        """Put a first guess of the unknown momentum into a point: by measured rates, else by those of the samples."""
        place, data, w = self.place(MOMENTUM), self.flight.measured.get("w"), self.samples.w
        if place is None:
            return
        if data is not None:
            instants, t, w = self.instants(point), data.t, data.values
            motion, at = self.motion(point, phi, instants), 2 * self.nodes["w"].at_rows(instants.at["w"])
        elif w is not None:
            t = self.flight.t
            motion, at = self._predicted(point, phi, "start", with_midpoints(t), 2), 2 * np.arange(t.size)
        else:
            return
        R = rotations(integrate_rates(t, w))
        missing = missing_momentum(motion.B[at], motion.w[at], w[:, self.turning], R, self.turning)
        point[place] = missing[self.turning]

    def total_momentum(self, point: Array) -> Array:
        """Angular momentum at the first instant, in base axes, (3,) [N m s]."""
        return self.vector(point, self.place(MOMENTUM), self.turning) + self.flight.momentum.vector

    def joint_time(self, name: str, point: Array) -> Array:
        """When the joints moved as the readings of an array show it, shape (n,) [s]."""
        data = self.measured[name]
        return self.clock(data.clock, point).joint_time(data.t)

    def instants(self, point: Array) -> Instants:
        """Those of all readings at a point."""
        times = {name: self.joint_time(name, point) for name in self.readings}
        t, inverse = np.unique(np.concatenate([*times.values(), self._edges(times)]), return_inverse=True)
        first = min(times, key=lambda name: float(times[name][0]))
        if self.flight.own_instants is not None:
            pieces = np.maximum(1, np.ceil(np.diff(t) / _LONGEST_S).astype(np.int64))
            if pieces.max(initial=1) > 1:
                begin = np.concatenate([[0], np.cumsum(pieces)])
                t = np.interp(np.arange(begin[-1] + 1), begin, t)
                inverse = begin[inverse]
        ends = np.cumsum([each.size for each in times.values()])
        at = dict(zip(times, np.split(inverse, ends)[:-1], strict=True))
        return Instants(t, at, (first, float(self.measured[first].t[0])))

    def _edges(self, times: Mapping[str, Array]) -> Array:
        """When pulses begin and end between the first and the last reading, shape (k,) [s]."""
        edges = np.array([[pulse.start_s, pulse.end_s] for pulse in self.flight.pulses]).reshape(-1)
        ends = np.concatenate([t[[0, -1]] for t in times.values()])
        return edges[(edges > ends.min()) & (edges < ends.max())]

    def force_errors(self, place: slice | None) -> NDArray[np.int64]:
        """Of every pulse, which of the unknowns is its thruster's error; -1 for a force that is exact, (pulses,)."""
        thrusters = thrusters_of(self.problem)
        return np.array(
            [
                place.start + thrusters.index(pulse.thruster) if place is not None and pulse.relative_sd else -1
                for pulse in self.flight.pulses
            ],
            dtype=np.int64,
        )

    def _pushes(self, point: Array, t: Array) -> Pushes | None:
        if not self.flight.pulses:
            return None
        places = self.force_errors(self.shared(PULSE_FORCE))
        return Pushes.of(self.flight.pulses, np.where(places >= 0, point[places], 0.0), t)

    def motion(self, point: Array, phi: Array, instants: Instants) -> BaseMotion:
        """The predicted base motion at a point, through these instants and half-way between them."""
        return self._predicted(point, phi, "", with_midpoints(instants.t), 2)

    def motion_as_read(self, point: Array, phi: Array, t: Array) -> BaseMotion:
        """The same at times t, (m,) [s], and half-way between them where attitude counts; joints as encoders alone say.

        That is for flights with curves of which a few coefficients count at a time.
        """
        assert self.local is not None
        t, step = (with_midpoints(t), 2) if self.turns else (t, 1)
        joints = replace(self.local, coefficients=self.local.mean).joint_motion(t), self.flight.joints.errors(t)
        return self._moved_by(joints, point, phi, t, step)

    def motion_at(self, point: Array, phi: Array, name: str) -> BaseMotion:
        """The predicted base motion at the readings of an array, where attitude does not count."""
        return self._predicted(point, phi, name, self.joint_time(name, point), 1)

    def robot_at(self, point: Array) -> Robot:
        """The robot with its geometry as it is at a point."""
        errors = self.geometry(point)
        if errors is None or not errors.any():
            return self.robot
        if self._bent is None or not np.array_equal(self._bent[0], errors):
            self._bent = np.array(errors), with_geometry(self.robot, errors)
        return self._bent[1]

    def geometry(self, point: Array) -> Array | None:
        """Errors of the geometry at a point, (joints, 5); None if there are none to be found."""
        place = self.shared(GEOMETRY)
        return None if place is None else point[place].reshape(-1, PER_JOINT)

    def _predicted(self, point: Array, phi: Array, name: str, t: Array, step: int) -> BaseMotion:
        return self._moved_by(self.joint_motion_at(name, t), point, phi, t, step)

    def _moved_by(
        self, joints: tuple[Motion, CurveErrors], point: Array, phi: Array, t: Array, step: int
    ) -> BaseMotion:
        present = np.where(self.present, phi, 0.0)
        if self.swinging is not None:
            joints = self.swinging.put_into(joints[0], point, present), joints[1]
        if self.robot.base == "fixed":
            return standing(self.robot, joints, self.grid(point, t, step), self.joint_errors(point))
        return predict(
            self.robot_at(point),
            joints,
            self.grid(point, t, step),
            present,
            self.joint_errors(point),
            self.total_momentum(point) + self.momentum_from_outside(point, present, t),
            self._pushes(point, t),
        )

    def joint_errors(self, point: Array) -> JointErrors:
        """How joints move differently from their curves, at a point."""
        zeros, scales, bends = self.shared(JOINT_ZEROS), self.shared(JOINT_SCALES), self.place(JOINT_MOTION)
        none = JointErrors.none(len(self.robot.joints))
        return JointErrors(
            none.zeros if zeros is None else point[zeros],
            none.scales if scales is None else point[scales],
            none.bends if bends is None else point[bends],
        )

    def momentum_from_outside(self, point: Array, phi: Array, t: Array) -> Array:
        """What torques from outside have given since the first instant, in its axes, shape (m, 3) [N m s].

        phi: standard parameters at the point, of bodies that are there, (10 bodies,).
        """
        given = np.zeros((t.size, 3))
        for place, torque in self.outside:
            given += torque.momentum(t - t[0]) @ point[place]
        if self.gravity is not None:
            given += self.gravity.momentum(phi, t - t[0])
        return given

    def joint_motion_at(self, name: str, t: Array) -> tuple[Motion, CurveErrors]:
        """Joints at times t, (m,) [s], by their curves, and how these may be wrong; name: for what, to remember it."""
        if self.local is not None and self.local.joints:
            return self.local.joint_motion(t), self.flight.joints.errors(t)
        known = self._remembered.get(name)
        if known is None or known.t is None or known.t.size != t.size:
            known = Remembered(self.flight.joints, _NEAR * float(np.diff(t).min(initial=np.inf)))
            self._remembered[name] = known
        return known.with_errors(t)

    def wheel_time(self, point: Array, t: Array) -> Array:
        """What the wheels' clock shows at times t, shape (m,) [s]."""
        clock = self.clock(self.wheel_clock, point)
        return (t + clock.offset - clock.drift * clock.middle) / (1.0 - clock.drift)

    def wheel_motion(self, point: Array, t: Array) -> tuple[Array, Array]:
        """Rates and accelerations of the wheels at times t, by their own clock, shape (m, wheels) each."""
        wheels = self.flight.wheel_rates
        assert wheels is not None
        read = wheels.at if self.local is None or not self.local.wheels else self.local.wheel_rates
        return read(self.wheel_time(point, t))

    def grid(self, point: Array, t: Array, step: int) -> Grid:
        """Times t, (m,) [s], with the wheels there."""
        if not self.robot.wheels or self.flight.wheel_rates is None:
            return Grid.at(self.robot, self.flight, t, step, None)
        rates, accelerations = self.wheel_motion(point, t)
        by_time = accelerations / (1.0 - self.clock(self.wheel_clock, point).drift)  # of the joints' clock
        return Grid.at(self.robot, self.flight, t, step, (rates, by_time), self.wheel_inertias(point))

    def wheel_inertias(self, point: Array) -> Array:
        """Spin inertias of the wheels at a point, (wheels,) [kg m^2]."""
        inertias, place = np.array(self.robot.wheel_inertias), self.shared(WHEEL_INERTIAS)
        if place is not None:
            inertias[uncertain_wheels(self.robot)] = point[place]
        return inertias
