"""One flight as a likelihood sees it: its base motion predicted from the vector of unknowns, with derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.dynamics.attitude_kernels import turn_by_halves_change
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.joint_curves import Remembered
from freefloat.estimate.predicted_motion import (
    BaseMotion,
    Clock,
    Grid,
    Targets,
    missing_momentum,
    predict,
    sensitivities,
)
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import (
    CLOCK_DRIFT,
    EXTERNAL_TORQUE,
    JOINT_MOTION,
    JOINT_ZEROS,
    MOMENTUM,
    TIME_OFFSET,
    Unknowns,
)
from freefloat.robot.base_axes import allowed_rows, sliding_axes, turning_axes
from freefloat.robot.rotations import cross_matrices, rotations
from freefloat.sensors.kinds import readings_among
from freefloat.sensors.reading import Reading, Setting

_NEAR = 1e-3  # of the interval between samples: a change of the clock that Taylor's series bridges


class FlightPrediction:
    """Base motion of one flight as a function of the unknowns; what does not depend on them is computed once."""

    def __init__(self, problem: Problem, unknowns: Unknowns, columns: NDArray[np.int64], index: int) -> None:
        self.problem, self.unknowns, self.columns, self.index = problem, unknowns, columns, index
        self.flight = problem.flights[index]
        self.robot, self.samples = self.problem.robot, self.flight.samples
        self.allowed = allowed_rows(self.robot)
        self.turning, self.sliding = turning_axes(self.robot), sliding_axes(self.robot)
        self.setting = Setting.of(self.robot, self.flight, lambda kind: unknowns.bearing_on(kind, index))
        self.readings = self._readings()
        self.channels = tuple(self.readings)
        self.present = self.problem.present(self.flight)
        self.grid = Grid.of(self.robot, self.flight, self._needs_attitude())
        self.curves = Remembered(self.flight.joints, _NEAR * float(np.diff(self.flight.t).min()))
        self.since = self.flight.t - self.flight.t[0]

    def _readings(self) -> dict[str, Reading[Any]]:
        """What is compared with its prediction, by array of the samples."""
        found = {kind.array: kind(self.setting) for kind in readings_among(self.flight.noise)}
        for name, reading in found.items():
            if not (reading.sd > 0.0).all() and not reading.steps:
                raise InvalidProblem(f"{self.flight.name}: noise of {name} is zero; allowed: greater than zero")
        return found

    def _needs_attitude(self) -> bool:
        return (
            not self.flight.momentum.is_zero
            or self.place(EXTERNAL_TORQUE) is not None
            or any(reading.needs_attitude for reading in self.readings.values())
        )

    def place(self, kind: str) -> slice | None:
        """Where this flight's unknowns of a kind are; None if there are none."""
        return self.unknowns.find(kind, self.index)

    def _shared(self, kind: str) -> slice | None:
        return self.unknowns.find(kind)

    def _vector(self, point: Array, place: slice | None, components: NDArray[np.int64]) -> Array:
        """Three components of unknowns of which only some exist."""
        vector = np.zeros(3)
        if place is not None:
            vector[components] = point[place]
        return vector

    # ------------------------------------------------------------------ prediction

    def start(self, point: Array, phi: Array) -> None:
        """Put a first guess of the unknown momentum into a point."""
        place = self.place(MOMENTUM)
        if place is None or self.samples.w is None:
            return
        rates, R = self.samples.w[:, self.turning], rotations(integrate_rates(self.flight.t, self.samples.w))
        point[place] = missing_momentum(self.motion(point, phi), rates, R, self.turning)[self.turning]

    def clock(self, point: Array) -> Clock:
        """The time offset and drift at a point."""
        offset, drift = (self.place(kind) for kind in (TIME_OFFSET, CLOCK_DRIFT))
        middle = 0.5 * float(self.flight.t[0] + self.flight.t[-1])
        return Clock(
            float(point[offset][0]) if offset is not None else 0.0,
            float(point[drift][0]) if drift is not None else 0.0,
            middle,
        )

    def total_momentum(self, point: Array) -> Array:
        """Angular momentum at the first sample, in base axes, (3,) [N m s]."""
        return self._vector(point, self.place(MOMENTUM), self.turning) + self.flight.momentum.vector

    def motion(self, point: Array, phi: Array) -> BaseMotion:
        """The predicted base motion at a point."""
        zeros, bends = self._shared(JOINT_ZEROS), self.place(JOINT_MOTION)
        momentum = self.total_momentum(point)
        torque = self._vector(point, self.place(EXTERNAL_TORQUE), self.turning)
        return predict(
            self.robot,
            self.curves,
            self.grid,
            np.where(self.present, phi, 0.0),
            self.clock(point),
            point[zeros] if zeros is not None else np.zeros(len(self.robot.joints)),
            point[bends] if bends is not None else np.zeros(0),
            momentum + (self.grid.t - self.grid.t[0])[:, None] * torque,
        )

    def by_unknowns(
        self, point: Array, motion: BaseMotion, phi: Array, count: int, turning_gain: Array | None = None
    ) -> Array:
        """Derivatives of the base's velocities by unknowns at a given attitude, (m, r, count).

        turning_gain: where given, derivatives of this times the angular rates alone.
        """
        gain = np.eye(self.allowed.size)
        if turning_gain is not None:
            gain = np.hstack([np.zeros((self.turning.size, self.sliding.size)), turning_gain])
        zeros, bends, offset, drift = (
            -1 if place is None or place.start >= count else place.start
            for place in (
                self._shared(JOINT_ZEROS),
                self.place(JOINT_MOTION),
                self.place(TIME_OFFSET),
                self.place(CLOCK_DRIFT),
            )
        )
        there, clock = np.where(self.present, phi, 0.0), self.clock(point)
        targets = Targets(count, 0, zeros, bends, offset, drift)
        G = sensitivities(self.robot, motion, there, self.columns, self.present, clock, targets, gain)
        momentum, torque = self.place(MOMENTUM), self.place(EXTERNAL_TORQUE)
        if momentum is not None or torque is not None:
            by_momentum = (motion.B @ motion.R.swapaxes(1, 2))[:, :, self.turning]
            if momentum is not None:
                G[:, :, momentum] = by_momentum
            if torque is not None:
                G[:, :, torque] = by_momentum * (self.grid.t - self.grid.t[0])[:, None, None]
        return G

    def through_attitude(self, motion: BaseMotion, G: Array) -> tuple[Array, Array]:
        """Derivatives of velocities with those of attitude, (n, r, count), and of attitude, (n, 3, count)."""
        m, count = G.shape[0], G.shape[2]
        turned, gain = np.zeros((m, 3, count)), np.zeros((m, 3, 3))
        turned[:, self.turning] = G[:, self.sliding.size :]
        gain[:, self.turning] = motion.B[:, self.sliding.size :]
        u_cross = cross_matrices(motion.u)
        F = gain @ u_cross - cross_matrices(motion.w)
        alpha = np.empty((self.flight.t.size, 3, count))
        turn_by_halves_change(self.grid.t, F, turned, alpha)
        return G[::2] + (motion.B[::2] @ u_cross[::2]) @ alpha, alpha
