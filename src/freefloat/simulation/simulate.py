"""Flying a prescribed joint motion: the base reacts, wheels spin, thrusters push.

The joints (and wheels) follow their trajectory exactly; what is simulated is the reaction of a free or planar
base, by conservation of momentum where nothing pushes and by its balance where something does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, frozen_array, read_only
from freefloat.dynamics.attitude_kernels import propagate
from freefloat.dynamics.drive_torques import drive_loads, driven_dynamics
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates, momentum_matrix, wheel_momentum
from freefloat.dynamics.reaction import Reaction, base_accelerations
from freefloat.dynamics.rotors import rotor_momentum
from freefloat.dynamics.samples import Samples
from freefloat.errors import FreefloatError, ShapeError
from freefloat.frozen import Content
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.base_axes import allowed_rows, turning_axes
from freefloat.robot.model import Robot
from freefloat.robot.parameters import inertia_entries
from freefloat.robot.rotations import rotations, turned
from freefloat.simulation.base_state import base_positions, free_inertia, free_rates, locked_bodies

Wheels = Literal["held", "free", "hold-attitude"]


class CannotFly(FreefloatError):
    """A flight that cannot be simulated as asked."""


@dataclass(frozen=True, slots=True, eq=False)
class Start(Content):
    """The base at the first instant.

    attitude: quaternion of R_IB, scalar last. position: base origin, inertial axes [m].
    rate, velocity: of the base, in its own axes [rad/s, m/s]; None means what the momentum asks for.
    angular_momentum: of robot and wheels about the centre of mass, base axes at the first instant [N m s], where
        no rate is given; zero unless given. The linear momentum is zero unless a velocity is given.
    """

    attitude: Array = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    position: Array = field(default_factory=lambda: np.zeros(3))
    rate: Array | None = None
    velocity: Array | None = None
    angular_momentum: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        attitude = frozen_array(self.attitude, (4,))
        size = float(np.linalg.norm(attitude))
        if not size > 0.0:
            raise ShapeError("the attitude of a start must be a quaternion that is not zero")
        object.__setattr__(self, "attitude", frozen_array(attitude / size, (4,)))
        for name in ("position", "rate", "velocity", "angular_momentum"):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, frozen_array(values, (3,)))


@dataclass(frozen=True, slots=True, eq=False)
class Pulse:
    """A thruster's push: a constant force [N] in base axes at a point of the base [m], for a while [s].

    Each interval of the simulation gets the part of the impulse that falls into it, so that none is lost.
    relative_sd: how well the force is known, over itself.
    """

    start_s: float
    duration_s: float
    force_N: Array
    point_m: Array = field(default_factory=lambda: np.zeros(3))
    relative_sd: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "force_N", frozen_array(self.force_N, (3,)))
        object.__setattr__(self, "point_m", frozen_array(self.point_m, (3,)))
        if not self.duration_s > 0.0:
            raise CannotFly(f"a pulse lasts {self.duration_s} s; allowed: more than zero")
        if not 0.0 <= self.relative_sd < np.inf:
            raise CannotFly(f"the force of a pulse is known to {self.relative_sd}; allowed: zero or more")

    @property
    def end_s(self) -> float:
        """When it ends [s]."""
        return self.start_s + self.duration_s

    @property
    def thruster(self) -> tuple[float, ...]:
        """What two pulses of one thruster have in common: force, point, and so the error of the force."""
        return (*self.force_N.tolist(), *self.point_m.tolist(), self.relative_sd)

    def wrench(self, t: Array) -> Array:
        """Mean force and moment about the base origin over each interval of t, shape (n - 1, 6)."""
        overlap = np.minimum(t[1:], self.end_s) - np.maximum(t[:-1], self.start_s)
        share = np.maximum(overlap, 0.0) / np.diff(t)
        return share[:, None] * np.concatenate([self.force_N, np.cross(self.point_m, self.force_N)])


@dataclass(frozen=True, slots=True, eq=False)
class Disturbance:
    """What else acts on the robot as a whole.

    force_N, torque_Nm: constant in inertial axes, at and about the centre of mass.
    orbital_rate_rad_s: of a circular orbit, for the gravity gradient; zero for none.
    nadir, orbit_normal: directions at the first instant, at right angles, inertial axes.
    """

    force_N: Array = field(default_factory=lambda: np.zeros(3))
    torque_Nm: Array = field(default_factory=lambda: np.zeros(3))
    orbital_rate_rad_s: float = 0.0
    nadir: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    orbit_normal: Array = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))

    def __post_init__(self) -> None:
        for name in ("force_N", "torque_Nm", "nadir", "orbit_normal"):
            values = frozen_array(getattr(self, name), (3,))
            if name in ("nadir", "orbit_normal"):
                values = frozen_array(values / max(float(np.linalg.norm(values)), 1e-300), (3,))
            object.__setattr__(self, name, values)
        if not (self.nadir.any() and self.orbit_normal.any() and abs(self.nadir @ self.orbit_normal) < 1e-9):
            raise CannotFly("nadir and orbit_normal must be directions at right angles")

    def nadir_at(self, t: Array) -> Array:
        """Direction to the planet, inertial axes, shape (n, 3)."""
        angle = self.orbital_rate_rad_s * (t - t[0])[:, None]
        across = np.cross(self.orbit_normal, self.nadir)
        return np.cos(angle) * self.nadir + np.sin(angle) * across


def simulate_motion(
    robot: Robot,
    motion: Trajectory,
    t: ArrayLike,
    start: Start | None = None,
    wheels: Wheels = "held",
    wheel_rates: ArrayLike | None = None,
    pulses: Sequence[Pulse] = (),
    disturbance: Disturbance | None = None,
) -> Samples:
    """The true motion at the times t (n,) [s]: joints as commanded, base reacting; torques of the motors.

    wheels: held at the trajectory's rates (constant where it has none), free and frictionless, or such that the base
        keeps its first attitude, whatever joints and pushes do.
    wheel_rates: relative rates at the first instant [rad/s], added to the trajectory's; (wheels,).
    """
    times = instants(t)
    kept, begin = wheels == "hold-attitude", start or Start()
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


def instants(t: ArrayLike) -> Array:
    """Times of a flight, shape (n,), or one sentence saying what is wrong."""
    times = read_only(t)
    if times.ndim != 1 or times.size < 2 or not (np.diff(times) > 0.0).all():
        raise CannotFly("a flight needs at least two instants, in increasing order")
    return times


def turns_freely(wheels: Wheels) -> bool:
    """Whether the wheels are free, or one sentence on what they can be; they hold the attitude in one flight only."""
    if wheels not in ("held", "free"):
        whole = f"allowed: {', '.join(get_args(Wheels))}"
        allowed = "allowed here: held, free" if wheels == "hold-attitude" else whole
        raise CannotFly(f"wheels are {wheels!r}; {allowed}")
    return wheels == "free"


def pulse_wrench(t: Array, pulses: Sequence[Pulse]) -> Array:
    """Mean force and moment about the base origin of all pulses over each interval of t, shape (n - 1, 6)."""
    wrench = np.zeros((t.size - 1, 6))
    for pulse in pulses:
        wrench += pulse.wrench(t)
    return wrench


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


def with_midpoints(t: Array) -> Array:
    """The times and those half-way between them, shape (2n - 1,)."""
    both = np.empty(2 * t.size - 1)
    both[::2], both[1::2] = t, 0.5 * (t[1:] + t[:-1])
    return both


def start_states(robot: Robot, starts: Sequence[Start], body: Array, spin: Array) -> tuple[Array, Array]:
    """Linear, angular momentum, centre of mass at the start, inertial axes (runs, 9); base rates (runs, 3).

    body (runs, 15) and spin (runs, 3): the robot as one locked body and its wheels' momentum, base axes.
    """
    mass, com, p = robot.mass, body[:, :3] / robot.mass, body[:, 9:12]
    square = (com * com).sum(axis=1)[:, None, None] * np.eye(3)
    inertia = body[:, [[3, 4, 6], [4, 5, 7], [6, 7, 8]]] - mass * (square - com[:, :, None] * com[:, None, :])
    joints = body[:, 12:15] - np.cross(com, p) + spin
    axes = turning_axes(robot)
    rate, angular, linear = np.zeros_like(com), np.zeros_like(com), np.zeros_like(com)
    angular[:, axes] = np.array([start.angular_momentum for start in starts])[:, axes]
    missing = (angular - joints)[:, axes, None]
    rate[:, axes] = np.linalg.solve(inertia[:, axes[:, None], axes], missing)[..., 0]
    turns = [run for run, start in enumerate(starts) if start.rate is not None]
    for run in turns:
        rate[run, axes] = np.asarray(starts[run].rate)[axes]
    angular[turns] = (turned(inertia, rate) + joints)[turns]
    for run, start in enumerate(starts):
        if start.velocity is not None:
            linear[run] = mass * (start.velocity + np.cross(rate[run], com[run])) + p[run]
    R_IB = rotations([start.attitude for start in starts])
    centre = np.array([start.position for start in starts]) + turned(R_IB, com)
    return np.hstack([turned(R_IB, linear), turned(R_IB, angular), centre]), rate
