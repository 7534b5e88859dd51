"""The law of motion of the base: how it reacts to its joints and wheels, with every derivative.

Momentum of robot and wheels, linear, then angular about the base origin, in base axes, is [A_b, A_q] (x, dq) + [0; h],
x = (v, w) being the base's twist and h the wheels' momentum. In a frame that moves with the centre of mass it is
[0; u], u = R^T H, H the total angular momentum about the centre of mass in the axes of some first instant. So

    x = A_b^-1 ([0; u] - A_q dq - [0; h])               value

    dx/dphi = -A_b^-1 K(q, dq, x)                       by parameters, K the regressor of the momentum
    dx/dq = -A_b^-1 D(q, dq, x)                         by joint positions, D = d(K phi)/dq at a given twist
    dx/d(dq) = -A_b^-1 A_q                              by joint rates
    dx/du = B = A_b^-1 [0; E],    dx/dh = -B            by momentum

and, on the way back, a number with the derivative xbar by x has, with lambda = A_b^-1 xbar, the derivatives
-lambda . [K, D, A_q] and (0, lambda) . [0; u - h]: the reverse sweep of the momentum with the weights -lambda phi^T.
An error alpha of the attitude, R -> R exp(alpha), changes u by u x alpha. What a planar or fixed base cannot do, it
does not: A_b is that of the rows which it can. `reacting_base.py` follows a motion in time, with its attitude.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels, reaction_kernels
from freefloat.dynamics.momentum_rows import momentum_matrix, spin_momentum
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics, mass_matrix
from freefloat.errors import FreefloatError
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.geometry import PER_JOINT
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY


class NotPossible(FreefloatError):
    """Parameters with which the base has no inertia, or a negative one: no motion can be predicted."""


@dataclass(frozen=True, slots=True, eq=False)
class Reaction:
    """How the base reacts at n instants, whatever its momentum; r is the number of velocities that it can have.

    A: momentum matrix, (n, 6, 6 + joints). rest: velocities at zero momentum, (n, r). B: by angular momentum in base
    axes, (n, r, 3). allowed: which of the six velocities they are, (r,).
    """

    A: Array
    allowed: NDArray[np.int64]
    columns: Array  # rest, then B, (n, r, 4), as the compiled code has them
    pivot: float  # smallest one of A_b: negative if some inertia is

    @classmethod
    def of(cls, robot: Robot, q: Array, dq: Array, spin: Array, phi: Array | None = None) -> Reaction:
        """Of joints at q with rates dq, (n, joints), and wheels with the momentum spin, (n, 3), base axes.

        phi: standard parameters, (10 bodies,); the robot's own unless given.
        """
        A, allowed = momentum_matrix(robot, q, phi), allowed_rows(robot)
        columns, pivot = reaction_kernels.reactions(A, read_only(dq), read_only(spin), allowed)
        _refuse_singular(pivot)
        return cls(A, allowed, columns, pivot)

    def checked(self) -> Reaction:
        """The same, refused unless the inertia is positive."""
        _refuse_negative(self.pivot)
        return self

    @property
    def rest(self) -> Array:
        """Velocities at zero momentum, shape (n, r)."""
        return self.columns[:, :, 0]

    @property
    def B(self) -> Array:
        """Velocities by angular momentum in base axes, shape (n, r, 3)."""
        return self.columns[:, :, 1:]

    def velocities(self, u: Array) -> tuple[Array, Array]:
        """Velocities v and w, each (n, 3), at the angular momentum u, (n, 3), base axes."""
        v, w = reaction_kernels.velocities(self.columns, self.allowed, read_only(u))
        return read_only(v), read_only(w)

    def turning(self) -> tuple[Array, Array]:
        """Angular rates at zero momentum, (n, 3), and by angular momentum, (n, 3, 3); zero about what cannot turn."""
        turns = self.allowed >= 3
        rest, gain = np.zeros((len(self.A), 3)), np.zeros((len(self.A), 3, 3))
        rest[:, self.allowed[turns] - 3] = self.rest[:, turns]
        gain[:, self.allowed[turns] - 3] = self.B[:, turns]
        return rest, gain


def solve_base(A: Array, columns: Array, allowed: NDArray[np.int64], first: int = 0) -> Array:
    """A_b^-1 of columns (n, 6, k) for what the base can do, shape (n, r, k).

    Rows before the `first` are not done. The columns may be overwritten: so many are not copied without need.
    """
    whole = allowed.size == 6
    inner = np.array(A[:, :, :6]) if whole else A[:, allowed[:, None], allowed]
    right = np.ascontiguousarray(columns if whole else columns[:, allowed])
    _refuse_singular(reaction_kernels.solve_each(np.ascontiguousarray(inner), right, first))
    return right


def six_rows(rows: Array, allowed: NDArray[np.int64]) -> Array:
    """What the base can do, (n, r, ...), among all six velocities, (n, 6, ...); the others are zero."""
    six = np.zeros((len(rows), 6, *rows.shape[2:]))
    six[:, allowed] = rows
    return six


def without_base(A: Array, rows: Array, allowed: NDArray[np.int64]) -> Array:
    """Y_j - A_q^T A_b^-1 Y_b of rows Y, (n, 6 + joints, k): those of joints, the base giving way; (n, joints, k).

    The base's rows may be overwritten.
    """
    if not allowed.size:
        return rows[:, 6:]
    return rows[:, 6:] - A[:, allowed, 6:].transpose(0, 2, 1) @ solve_base(A, rows[:, :6], allowed)


def joint_inertia(robot: Robot, q: ArrayLike) -> Array:
    """Inertia that the joints feel, the base giving way as it can: (n, joints, joints), at q (n, joints)."""
    H = mass_matrix(robot, q)
    return without_base(H[:, :6], H[:, :, 6:], allowed_rows(robot))


def momentum_slopes(
    robot: Robot,
    phi: Array,
    A: Array,
    q: Array,
    dq: Array,
    v: Array,
    w: Array,
    columns: NDArray[np.int64],
    present: Array | NDArray[np.bool_],
) -> Array:
    """[K, D, A_q], (n, 6, c + 2 joints): momentum at a given twist by parameters, joint positions, joint rates.

    phi: standard parameters, (10 bodies,). columns: of those asked about, (c,). present: which of them are there, (c,).
    The derivative of the twist is this, solved by `solve_base`, with the other sign.
    """
    arrays, (n, joints), c = robot.tree.arrays, q.shape, columns.size
    motion = (read_only(q), read_only(dq), read_only(v), read_only(w))
    K = np.empty((n, 6, c))
    kernels.forward_columns(arrays, *motion, columns, K)
    slopes = np.empty((n, 6, c + 2 * joints))
    slopes[:, :, :c] = K if present.all() else K * present
    by_position, poses = slopes[:, :, c : c + joints], kernels.sweep(arrays, *motion)
    reaction_kernels.momentum_by_position(arrays, read_only(phi).reshape(-1, PER_BODY), *poses, by_position)
    slopes[:, :, c + joints :] = A[:, :, 6:]
    return slopes


def geometry_slopes(
    robot: Robot, tilts: Array, phi: Array, q: Array, dq: Array, v: Array, w: Array
) -> tuple[Array, Array]:
    """Momentum at a given twist, (n, 6, 5 joints), and first moment, (n, 3, 5 joints), by errors of the geometry.

    tilts: directions about which joints tilt in the frames that carry them, (bodies, 2, 3) (`robot/geometry.py`). All
    else as for `momentum_slopes`.
    """
    arrays, (n, joints) = robot.tree.arrays, q.shape
    poses = kernels.sweep(arrays, read_only(q), read_only(dq), read_only(v), read_only(w))
    D, S = np.zeros((n, 6, PER_JOINT * joints)), np.zeros((n, 3, PER_JOINT * joints))
    bodies = read_only(phi).reshape(-1, PER_BODY)
    reaction_kernels.momentum_by_geometry(arrays, read_only(tilts), bodies, read_only(q), *poses, D, S)
    return D, S


def base_reaction(robot: Robot, samples: Samples, momentum: Array | None = None) -> tuple[Array, Array]:
    """Base velocities v and w, each (n, 3), that the joints' motion causes at a given total momentum.

    momentum: of robot and wheels, linear then angular about the base origin, base frame, (n, 6); zero unless
        given. What a planar or fixed base cannot do, it does not.
    """
    samples.check(robot)
    dq = samples.need("dq", "the base's reaction")
    reaction = Reaction.of(robot, samples.q, dq, spin_momentum(robot, samples))
    twist = six_rows(reaction.rest, reaction.allowed)
    if momentum is not None:
        given = solve_base(reaction.A, np.array(momentum, float)[..., None], reaction.allowed)
        twist[:, reaction.allowed] += given[..., 0]
    return twist[:, :3], twist[:, 3:]


def base_accelerations(
    robot: Robot, samples: Samples, wrench: Array | None = None, free_inertia: Array | None = None
) -> tuple[Array, Array]:
    """Derivatives dv and dw of the base's velocities, each (n, 3), from the balance of forces.

    wrench: force and moment about the base origin from outside, base frame, (n, 6); none unless given.
    free_inertia: what wheels that turn freely take off the locked inertia, (3, 3).
    """
    n, allowed = len(samples), allowed_rows(robot)
    v, w = samples.base_twist(robot, "the base's acceleration")
    still = replace(samples, dv=-np.cross(w, v), dw=np.zeros((n, 3)))
    missing = -inverse_dynamics(robot, still)[:, :6] + (0.0 if wrench is None else wrench)
    A = momentum_matrix(robot, samples.q)
    A[:, 3:, 3:6] -= 0.0 if free_inertia is None else free_inertia
    acceleration = six_rows(solve_base(A, missing[..., None], allowed)[..., 0], allowed)
    return acceleration[:, :3] - np.cross(w, v), acceleration[:, 3:]


def check_inertia(A: Array, allowed: NDArray[np.int64]) -> None:
    """Refuse momentum matrices (n, 6, 6 + joints) of a robot that cannot exist: inertia that is not positive."""
    inner = np.ascontiguousarray(A[:, allowed[:, None], allowed])
    _refuse_negative(reaction_kernels.solve_each(inner, np.zeros((len(A), allowed.size, 0)), 0))


def _refuse_singular(pivot: float) -> None:
    if pivot == 0.0:
        raise NotPossible("with these parameters the robot has no inertia")


def _refuse_negative(pivot: float) -> None:
    if not pivot > 0.0:
        raise NotPossible("with these parameters the robot has no positive inertia")
