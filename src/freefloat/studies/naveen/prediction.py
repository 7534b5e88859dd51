"""Prediction of an unseen motion: base twist and joint torques of an estimate against those of the true robot.

Naveen, Shah, Misra (2019), section VI.D, figures 5 to 7, Table 6: Fourier series of two harmonics (eq. 40), the lower
at pi/20 rad/s. Their coefficients exist only as a figure. Ours are drawn and scaled to the peak rates of Table 3, about
its start; as one draw may flatter, errors are taken over many. The wheels stand still: eq. 40 is for joints. How large
their motion is can be inferred from Table 6: `fitting_scale` is that at which least squares, which is their method,
errs as they print.
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
from freefloat.studies.naveen.experiment import peak_rates, published_seeds
from freefloat.studies.simulated import reacting

HARMONICS, PERIOD_S = 2, 40.0
MOTIONS, INSTANTS = 100, 100  # and of each motion
_SCALES = 2.0 ** np.arange(0.0, 5.5, 0.5)


def unseen_motion(names: tuple[str, ...], number: int) -> PlainFourier:
    """One drawn motion of the joints of these names; every joint reaches its peak rate of Table 3."""
    joints = len(names)
    a, b = np.random.default_rng([number, 6]).normal(size=(2, joints, HARMONICS))
    drawn = PlainFourier.from_harmonics(names, published_seeds()[0, :joints], a, b, PERIOD_S)
    size = peak_rates()[:joints] / drawn.extremes().rate
    return drawn.with_coefficients(np.vstack([drawn.coefficients[:1], size * drawn.coefficients[1:]]))


@cache
def _drawn(names: tuple[str, ...], motions: int) -> tuple[Array, Array, Array]:
    """Ways from the start, rates and accelerations of all motions one after the other, each (n, joints)."""
    t = np.arange(INSTANTS) * (PERIOD_S / INSTANTS)
    flown = [unseen_motion(names, number).evaluate(t) for number in range(motions)]
    q, dq, ddq = (np.vstack([getattr(m, name) for m in flown]) for name in ("position", "rate", "acceleration"))
    return q - published_seeds()[0, : len(names)], dq, ddq


@dataclass(frozen=True, eq=False)
class UnseenMotions:
    """Motions that no estimate has seen. truth: the robot that makes them. scale: peak rates over those of Table 3."""

    truth: Robot
    motions: int = MOTIONS
    scale: float = 1.0

    @cached_property
    def joints(self) -> Samples:
        """All motions one after the other: of the joints only, the wheels still."""
        names = self.truth.joint_names
        way, dq, ddq = (self.scale * each for each in _drawn(names, self.motions))
        q = published_seeds()[0, : len(names)] + way
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
        q = self.joints.q.reshape(self.motions, INSTANTS, -1)
        half = 0.5 * (q.max(axis=1) - q.min(axis=1))
        return np.array([half.min(), half.max()])


def fitting_scale(truth: Robot, estimates: Array, printed: Array, motions: int = MOTIONS) -> UnseenMotions:
    """Motions so large that errors of these estimates, (runs, parameters), come nearest to the printed ones, (12,)."""
    tried = [UnseenMotions(truth, motions, float(scale)) for scale in _SCALES]
    return min(tried, key=lambda each: float(np.abs(np.log(each.rms(estimates) / printed)).mean()))


def _predicted(robot: Robot, joints: Samples) -> Array:
    moving = reacting(robot, joints)
    dv, dw = base_accelerations(robot, moving)
    torques = inverse_dynamics(robot, replace(moving, dv=dv, dw=dw))[:, 6:]
    return np.hstack([moving.need("v", "prediction"), moving.need("w", "prediction"), torques])
