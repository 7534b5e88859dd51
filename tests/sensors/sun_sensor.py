"""A sensor that freefloat does not have, with a quantity of its own, as its file would hold it: where the sun is.

It reads the direction of the sun in base axes, turned by a small misalignment mu: p - mu x p, p = R^T R_0^T s.
"""

from dataclasses import dataclass

import numpy as np

from freefloat.robot.rotations import cross_matrices, rotations
from freefloat.sensors.moving_base import PulledBack
from freefloat.sensors.reading import Reading
from freefloat.sensors.unknowns import along, independent, usual_spread

SUN = np.array([0.6, 0.0, 0.8])  # inertial axes
MISALIGNMENT = "sun sensor misalignment"


@dataclass(frozen=True)
class SunNuisances:
    sun_misalignment_rad: float | None = usual_spread(1e-3, "of the sun sensor, about each axis")


class SunReading(Reading[SunNuisances]):
    array = "sun"
    quantities = ("accelerometer",)  # any that estimators do not use: quantities have names in one table
    unit, words, sensor = "", "direction of the sun", "sun sensor"
    turns = True
    shows_attitude = True

    @classmethod
    def shared_unknowns(cls, nuisances, robot):
        sd = getattr(nuisances, "sun_misalignment_rad", 1e-3)  # nuisances of the problem do not hold those of a test
        yield independent(MISALIGNMENT, along(range(3), MISALIGNMENT), "rad", sd)

    @classmethod
    def exact(cls, flown):
        return np.einsum("nji,j->ni", rotations(flown.need("attitude", "the sun")), SUN)

    def _direction(self, base, point):
        return base.R.swapaxes(1, 2) @ (self.setting.first_attitude(point).T @ SUN)

    def _gain(self, point):
        return np.eye(3) - cross_matrices(self.setting.vector(point, MISALIGNMENT, np.arange(3))[None])[0]

    def predicted(self, base, point):
        return self._direction(base, point) @ self._gain(point).T

    def derivative(self, base, point):
        p = self._direction(base, point)
        J = self._gain(point) @ cross_matrices(p) @ self.setting.turn_by_unknowns(base, point)
        J[:, :, self.setting.place(MISALIGNMENT)] += cross_matrices(p)
        return J

    def pull_back(self, base, point, J):
        p, turned = self._direction(base, point), self.setting.turn_by_unknowns(base, point)
        by_turn = np.cross(J, p[:, :, None], axis=1)
        own = J[:, :, self.setting.place(MISALIGNMENT)]
        by_p = np.cross(turned, J, axis=1).sum(axis=2) + np.cross(np.eye(3), own, axis=1).sum(axis=2)
        return PulledBack(by_turn=by_turn, turn=np.cross(by_p, p) + self.setting.first_back(base, by_turn))
