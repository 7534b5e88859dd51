"""Torque-level flight: motors drive the joints, and what they do is not quite what was commanded.

Each joint has a controller that follows the command (by its errors in position and rate, with or without a
model's inverse dynamics ahead of them), a motor that is limited and may lag, and friction. Passive joints have
none of that: their springs alone drive them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, frozen_array, read_only
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.simulation.conditions import CannotFly, Disturbance, Pulse, Start, Wheels, instants, turns_freely
from freefloat.simulation.drives import Drives, fastest_rate, swing_step
from freefloat.simulation.simulate import simulate_motion
from freefloat.simulation.torque_flight import TorqueFlight, first_state

_POSTURES = 32  # of the command, at which the stiffness of the drives is looked at


def simulate_controlled(
    robot: Robot,
    motion: Trajectory,
    t: ArrayLike,
    drives: Drives,
    start: Start | None = None,
    wheels: Wheels = "held",
    wheel_rates: ArrayLike | None = None,
    pulses: Sequence[Pulse] = (),
    disturbance: Disturbance | None = None,
    step_s: float | None = None,
) -> Samples:
    """The true motion at the times t (n,) [s] when motors make the joints follow a trajectory.

    The driven joints begin as commanded, passive ones as the start says. torques are those of the motors: inverse
    dynamics, rotors and friction, as the robot's joints have them; zero for passive joints.
    start, wheels, wheel_rates, pulses, disturbance: as for `simulate_motion`.
    step_s: longest step [s]; None for a hundredth of a second, or less where drives or springs are stiff.
    """
    times, begin, motors = instants(t), start or Start(), drives.motors(robot)
    if step_s is None:
        some = np.linspace(0, times.size - 1, min(times.size, _POSTURES)).round().astype(int)
        postures = motion.samples(robot, times[some]).q
        fastest = fastest_rate(robot, motors, postures)
        step_s = min(swing_step(robot, motors, postures), 1.0 / fastest if fastest > 0.0 else np.inf)
    added = frozen_array(np.zeros(len(robot.wheels)) if wheel_rates is None else wheel_rates, (len(robot.wheels),))
    ahead = None if drives.model is None else _Ahead.of(robot, drives.model, motion, begin, wheels, added)

    def commanded(at: Array) -> Samples:
        command = motion.samples(robot, at)
        return replace(command, wheel_rates=command.need("wheel_rates", "wheels") + added)

    def orders(points: Array) -> tuple[Samples, Array]:
        feed = np.zeros((points.size, len(robot.joints)))
        if ahead is not None:
            feed[:, robot.driven] = ahead.torques(points)
        return commanded(points), feed

    flight = TorqueFlight.of(robot, times, step_s, motors, turns_freely(wheels), pulses, disturbance)
    first = first_state(robot, begin, commanded(times[:1]))
    return flight.fly(first, orders, np.zeros((times.size - 1, len(robot.joints))))


def simulate_torques(
    robot: Robot,
    t: ArrayLike,
    torques: ArrayLike,
    first: Samples,
    wheels: Wheels = "held",
    pulses: Sequence[Pulse] = (),
    disturbance: Disturbance | None = None,
    step_s: float | None = None,
) -> Samples:
    """The true motion at the times t (n,) [s] under given joint torques, constant over each interval.

    torques: shape (n - 1, joints) [N m or N], zero for passive joints. first: its first sample is the state to start
        from. wheels: held at their rates, or free. pulses, disturbance: as for `simulate_motion`.
    step_s: longest step [s]; None for a hundredth of a second, or less where springs are stiff.
    """
    times, held, joints = instants(t), read_only(torques), len(robot.joints)
    first.check(robot)
    if held.shape != (times.size - 1, joints):
        raise ShapeError(f"torques must have shape ({times.size - 1}, {joints}), found {held.shape}")
    if held[:, robot.passive].any():
        raise CannotFly(f"torques of passive joints of {robot.name} are not zero; allowed: zero, nobody drives them")
    rates = np.zeros((1, len(robot.wheels))) if first.wheel_rates is None else first.wheel_rates[:1]

    def orders(points: Array) -> tuple[Samples, Array]:
        still, spins = np.zeros((points.size, joints)), np.repeat(rates, points.size, axis=0)
        return Samples(q=still, dq=still, ddq=still, wheel_rates=spins, wheel_accelerations=np.zeros_like(spins)), still

    motors = Drives(torque_limit=np.inf).motors(robot)
    if step_s is None:
        step_s = swing_step(robot, motors, first.q[:1])
    flight = TorqueFlight.of(robot, times, step_s, motors, turns_freely(wheels), pulses, disturbance)
    return flight.fly(_begun(robot, first, rates), orders, held)


class _Ahead:
    """The flight of the model that a controller assumes, along the command, block by block."""

    def __init__(self, model: Robot, trajectory: Trajectory, start: Start, wheels: Wheels, rates: Array) -> None:
        self.model, self.trajectory, self.wheels = model, trajectory, wheels
        self.start, self.rates = start, rates

    @classmethod
    def of(
        cls, robot: Robot, model: Robot, trajectory: Trajectory, start: Start, wheels: Wheels, rates: Array
    ) -> _Ahead:
        """The model begins as the robot does; if it does not swing at all, as it does without."""
        if model.driven.size != robot.driven.size:
            raise ShapeError(
                f"the controller's model drives {model.driven.size} joints; allowed: as many as {robot.name}, "
                f"{robot.driven.size}"
            )
        swings = model.passive.size == robot.passive.size
        return cls(model, trajectory, start if swings else replace(start, swing=None), wheels, rates)

    def torques(self, points: Array) -> Array:
        """Torques of the model's driven joints at these times, which begin where the last ones ended."""
        flown = simulate_motion(self.model, self.trajectory, points, self.start, self.wheels, self.rates)
        names = ("attitude", "position", "w", "v", "q", "dq")
        attitude, position, w, v, q, dq = (flown.need(name, "a flight")[-1] for name in names)
        self.start = Start(attitude, position, w, v, swing=np.stack([q, dq])[:, self.model.passive])
        if self.wheels == "free":
            commanded = self.trajectory.samples(self.model, points[-1:]).need("wheel_rates", "wheels")[0]
            self.rates = flown.need("wheel_rates", "wheels")[-1] - commanded
        return flown.need("torques", "feed-forward")[:, self.model.driven]


def _begun(robot: Robot, first: Samples, rates: Array) -> Samples:
    """The first of some samples as a complete state."""
    v, w = first.base_twist(robot, "a flight")
    level, still = np.array([[0.0, 0.0, 0.0, 1.0]]), np.zeros((1, 3))
    attitude = level if first.attitude is None else first.attitude[:1]
    return Samples(
        q=first.q[:1],
        dq=first.need("dq", "a flight")[:1],
        v=v[:1],
        w=w[:1],
        attitude=attitude / np.linalg.norm(attitude),
        position=still if first.position is None else first.position[:1],
        wheel_rates=rates,
    )
