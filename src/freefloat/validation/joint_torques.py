"""Joint torques of a floating robot, as an estimate predicts them of the joints' motion.

They need the joints' accelerations, whose errors are no noise: they last as long as the functions that the joints'
motion is made of. Where these are few (joints that follow their command), errors of their coefficients are unknowns
that the base's sensors feel too, and torques feel them by the inertia that the joints have. Where encoders alone
measured the motion, they are too many and too large: torques are then not compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.reaction import joint_inertia
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.joint_curves import ProjectedCurves, SplineCurves
from freefloat.estimate.likelihood.likelihood import FlightLikelihood, Rows
from freefloat.estimate.likelihood.torque_balance import TorqueBalance
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import JOINT_MOTION


@dataclass(frozen=True, slots=True, eq=False)
class JointTorques:
    """Torques of a flight.

    index: of the flight. sd: of a reading, shape (n, joints). place: of the unknown errors of the joints' functions.
    by_errors: derivative of torques by these, shape (n, joints, k).
    """

    index: int
    balance: TorqueBalance
    sd: Array
    place: slice
    by_errors: Array

    @classmethod
    def of(cls, problem: Problem, estimate: Estimate, flight: FlightLikelihood) -> JointTorques | None:
        """Those of a flight; None where they were not measured, or cannot be compared.

        Where thrusters pushed they cannot: the balance is that of a base on which nothing acts.
        """
        given, robot = flight.flight, problem.robot
        missing = given.samples.torques is None or given.samples.ddq is None or "torques" not in given.noise
        if missing or robot.base != "free" or robot.gravity.any() or not (given.noise["torques"] > 0.0).all():
            return None
        if isinstance(given.curves, SplineCurves) or given.pulses:
            return None
        balance, dofs = TorqueBalance(problem, given, problem.minimal.kept), len(robot.joints)
        inertia = joint_inertia(robot.with_parameters(estimate.parameters), given.samples.q)
        inertia += np.diag([joint.drive.rotor for joint in robot.joints])
        place, variance = flight.place(JOINT_MOTION), np.broadcast_to(given.noise["torques"] ** 2, inertia.shape[:2])
        if place is not None and isinstance(given.curves, ProjectedCurves):
            joint, acceleration = given.curves.error_accelerations(given.t)
            return cls(flight.index, balance, np.sqrt(variance), place, inertia[:, :, joint] * acceleration[:, None])
        variance = variance + ((inertia * given.sd("ddq", dofs)) ** 2).sum(axis=2)
        return cls(flight.index, balance, np.sqrt(variance), slice(0, 0), np.zeros((*inertia.shape[:2], 0)))

    def rows(self, phi: Array, point: Array, count: int, derivatives: bool) -> Rows:
        """Weighted residuals at standard parameters phi, and their derivatives by all of a point, clusters first."""
        own = self.balance.flight.readings("torques")
        if not derivatives:
            tau, wide = self.balance.torques(phi), np.zeros((0, 0, 0))
        else:
            tau, slope = self.balance.with_derivative(phi)
            wide = np.zeros((*tau[own].shape, point.size))
            wide[:, :, :count], wide[:, :, self.place] = slope[own], self.by_errors[own]
            wide /= self.sd[own][:, :, None]
        left = self.balance.measured - tau - self.by_errors @ point[self.place]
        return Rows("torques", self.index, (left / self.sd)[own], wide)


def left_aside(problem: Problem) -> tuple[str, ...]:
    """A sentence for every flight whose torques were measured but are not compared."""
    if problem.robot.base != "free" or not problem.robot.joints:
        return ()
    return tuple(
        f"{flight.name}: joint torques are not compared, because encoders alone measured the joints' accelerations; "
        "give the commanded motion, if the joints follow it"
        for flight in problem.flights
        if flight.samples.torques is not None and isinstance(flight.curves, SplineCurves)
    )
