"""The motion of a base as readings see it: what they predict from, what they are differentiated by, the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from freefloat.arrays import Array


class TurningBase(Protocol):
    """The predicted rates of a base at the n samples of a flight, and how they change with k unknowns."""

    @property
    def t(self) -> Array:
        """Instants of the samples, shape (n,) [s]."""

    @property
    def w(self) -> Array:
        """Angular velocity, base axes, shape (n, 3) [rad/s]."""

    def rates_by_unknowns(self, gain: Array) -> Array:
        """Derivative of gain (rows, turning axes) times the rates about the axes that turn, (n, rows, k), to keep."""


class MovingBase(TurningBase, Protocol):
    """The same of its whole predicted motion.

    Readings ask only for what they need, so that the rest need not be computed.
    """

    @property
    def R(self) -> Array:
        """Attitude against that of the first sample, shape (n, 3, 3)."""

    @property
    def v(self) -> Array:
        """Velocity of the base's origin relative to the robot's centre of mass, base axes, shape (n, 3) [m/s]."""

    @property
    def integral(self) -> Array:
        """Of R over time, from the first sample on, shape (n, 3, 3) [s]."""

    @property
    def centre(self) -> Array:
        """Centre of mass in base axes, shape (n, 3) [m]."""

    @property
    def velocity_by_unknowns(self) -> Array:
        """Derivative of v along the axes that slide, shape (n, sliding axes, k)."""

    @property
    def turn_by_unknowns(self) -> Array:
        """Derivative of the attitude, as a small rotation in base axes, shape (n, 3, k)."""

    @property
    def centre_by_unknowns(self) -> Array:
        """Derivative of the centre of mass, shape (n, 3, k)."""

    @property
    def pushed_velocity(self) -> Array | None:
        """Of the centre of mass by pulses of thrusters, axes of the first sample, (n, 3) [m/s]; None without any."""

    @property
    def pushed_velocity_by_unknowns(self) -> Array:
        """Derivative of that velocity, where there is one, shape (n, 3, k)."""

    @property
    def pushed_way(self) -> Array | None:
        """The integral of that velocity, shape (n, 3) [m]; None without any."""

    @property
    def pushed_way_by_unknowns(self) -> Array:
        """Derivative of that way, where there is one, shape (n, 3, k)."""

    @property
    def joint_rates(self) -> Array:
        """Rates of the joints, shape (n, joints) [rad/s or m/s]."""

    @property
    def joint_rates_by_unknowns(self) -> Array:
        """Derivative of these, shape (n, joints, k)."""

    @property
    def joint_torques(self) -> Array:
        """What motors give to the joints of a robot on the ground, shape (n, joints) [N m or N]."""

    @property
    def joint_torques_by_unknowns(self) -> Array:
        """Derivative of these, shape (n, joints, k)."""


@dataclass(frozen=True, slots=True, eq=False)
class PulledBack:
    """Derivatives of one number by a moving base: by its changes and by itself; None for those that are zero.

    by_rates, by_velocity, by_turn, by_centre_change: by the derivatives of the same names, shaped as they are.
    w, centre: (n, 3). turn: by a small rotation of R in base axes, (n, 3). integral: (n, 3, 3).
    """

    by_rates: Array | None = None
    by_velocity: Array | None = None
    by_turn: Array | None = None
    by_centre_change: Array | None = None
    w: Array | None = None
    centre: Array | None = None
    turn: Array | None = None
    integral: Array | None = None
