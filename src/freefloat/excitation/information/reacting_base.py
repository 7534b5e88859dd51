"""The base's reaction to a planned motion, its derivatives by all that a design asks about, and the way back.

    x = A_b^-1 ((0, R^T H) - A_q dq - wheels),      G = -A_b^-1 [K, D, A_q]

x is the twist; G holds its derivatives by parameters, joint positions and joint rates, D being the derivative of the
momentum by positions. With bars for derivatives of the goal, Mbar = -A_b^-1 Gbar and Lambda = A_b^-1 xbar,

    Abar_b = Mbar G^T - Lambda x^T - A_b^-1 Bbar B^T,        B = A_b^-1 (0, E),

and the rest are the reverse sweeps of K, D and A (`kernels.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.dynamics.samples import Samples
from freefloat.estimate.bound.reaction import inverse_inertia
from freefloat.estimate.likelihood.reaction_kernels import momentum_by_position
from freefloat.excitation import attitude_kernels
from freefloat.excitation.information import kernels as information_kernels
from freefloat.excitation.rows.rows import MotionSlope
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY


@dataclass(eq=False)
class Bars:
    """Derivatives of one number by what a reacting base offers; to be added to.

    x: (n, 6). G: (n, 6, c + 2 joints). B: (n, 6, 3). turn: by a small rotation of the attitude in base axes, (n, 3).
    A_q: by the momentum matrix's columns of the joints, (n, 6, joints). A_b: (n, 6, 6). q, dq, ddq: (n, joints).
    """

    x: Array
    G: Array
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

    phi: standard parameters, (10 bodies,). columns: those asked about, (c,). present: which of them are there, (c,).
    momentum: H, in the axes of the first instant, (3,). turns: whether the attitude is asked for.
    """

    robot: Robot
    phi: Array
    columns: NDArray[np.int64]
    present: Array
    samples: Samples
    momentum: Array
    turns: bool

    @property
    def n(self) -> int:
        """Number of instants."""
        return len(self.samples)

    @property
    def t(self) -> Array:
        """Instants, shape (n,) [s]."""
        return self.samples.need("t", "a design")

    @property
    def dq(self) -> Array:
        """Joint rates, shape (n, joints)."""
        return self.samples.need("dq", "a design")

    @property
    def ddq(self) -> Array:
        """Joint accelerations, shape (n, joints)."""
        return self.samples.need("ddq", "a design")

    @cached_property
    def A(self) -> Array:
        """Momentum matrix, shape (n, 6, 6 + joints)."""
        return momentum_matrix(self.robot, self.samples.q, self.phi)

    @cached_property
    def inverse(self) -> Array:
        """A_b^-1, zero in what the base cannot do, shape (n, 6, 6)."""
        return inverse_inertia(self.robot, self.A)

    @cached_property
    def B(self) -> Array:
        """Twist by angular momentum, shape (n, 6, 3)."""
        return self.inverse[:, :, 3:]

    @cached_property
    def H(self) -> Array:
        """Momentum at every instant, shape (n, 3)."""
        return np.ascontiguousarray(np.broadcast_to(self.momentum, (self.n, 3)))

    @cached_property
    def _at_rest(self) -> Array:
        """The twist at zero momentum, shape (n, 6)."""
        right = -(self.A[:, :, 6:] @ self.dq[..., None])[..., 0]
        if self.robot.wheels:
            rates = self.samples.need("wheel_rates", "a design")
            right[:, 3:] -= (rates * self.robot.wheel_inertias) @ self.robot.wheel_axes
        return (self.inverse @ right[..., None])[..., 0]

    @cached_property
    def R(self) -> Array:
        """Attitude against the first instant, shape (n, 3, 3); identities where it is not asked for."""
        R = np.broadcast_to(np.eye(3), (self.n, 3, 3)).copy()
        if self.turns:
            w = np.empty((self.n, 3))
            rest = np.ascontiguousarray(self._at_rest[:, 3:])
            attitude_kernels.turn(self.t, np.ascontiguousarray(self.B[:, 3:]), rest, self.H, R, w)
        return R

    @cached_property
    def u(self) -> Array:
        """Momentum in base axes, R^T H, shape (n, 3)."""
        return np.einsum("nji,nj->ni", self.R, self.H)

    @cached_property
    def x(self) -> Array:
        """The twist, shape (n, 6)."""
        return self._at_rest + (self.B @ self.u[..., None])[..., 0]

    @cached_property
    def _poses(self) -> tuple[Array, Array, Array, Array, Array]:
        v, w = read_only(self.x[:, :3]), read_only(self.x[:, 3:])
        found: tuple[Array, Array, Array, Array, Array] = kernels.sweep(
            self.robot.tree.arrays, self.samples.q, self.dq, v, w
        )
        return found

    @property
    def _bodies(self) -> Array:
        return read_only(self.phi).reshape(-1, PER_BODY)

    @cached_property
    def G(self) -> Array:
        """Derivatives of the twist by parameters, joint positions and rates, attitude held, (n, 6, c + 2 joints)."""
        arrays, c, joints = self.robot.tree.arrays, self.columns.size, self.samples.q.shape[1]
        K = np.empty((self.n, 6, c))
        v, w = read_only(self.x[:, :3]), read_only(self.x[:, 3:])
        kernels.forward_columns(arrays, self.samples.q, self.dq, v, w, self.columns, K)
        M = np.empty((self.n, 6, c + 2 * joints))
        M[:, :, :c] = K * self.present
        D = np.zeros((self.n, 6, joints))
        momentum_by_position(arrays, self._bodies, *self._poses, D)
        M[:, :, c : c + joints], M[:, :, c + joints :] = D, self.A[:, :, 6:]
        return -self.inverse @ M

    # ------------------------------------------------------------------ the way back

    def bars(self) -> Bars:
        """Derivatives, all zero so far."""
        joints, width = self.samples.q.shape[1], self.columns.size + 2 * self.samples.q.shape[1]
        shapes = (6,), (6, width), (6, 3), (3,), (6, 6), (6, joints), (joints,), (joints,), (joints,)
        return Bars(*(np.zeros((self.n, *shape)) for shape in shapes))

    def pull_back(self, bars: Bars) -> MotionSlope:
        """To the motion of joints and wheels; bars are changed."""
        c, joints = self.columns.size, self.samples.q.shape[1]
        arrays, inverse = self.robot.tree.arrays, self.inverse
        M = -inverse @ bars.G
        bars.A_b += M @ self.G.swapaxes(1, 2) - inverse @ bars.B @ self.B.swapaxes(1, 2)
        bars.A_q += M[:, :, c + joints :]
        Z = np.zeros((self.n, 6, self.phi.size))
        Z[:, :, self.columns] = M[:, :, :c] * self.present
        gv, gw = np.zeros((self.n, 3)), np.zeros((self.n, 3))
        v, w = read_only(self.x[:, :3]), read_only(self.x[:, 3:])
        by_q, by_dq = np.zeros_like(bars.q), np.zeros_like(bars.dq)
        kernels.adjoint(arrays, self.samples.q, self.dq, v, w, Z, by_q, by_dq, gv, gw)
        bars.q, bars.dq = bars.q + by_q, bars.dq + by_dq
        D = np.ascontiguousarray(M[:, :, c : c + joints])
        information_kernels.momentum_by_position_adjoint(
            arrays, self._bodies, *self._poses, self.dq, D, bars.q, bars.dq, bars.x
        )
        bars.x = bars.x + np.hstack([gv, gw])
        wheel_rates = self._through_reaction(bars)
        A = np.concatenate([bars.A_b, bars.A_q], axis=2)
        information_kernels.locked_adjoint(arrays, self._bodies, *self._poses, A, bars.q)
        return MotionSlope(bars.q, bars.dq, bars.ddq, wheel_rates)

    def _through_reaction(self, bars: Bars) -> Array:
        """From the twist and the attitude to momentum matrix and rates; returns the derivative by wheel rates."""
        turned = (self.inverse @ bars.x[..., None])[..., 0]
        if self.turns:
            bars.turn -= np.cross(self.u, turned[:, 3:])
            by_rate = np.empty((self.n, 3))
            B = np.ascontiguousarray(self.B[:, 3:])
            w = np.ascontiguousarray(self.x[:, 3:])
            attitude_kernels.turn_adjoint(self.t, B, self.H, self.R, w, np.ascontiguousarray(bars.turn), by_rate)
            turned = turned + (self.B @ by_rate[..., None])[..., 0]
        bars.A_b -= turned[:, :, None] * self.x[:, None, :]
        bars.A_q -= turned[:, :, None] * self.dq[:, None, :]
        bars.dq -= np.einsum("nij,ni->nj", self.A[:, :, 6:], turned)
        return -(turned[:, 3:] @ self.robot.wheel_axes.T) * self.robot.wheel_inertias
