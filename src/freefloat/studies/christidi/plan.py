"""The servicer's experiment as a plan: a motion to be designed within what the published one reaches.

O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space manipulator
systems", Robotics and Autonomous Systems, 2022. The article prints no limits: those here are what its motion reaches.
"""

from __future__ import annotations

import numpy as np

from freefloat.dynamics.momentum_rows import momentum_matrix, wheel_momentum
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.excitation.limits.joint import JointPosition, JointRate
from freefloat.excitation.limits.limit import Limit
from freefloat.excitation.plan import Plan
from freefloat.robot.model import Robot
from freefloat.sensors.kinds import make_sensor
from freefloat.simulation.simulate import Start
from freefloat.studies.catalogue import published
from freefloat.studies.christidi.clusters import ZERO
from freefloat.studies.christidi.servicer import GYRO_RAD_S, STEP_S, STUDY, Servicer
from freefloat.studies.simulated import ENCODER_RAD, ON_PAPER, white_gyro


def christidi_plan(robot: Robot) -> Plan:
    """Three joints, a base that turns, wheels at constant rates, and the printed sensors."""
    servicer = Servicer(robot)
    motion, rate_Hz = servicer.motion, 1.0 / STEP_S
    walk = published(STUDY)["noise"]["accelerometer"]["velocity_random_walk_m_s_per_sqrt_h"]
    mounting = {"xyz_m": robot.point("joint1").xyz.tolist()}
    velocity = {"velocity_random_walk_m_s_per_sqrt_h": walk, "rate_Hz": rate_Hz, "mounting": mounting}
    sensors = (
        white_gyro(GYRO_RAD_S, rate_Hz),
        make_sensor("velocity", {"kind": "velocity"} | velocity),
        make_sensor("joints", {"kind": "encoder", "noise_rad": ENCODER_RAD, "rate_Hz": rate_Hz}),
    )
    return Plan(
        robot,
        motion,
        sensors,
        _as_far_as(servicer),
        zero=ZERO,
        prior=None,
        momentum=TotalMomentum.unknown(),
        nuisances=ON_PAPER,
        start=_start(servicer),
        wheel_rates=servicer.wheel_rates,
    )


def _as_far_as(servicer: Servicer) -> list[Limit]:
    """No further and no faster than the published motion."""
    reached, limits = servicer.motion.extremes(), list[Limit]()
    for k, name in enumerate(servicer.motion.channels):
        rate = float(reached.rate[k])
        limits.append(JointPosition(name, float(reached.lowest[k]), float(reached.highest[k])))
        limits.append(JointRate(name, -rate, rate))
    return limits


def _start(servicer: Servicer) -> Start:
    """The printed attitude and rate, linear momentum being zero."""
    robot, start = servicer.robot, servicer.start
    rate = np.asarray(start.rate)
    A = momentum_matrix(robot, np.zeros((1, len(robot.joints))))[0]
    velocity = -np.linalg.solve(A[:3, :3], A[:3, 3:6] @ rate)
    about_origin = (A[:, :6] @ np.append(velocity, rate))[3:]  # about the centre of mass too, as nothing drifts
    wheels = wheel_momentum(robot, servicer.wheel_rates)
    return Start(start.attitude, angular_momentum=about_origin + wheels)
