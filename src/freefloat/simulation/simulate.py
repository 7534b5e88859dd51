"""Flying a prescribed joint motion: the base reacts, wheels spin, thrusters push, springs swing.

The driven joints (and wheels) follow their trajectory exactly; what is simulated is the reaction of a free or planar
base, by conservation of momentum where nothing pushes and by its balance where something does. Where joints are
passive, they and the base are integrated together (`swinging.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, frozen_array
from freefloat.dynamics.attitude_kernels import propagate
from freefloat.dynamics.drive_torques import drive_loads, driven_dynamics
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates, momentum_matrix, wheel_momentum
from freefloat.dynamics.reaction import Reaction, base_accelerations
from freefloat.dynamics.rotors import rotor_momentum
from freefloat.dynamics.samples import Samples
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.base_axes import allowed_rows, turning_axes
from freefloat.robot.model import Robot
from freefloat.robot.parameters import inertia_entries
from freefloat.robot.rotations import rotations, turned
from freefloat.simulation.base_state import base_positions, free_inertia, free_rates, locked_bodies, start_states
from freefloat.simulation.conditions import (
    CannotFly,
    Disturbance,
    Pulse,
    Start,
    Wheels,
    instants,
    pulse_wrench,
    turns_freely,
    with_midpoints,
)
from freefloat.simulation.swinging import fly_swinging

__all__ = [
    "CannotFly",
    "Disturbance",
    "Pulse",
    "Start",
    "Wheels",
    "propagate_runs",
    "simulate_motion",
    "with_midpoints",
]


def simulate_motion(
    robot: Robot,
    motion: Trajectory,
    t: ArrayLike,
    start: Start | None = None,
    wheels: Wheels = "held",
    wheel_rates: ArrayLike | None = None,
    pulses: Sequence[Pulse] = (),
    disturbance: Disturbance | None = None,
    step_s: float | None = None,
) -> Samples:
    """The true motion at the times t (n,) [s]: joints as commanded, base reacting; torques of the motors.

    Passive joints swing; nobody commands them, and their torques are zero: what their springs give is no motor's.

    wheels: held at the trajectory's rates (constant where it has none), free and frictionless, or such that the base
        keeps its first attitude, whatever joints and pushes do.
    wheel_rates: relative rates at the first instant [rad/s], added to the trajectory's; (wheels,).
    step_s: longest step of a flight with passive joints [s]; None for one so short that what it misses is far below
        any sensor's noise. Without passive joints steps are the intervals of t.
    """
    times = instants(t)
    kept, begin = wheels == "hold-attitude", start or Start()
    if robot.passive.size:
        if kept:
            raise CannotFly(f"wheels cannot hold the attitude of {robot.name}, which swings; allowed: held, free")
        added = frozen_array(np.zeros(len(robot.wheels)) if wheel_rates is None else wheel_rates, (len(robot.wheels),))
        return fly_swinging(robot, motion, times, begin, turns_freely(wheels), added, pulses, disturbance, step_s)
    begin.swing_of(robot)
    common = (not kept and turns_freely(wheels), wheel_rates, pulses, disturbance)
    flight = _PrescribedFlight.of(robot, motion, times, begin, *common)
    return (flight.with_attitude_held() if kept else flight).fly()


@dataclass(frozen=True, slots=True, eq=False)
class _PrescribedFlight:
    """Everything the propagation needs, at the samples and half-way between them."""

    robot: Robot
    t: Array
    half: Samples  # joint and wheel motion at 2n - 1 instants
    start: Start
    free: bool
    wrench: Array
    disturbance: Disturbance

    @classmethod
    def of(
        cls,
        robot: Robot,
        trajectory: Trajectory,
        t: Array,
        start: Start,
        free: bool,
        wheel_rates: ArrayLike | None,
        pulses: Sequence[Pulse],
        disturbance: Disturbance | None,
    ) -> _PrescribedFlight:
        half = trajectory.samples(robot, with_midpoints(t))
        if wheel_rates is not None:
            added = frozen_array(wheel_rates, (len(robot.wheels),))
            half = replace(half, wheel_rates=half.need("wheel_rates", "wheels") + added)
        return cls(robot, t, half, start, free, pulse_wrench(t, pulses), disturbance or Disturbance())

    def with_attitude_held(self) -> _PrescribedFlight:
        """The same with wheels that take up all angular momentum which would turn the base.

        What joints and pushes ask of them is shared so that their rates change least.
        """
        robot, axes = self.robot, turning_axes(self.robot)
        gain = momentum_by_wheel_rates(robot)[axes]
        if np.linalg.matrix_rank(gain) < axes.size:
            raise CannotFly(
                "wheels cannot hold the attitude of this base; allowed: wheels about all axes it turns about"
            )
        if self.disturbance.orbital_rate_rad_s or (self.start.rate is not None and self.start.rate.any()):
            raise CannotFly("wheels hold the attitude of a base that starts at rest, without gravity gradient")
        body, rates = locked_bodies(robot, self.half), np.array(self.half.need("wheel_rates", "wheels"))
        com, h, R_IB = body[:, :3] / robot.mass, np.diff(self.t)[:, None], rotations([self.start.attitude])[0]
        spin = wheel_momentum(robot, rates) + self._rotors()
        own = body[:, 12:15] - np.cross(com, body[:, 9:12]) + spin
        force, moment = self.wrench[:, :3], self.wrench[:, 3:] + self.disturbance.torque_Nm @ R_IB
        begin, half, end = (moment - np.cross(c, force) for c in (com[:-2:2], com[1::2], com[2::2]))
        total = np.zeros_like(own)
        total[2::2] = np.cumsum(h / 6.0 * (begin + 4.0 * half + end), axis=0)
        total[1::2] = total[:-2:2] + h / 24.0 * (5.0 * begin + 8.0 * half - end)
        missing = self.start.angular_momentum + total - own
        moved = replace(self.half, wheel_rates=rates + missing[:, axes] @ np.linalg.pinv(gain).T)
        still = replace(self, half=moved)
        flown = still.fly()
        wheels = flown.need("wheel_accelerations", "wheels") + self._held_back(flown, gain)
        accelerations = np.empty_like(rates)
        accelerations[::2], accelerations[1::2] = wheels, 0.5 * (wheels[1:] + wheels[:-1])
        return replace(still, half=replace(moved, wheel_accelerations=accelerations))

    def _held_back(self, flown: Samples, gain: Array) -> Array:
        """Accelerations of wheels, beside those there are, that leave the base none of its own, (n, wheels)."""
        axes, n = turning_axes(self.robot), len(flown)
        reaction = Reaction.of(self.robot, flown.q, flown.need("dq", "wheels"), np.zeros((n, 3)))
        by_momentum = reaction.turning()[1][:, axes[:, None], axes]
        rate = np.linalg.solve(by_momentum, flown.need("dw", "wheels")[:, axes, None])[..., 0]
        return np.asarray(rate @ np.linalg.pinv(gain).T)

    def fly(self) -> Samples:
        whole = replace(self.half[::2], t=self.t)
        if self.robot.base == "fixed":
            return self._held(whole)
        body = locked_bodies(self.robot, self.half)
        spin, rotors = wheel_momentum(self.robot, self.half.need("wheel_rates", "wheels")), self._rotors()
        quaternion, state, x = (np.empty((1, self.t.size, width)) for width in (4, 9, 6))
        quaternion[0, 0] = self.start.attitude
        state[:, 0], rate = start_states(self.robot, [self.start], body[:1], spin[:1] + rotors[:1])
        if self.free:  # what a free wheel keeps is its own momentum along its axis
            spin[:] = spin[0] + turned(free_inertia(self.robot)[None], rate)
        surroundings = (self.robot, self.t, self.free, self.wrench, self.disturbance)
        propagate_runs(*surroundings, body[None], (spin + rotors)[None], quaternion, state, x)
        return self._samples(whole, body[::2], quaternion[0], state[0], x[0])

    def _rotors(self) -> Array:
        """Momentum of the rotors' spin, base axes, shape (2n - 1, 3)."""
        return rotor_momentum(self.robot, self.half.q, self.half.need("dq", "a flight"))

    def _held(self, whole: Samples) -> Samples:
        """On a fixed base, whose frame is the inertial one: nothing but torques and reactions to find."""
        still = np.zeros((self.t.size, 3))
        level = np.tile([0.0, 0.0, 0.0, 1.0], (self.t.size, 1))
        fixed = replace(whole, v=still, w=still, dv=still, dw=still, attitude=level, position=still)
        needed = driven_dynamics(self.robot, fixed)
        return replace(fixed, base_wrench=needed[:, :6], torques=needed[:, 6:])

    def _samples(self, whole: Samples, body: Array, quaternion: Array, state: Array, x: Array) -> Samples:
        R_IB = rotations(quaternion)
        com = body[:, :3] / self.robot.mass
        position = base_positions(self.robot, self.start.position, R_IB, com, state[:, 6:])
        flown = replace(whole, v=x[:, :3], w=x[:, 3:], attitude=quaternion, position=position)
        if self.free:
            rates = whole.need("wheel_rates", "wheels")
            flown = replace(flown, wheel_rates=free_rates(self.robot, rates[:1], x[:, 3:]))
        return self._with_accelerations(flown, R_IB, com)

    def _with_accelerations(self, flown: Samples, R_IB: Array, com: Array) -> Samples:
        """Add the base's accelerations, the wrench from outside and the joint torques."""
        robot, wrench = self.robot, self._external(flown, R_IB, com)
        free = free_inertia(robot) if self.free else None
        if self.free:
            flown = replace(flown, wheel_accelerations=np.zeros((len(flown), len(robot.wheels))))
        still = replace(flown, dw=np.zeros((len(flown), 3)))  # what rotors ask of the base does not depend on it
        dv, dw = base_accelerations(robot, flown, wrench - drive_loads(robot, still)[:, :6], free)
        moved = replace(flown, dv=dv, dw=dw)
        if self.free:
            moved = replace(moved, wheel_accelerations=-dw @ robot.wheel_axes.T)
        needed = driven_dynamics(robot, moved)
        across = np.delete(np.arange(6), allowed_rows(robot))  # where a planar base cannot go, its table pushes
        wrench[:, across] = needed[:, across]
        return replace(moved, base_wrench=wrench, torques=needed[:, 6:])

    def _external(self, flown: Samples, R_IB: Array, com: Array) -> Array:
        """Force and moment about the base origin from outside, but for gravity, base axes, (n, 6)."""
        wrench = self.wrench[np.minimum(np.arange(len(flown)), len(self.wrench) - 1)].copy()
        force = self.disturbance.force_N @ R_IB
        torque = self.disturbance.torque_Nm @ R_IB
        if self.disturbance.orbital_rate_rad_s:
            torque = torque + self._gravity_gradient(flown, R_IB, com)
        wrench[:, :3] += force
        wrench[:, 3:] += torque + np.cross(com, force)
        return wrench

    def _gravity_gradient(self, flown: Samples, R_IB: Array, com: Array) -> Array:
        nadir = np.einsum("kji,kj->ki", R_IB, self.disturbance.nadir_at(self.t))
        about_origin = momentum_matrix(self.robot, flown.q)[:, 3:, 3:6]
        offset = (com**2).sum(axis=1)[:, None, None] * np.eye(3) - com[:, :, None] * com[:, None, :]
        inertia = about_origin - self.robot.mass * offset
        pull = 3.0 * self.disturbance.orbital_rate_rad_s**2
        return pull * np.cross(nadir, np.einsum("kij,kj->ki", inertia, nadir))


def propagate_runs(
    robot: Robot,
    t: Array,
    free: bool,
    wrench: Array,
    disturbance: Disturbance,
    body: Array,
    spin: Array,
    quaternion: Array,
    state: Array,
    x: Array,
) -> None:
    """Fly runs that have everything but joint motion and start in common; `propagate` says what is filled."""
    outside = np.concatenate([disturbance.force_N + robot.mass * robot.gravity, disturbance.torque_Nm])
    inertia = inertia_entries(free_inertia(robot) if free else np.zeros((3, 3)))
    nadir = np.ascontiguousarray(disturbance.nadir_at(with_midpoints(t)))
    planar, gradient = robot.base == "planar", 3.0 * disturbance.orbital_rate_rad_s**2
    surroundings = (inertia, planar, wrench, outside, nadir, gradient)
    propagate(t, robot.mass, body, spin, *surroundings, quaternion, state, x)
