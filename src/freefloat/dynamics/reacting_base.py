"""A motion of joints and wheels in time, the base's reaction with its attitude, all derivatives and the way back.

    x = A_b^-1 ([0; u] - A_q dq - [0; h]),      G = dx/d(phi, q, dq) = -A_b^-1 [K, D, A_q],      B = A_b^-1 [0; E]

is the law of `reaction.py`, u = R^T H; the attitude R goes on from it by steps whose derivative is exact
(`turn_by_steps` of `attitude_kernels.py`). With bars for derivatives of one number, M = -A_b^-1 Gbar,
lambda = A_b^-1 xbar,

    Abar_b = M G^T - A_b^-1 Bbar B^T - lambda x^T,       Abar_q = M of the rates - lambda dq^T

and M weighs the reverse sweeps of K and D.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import attitude_kernels, kernels, reaction_kernels
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates, spin_momentum
from freefloat.dynamics.reaction import Reaction, geometry_slopes, momentum_slopes, six_rows, solve_base
from freefloat.dynamics.samples import Samples
from freefloat.robot.geometry import PER_JOINT, across
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY

_NONE = np.zeros(0, dtype=np.int64)


@dataclass(eq=False)
class Bars:
    """Derivatives of one number by what a reacting base offers; to be added to.

    x: (n, 6). G: (n, 6, c + 2 joints), and 5 joints more where geometry counts. F: by the first moment's derivative by
    geometry, (n, 3, 5 joints), else (n, 3, 0). B: (n, 6, 3). turn: by a small rotation of the attitude in base axes,
    (n, 3). A_b, A_q: by the momentum matrix's columns of base and joints, (n, 6, 6) and (n, 6, joints). q, dq, ddq: by
    the joints themselves, (n, joints).
    """

    x: Array
    G: Array
    F: Array
    B: Array
    turn: Array
    A_b: Array
    A_q: Array
    q: Array
    dq: Array
    ddq: Array


@dataclass(frozen=True, eq=False)
class ReactingBase:
    """One motion.

    samples: with q, dq, wheel rates where there are wheels, and t where it turns. momentum: H, in the axes of the first
    instant, (3,) [N m s]. turns: whether the attitude is asked for. phi: standard parameters, (10 bodies,). columns:
    those that derivatives are asked for, (c,); present: which of these are there, (c,). geometry: whether derivatives
    by where joints sit and how they point are asked for (`robot/geometry.py`).
    """

    robot: Robot
    samples: Samples
    momentum: Array
    turns: bool
    phi: Array
    columns: NDArray[np.int64] = field(default_factory=lambda: _NONE)
    present: Array = field(default_factory=lambda: np.zeros(0))
    geometry: bool = False

    @property
    def n(self) -> int:
        """Number of instants."""
        return len(self.samples)

    @property
    def t(self) -> Array:
        """Instants, shape (n,) [s]."""
        return self.samples.need("t", "the base's attitude")

    @property
    def dq(self) -> Array:
        """Joint rates, shape (n, joints)."""
        return self.samples.need("dq", "the base's reaction")

    @property
    def ddq(self) -> Array:
        """Joint accelerations, shape (n, joints)."""
        return self.samples.need("ddq", "the base's acceleration")

    # ------------------------------------------------------------------ the motion

    @cached_property
    def _reaction(self) -> Reaction:
        return Reaction.of(self.robot, self.samples.q, self.dq, spin_momentum(self.robot, self.samples), self.phi)

    @property
    def A(self) -> Array:
        """Momentum matrix, shape (n, 6, 6 + joints)."""
        return self._reaction.A

    @cached_property
    def B(self) -> Array:
        """Twist by angular momentum in base axes, shape (n, 6, 3)."""
        return self._six(self._reaction.B)

    @cached_property
    def H(self) -> Array:
        """Momentum at every instant, shape (n, 3)."""
        return np.ascontiguousarray(np.broadcast_to(self.momentum, (self.n, 3)))

    @cached_property
    def _rate_by_momentum(self) -> Array:
        return np.ascontiguousarray(self.B[:, 3:])

    @cached_property
    def R(self) -> Array:
        """Attitude against the first instant, shape (n, 3, 3); identities where it is not asked for."""
        R = np.broadcast_to(np.eye(3), (self.n, 3, 3)).copy()
        if self.turns:
            rest, w = self._reaction.turning()[0], np.empty((self.n, 3))
            attitude_kernels.turn_by_steps(self.t, self._rate_by_momentum, rest, self.H, R, w)
        return R

    @cached_property
    def u(self) -> Array:
        """Momentum in base axes, R^T H, shape (n, 3)."""
        return np.einsum("nji,nj->ni", self.R, self.H)

    @cached_property
    def _velocities(self) -> tuple[Array, Array]:
        return self._reaction.velocities(self.u)

    @cached_property
    def x(self) -> Array:
        """The twist (v, w), shape (n, 6)."""
        return np.hstack(self._velocities)

    # ------------------------------------------------------------------ how it changes, the attitude held

    @cached_property
    def G(self) -> Array:
        """Of the twist by parameters, joint positions, joint rates, geometry, (n, 6, c + 2 joints or c + 7 joints)."""
        motion = (self.samples.q, self.dq, *self._velocities)
        slopes = momentum_slopes(self.robot, self.phi, self.A, *motion, self.columns, self.present)
        return -self.solved(np.concatenate([slopes, self._slopes_by_geometry[0]], axis=2) if self.geometry else slopes)

    @cached_property
    def _slopes_by_geometry(self) -> tuple[Array, Array]:
        """Of momentum and first moment, (n, 6, 5 joints) and (n, 3, 5 joints); no columns where it does not count."""
        if not self.geometry:
            return np.zeros((self.n, 6, 0)), np.zeros((self.n, 3, 0))
        return geometry_slopes(self.robot, self._tilts, self.phi, self.samples.q, self.dq, *self._velocities)

    @cached_property
    def _tilts(self) -> Array:
        return across(self.robot.tree.arrays)

    @property
    def by_position(self) -> Array:
        """Of the twist by joint positions, shape (n, 6, joints)."""
        return self.G[:, :, self.columns.size : self.columns.size + self.samples.q.shape[1]]

    @property
    def by_rate(self) -> Array:
        """Of the twist by joint rates, shape (n, 6, joints)."""
        first = self.columns.size + self.samples.q.shape[1]
        return self.G[:, :, first : first + self.samples.q.shape[1]]

    @property
    def by_geometry(self) -> Array:
        """Of the twist by geometry, shape (n, 6, 5 joints), or (n, 6, 0) where it does not count."""
        return self.G[:, :, self.columns.size + 2 * self.samples.q.shape[1] :]

    @property
    def moment_by_geometry(self) -> Array:
        """Of the first moment by geometry, shape (n, 3, 5 joints), or (n, 3, 0) where it does not count."""
        return self._slopes_by_geometry[1]

    @cached_property
    def by_wheel(self) -> Array:
        """Of the twist by wheel rates, shape (n, 6, wheels)."""
        return -self.B @ momentum_by_wheel_rates(self.robot)

    def turn(self, g: Array) -> Array:
        """Small rotations of the attitude, base axes, that changes g of the rate bring about, both (n, 3, k)."""
        alpha, w = np.empty(g.shape), np.ascontiguousarray(self.x[:, 3:])
        steps = (self.t, self._rate_by_momentum, self.H, self.R, w)
        attitude_kernels.turn_by_steps_change(*steps, np.ascontiguousarray(g), alpha)
        return alpha

    def solved(self, columns: Array) -> Array:
        """A_b^-1 of columns (n, 6, k), zero in what the base cannot do, shape (n, 6, k); they may be overwritten."""
        return self._six(solve_base(self.A, columns, self._reaction.allowed))

    def _six(self, rows: Array) -> Array:
        return rows if rows.shape[1] == 6 else six_rows(rows, self._reaction.allowed)

    # ------------------------------------------------------------------ the way back

    def bars(self) -> Bars:
        """Derivatives, all zero so far."""
        joints = self.samples.q.shape[1]
        further = PER_JOINT * joints if self.geometry else 0
        width = self.columns.size + 2 * joints + further
        shapes = (6,), (6, width), (3, further), (6, 3), (3,), (6, 6), (6, joints), (joints,), (joints,), (joints,)
        return Bars(*(np.zeros((self.n, *shape)) for shape in shapes))

    def pull_back(self, bars: Bars) -> Array:
        """All the way to the joints, bars.q and bars.dq, and to the wheels' rates, which are returned, (n, wheels)."""
        self._slopes_back(bars)
        multiplier = self._multiplier(bars)
        bars.A_b -= multiplier[:, :, None] * self.x[:, None, :]
        bars.A_q -= multiplier[:, :, None] * self.dq[:, None, :]
        bars.dq -= np.einsum("nij,ni->nj", self.A[:, :, 6:], multiplier)
        A = np.concatenate([bars.A_b, bars.A_q], axis=2)
        reaction_kernels.locked_adjoint(self.robot.tree.arrays, self._bodies, *self._poses, A, bars.q)
        return -multiplier[:, 3:] @ momentum_by_wheel_rates(self.robot)

    def pull_back_twist(self, bars: Bars) -> Array:
        """The same of a number that depends on twist, attitude and joints alone: one sweep of the momentum will do."""
        multiplier = self._multiplier(bars)
        self._momentum_back(-multiplier[:, :, None] * self.phi, bars)
        return -multiplier[:, 3:] @ momentum_by_wheel_rates(self.robot)

    def _slopes_back(self, bars: Bars) -> None:
        """From G and B to momentum matrix, joints and twist."""
        c, joints = self.columns.size, self.samples.q.shape[1]
        M = -self.solved(np.concatenate([bars.G, bars.B], axis=2))
        M, by_B = M[:, :, : bars.G.shape[2]], M[:, :, bars.G.shape[2] :]
        bars.A_b += M @ self.G.swapaxes(1, 2) + by_B @ self.B.swapaxes(1, 2)
        bars.A_q += M[:, :, c + joints : c + 2 * joints]
        Z = np.zeros((self.n, 6, self.phi.size))
        Z[:, :, self.columns] = M[:, :, :c] * self.present
        bars.x += self._momentum_back(Z, bars)
        reaction_kernels.momentum_slopes_adjoint(
            self.robot.tree.arrays,
            self._tilts,
            self._bodies,
            self.samples.q,
            *self._poses,
            self.dq,
            np.ascontiguousarray(M[:, :, c : c + joints]),
            np.ascontiguousarray(M[:, :, c + 2 * joints :]),
            bars.F,
            bars.q,
            bars.dq,
            bars.x,
        )

    def _momentum_back(self, Z: Array, bars: Bars) -> Array:
        """Of sum(Z * K), Z (n, 6, 10 bodies): to the joints, and by the twist, which is returned, (n, 6)."""
        by_q, by_dq, by_x = np.zeros_like(bars.q), np.zeros_like(bars.dq), np.zeros((2, self.n, 3))
        kernels.adjoint(self.robot.tree.arrays, self.samples.q, self.dq, *self._velocities, Z, by_q, by_dq, *by_x)
        bars.q += by_q
        bars.dq += by_dq
        return np.hstack(list(by_x))

    def _multiplier(self, bars: Bars) -> Array:
        """Lambda, (n, 6): of the twist, and of the attitude that it turns to."""
        multiplier = self.solved(bars.x[..., None].copy())[..., 0]
        if not self.turns:
            return multiplier
        bars.turn -= np.cross(self.u, multiplier[:, 3:])
        by_rate, w = np.empty((self.n, 3)), np.ascontiguousarray(self.x[:, 3:])
        steps = (self.t, self._rate_by_momentum, self.H, self.R, w)
        attitude_kernels.turn_by_steps_adjoint(*steps, np.ascontiguousarray(bars.turn), by_rate)
        return multiplier + (self.B @ by_rate[..., None])[..., 0]

    @cached_property
    def _poses(self) -> tuple[Array, Array, Array, Array, Array]:
        found: tuple[Array, Array, Array, Array, Array] = kernels.sweep(
            self.robot.tree.arrays, self.samples.q, self.dq, *self._velocities
        )
        return found

    @property
    def _bodies(self) -> Array:
        return read_only(self.phi).reshape(-1, PER_BODY)
