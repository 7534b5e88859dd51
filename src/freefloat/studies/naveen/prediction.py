"""Prediction of an unseen motion: base twist and joint torques of an estimate against those of the true robot.

Naveen, Shah, Misra (2019), section VI.D, figures 5 to 7, Table 6: Fourier series of two harmonics (eq. 40), the lower
at pi/20 rad/s. Their coefficients exist only as a figure. Ours are drawn and scaled to the peak rates of Table 3, about
its start; as one draw may flatter, errors are taken over many. The wheels stand still: eq. 40 is for joints. How far
their joints move can be inferred from Table 6: there is a motion of the same form with which least squares, which is
their method, errs as they print in all channels (`telling_motion`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.reaction import base_accelerations
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.motion.fourier import PlainFourier
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published
from freefloat.studies.naveen.experiment import STUDY, peak_rates, published_seeds
from freefloat.studies.simulated import reacting

HARMONICS, PERIOD_S = 2, 40.0
MOTIONS, INSTANTS = 100, 100  # and of each motion
_FIELDS = ("position", "rate", "acceleration")


def unseen_motion(names: tuple[str, ...], number: int) -> PlainFourier:
    """One drawn motion of the joints of these names; every joint reaches its peak rate of Table 3."""
    joints = len(names)
    a, b = np.random.default_rng([number, 6]).normal(size=(2, joints, HARMONICS))
    drawn = PlainFourier.from_harmonics(names, published_seeds()[0, :joints], a, b, PERIOD_S)
    size = peak_rates()[:joints] / drawn.extremes().rate
    return drawn.with_coefficients(np.vstack([drawn.coefficients[:1], size * drawn.coefficients[1:]]))


def telling_motion(names: tuple[str, ...]) -> PlainFourier:
    """Of the same form, one of many with which least squares errs as Table 6 prints; `computed` in the study's file."""
    table = published(STUDY)["computed"]["unseen_motion"]
    frequencies = 2.0 * np.pi / PERIOD_S * np.arange(1, HARMONICS + 1)
    sines, cosines = (np.radians(table[each]).T for each in ("sines_deg", "cosines_deg"))  # of positions
    start = published_seeds()[0, : len(names)]
    return PlainFourier.from_harmonics(names, start, sines * frequencies, -cosines * frequencies, PERIOD_S)


@cache
def _drawn(names: tuple[str, ...], motions: int) -> tuple[PlainFourier, ...]:
    return tuple(unseen_motion(names, number) for number in range(motions))


@dataclass(frozen=True, eq=False)
class UnseenMotions:
    """Motions that no estimate has seen. truth: the robot that makes them."""

    truth: Robot
    motions: tuple[PlainFourier, ...]

    @classmethod
    def drawn(cls, truth: Robot, motions: int = MOTIONS) -> UnseenMotions:
        """So many, with the peak rates of Table 3."""
        return cls(truth, _drawn(truth.joint_names, motions))

    @cached_property
    def joints(self) -> Samples:
        """All motions one after the other: of the joints only, the wheels still."""
        t = np.arange(INSTANTS) * (PERIOD_S / INSTANTS)
        flown = [motion.evaluate(t) for motion in self.motions]
        q, dq, ddq = (np.vstack([getattr(each, name) for each in flown]) for name in _FIELDS)
        still = np.zeros((len(q), len(self.truth.wheels)))
        return Samples(q=q, dq=dq, ddq=ddq, wheel_rates=still, wheel_accelerations=still)

    @cached_property
    def true(self) -> Array:
        """Velocity and angular rate of the base and joint torques, shape (n, 12) [m/s, rad/s, N m]."""
        return _predicted(self.truth, self.joints)

    def squares(self, parameters: Array) -> Array:
        """Mean squares of the errors of a prediction with these standard parameters, by channel, shape (12,)."""
        missed = _predicted(self.truth.with_parameters(parameters), self.joints) - self.true
        return np.asarray(np.mean(missed**2, axis=0))

    def rms(self, estimates: Array) -> Array:
        """Root mean squares over all runs, of their standard parameters (runs, parameters), by channel, shape (12,)."""
        return np.asarray(np.sqrt(np.mean([self.squares(parameters) for parameters in estimates], axis=0)))

    @property
    def swings(self) -> Array:
        """The least and the largest way of a joint from the middle of its range, over all motions, shape (2,) [rad]."""
        q = self.joints.q.reshape(len(self.motions), INSTANTS, -1)
        half = 0.5 * (q.max(axis=1) - q.min(axis=1))
        return np.array([half.min(), half.max()])


def _predicted(robot: Robot, joints: Samples) -> Array:
    moving = reacting(robot, joints)
    dv, dw = base_accelerations(robot, moving)
    torques = inverse_dynamics(robot, replace(moving, dv=dv, dw=dw))[:, 6:]
    return np.hstack([moving.need("v", "prediction"), moving.need("w", "prediction"), torques])
