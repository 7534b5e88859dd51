"""What really happened, at any instant: the motion that sensors look at.

A simulation gives states at its own instants; a sensor asks at others. In between, whatever has a known rate
is a cubic that meets values and rates at both ends (Hermite), so that the error falls with the fourth power of
the step; attitude likewise, as a rotation from one instant's attitude by a cubic rotation vector. What has no
known rate is a cubic spline, broken where two instants stand so close that they are the two sides of a jump (a
thruster fires); torques, which may jump anywhere, are joined by straight lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.robot.model import Robot
from freefloat.robot.rotations import conjugate, quaternion_product, quaternions, rotation_vectors, rotations, turned

_JUMP = 1e-3  # of the usual step: two instants this close are the two sides of a jump
_OF_JOINTS = ("q", "dq", "ddq", "torques")
_RATE_OF = {"q": "dq", "dq": "ddq", "v": "dv", "w": "dw", "wheel_rates": "wheel_accelerations"}


@dataclass(frozen=True, slots=True)
class Layout:
    """The names that joint and wheel sensors speak of; passive joints are not among them, nothing measures these.

    joints, wheels: in the order of q and of the wheel rates of a `Truth`. slides: which joints are prismatic.
    """

    joints: tuple[str, ...] = ()
    slides: tuple[bool, ...] = ()
    wheels: tuple[str, ...] = ()

    @classmethod
    def of(cls, robot: Robot) -> Layout:
        """That of a robot."""
        slides = tuple(robot.joints[k].kind == "prismatic" for k in robot.driven)
        return cls(robot.driven_names, slides, tuple(wheel.name for wheel in robot.wheels))


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The motion of a robot between its first and its last sample.

    samples: with `t`, strictly increasing, at least two of them; sensors say what else they need. Of joints, those of
        the layout.
    layout: names of joints and wheels.
    gravity: in inertial axes, shape (3,) [m/s^2]; accelerometers feel its absence.
    """

    samples: Samples
    layout: Layout = field(default_factory=Layout)
    gravity: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        t = self.samples.need("t", "a sensor")
        if t.size < 2 or not (np.diff(t) > 0.0).all():
            raise ShapeError("a sensor needs at least two samples of the motion, at increasing times")

    @classmethod
    def of(cls, robot: Robot, samples: Samples) -> Truth:
        """The motion of this robot; of its joints the driven ones."""
        samples.check(robot)
        if robot.passive.size:
            joints = {name: getattr(samples, name) for name in _OF_JOINTS}
            seen = {name: values[:, robot.driven] for name, values in joints.items() if values is not None}
            samples = replace(samples, **seen)
        return cls(samples, Layout.of(robot), robot.gravity)

    @property
    def span_s(self) -> tuple[float, float]:
        """First and last instant [s]."""
        t = self.samples.need("t", "a sensor")
        return float(t[0]), float(t[-1])

    def at(self, name: str, times: Array) -> Array:
        """One of the arrays of the samples at these times, shape (times, k)."""
        if name == "attitude":
            return self._attitude(times)
        t, x = self.samples.need("t", "a sensor"), self.samples.need(name, "a sensor")
        if _same_times(t, times):
            return x
        if name == "torques":
            return _straight(t, x, times)
        rate = self._rate_of(name)
        return _spline(t, x, times) if rate is None else _hermite(t, x, rate, times)

    def _rate_of(self, name: str) -> Array | None:
        v, attitude = self.samples.v, self.samples.attitude
        if name == "position":
            return None if v is None or attitude is None else turned(rotations(attitude), v)
        return getattr(self.samples, _RATE_OF[name]) if name in _RATE_OF else None

    def _attitude(self, times: Array) -> Array:
        """Quaternions, shape (times, 4)."""
        t, attitude = self.samples.need("t", "a sensor"), self.samples.need("attitude", "a sensor")
        unit = attitude / np.linalg.norm(attitude, axis=1, keepdims=True)
        i, s, step = _place(t, times)
        whole = rotation_vectors(quaternion_product(conjugate(unit[i]), unit[i + 1]))
        turn = s * whole
        if self.samples.w is not None:
            start = step * self.samples.w[i]
            end = step * _rate_of_rotation_vector(whole, self.samples.w[i + 1])
            turn = s * (1 - s) ** 2 * start + s**2 * (3 - 2 * s) * whole - s**2 * (1 - s) * end
        return quaternion_product(unit[i], quaternions(turn))

    def rotation(self, times: Array) -> Array:
        """R_IB at these times, shape (times, 3, 3)."""
        return rotations(self._attitude(times))

    def velocity_of(self, point: Array, times: Array) -> Array:
        """Velocity of a point fixed in the base, base axes, shape (times, 3) [m/s]; point: shape (3,) [m]."""
        velocity = self.at("v", times)
        return velocity + np.cross(self.at("w", times), point) if point.any() else velocity


def _same_times(t: Array, times: Array) -> bool:
    """Whether a sensor samples when the simulation did, rounding aside: then there is nothing between samples."""
    return t.size == times.size and bool(np.abs(t - times).max() <= 1e-15 * max(abs(t[0]), abs(t[-1])))


def _place(t: Array, times: Array) -> tuple[NDArray[np.intp], Array, Array]:
    """The interval in which each time lies, how far along it (0 to 1, shape (n, 1)), and its length."""
    i = np.clip(np.searchsorted(t, times, side="right") - 1, 0, t.size - 2)
    step = (t[i + 1] - t[i])[:, None]
    return i, (times - t[i])[:, None] / step, step


def _straight(t: Array, x: Array, times: Array) -> Array:
    i, s, _ = _place(t, times)
    return (1 - s) * x[i] + s * x[i + 1]


def _spline(t: Array, x: Array, times: Array) -> Array:
    """A cubic spline through each stretch between jumps, and a straight line across each jump."""
    from scipy.interpolate import CubicSpline

    steps = np.diff(t)
    edges = np.flatnonzero(steps < _JUMP * np.median(steps))
    starts, ends = np.concatenate([[0], edges + 1]), np.concatenate([edges, [t.size - 1]])
    values = _straight(t, x, times)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        inside = (times >= t[start]) & (times <= t[end])
        inside |= ((times < t[0]) & (start == 0)) | ((times > t[-1]) & (end == t.size - 1))
        if end > start and inside.any():
            values[inside] = CubicSpline(t[start : end + 1], x[start : end + 1])(times[inside])
    return values


def _hermite(t: Array, x: Array, rate: Array, times: Array) -> Array:
    i, s, step = _place(t, times)
    rise = x[i] + s**2 * (3 - 2 * s) * (x[i + 1] - x[i])
    return rise + step * s * (1 - s) * ((1 - s) * rate[i] - s * rate[i + 1])


# ---------------------------------------------------------------------- quaternions (x, y, z, w), last axis


def _rate_of_rotation_vector(turn: Array, w: Array) -> Array:
    """The rate of the rotation vector at which the body turns with w (body axes), shape (n, 3).

    The inverse of the right Jacobian: w + turn x w / 2 + c turn x (turn x w), c = (1 - a/2 cot(a/2)) / a^2.
    """
    a = np.sqrt((turn**2).sum(axis=1, keepdims=True))
    safe = np.maximum(a, 1e-3)
    c = np.where(a > 1e-3, (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2, 1 / 12 + a**2 / 720)
    once = np.cross(turn, w)
    return w + 0.5 * once + c * np.cross(turn, once)
