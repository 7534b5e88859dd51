"""A circular orbit, as far as a robot in it feels it: how fast the vertical turns, and where it points.

The planet pulls what is nearer to it more. On a body with the inertia I about its centre of mass that is the torque
3 n^2 e x I e, e towards the planet and n the orbital rate (P. C. Hughes, "Spacecraft Attitude Dynamics", 1986).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from freefloat.arrays import Array, frozen_array
from freefloat.errors import FreefloatError
from freefloat.frozen import Content

_EARTH_M3_S2, _EARTH_M = 3.986004418e14, 6378137.0  # WGS 84: of gravity; radius of the equator
_RIGHT = 1e-6  # of directions: how far from a right angle rounding in a file may leave them


class InvalidOrbit(FreefloatError):
    """A rate or directions that no orbit has."""


@dataclass(frozen=True, slots=True, eq=False)
class Orbit(Content):
    """A circular orbit of a rate [rad/s], zero for none.

    nadir, normal: directions to the planet and about which that turns, at right angles, (3,), in axes that do not turn
    and are those of the base at the first instant, unless said otherwise. They are made unit vectors.
    """

    rate_rad_s: float
    nadir: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    normal: Array = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))

    def __post_init__(self) -> None:
        for name in ("nadir", "normal"):
            given = frozen_array(getattr(self, name), (3,))
            object.__setattr__(self, name, frozen_array(given / max(float(np.linalg.norm(given)), 1e-300), (3,)))
        if not math.isfinite(self.rate_rad_s):
            raise InvalidOrbit(f"the rate of an orbit is {self.rate_rad_s} rad/s; allowed: a finite number")
        if not (self.nadir.any() and self.normal.any() and abs(self.nadir @ self.normal) < _RIGHT):
            raise InvalidOrbit("nadir and orbit_normal must be directions at right angles")

    @property
    def pull(self) -> float:
        """Three times the rate squared: the torque over nadir x I nadir [1/s^2]."""
        return 3.0 * self.rate_rad_s**2

    def nadir_at(self, since: Array) -> Array:
        """Direction to the planet at times since the first instant, (n,) [s], in the axes of then, shape (n, 3)."""
        angle = self.rate_rad_s * since[:, None]
        return np.cos(angle) * self.nadir + np.sin(angle) * np.cross(self.normal, self.nadir)

    def coasting(self, since: Array) -> tuple[Array, Array]:
        """Where a body coasts that flies near one on this orbit, in axes of the first instant that do not turn.

        By where it was at first against that one and by its velocity, at times since then, (n,) [s]; (n, 3, 3) each,
        the latter in s. To first order in the distance (W. H. Clohessy, R. S. Wiltshire, "Terminal guidance system for
        satellite rendezvous", 1960, after G. W. Hill).
        """
        if not self.rate_rad_s:
            return np.broadcast_to(np.eye(3), (since.size, 3, 3)), since[:, None, None] * np.eye(3)
        axes = np.stack([-self.nadir, np.cross(self.nadir, self.normal), self.normal])  # up, ahead, across
        n, angle = self.rate_rad_s, self.rate_rad_s * since
        s, c = np.sin(angle), np.cos(angle)

        def matrices(*rows: tuple[Array | float, ...]) -> Array:
            return np.stack([np.stack([each + 0.0 * since for each in row], axis=1) for row in rows], axis=1)

        by_place = matrices((4.0 - 3.0 * c, 0.0, 0.0), (6.0 * (s - angle), 1.0, 0.0), (0.0, 0.0, c))
        ahead = 2.0 * (1.0 - c)
        by_rate = matrices((s, ahead, 0.0), (-ahead, 4.0 * s - 3.0 * angle, 0.0), (0.0, 0.0, s)) / n
        turned = matrices((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))  # axes that turn with the vertical, back
        standing = n * np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])  # rates in those of what stands
        back = axes.T @ turned
        return back @ (by_place + by_rate @ standing) @ axes, back @ by_rate @ axes

    def later(self, since: float, turn: Array) -> Orbit:
        """The same from a later instant on [s]; turn: takes vectors from the axes so far to those then, (3, 3)."""
        return Orbit(self.rate_rad_s, turn @ self.nadir_at(np.array([since]))[0], turn @ self.normal)


def earth_orbit_rate(altitude_m: float) -> float:
    """Rate of a circular orbit at an altitude above the Earth's equator [m], in rad/s."""
    return math.sqrt(_EARTH_M3_S2 / (_EARTH_M + altitude_m) ** 3)
