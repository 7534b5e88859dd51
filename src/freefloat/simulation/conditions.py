"""Under which conditions a flight goes: instants, the base at first, what wheels do, what pushes from outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, frozen_array, read_only
from freefloat.dynamics.orbit import Orbit
from freefloat.errors import FreefloatError, ShapeError
from freefloat.frozen import Content
from freefloat.robot.model import Robot

Wheels = Literal["held", "free", "hold-attitude"]


class CannotFly(FreefloatError):
    """A flight that cannot be simulated as asked."""


@dataclass(frozen=True, slots=True, eq=False)
class Start(Content):
    """The base, and what swings, at the first instant.

    attitude: quaternion of R_IB, scalar last. position: base origin, inertial axes [m].
    rate, velocity: of the base, in its own axes [rad/s, m/s]; None means what the momentum asks for.
    angular_momentum: of robot and wheels about the centre of mass, base axes at the first instant [N m s], where
        no rate is given; zero unless given. The linear momentum is zero unless a velocity is given.
    swing: position and rate of the passive joints, shape (2, passive) [rad or m, per s]; None for springs at rest.
    """

    attitude: Array = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    position: Array = field(default_factory=lambda: np.zeros(3))
    rate: Array | None = None
    velocity: Array | None = None
    angular_momentum: Array = field(default_factory=lambda: np.zeros(3))
    swing: Array | None = None

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
        if self.swing is not None:
            swing = np.asarray(self.swing, float)
            object.__setattr__(self, "swing", frozen_array(swing, (2, swing.shape[-1] if swing.ndim else 0)))

    def swing_of(self, robot: Robot) -> Array:
        """Position and rate of a robot's passive joints, shape (2, passive) [rad or m, per s]."""
        expected = (2, robot.passive.size)
        if self.swing is not None and self.swing.shape != expected:
            raise ShapeError(f"swing of a start must have shape {expected} for {robot.name}, found {self.swing.shape}")
        return np.zeros(expected) if self.swing is None else self.swing


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

    @property
    def orbit(self) -> Orbit:
        """The orbit, in inertial axes."""
        return Orbit(self.orbital_rate_rad_s, self.nadir, self.orbit_normal)

    def nadir_at(self, t: Array) -> Array:
        """Direction to the planet, inertial axes, shape (n, 3)."""
        return self.orbit.nadir_at(t - t[0])


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


def with_midpoints(t: Array) -> Array:
    """The times and those half-way between them, shape (2n - 1,)."""
    both = np.empty(2 * t.size - 1)
    both[::2], both[1::2] = t, 0.5 * (t[1:] + t[:-1])
    return both
