"""Flights step by step: what flies, what drives its joints and what acts on it, compiled block by block.

A block holds what is commanded at every step, so that what a long flight needs stays small. Joints are driven by
motors or, where a flight prescribes them, are where the command has them; springs hold passive ones in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics.drive_torques import driven_dynamics
from freefloat.dynamics.momentum_rows import wheel_momentum
from freefloat.dynamics.rotors import rotor_momentum
from freefloat.dynamics.samples import Samples
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import rotations
from freefloat.simulation.base_state import locked_bodies, start_states
from freefloat.simulation.conditions import CannotFly, Disturbance, Pulse, Start, pulse_wrench, with_midpoints
from freefloat.simulation.controlled_kernels import POINTS_OF_SIX, Course, Mechanism, Motors, fly
from freefloat.simulation.drives import motor_inertia

_BLOCK = 10_000  # steps whose command is held in memory at a time

Orders = Callable[[Array], tuple[Samples, Array]]
_FLOWN = ("q", "dq", "ddq", "v", "w", "dv", "dw", "attitude", "position", "torques")


@dataclass(frozen=True, slots=True, eq=False)
class TorqueFlight:
    """What flies, how it is driven, and what acts on it; `every` steps between samples.

    prescribed: joints that are where the command has them, whatever that takes, shape (k,).
    """

    robot: Robot
    t: Array
    every: int
    motors: Motors
    prescribed: NDArray[np.int64]
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
        prescribed: NDArray[np.int64] | None = None,
    ) -> TorqueFlight:
        """A flight with steps of at most step_s, in which no joint is prescribed unless said."""
        if not step_s > 0.0:
            raise CannotFly(f"step_s is {step_s:g}; allowed: more than zero")
        every = max(1, int(np.ceil(np.diff(t).max() / step_s * (1.0 - 1e-12))))
        given = np.array([] if prescribed is None else prescribed, dtype=np.int64)
        return cls(robot, t, every, motors, given, free, pulse_wrench(t, pulses), disturbance or Disturbance())

    def fly(self, first: Samples, orders: Orders, held: Array) -> Samples:
        """Fly from the first state; `orders` says what is commanded and fed forward at the times it is asked."""
        motor_inertia(self.robot, self.motors, first.q, self._solved)  # or there is nothing to drive
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

    @property
    def _solved(self) -> NDArray[np.int64]:
        """Joints that are not prescribed."""
        return np.setdiff1d(np.arange(len(self.robot.joints)), self.prescribed)

    @property
    def _six(self) -> bool:
        """Whether steps are of order six: springs swing on for long."""
        return self.robot.passive.size > 0

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """First and last sample of blocks that are short enough."""
        samples = max(1, _BLOCK // self.every)
        for begin in range(0, self.t.size - 1, samples):
            yield begin, min(begin + samples, self.t.size - 1)

    def _course(self, begin: int, end: int, orders: Orders, held: Array) -> Course:
        t, inside = read_only(self.t[begin : end + 1]), slice(begin, end)
        points = _points(t, self.every, self._six)
        command, feed = orders(points)
        push = self.disturbance
        return Course(
            t,
            self.every,
            self._six,
            command.q,
            command.need("dq", "a flight"),
            command.need("ddq", "a flight"),
            read_only(feed),
            read_only(held[inside]),
            command.need("wheel_rates", "wheels"),
            command.need("wheel_accelerations", "wheels"),
            read_only(self.wrench[inside]),
            read_only(np.concatenate([push.force_N, push.torque_Nm])),
            read_only(push.nadir_at(np.append(self.t[:1], points))[1:]),
            3.0 * push.orbital_rate_rad_s**2,
        )

    def _block(self, course: Course, first: Samples) -> Samples:
        """Fly one block."""
        robot, n, joints, wheels = self.robot, course.t.size, len(self.robot.joints), len(self.robot.wheels)
        mechanism = Mechanism(
            robot.tree.arrays,
            read_only(robot.parameters.reshape(-1, PER_BODY)),
            np.concatenate([allowed_rows(robot), 6 + self._solved]),
            self.prescribed,
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
        torques[:, robot.passive] = 0.0  # what their springs give is no motor's
        return self._samples(course, attitude, state, rates, torques)

    def _samples(self, course: Course, attitude: Array, state: Array, rates: Array, torques: Array) -> Samples:
        joints, points = len(self.robot.joints), len(POINTS_OF_SIX) if self._six else 2
        whole = slice(None, None, points * self.every)
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


def _points(t: Array, every: int, six: bool) -> Array:
    """Ends of the steps, `every` equal ones in each interval, and the points between that the method looks at."""
    inner = t[:-1, None] + np.diff(t)[:, None] * (np.arange(every) / every)
    steps = np.append(inner.ravel(), t[-1])
    if not six:
        return with_midpoints(steps)
    return np.append((steps[:-1, None] + np.diff(steps)[:, None] * POINTS_OF_SIX).ravel(), steps[-1])


def first_state(robot: Robot, start: Start, command: Samples) -> Samples:
    """The first state: driven joints as commanded, passive ones and the base as the start says."""
    still = np.zeros((1, 3))
    q, dq = np.array(command.q), np.array(command.need("dq", "a flight"))
    q[:, robot.passive], dq[:, robot.passive] = start.swing_of(robot)
    command = replace(command, q=q, dq=dq)
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


def _asked(course: Course, motors: Motors, first: Samples) -> Array:
    """What the controllers ask of the motors at first, which is what lagging motors begin with."""
    error, slip = course.q[0] - first.q[0], course.dq[0] - first.need("dq", "a flight")[0]
    asked = course.feed[0] + course.held[0] + motors.stiffness * error + motors.damping * slip
    return np.clip(asked, -motors.limit, motors.limit)
