"""The base motion of a flight, predicted from clusters, clock, joints and momentum, with its exact derivatives.

The law is that of `dynamics/reaction.py`, R = E at the first sample and H the angular momentum about the centre of mass
in the base axes of that instant; linear momentum is that of a frame moving with the centre of mass, so it is zero and v
is relative to that frame. Where H is not zero an error alpha of the attitude (R -> R exp alpha) adds:

    alpha' = -w x alpha + B (u x alpha) + g,      u = R^T H,

g being what a unit of each unknown changes in w at a given attitude. Pulses of thrusters add to H (`pushes.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics.attitude_kernels import turn_by_halves
from freefloat.dynamics.momentum_rows import spin_momentum, wheel_momentum
from freefloat.dynamics.reaction import Reaction, geometry_slopes, momentum_slopes, solve_base
from freefloat.estimate.column_kernels import spread_columns
from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import CurveErrors
from freefloat.estimate.pushes import AGREED, ROUNDS, Gained, Pushes, centre_of_mass, gained
from freefloat.motion.trajectory import Motion
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.geometry import PER_JOINT
from freefloat.robot.model import Robot
from freefloat.simulation.simulate import with_midpoints

_AT_ONCE = 8192  # instants, so that what is computed on the way takes little memory


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Instants at which the base is predicted, and half-way between them where its attitude is.

    t: shape (m,) [s]. spin: momentum of the wheels in base axes at them, shape (m, 3); spin_rate: its derivative.
    step: from one instant to the next in this grid.
    """

    t: Array
    spin: Array
    spin_rate: Array
    step: int

    @classmethod
    def of(cls, robot: Robot, flight: Flight, halves: bool) -> Grid:
        """The samples' own instants, or also those half-way."""
        t, wheels = with_midpoints(flight.t) if halves else flight.t, flight.wheel_rates
        return cls.at(robot, flight, t, 2 if halves else 1, None if wheels is None else wheels.at(t))

    @classmethod
    def at(
        cls,
        robot: Robot,
        flight: Flight,
        t: Array,
        step: int,
        wheels: tuple[Array, Array] | None,
        inertias: Array | None = None,
    ) -> Grid:
        """At times t, (m,) [s], with rates and accelerations of the wheels there, (m, wheels); None without any.

        inertias: of the wheels, (wheels,) [kg m^2]; those of the robot unless given.
        """
        if not robot.wheels or wheels is None:
            still = np.broadcast_to(spin_momentum(robot, flight.samples)[:1] * 0.0, (t.size, 3))
            return cls(t, still, still, step)
        spin, spin_rate = (wheel_momentum(robot, each, inertias) for each in wheels)
        return cls(t, spin, spin_rate, step)


@dataclass(frozen=True, slots=True, eq=False)
class Clock:
    """How joint time follows from base time: late by offset + drift (t - middle) [s]."""

    offset: float
    drift: float
    middle: float

    def joint_time(self, t: Array) -> Array:
        """When the joints moved as the base's sensors show it at t, shape (m,) [s]."""
        return t - self.offset - self.drift * (t - self.middle)


@dataclass(frozen=True, slots=True, eq=False)
class BaseMotion:
    """Predicted motion at the m instants of a grid.

    q, dq, ddq: joints, which move `scale` (dofs,) times as far as their curves. errors: of these. v, w: base, shape
    (m, 3). R: attitudes against the first, (m, 3, 3); identities where they are not predicted. u: R^T H,
    shape (m, 3). A: momentum matrix, (m, 6, 6 + dofs). B: velocities by angular momentum, (m, r, 3), r the number of
    velocities that the base can have. gained: what pulses gave; None without any.
    """

    grid: Grid
    q: Array
    dq: Array
    ddq: Array
    scale: Array
    errors: CurveErrors
    v: Array
    w: Array
    R: Array
    u: Array
    A: Array
    B: Array
    gained: Gained | None = None


@dataclass(frozen=True, slots=True, eq=False)
class JointErrors:
    """How joints move differently from their curves: (1 + scales) (curve + bends + zeros).

    zeros, scales: shape (dofs,). bends: coefficients of the errors of the curves.
    """

    zeros: Array
    scales: Array
    bends: Array

    @classmethod
    def none(cls, dofs: int) -> JointErrors:
        """Joints that move as their curves do."""
        return cls(np.zeros(dofs), np.zeros(dofs), np.zeros(0))

    def moved(self, motion: Motion, errors: CurveErrors) -> tuple[Array, Array, Array]:
        """Positions, rates and accelerations, shape (m, dofs) each; those of the curves, and how they may be wrong."""
        q, dq = motion.position + self.zeros, np.array(motion.rate)
        for joint in np.unique(errors.joint).tolist():
            own = errors.joint == joint
            q[:, joint] += errors.position[:, own] @ self.bends[own]
            dq[:, joint] += errors.rate[:, own] @ self.bends[own]
        scale = 1.0 + self.scales
        return read_only(q * scale), read_only(dq * scale), read_only(motion.acceleration * scale)


def predict(
    robot: Robot,
    joints: tuple[Motion, CurveErrors],
    grid: Grid,
    phi: Array,
    off: JointErrors,
    momentum: Array,
    pushes: Pushes | None = None,
) -> BaseMotion:
    """Predict.

    joints: their motion at the grid's instants, and how it may be wrong. phi: standard parameters, (10 bodies,).
    off: how the joints move differently. momentum: H at the grid's instants, (m, 3), but for what pushes add, which
    need attitudes.
    """
    motion, errors = joints
    q, dq, ddq = off.moved(motion, errors)
    reaction = Reaction.of(robot, q, dq, grid.spin, phi).checked()
    R, u, given = np.broadcast_to(np.eye(3), (q.shape[0], 3, 3)), np.zeros((q.shape[0], 3)), None
    if grid.step == 2:
        R = _attitudes(grid, reaction, momentum)
        if pushes is not None:
            R, given = _pushed_attitudes(grid, reaction, momentum, pushes, R)
            momentum = momentum + given.momentum
        u = np.einsum("kji,kj->ki", R, momentum)
    v, w = reaction.velocities(u)
    return BaseMotion(grid, q, dq, ddq, 1.0 + off.scales, errors, v, w, R, u, reaction.A, reaction.B, given)


def standing(robot: Robot, joints: tuple[Motion, CurveErrors], grid: Grid, off: JointErrors) -> BaseMotion:
    """The motion of a robot whose base stands: that of its joints."""
    motion, errors = joints
    q, dq, ddq = off.moved(motion, errors)
    n = len(q)
    still, R = np.zeros((n, 3)), np.broadcast_to(np.eye(3), (n, 3, 3))
    none = np.zeros((n, 6, 6 + q.shape[1]))
    return BaseMotion(grid, q, dq, ddq, 1.0 + off.scales, errors, still, still, R, still, none, np.zeros((n, 0, 3)))


def missing_momentum(B: Array, w: Array, rates: Array, R: Array, turning: NDArray[np.int64]) -> Array:
    """Angular momentum that a predicted motion lacks by measured rates, axes of the first instant, (3,) [N m s].

    Its mean over n instants. B, w: as predicted there, (n, r, 3) and (n, 3). rates: measured about the axes `turning`
    that the base can turn about, (n, k). R: attitudes, (n, 3, 3).
    """
    gain = B[:, B.shape[1] - turning.size :][:, :, turning]
    momentum = np.zeros((len(rates), 3, 1))
    momentum[:, turning] = np.linalg.solve(gain, (rates - w[:, turning])[:, :, None])
    return (R @ momentum)[..., 0].mean(axis=0)


def _attitudes(grid: Grid, reaction: Reaction, momentum: Array) -> Array:
    R = np.empty((grid.t.size, 3, 3))
    R[0] = np.eye(3)
    rest, gain = reaction.turning()
    turn_by_halves(grid.t, gain, rest, np.ascontiguousarray(momentum), R)
    return R


def _pushed_attitudes(
    grid: Grid, reaction: Reaction, momentum: Array, pushes: Pushes, R: Array
) -> tuple[Array, Gained]:
    """Attitudes under pushes and what these gave, from attitudes without them; the two are found in turn."""
    centre = centre_of_mass(reaction.A)
    for _ in range(ROUNDS):
        given, before = gained(pushes, R, centre), R
        R = _attitudes(grid, reaction, momentum + given.momentum)
        if np.abs(R - before).max() <= AGREED:
            break
    return R, gained(pushes, R, centre)


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """First columns, in a matrix of `count` unknowns, of what acts at one instant; -1 for what is not asked for."""

    count: int
    parameters: int = 0
    zeros: int = -1
    scales: int = -1
    bends: int = -1
    offset: int = -1
    drift: int = -1
    joints: int = -1  # positions, then rates, of the joints' curves at that instant

    def as_array(self) -> NDArray[np.int64]:
        """In the order of the compiled code."""
        places = (self.parameters, self.zeros, self.scales, self.bends, self.offset, self.drift, self.joints)
        return np.array(places, dtype=np.int64)


def sensitivities(
    robot: Robot,
    motion: BaseMotion,
    phi: Array,
    columns: NDArray[np.int64],
    present: NDArray[np.bool_],
    since: Array,
    targets: Targets,
    gain: Array,
) -> Array:
    """Derivatives of gain times the base's velocities at a given attitude, shape (m, rows, unknowns).

    columns: of the standard parameters that are unknown; present: which of all there are. since: factor of a clock's
    drift at each instant, (m,) [s]. gain: (rows, r), r the number of velocities that the base can have.
    """
    first = int(np.argmax(gain.any(axis=0)))  # what comes before is not asked for
    errors, G = motion.errors, np.empty((len(motion.q), gain.shape[0], targets.count))
    wide, allowed = np.ascontiguousarray(gain), allowed_rows(robot)
    for start in range(0, len(G), _AT_ONCE):
        own = slice(start, start + _AT_ONCE)
        moving = motion.q[own], motion.dq[own], motion.v[own], motion.w[own]
        K = momentum_slopes(robot, phi, motion.A[own], *moving, columns, present[columns])
        spread_columns(
            solve_base(motion.A[own], K, allowed, first),
            wide,
            columns.size,
            motion.q[own],
            motion.dq[own],
            motion.ddq[own],
            motion.scale,
            since[own],
            errors.joint,
            errors.position[own],
            errors.rate[own],
            targets.as_array(),
            G[own],
        )
    return G


def by_geometry(robot: Robot, tilts: Array, motion: BaseMotion, phi: Array, gain: Array) -> Array:
    """Derivatives of gain times the velocities by errors of the geometry, at a given attitude, (m, rows, 5 joints).

    tilts: as for `geometry_slopes`; all else as for `sensitivities`.
    """
    first = int(np.argmax(gain.any(axis=0)))
    found = np.empty((len(motion.q), len(gain), PER_JOINT * motion.q.shape[1]))
    for start in range(0, len(found), _AT_ONCE):
        own = slice(start, start + _AT_ONCE)
        D, _ = geometry_slopes(robot, tilts, phi, motion.q[own], motion.dq[own], motion.v[own], motion.w[own])
        found[own] = -(gain @ solve_base(motion.A[own], D, allowed_rows(robot), first))
    return found
