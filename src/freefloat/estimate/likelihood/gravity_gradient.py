"""What the gravity gradient gives a robot in orbit: angular momentum, in the axes of the first instant.

Along the unit vector e to the planet, in base axes, with s the first moment, I the inertia about the base's origin and
M the mass of the whole, all linear in the standard parameters, the torque about the centre of mass is

    3 n^2 e x (I_cm e) = 3 n^2 (e x (I e) + (e . s) (e x s) / M)

for I_cm e = I e - s x (e x s) / M (`dynamics/orbit.py`). It is so small that attitude and joints may be as they were
measured: then it depends on no unknown but the parameters, and what they do to it is laid out once. That neglects the
torque times errors of attitude, joints and clocks, each below a percent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from freefloat.arrays import Array, read_only
from freefloat.dynamics.mass_centre import first_moment_regressor
from freefloat.dynamics.momentum_rows import momentum_regressor
from freefloat.dynamics.orbit import Orbit
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.likelihood.measured_turn import instants_through, turned_attitudes
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY

_TURNED_RAD = np.radians(20.0)  # against the vertical, by which the torque changes by two thirds of its largest


@dataclass(frozen=True, slots=True, eq=False)
class GravityMomentum:
    """The torque at k instants, and what it has given, by standard parameters phi.

    since: of these instants since the first reading of all, (k,) [s]. turning, across: (k, 3, 10 bodies), and along:
    (k, 10 bodies), with the torque turning phi + (along phi) (across phi) / M, in the axes of the first instant.
    informs: whether the base turns so far against the vertical that the torque says something of the robot; what hardly
    changes could be any other torque.
    """

    since: Array
    turning: Array
    across: Array
    along: Array
    informs: bool

    @classmethod
    def of(cls, robot: Robot, flight: Flight, orbit: Orbit) -> GravityMomentum:
        """Of a flight with measured attitude or rates, and joints as their curves have them, passive ones at rest."""
        if robot.base != "free":
            raise InvalidProblem(f"{flight.name}: an orbit is given for a {robot.base} base; allowed: a free base")
        t = instants_through(flight.measured)
        count, since = t.size, t - t[0]
        R = turned_attitudes(flight.name, flight.measured, t)
        e = (R.swapaxes(1, 2) @ orbit.nadir_at(since)[:, :, None])[..., 0]
        q = np.array(flight.joints.at(t).position)
        q[:, robot.passive] = 0.0
        still = np.zeros((count, 3))
        at = Samples(q=read_only(q), dq=read_only(np.zeros_like(q)), v=read_only(still), w=read_only(e))
        s, turning = first_moment_regressor(robot, at), momentum_regressor(robot, at)  # that turns about e
        across, along = np.cross(e[:, :, None], s, axis=1), np.einsum("nk,nkp->np", e, s)
        pull, informs = orbit.pull * R, bool((e @ e[0]).min() < np.cos(_TURNED_RAD))
        return cls(since, pull @ np.cross(e[:, :, None], turning[:, 3:], axis=1), pull @ across, along, informs)

    def torque(self, phi: Array, since: Array) -> Array:
        """At times since the first reading, (m,), in the axes of the first instant, shape (m, 3) [N m]."""
        return np.asarray(CubicSpline(self.since, self._torques(phi))(since))

    def momentum(self, phi: Array, since: Array) -> Array:
        """That it has given by then, shape (m, 3) [N m s]."""
        return self._gained(self._torques(phi), since)

    def by_parameters(self, phi: Array, columns: NDArray[np.int64], since: Array) -> Array:
        """Derivative of that momentum by some of the parameters, shape (m, 3, columns)."""
        mass = float(phi[::PER_BODY].sum())
        along, across = (self.along @ phi)[:, None, None], (self.across @ phi)[:, :, None]
        heavier = (columns % PER_BODY == 0) / mass
        products = self.along[:, None, columns] * across + along * self.across[:, :, columns]
        return self._gained(self.turning[:, :, columns] + (products - along * across * heavier) / mass, since)

    def _torques(self, phi: Array) -> Array:
        mass = float(phi[::PER_BODY].sum())
        return self.turning @ phi + (self.along @ phi)[:, None] * (self.across @ phi) / mass

    def _gained(self, torques: Array, since: Array) -> Array:
        return np.asarray(CubicSpline(self.since, torques).antiderivative()(since))
