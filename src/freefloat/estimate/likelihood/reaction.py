"""The base motion that joints and wheels cause, predicted from clusters, with its exact derivatives.

    x = (v, w) = A_b^-1 ([0; R^T H] - A_q dq - [0; wheels]),      dR/dt = R [w]

in base axes, with R = E at the first sample and H the angular momentum about the centre of mass in the base axes
of that instant; linear momentum is that of a frame moving with the centre of mass, so it is zero and v is
relative to that frame. At a given right-hand side dx/dphi = -A_b^-1 K(q, dq, x). Where H is not zero an error
alpha of the attitude (R -> R exp alpha) adds: with u = R^T H,

    alpha' = -w x alpha + B (u x alpha) + g,      B = A_b^-1 [0; E],

g being what a unit of each unknown changes in w at a given attitude.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.errors import FreefloatError
from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import CurveErrors, JointCurves, Remembered
from freefloat.estimate.likelihood import reaction_kernels as compiled
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY

_SINGULAR = 1e-12


class NotPossible(FreefloatError):
    """Parameters with which the base has no inertia: no motion can be predicted."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Instants of a flight: its samples, and half-way between them where attitude is predicted.

    t: shape (m,) [s]. spin: momentum of the wheels in base axes at them, shape (m, 3). step: from one sample to
    the next in this grid.
    """

    t: Array
    spin: Array
    step: int

    @classmethod
    def of(cls, robot: Robot, flight: Flight, halves: bool) -> Grid:
        """The samples' own instants, or also those half-way."""
        samples, t = flight.samples, flight.t
        spin = np.zeros((t.size, 3))
        if robot.wheels:
            rates = samples.need("wheel_rates", "the wheels' momentum")
            spin = (rates * robot.wheel_inertias) @ robot.wheel_axes
        if not halves:
            return cls(t, spin, 1)
        fine = np.empty(2 * t.size - 1)
        fine[::2], fine[1::2] = t, 0.5 * (t[1:] + t[:-1])
        between = np.empty((fine.size, 3))
        between[::2], between[1::2] = spin, 0.5 * (spin[1:] + spin[:-1])
        if robot.wheels and samples.wheel_accelerations is not None:
            change = (samples.wheel_accelerations * robot.wheel_inertias) @ robot.wheel_axes
            between[1::2] += np.diff(t)[:, None] / 8.0 * (change[:-1] - change[1:])
        return cls(fine, between, 2)


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

    q, dq, ddq: joints. v, w: base, shape (m, 3). R: attitudes against the first, (m, 3, 3); identities where they
    are not predicted. u: R^T H, shape (m, 3). A: momentum matrix, (m, 6, 6 + dofs). B: velocities by angular
    momentum, (m, r, 3), r the number of velocities that the base can have.
    """

    grid: Grid
    q: Array
    dq: Array
    ddq: Array
    errors: CurveErrors
    v: Array
    w: Array
    R: Array
    u: Array
    A: Array
    B: Array


def predict(
    robot: Robot,
    curves: JointCurves | Remembered,
    grid: Grid,
    phi: Array,
    clock: Clock,
    zeros: Array,
    bends: Array,
    momentum: Array,
) -> BaseMotion:
    """Predict.

    phi: standard parameters, (10 bodies,). zeros: of the joints, (dofs,). bends: coefficients of the errors of
    the joints' curves. momentum: H at the grid's instants, (m, 3).
    """
    motion, errors = curves.with_errors(clock.joint_time(grid.t))
    q, dq = motion.position + zeros, np.array(motion.rate)
    for joint in np.unique(errors.joint).tolist():
        own = errors.joint == joint
        q[:, joint] += errors.position[:, own] @ bends[own]
        dq[:, joint] += errors.rate[:, own] @ bends[own]
    q, dq = read_only(q), read_only(dq)
    A = np.empty((q.shape[0], 6, 6 + q.shape[1]))
    kernels.locked(robot.tree.arrays, q, read_only(phi).reshape(-1, PER_BODY), A)
    allowed = allowed_rows(robot)
    columns = np.zeros((q.shape[0], 6, 4))
    columns[:, :, 0] = -(A[:, :, 6:] @ dq[:, :, None])[..., 0]
    columns[:, 3:, 0] -= grid.spin
    columns[:, [3, 4, 5], [1, 2, 3]] = 1.0
    solved = solve_base(A, columns, allowed)
    B, R, u = solved[:, :, 1:], np.broadcast_to(np.eye(3), (q.shape[0], 3, 3)), np.zeros((q.shape[0], 3))
    x = np.zeros((q.shape[0], 6))
    x[:, allowed] = solved[:, :, 0]
    if grid.step == 2:
        R = _attitudes(grid, allowed, B, x[:, 3:], momentum)
        u = np.einsum("kji,kj->ki", R, momentum)
        x[:, allowed] += np.einsum("kij,kj->ki", B, u)
    v, w = read_only(x[:, :3]), read_only(x[:, 3:])
    return BaseMotion(grid, q, dq, motion.acceleration, errors, v, w, R, u, A, B)


def solve_base(A: Array, columns: Array, allowed: NDArray[np.int64], first: int = 0) -> Array:
    """A_b^-1 of columns (m, 6, k) for what the base can do, shape (m, r, k); rows before the `first` are not done."""
    whole = allowed.size == 6
    inner = np.array(A[:, :, :6]) if whole else A[:, allowed[:, None], allowed]
    right = np.ascontiguousarray(columns if whole else columns[:, allowed])
    if compiled.solve_each(np.ascontiguousarray(inner), right, first) < _SINGULAR:
        raise NotPossible("with these parameters the robot has no positive inertia")
    return right


def _attitudes(grid: Grid, allowed: NDArray[np.int64], B: Array, rest: Array, momentum: Array) -> Array:
    R = np.empty((grid.t.size, 3, 3))
    R[0] = np.eye(3)
    turning = allowed[allowed >= 3] - 3
    gain = np.zeros((grid.t.size, 3, 3))
    gain[:, turning] = B[:, allowed >= 3]
    compiled.turn(grid.t, gain, np.ascontiguousarray(rest), np.ascontiguousarray(momentum), R)
    return R


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """First columns, in a matrix of `count` unknowns, of what acts at one instant; -1 for what is not asked for."""

    count: int
    parameters: int = 0
    zeros: int = -1
    bends: int = -1
    offset: int = -1
    drift: int = -1

    def as_array(self) -> Array:
        """In the order of the compiled code."""
        return np.array([self.parameters, self.zeros, self.bends, self.offset, self.drift], dtype=np.int64)


def sensitivities(
    robot: Robot,
    motion: BaseMotion,
    phi: Array,
    columns: NDArray[np.int64],
    present: NDArray[np.bool_],
    clock: Clock,
    targets: Targets,
    gain: Array,
) -> Array:
    """Derivatives of gain times the base's velocities at a given attitude, shape (m, rows, unknowns).

    columns: of the standard parameters that are unknown; present: which of all there are. gain: (rows, r), r the
    number of velocities that the base can have.
    """
    m, dofs = motion.q.shape
    arrays, size = robot.tree.arrays, columns.size
    momentum = np.empty((m, 6, size))
    kernels.forward_columns(arrays, motion.q, motion.dq, motion.v, motion.w, columns, momentum)
    K = np.empty((m, 6, size + 2 * dofs))
    K[:, :, :size] = momentum if present[columns].all() else momentum * present[columns]
    poses = kernels.sweep(arrays, motion.q, motion.dq, motion.v, motion.w)
    compiled.momentum_by_position(arrays, read_only(phi).reshape(-1, PER_BODY), *poses, K[:, :, size : size + dofs])
    K[:, :, size + dofs :] = motion.A[:, :, 6:]
    first = int(np.argmax(gain.any(axis=0)))  # what comes before is not asked for
    solved = solve_base(motion.A, K, allowed_rows(robot), first)
    errors, G = motion.errors, np.empty((m, gain.shape[0], targets.count))
    compiled.spread_columns(
        solved,
        np.ascontiguousarray(gain),
        size,
        motion.dq,
        motion.ddq,
        motion.grid.t - clock.middle,
        errors.joint,
        errors.position,
        errors.rate,
        targets.as_array(),
        G,
    )
    return G
