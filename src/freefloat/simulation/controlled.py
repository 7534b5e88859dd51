"""Torque-level flight: motors drive the joints, and what they do is not quite what was commanded.

Each joint has a controller that follows the command (by its errors in position and rate, with or without a
model's inverse dynamics ahead of them), a motor that is limited and may lag, and friction. A long flight is
compiled code block by block, so that what is needed at every step stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, frozen_array, read_only
from freefloat.dynamics.drive_torques import driven_dynamics
from freefloat.dynamics.momentum_rows import wheel_momentum
from freefloat.dynamics.rotors import rotor_momentum
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import rotations
from freefloat.simulation.base_state import locked_bodies
from freefloat.simulation.controlled_kernels import Course, Mechanism, Motors, fly
from freefloat.simulation.drives import Drives, fastest_rate, motor_inertia
from freefloat.simulation.simulate import (
    CannotFly,
    Disturbance,
    Pulse,
    Start,
    Wheels,
    instants,
    pulse_wrench,
    simulate_motion,
    start_states,
    turns_freely,
    with_midpoints,
)

_LONGEST_STEP_S = 0.01
_POSTURES = 32  # of the command, at which the stiffness of the drives is looked at
_BLOCK = 10_000  # steps whose command is held in memory at a time

Orders = Callable[[Array], tuple[Samples, Array]]
_FLOWN = ("q", "dq", "ddq", "v", "w", "dv", "dw", "attitude", "position", "torques")


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

    The joints begin as commanded. torques are those of the motors: inverse dynamics, rotors and friction,
    as the robot's joints have them.
    start, wheels, wheel_rates, pulses, disturbance: as for `simulate_motion`.
    step_s: longest step [s]; None for a hundredth of a second, or less where the drives are stiff.
    """
    times, begin, motors = instants(t), start or Start(), drives.motors(robot)
    if step_s is None:
        some = np.linspace(0, times.size - 1, min(times.size, _POSTURES)).round().astype(int)
        fastest = fastest_rate(robot, motors, motion.samples(robot, times[some]).q)
        step_s = min(_LONGEST_STEP_S, 1.0 / fastest) if fastest > 0.0 else _LONGEST_STEP_S
    added = frozen_array(np.zeros(len(robot.wheels)) if wheel_rates is None else wheel_rates, (len(robot.wheels),))
    ahead = None if drives.model is None else _Ahead(drives.model, motion, begin, wheels, added)

    def commanded(at: Array) -> Samples:
        command = motion.samples(robot, at)
        return replace(command, wheel_rates=command.need("wheel_rates", "wheels") + added)

    def orders(half: Array) -> tuple[Samples, Array]:
        return commanded(half), np.zeros((half.size, len(robot.joints))) if ahead is None else ahead.torques(half)

    flight = _DrivenFlight.of(robot, times, step_s, motors, turns_freely(wheels), pulses, disturbance)
    first = _first(robot, begin, commanded(times[:1]))
    return flight.fly(first, orders, np.zeros((times.size - 1, len(robot.joints))))


def simulate_torques(
    robot: Robot,
    t: ArrayLike,
    torques: ArrayLike,
    first: Samples,
    wheels: Wheels = "held",
    pulses: Sequence[Pulse] = (),
    disturbance: Disturbance | None = None,
    step_s: float = _LONGEST_STEP_S,
) -> Samples:
    """The true motion at the times t (n,) [s] under given joint torques, constant over each interval.

    torques: shape (n - 1, joints) [N m or N]. first: its first sample is the state to start from.
    wheels: held at their rates, or free. pulses, disturbance: as for `simulate_motion`.
    step_s: longest step [s].
    """
    times, held, joints = instants(t), read_only(torques), len(robot.joints)
    first.check(robot)
    if held.shape != (times.size - 1, joints):
        raise ShapeError(f"torques must have shape ({times.size - 1}, {joints}), found {held.shape}")
    rates = np.zeros((1, len(robot.wheels))) if first.wheel_rates is None else first.wheel_rates[:1]

    def orders(half: Array) -> tuple[Samples, Array]:
        still, spins = np.zeros((half.size, joints)), np.repeat(rates, half.size, axis=0)
        return Samples(q=still, dq=still, wheel_rates=spins, wheel_accelerations=np.zeros_like(spins)), still

    motors = Drives(torque_limit=np.inf).motors(robot)
    flight = _DrivenFlight.of(robot, times, step_s, motors, turns_freely(wheels), pulses, disturbance)
    return flight.fly(_begun(robot, first, rates), orders, held)


class _Ahead:
    """The flight of the model that a controller assumes, along the command, block by block."""

    def __init__(self, model: Robot, trajectory: Trajectory, start: Start, wheels: Wheels, rates: Array) -> None:
        self.model, self.trajectory, self.wheels = model, trajectory, wheels
        self.start, self.rates = start, rates

    def torques(self, half: Array) -> Array:
        """Joint torques of the model at these times, which begin where the last ones ended."""
        flown = simulate_motion(self.model, self.trajectory, half, self.start, self.wheels, self.rates)
        last = {name: flown.need(name, "a flight")[-1] for name in ("attitude", "position", "w", "v")}
        self.start = Start(*last.values())
        if self.wheels == "free":
            commanded = self.trajectory.samples(self.model, half[-1:]).need("wheel_rates", "wheels")[0]
            self.rates = flown.need("wheel_rates", "wheels")[-1] - commanded
        return flown.need("torques", "feed-forward")


@dataclass(frozen=True, slots=True, eq=False)
class _DrivenFlight:
    """What flies, how it is driven, and what acts on it; `every` steps between samples."""

    robot: Robot
    t: Array
    every: int
    motors: Motors
    free: bool
    wrench: Array
    disturbance: Disturbance

    @classmethod
    def of(
        cls,
        robot: Robot,
        t: Array,
        step_s: float,
        motors: Motors,
        free: bool,
        pulses: Sequence[Pulse],
        disturbance: Disturbance | None,
    ) -> _DrivenFlight:
        if not step_s > 0.0:
            raise CannotFly(f"step_s is {step_s:g}; allowed: more than zero")
        every = max(1, int(np.ceil(np.diff(t).max() / step_s * (1.0 - 1e-12))))
        return cls(robot, t, every, motors, free, pulse_wrench(t, pulses), disturbance or Disturbance())

    def fly(self, first: Samples, orders: Orders, held: Array) -> Samples:
        """Fly from the first state; `orders` says what is commanded and fed forward at the times it is asked."""
        motor_inertia(self.robot, self.motors, first.q)  # or there is nothing to drive
        parts = []
        for begin, end in self._blocks():
            course = self._course(begin, end, orders, held)
            flown = self._block(course, first)
            parts.append(flown if end == self.t.size - 1 else flown[:-1])
            first = flown[-1:]
        names = (*_FLOWN, "wheel_rates", "wheel_accelerations")
        whole = {name: np.concatenate([part.need(name, "a flight") for part in parts]) for name in names}
        flown = Samples(t=self.t, **whole)
        return replace(flown, base_wrench=driven_dynamics(self.robot, flown)[:, :6])

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """First and last sample of blocks that are short enough."""
        samples = max(1, _BLOCK // self.every)
        for begin in range(0, self.t.size - 1, samples):
            yield begin, min(begin + samples, self.t.size - 1)

    def _course(self, begin: int, end: int, orders: Orders, held: Array) -> Course:
        t, inside = read_only(self.t[begin : end + 1]), slice(begin, end)
        half = with_midpoints(_refined(t, self.every))
        command, feed = orders(half)
        push = self.disturbance
        return Course(
            t,
            self.every,
            command.q,
            command.need("dq", "a flight"),
            read_only(feed),
            read_only(held[inside]),
            command.need("wheel_rates", "wheels"),
            command.need("wheel_accelerations", "wheels"),
            read_only(self.wrench[inside]),
            read_only(np.concatenate([push.force_N, push.torque_Nm])),
            read_only(push.nadir_at(np.append(self.t[:1], half))[1:]),
            3.0 * push.orbital_rate_rad_s**2,
        )

    def _block(self, course: Course, first: Samples) -> Samples:
        """Fly one block."""
        robot, n, joints, wheels = self.robot, course.t.size, len(self.robot.joints), len(self.robot.wheels)
        mechanism = Mechanism(
            robot.tree.arrays,
            read_only(robot.parameters.reshape(-1, PER_BODY)),
            allowed_rows(robot),
            read_only(robot.gravity),
            read_only(robot.wheel_axes),
            read_only(robot.wheel_inertias),
            self.free,
        )
        attitude, torques = np.empty((n, 4)), np.empty((n, joints))
        state, rates = np.empty((n, 12 + 3 * joints + wheels)), np.empty((n, 12 + 3 * joints + wheels))
        attitude[0] = first.need("attitude", "a flight")[0]
        parts = [first.need(name, "a flight")[0] for name in ("position", "v", "w", "q", "dq", "wheel_rates")]
        motor = _asked(course, self.motors, first) if first.torques is None else first.torques[0]
        state[0] = np.concatenate([np.zeros(3), *parts[:5], motor, parts[5]])
        fly(mechanism, self.motors, course, attitude, state, rates, torques)
        if not (np.isfinite(state).all() and np.isfinite(rates).all()):
            longest = np.diff(course.t).max() / self.every
            raise CannotFly(f"the motion does not stay finite with steps of {longest:g} s; shorter ones may help")
        return self._samples(course, attitude, state, rates, torques)

    def _samples(self, course: Course, attitude: Array, state: Array, rates: Array, torques: Array) -> Samples:
        joints, whole = len(self.robot.joints), slice(None, None, 2 * self.every)
        q, dq, wheel = slice(12, 12 + joints), slice(12 + joints, 12 + 2 * joints), slice(12 + 3 * joints, None)
        return Samples(
            q=state[:, q],
            dq=state[:, dq],
            ddq=rates[:, dq],
            v=state[:, 6:9],
            w=state[:, 9:12],
            dv=rates[:, 6:9],
            dw=rates[:, 9:12],
            attitude=attitude,
            position=state[:, 3:6],
            wheel_rates=state[:, wheel] if self.free else course.wheel_rates[whole],
            wheel_accelerations=rates[:, wheel] if self.free else course.wheel_rises[whole],
            torques=torques,
        )


# ---------------------------------------------------------------------- steps and starts


def _refined(t: Array, every: int) -> Array:
    """The times with each interval divided into `every` equal steps."""
    inner = t[:-1, None] + np.diff(t)[:, None] * (np.arange(every) / every)
    return np.append(inner.ravel(), t[-1])


def _first(robot: Robot, start: Start, command: Samples) -> Samples:
    """The first state: joints as commanded, the base as the start says."""
    still = np.zeros((1, 3))
    if robot.base == "fixed":
        level = np.array([[0.0, 0.0, 0.0, 1.0]])
        return replace(command, v=still, w=still, attitude=level, position=still)
    body, rates = locked_bodies(robot, command), command.need("wheel_rates", "wheels")
    spin = wheel_momentum(robot, rates) + rotor_momentum(robot, command.q, command.need("dq", "a flight"))
    state, w = start_states(robot, [start], body, spin)
    linear = state[:, :3] @ rotations(start.attitude[None])[0]
    v = (linear - body[:, 9:12]) / robot.mass - np.cross(w, body[:, :3] / robot.mass)
    if robot.base == "planar":
        v[:, 2] = 0.0
    return replace(command, v=v, w=w, attitude=start.attitude[None], position=start.position[None])


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


def _asked(course: Course, motors: Motors, first: Samples) -> Array:
    """What the controllers ask of the motors at first, which is what lagging motors begin with."""
    error, slip = course.q[0] - first.q[0], course.dq[0] - first.need("dq", "a flight")[0]
    asked = course.feed[0] + course.held[0] + motors.stiffness * error + motors.damping * slip
    return np.clip(asked, -motors.limit, motors.limit)
