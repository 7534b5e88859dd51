"""Designs for the robot of Naveen, Shah and Misra: intervals in three steps, and a Fourier motion.

Peak rates are those of Table 3 and section VI.B; the article prints no position limits, so the boxes are ours.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.estimate.problem_data import Nuisances
from freefloat.excitation.limits.joint import JointPosition, JointRate
from freefloat.excitation.limits.wheels import WheelRate
from freefloat.excitation.plan import Plan
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.procedures.interval_task import IntervalTask
from freefloat.excitation.rows.momentum import MomentumDesignRows
from freefloat.models.model import Momentum
from freefloat.motion.fourier import Fourier
from freefloat.motion.limits import limits_of
from freefloat.robot.model import Robot
from freefloat.sensors.kinds import make_sensor
from freefloat.studies.naveen.experiment import DURATION_S, channels, peak_rates, printed_noise, published_seeds
from freefloat.studies.simulated import white_gyro

BOX_RAD = np.pi  # OURS: either way, of every joint
WEIGHTS = {"Ixx_link1": 50.0}  # phi 11, which the article knows worst (174 %)


def interval_task(robot: Robot, instants: int = 1) -> IntervalTask:
    """Motions of intervals of one second: base-frame rows, unscaled columns, joints within a box about zero.

    instants: of each interval that the matrix has rows of.
    """
    limits = limits_of(robot, channels(robot))
    reach = np.where(np.arange(len(limits.channels)) < len(robot.joints), BOX_RAD, np.inf)
    limits = replace(limits, lowest=-reach, highest=reach, rate=peak_rates())
    conditions = Conditions(robot)
    return IntervalTask(MomentumDesignRows(Momentum(robot), conditions), conditions, limits, instants=instants)


def fourier_plan(guess: Robot, step_s: float, harmonics: int = 6) -> Plan:
    """A Fourier motion as long as the intervals, for the authors' guess: joints within a box about their start."""
    names, start, rates, noise = channels(guess), published_seeds()[0], peak_rates(), printed_noise()
    joints = len(guess.joints)
    ends = np.zeros((6, len(names)))
    ends[[0, 3]] = start
    limits: list[JointPosition | JointRate | WheelRate] = []
    for name, middle, rate in zip(names[:joints], start[:joints].tolist(), rates[:joints].tolist(), strict=True):
        limits += [JointPosition(name, middle - BOX_RAD, middle + BOX_RAD), JointRate(name, -rate, rate)]
    limits += [WheelRate(name, -rate, rate) for name, rate in zip(names[joints:], rates[joints:].tolist(), strict=True)]
    velocity = {"kind": "velocity", "axes": "body", "noise_m_s": noise["v"], "rate_Hz": 1.0 / step_s}
    sensors = (white_gyro(noise["w"], 1.0 / step_s), make_sensor("velocity", velocity))
    shape = Fourier(names, np.zeros((2 * harmonics, len(names))), DURATION_S, ends)
    return Plan(
        guess, shape, sensors, limits, prior=None, nuisances=Nuisances.none(), weights=WEIGHTS, model="momentum"
    )
