"""Torques from outside that nobody knows, and the angular momentum that they give, in the axes of the first instant.

One is constant in the axes of the orbit, which turn with the vertical, and in inertial ones where no orbit is given:
air, the field of the Earth. One is constant in base axes: the sun, a leak. One walks: straight lines between knots,
whose value at the first is zero and whose steps are independent, for what changes slowly. Momentum is linear in each;
only that of the one in base axes depends on the motion, and there on attitudes alone, which may be as they were
measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline, CubicSpline, make_interp_spline

from freefloat.arrays import Array
from freefloat.dynamics.orbit import Orbit
from freefloat.estimate.flight import Flight
from freefloat.estimate.likelihood.drag import DragMomentum
from freefloat.estimate.likelihood.measured_turn import instants_through, turned_attitudes
from freefloat.estimate.unknowns import BASE_TORQUE, DRAG, EXTERNAL_TORQUE, TORQUE_WALK, drag_entries
from freefloat.robot.rotations import cross_matrices
from freefloat.sensors.measured import Measured, span_of
from freefloat.sensors.walks import KNOTS


class OutsideTorque(Protocol):
    """A torque that is linear in k unknowns. since: times since the first reading of all, (m,) [s]."""

    def momentum(self, since: Array) -> Array:
        """That a unit of each has given by then, shape (m, 3, k)."""

    def torque(self, since: Array) -> Array:
        """Its rate of change, shape (m, 3, k)."""


def changed(torque: OutsideTorque, by_momentum: Array, since: Array) -> Array:
    """What units of the unknowns change in r quantities that angular momentum changes so, (m, r, 3): (m, r, k)."""
    if isinstance(torque, WalkingTorque):  # of which many unknowns act along one axis each
        along, each = by_momentum @ torque.axes, torque.gained(since)
        return np.asarray((along[..., None] * each[:, None, None, :]).reshape(*along.shape[:2], -1))
    return np.asarray(by_momentum @ torque.momentum(since))


@dataclass(frozen=True, slots=True, eq=False)
class OrbitTorque:
    """Constant in axes that turn at a rate [rad/s] about a normal, (3,), and are those of the first instant there.

    axes: those along which there are unknowns, columns of the identity, (3, k).
    """

    rate_rad_s: float
    normal: Array
    axes: Array

    @classmethod
    def of(cls, orbit: Orbit | None, axes: Array) -> OrbitTorque:
        """In the axes of an orbit, or in inertial ones without any."""
        return cls(0.0, np.array([0.0, 1.0, 0.0]), axes) if orbit is None else cls(orbit.rate_rad_s, orbit.normal, axes)

    def momentum(self, since: Array) -> Array:
        """Shape (m, 3, k) [s]: the integral of the rotation, by series' quotients where the angle is small."""
        half = 0.5 * self.rate_rad_s * since
        sine, cosine = since * np.sinc(2.0 * half / np.pi), half * since * np.sinc(half / np.pi) ** 2
        return self._turned(since, sine, cosine)

    def torque(self, since: Array) -> Array:
        """Shape (m, 3, k): the rotation."""
        angle = self.rate_rad_s * since
        return self._turned(np.ones_like(since), np.cos(angle), np.sin(angle))

    def _turned(self, along: Array, across: Array, ahead: Array) -> Array:
        own = np.outer(self.normal, self.normal)
        parts = np.stack([own, np.eye(3) - own, cross_matrices(self.normal[None])[0]]) @ self.axes
        return np.asarray(np.einsum("pm,pik->mik", np.stack([along, across, ahead]), parts))


@dataclass(frozen=True, slots=True, eq=False)
class BaseTorque:
    """Constant in base axes. course, gained: splines of the attitude and of its integral, (3, k) [1, s]."""

    course: CubicSpline
    gained: CubicSpline

    @classmethod
    def of(cls, name: str, measured: Mapping[str, Measured], axes: Array) -> BaseTorque:
        """Of a flight with measured attitude or rates; axes: as of `OrbitTorque`."""
        t = instants_through(measured)
        course = CubicSpline(t - t[0], turned_attitudes(name, measured, t) @ axes)
        return cls(course, course.antiderivative())

    def momentum(self, since: Array) -> Array:
        """Shape (m, 3, k) [s]."""
        return np.asarray(self.gained(since))

    def torque(self, since: Array) -> Array:
        """Shape (m, 3, k)."""
        return np.asarray(self.course(since))


@dataclass(frozen=True, slots=True, eq=False)
class WalkingTorque:
    """Straight lines between knots, in the axes of the first instant; unknowns knot by knot of each axis in turn.

    course, gained: splines of the lines and of their integrals, (knots - 1,) [1, s]. axes: as of `OrbitTorque`.
    """

    course: BSpline
    gained: BSpline
    axes: Array

    @classmethod
    def of(cls, measured: Mapping[str, Measured], axes: Array) -> WalkingTorque:
        """With knots from the first reading of all to the last."""
        begin, end = span_of(measured)
        course = make_interp_spline(np.linspace(0.0, end - begin, KNOTS), np.eye(KNOTS)[:, 1:], k=1)
        return cls(course, course.antiderivative(), axes)

    def momentum(self, since: Array) -> Array:
        """Shape (m, 3, k) [s]."""
        return self._along(self.gained, since)

    def torque(self, since: Array) -> Array:
        """Shape (m, 3, k)."""
        return self._along(self.course, since)

    def _along(self, spline: BSpline, since: Array) -> Array:
        each = np.asarray(spline(since))
        return (self.axes[:, :, None] * each[:, None, None, :]).reshape(since.size, 3, -1)


def outside_torques(
    flight: Flight, turning: NDArray[np.int64], place: Callable[[str], slice | None]
) -> tuple[tuple[slice, OutsideTorque], ...]:
    """Those of a flight, with the places of their unknowns.

    turning: numbers of the axes about which the base turns. place: where the flight's unknowns of a kind are.
    """
    axes, measured = np.eye(3)[:, turning], flight.measured
    makers: dict[str, Callable[[], OutsideTorque]] = {
        EXTERNAL_TORQUE: lambda: OrbitTorque.of(flight.orbit, axes),
        BASE_TORQUE: lambda: BaseTorque.of(flight.name, measured, axes),
        TORQUE_WALK: lambda: WalkingTorque.of(measured, axes),
        DRAG: lambda: DragMomentum.of(measured, drag_entries(turning)),
    }
    places = ((place(kind), make) for kind, make in makers.items())
    return tuple((own, make()) for own, make in places if own is not None)
