"""How well recorded velocities of the base, in these or those axes, agree with a robot's CAD model and its spread.

The model predicts the velocity of the base in a frame that moves with the centre of mass; how fast that drifts is
unknown, constant in inertial axes, and fitted, in one linear step with the clusters and the momentum.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from freefloat.arrays import Array
from freefloat.dynamics.reaction import NotPossible
from freefloat.estimate.causes.flight_view import FlightView
from freefloat.estimate.causes.possible_faults import Fault, no_fault, of_other_sensor
from freefloat.estimate.causes.rate_comparison import Agreement, RateComparison, least_step
from freefloat.estimate.flight import Flight
from freefloat.estimate.predicted_motion import Targets, sensitivities
from freefloat.estimate.problem import Problem
from freefloat.robot.rotations import rotations, turned

_SHARE = 0.03  # of the velocities' size that counts as one standard deviation


def velocity_faults(comparison: RateComparison) -> tuple[Agreement, list[tuple[Fault, Agreement]]] | None:
    """Agreement of velocities as recorded, and with each mistake undone; None without velocities and attitudes.

    Of the first flight that has them; a recording's columns are read alike in all.
    """
    problem, moving = comparison.problem, None
    with suppress(NotPossible):
        moving = next(filter(None, (_Moving.of(problem, flight) for flight in comparison.flights)), None)
    if moving is None:
        return None
    back = moving.R.swapaxes(1, 2)
    readings: list[tuple[Fault, Callable[[Array], Array]]] = [
        (_inertial(problem), lambda v: turned(back, v @ moving.axes)),
        (_own_axes(problem), lambda v: turned(moving.R, v) @ moving.axes.T),
    ]
    recorded = moving.agreement(moving.recorded, comparison.information)
    return recorded, [
        (fault, moving.agreement(undo(moving.recorded), comparison.information)) for fault, undo in readings
    ]


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
    of the centre of mass. slopes: of that by clusters, drift and an unknown momentum, (n, 3, c + e). R: measured
    attitudes, (n, 3, 3). axes: of the sensor in the base, (3, 3). noise: of a reading, (3,).
    """

    recorded: Array
    predicted: Array
    slopes: Array
    R: Array
    axes: Array
    noise: Array

    @classmethod
    def of(cls, problem: Problem, flight: Flight) -> _Moving | None:
        """None without measured velocities, rates and attitudes, or if velocities are integrated accelerations."""
        samples, measured = flight.samples, flight.measured
        if problem.robot.base != "free" or not {"v", "w", "attitude"} <= measured.keys():
            return None
        if samples.v is None or samples.w is None or samples.attitude is None or measured["v"].walk.any():
            return None
        view, count = FlightView(problem, flight, no_fault(problem.robot)), len(problem.minimal)
        by_arm, R = np.cross(samples.w, flight.velocity_point)[view.every], rotations(samples.attitude[view.every])
        extra = view.first()
        motion, (phi, _) = view.motion(np.zeros(count), extra), view.model(np.zeros(count), extra)
        by_clusters = sensitivities(
            problem.robot,
            motion,
            phi,
            problem.minimal.kept,
            view.present,
            np.zeros(view.grid.t.size),
            Targets(count),
            np.eye(3, 6),
        )
        by_momentum = [motion.B[:, :3] @ view.back] if view.back is not None and view.unknown else []
        slopes = np.concatenate([by_clusters, R.swapaxes(1, 2), *by_momentum], axis=2)
        recorded = samples.v[view.every] + by_arm
        return cls(recorded, motion.v + by_arm, slopes, R, measured["v"].own_axes, flight.sd("v", 3))

    def agreement(self, velocity: Array, information: Array) -> Agreement:
        """Of a velocity where it was measured, base axes, (n, 3) [m/s]; information: of the CAD model's clusters."""
        n, count = len(velocity), len(information)
        power, noise = n * float(velocity.var(axis=0).sum()), n * float((self.noise**2).sum())
        if power <= noise:
            return Agreement(np.inf, 1.0, np.inf, np.nan)
        weight = 1.0 / np.sqrt((_SHARE**2 * power + noise) / (3.0 * n))
        A, y = weight * self.slopes.reshape(3 * n, -1), weight * (velocity - self.predicted).ravel()
        known = block_diag(information, np.zeros((A.shape[1] - count, A.shape[1] - count)))
        step, left = least_step(A, y, np.zeros(A.shape[1]), known)
        held, total = float(step @ known @ step), weight**2 * power
        return Agreement((left + held) / total, max(left - weight**2 * noise, 0.0) / total, held / count, np.nan)
