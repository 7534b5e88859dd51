"""How well recorded velocities of the base, in these or those axes, agree with a robot's CAD model.

The model predicts the velocity of the base in a frame that moves with the centre of mass; how fast that drifts is
unknown, constant in inertial axes, and fitted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.reaction import NotPossible
from freefloat.estimate.causes.flight_view import FlightView
from freefloat.estimate.causes.possible_faults import Fault, no_fault, of_other_sensor
from freefloat.estimate.causes.rate_comparison import Agreement
from freefloat.estimate.flight import Flight
from freefloat.estimate.problem import Problem
from freefloat.robot.rotations import rotations, turned


def velocity_faults(problem: Problem) -> tuple[Agreement, list[tuple[Fault, Agreement]]] | None:
    """Agreement of velocities as recorded, and with each mistake undone; None without velocities and attitudes."""
    moving = list[_Moving]()
    for flight in problem.flights:
        with suppress(NotPossible):
            found = _Moving.of(problem, flight)
            moving += [] if found is None else [found]
    if not moving:
        return None
    readings: list[tuple[Fault, Callable[[_Moving], Array]]] = [
        (_inertial(problem), lambda each: turned(each.R.swapaxes(1, 2), each.recorded @ each.axes)),
        (_own_axes(problem), lambda each: turned(each.R, each.recorded) @ each.axes.T),
    ]
    as_recorded = _agreement(moving, lambda each: each.recorded)
    return as_recorded, [(fault, _agreement(moving, undo)) for fault, undo in readings]


def _inertial(problem: Problem) -> Fault:
    what = "the base's velocity is recorded in inertial axes, and read as if they were the sensor's"
    cure = "call its columns `velocity_x_m_s` instead of `body_velocity_x_m_s` in the recording"
    return of_other_sensor(problem.robot, "frame", "velocity", what, cure)


def _own_axes(problem: Problem) -> Fault:
    what = "the base's velocity is recorded in the sensor's axes, and read as if they were inertial"
    cure = "call its columns `body_velocity_x_m_s` instead of `velocity_x_m_s` in the recording"
    return of_other_sensor(problem.robot, "frame", "velocity", what, cure)


@dataclass(frozen=True, slots=True, eq=False)
class _Moving:
    """Velocities of a flight.

    recorded: where they were measured, base axes, (n, 3) [m/s]. predicted: the same for the CAD model but for the drift
    of the centre of mass. R: measured attitudes, (n, 3, 3). axes: of the sensor in the base, (3, 3). noise: of a
    reading, (3,).
    """

    recorded: Array
    predicted: Array
    R: Array
    axes: Array
    noise: Array

    @classmethod
    def of(cls, problem: Problem, flight: Flight) -> _Moving | None:
        """None without measured velocities, rates and attitudes, or if velocities are integrated accelerations."""
        samples, measured = flight.samples, flight.measured
        known = {"v", "w", "attitude"} <= measured.keys() and samples.dq is not None
        if not known or samples.v is None or samples.w is None or samples.attitude is None:
            return None
        if measured["v"].walk.any():
            return None
        view = FlightView(problem, flight, no_fault(problem.robot))
        by_arm = np.cross(samples.w, flight.velocity_point)[view.every]
        predicted = view.motion(np.zeros(len(problem.minimal)), view.first()).v + by_arm
        R = rotations(samples.attitude[view.every])
        return cls(samples.v[view.every] + by_arm, predicted, R, measured["v"].axes, flight.sd("v", 3))

    def left(self, velocity: Array) -> Array:
        """What the model leaves of a velocity where it was measured, base axes, (n, 3) [m/s]."""
        off = velocity - self.predicted
        return off - turned(self.R.swapaxes(1, 2), np.broadcast_to(turned(self.R, off).mean(axis=0), off.shape))


def _agreement(flights: list[_Moving], undo: Callable[[_Moving], Array]) -> Agreement:
    power = sum(len(each.recorded) * float(undo(each).var(axis=0).sum()) for each in flights)
    left = sum(float((each.left(undo(each)) ** 2).sum()) for each in flights)
    noise = sum(len(each.recorded) * float((each.noise**2).sum()) for each in flights)
    if power == 0.0:
        return Agreement(np.inf, 1.0, np.inf, 0.0)
    return Agreement(left / power, max(left - noise, 0.0) / power, 0.0, 1.0 - left / power)
