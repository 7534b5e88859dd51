"""What pulses of thrusters do in a flight: the momentum that they give, linear and angular, and how that changes.

A pulse is a force F in base axes at a point x of the base while it lasts, known but for an error e of its thruster.
With R the attitude against the first instant and c the centre of mass in base axes, linear momentum and angular
momentum about the centre of mass gain, in the axes of the first instant,

    J = integral of (1 + e) R F,      integral of (1 + e) R ((x - c) x F)

and the centre of mass the velocity J / M: this is how a push weighs the robot. Attitude follows momentum and the push
follows attitude, so that the two are found in turn; a pulse turns the base so little while it lasts that a few rounds
do. Integrals are those of parabolas through three instants, between which a pulse is on or off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.simulation.simulate import Pulse

ROUNDS = 30  # at most
AGREED = 1e-13  # of attitudes from round to round; of their changes, over these


@dataclass(frozen=True, slots=True, eq=False)
class Pushes:
    """Pulses over the instants of a grid and half-way between them.

    t: of both, shape (m,) [s], m = 2 n - 1. each: of every pulse, mean force and moment about the base origin over each
    interval, base axes, (pulses, n - 1, 6). factor: of every pulse's force, one and its thruster's error, (pulses,).
    """

    t: Array
    each: Array
    factor: Array

    @classmethod
    def of(cls, pulses: Sequence[Pulse], errors: Array, t: Array) -> Pushes:
        """Of pulses with errors of their forces, shape (pulses,), at times t and half-way, shape (m,) [s]."""
        return cls(t, np.stack([pulse.wrench(t[::2]) for pulse in pulses]), 1.0 + errors)

    @property
    def wrench(self) -> Array:
        """Of all pulses, shape (n - 1, 6)."""
        return np.einsum("p,pni->ni", self.factor, self.each)

    @property
    def on(self) -> NDArray[np.intp]:
        """Intervals in which something pushes."""
        return np.flatnonzero(self.each.any(axis=(0, 2)))

    def in_three(self, values: Array) -> Array:
        """Values at all instants, (m, ...), at both ends of intervals that are on and half-way, (k, 3, ...)."""
        first = 2 * self.on
        return np.stack([values[first], values[first + 1], values[first + 2]], axis=1)

    def once(self, values: Array) -> Array:
        """Integral from the first instant on at all instants, (m, ...), of values as `in_three` has them."""
        f, h = values, self._lengths(values)
        found = np.zeros((self.t.size, *values.shape[2:]))
        found[2 * self.on + 2] = h / 6.0 * (f[:, 0] + 4.0 * f[:, 1] + f[:, 2])
        found = np.cumsum(found, axis=0)
        found[2 * self.on + 1] += h / 24.0 * (5.0 * f[:, 0] + 8.0 * f[:, 1] - f[:, 2])
        return found

    def twice(self, values: Array) -> Array:
        """The same integrated once more, at the instants alone, (n, ...)."""
        once, h = self.once(values)[::2], np.diff(self.t[::2])
        steps = once[:-1] * h.reshape(-1, *[1] * (values.ndim - 2))
        own = self._lengths(values)
        steps[self.on] += own**2 / 6.0 * (values[:, 0] + 2.0 * values[:, 1])
        return np.concatenate([np.zeros_like(once[:1]), np.cumsum(steps, axis=0)])

    def _lengths(self, values: Array) -> Array:
        return np.diff(self.t[::2])[self.on].reshape(-1, *[1] * (values.ndim - 2))

    def moment(self, centre: Array, wrench: Array | None = None) -> Array:
        """About the centre of mass (m, 3), base axes, as `in_three` has it, (k, 3, 3); wrench: of all unless given."""
        own = (self.wrench if wrench is None else wrench)[self.on, None]
        return own[..., 3:] - np.cross(self.in_three(centre), own[..., :3])

    def at_instants(self, centre: Array) -> tuple[Array, Array]:
        """Force and moment about the centre of mass (m, 3), base axes, at instants, (n, 3); at an edge, of after."""
        wrench = np.concatenate([self.wrench, np.zeros((1, 6))])
        return wrench[:, :3], wrench[:, 3:] - np.cross(centre[::2], wrench[:, :3])


@dataclass(frozen=True, slots=True, eq=False)
class Gained:
    """What pulses gave, in the axes of the first instant.

    momentum: angular, about the centre of mass, (m, 3) [N m s]. impulse: linear momentum, (m, 3) [N s]. way: its
    integral at the instants, (n, 3) [N s^2]. centre: of mass, base axes, (m, 3) [m].
    """

    pushes: Pushes
    momentum: Array
    impulse: Array
    way: Array
    centre: Array


def gained(pushes: Pushes, R: Array, centre: Array) -> Gained:
    """What pulses give a base with attitudes R (m, 3, 3)."""
    R3 = pushes.in_three(R)
    force = (R3 @ pushes.wrench[pushes.on, None, :3, None])[..., 0]
    moment = (R3 @ pushes.moment(centre)[..., None])[..., 0]
    return Gained(pushes, pushes.once(moment), pushes.once(force), pushes.twice(force), centre)


def centre_of_mass(A: Array) -> Array:
    """Centre of mass in base axes, shape (m, 3) [m], of momentum matrices (m, 6, ...), in which its moment is."""
    return np.stack([A[:, 1, 5], A[:, 2, 3], A[:, 0, 4]], axis=1) / A[:, :1, 0]
