"""Prescribed flights of robots with passive joints: driven joints follow their trajectory, springs and base react.

Momentum alone does not say how the base moves while something swings. So all that is not prescribed is integrated
step by step, by the law of torque-level flights, whatever motors need for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.drive_torques import driven_dynamics
from freefloat.dynamics.samples import Samples
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.simulation.conditions import Disturbance, Pulse, Start
from freefloat.simulation.drives import Drives, swing_step
from freefloat.simulation.torque_flight import TorqueFlight, first_state

_POSTURES = 32  # of the command, at which it is looked at how fast springs swing


def fly_swinging(
    robot: Robot,
    motion: Trajectory,
    t: Array,
    start: Start,
    free: bool,
    added_rates: Array,
    pulses: Sequence[Pulse],
    disturbance: Disturbance | None,
    step_s: float | None,
) -> Samples:
    """The true motion at the times t (n,) [s]; torques of the motors of driven joints, zero for passive ones.

    free: whether the wheels are. added_rates: of the wheels, beside the trajectory's, shape (wheels,) [rad/s].
    """

    def orders(points: Array) -> tuple[Samples, Array]:
        command = motion.samples(robot, points)
        rates = command.need("wheel_rates", "wheels") + added_rates
        return replace(command, wheel_rates=rates), np.zeros(command.q.shape)

    motors = Drives(torque_limit=np.inf).motors(robot)
    if step_s is None:
        some = np.linspace(0, t.size - 1, min(t.size, _POSTURES)).round().astype(int)
        step_s = swing_step(robot, motors, motion.samples(robot, t[some]).q, robot.passive)
    flight = TorqueFlight.of(robot, t, step_s, motors, free, pulses, disturbance, robot.driven)
    first = first_state(robot, start, orders(t[:1])[0])
    flown = flight.fly(first, orders, np.zeros((t.size - 1, len(robot.joints))))
    needed = driven_dynamics(robot, flown)[:, 6:]
    needed[:, robot.passive] = 0.0
    return replace(flown, torques=needed)
