"""Cepheus, the planar robot on air bearings: its printed motion after a wheel was spun up, and its thruster test.

O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space manipulator
systems", Robotics and Autonomous Systems, 2022, Section 5. Robot and wheel start at rest, so that the total momentum is
zero: Y pi = -h. In the plane h does not turn; differences with the first sample (Eqs. 24 and 26) leave nothing on the
right-hand side, and pi itself is a combination of columns that they do not see.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.estimate.estimate import Quantity
from freefloat.estimate.rows.equations import COUNTS
from freefloat.estimate.total_mass import mass_from_pulse
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.motion.fourier import Fourier
from freefloat.robot.model import Robot
from freefloat.simulation.simulate import Pulse, simulate_motion
from freefloat.studies.catalogue import published
from freefloat.studies.printed import printed_motion
from freefloat.studies.simulated import reacting

STUDY = "cepheus"
ZERO = ("link1.my", "link2.my")  # centres of mass on the links
_RATE_HZ = 20.0  # OURS: the article does not say; rank and conditioning hardly depend on it


@dataclass(frozen=True, eq=False)
class Cepheus:
    """The experiment. robot: the one that moves, like `cepheus`."""

    robot: Robot

    @cached_property
    def samples(self) -> Samples:
        """The motion of Table 5 with the wheel at its printed rate, total momentum zero; exact."""
        motion = printed_motion(STUDY, self.robot)
        t = np.arange(round(_RATE_HZ * motion.duration_s) + 1) / _RATE_HZ
        spin = np.full((t.size, 1), published(STUDY)["wheel"]["rate_rad_s"])
        return reacting(self.robot, replace(motion.samples(self.robot, t), wheel_rates=spin))

    @cached_property
    def rows(self) -> Array:
        """Y: one row a sample, shape (n, 8)."""
        return AngularMomentum(self.robot, zero=ZERO).rows(self.samples)[:, 0]

    @property
    def differences(self) -> Array:
        """Y less its first row, as in Eq. 24, shape (n, 8)."""
        return self.rows - self.rows[0]

    def pushed(self) -> Quantity:
        """The mass by Eq. 40 from a simulated push through the centre of mass, joints locked, exact."""
        test, rest = published(STUDY)["thruster_test"], np.zeros((2, len(self.robot.joints)))
        force = np.array([*test["force_N"], 0.0])
        pulse = Pulse(0.0, test["duration_s"], force, self.robot.centre_of_mass())
        still = Fourier(self.robot.joint_names, rest, test["duration_s"])
        t = np.linspace(0.0, test["duration_s"], 11)
        v = simulate_motion(self.robot, still, t, pulses=(pulse,)).need("v", "a push")
        return mass_from_pulse(force, test["duration_s"], v[-1] - v[0])


def rank(rows: Array) -> int:
    """How many columns are independent, each brought to unit norm first."""
    values = scipy.linalg.svdvals(rows / np.linalg.norm(rows, axis=0))
    return int((values > COUNTS * values[0]).sum())


def printed_mass() -> Quantity:
    """The mass by Eq. 40 from the printed velocities, which are rounded to 1e-4 m/s."""
    test = published(STUDY)["thruster_test"]
    change = test["velocity_y_after_m_s"] - test["velocity_y_before_m_s"]
    return mass_from_pulse(test["force_N"][1], test["duration_s"], change)
