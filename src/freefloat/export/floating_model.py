"""The floating model: what a controller needs of a robot, from the identified clusters alone.

    H(q) (dv, dw, ddq) + c(q, dq, v, w) = (wrench on the base, joint torques)

All of it is made of the clusters that momentum shows, so no full set of parameters is needed: standard parameters
that move as the clusters do (`Estimate.parameters`) give the same matrices, although they put the masses of links
into the base. H and c are linear in them. For the free-floating robot, with [A_b, A_q] the first six rows of H,

    base reaction            x = -A_b^-1 A_q dq,                    dx/dphi = -A_b^-1 K(q, dq, x)
    generalised Jacobian     J* = J_m - J_b A_b^-1 A_q
    joint-space inertia      H* = T^T H T,  T = [-A_b^-1 A_q; E],   dH* = T^T dH T

after Umetani, Yoshida, "Resolved motion rate control of space manipulators with generalized Jacobian matrix" (T-RA
1989); the matrices are those of Christidi-Loumpasefski, Papadopoulos (RAS 2022), about the base origin. Column j of
J* is what a point does when joint j alone moves and the base reacts, so everything rests on the reaction to unit
rates. Standard deviations follow by these exact derivatives. What the clusters do not determine (out of the plane of
a planar base, say) is NaN, with an infinite standard deviation. Vectors are in base axes, twists (v, w).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.drive_torques import drive_loads
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates, momentum_regressor, spin_momentum
from freefloat.dynamics.reaction import Reaction, six_rows, solve_base
from freefloat.dynamics.rotors import rotor_momentum
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import torque_regressor, wheel_wrench_columns
from freefloat.errors import UnknownName
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_clusters import cad_spread, spread_of, undeclared
from freefloat.estimate.estimated_drives import estimated_drives
from freefloat.estimate.structured.as_standard import standard_estimate
from freefloat.estimate.uncertain import Judge, Uncertain, covariance_root, side_by_side
from freefloat.frozen import Content
from freefloat.robot.drive import Drive
from freefloat.robot.model import Robot
from freefloat.robot.parts import Point


@dataclass(frozen=True, eq=False)
class FloatingModel(Content):
    """The dynamics of an identified robot, each quantity with its uncertainty; q has shape (n, joints).

    Known values count as exact. Rotors of the joints' drives, exact as well, are part of it; friction is not, nor are
    the springs of passive joints, which give these their torques (`estimated_springs`).
    """

    estimate: Estimate

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimate", standard_estimate(self.estimate))

    # ------------------------------------------------------------------ system matrices

    def mass_matrix(self, q: ArrayLike) -> Uncertain:
        """H of base twist and joints, shape (n, 6 + joints, 6 + joints)."""
        at = at_rest(self.weightless, read_only(q))
        columns = []
        for number in range(6 + at.q.shape[1]):
            unit = np.zeros((1, 6 + at.q.shape[1]))
            unit[0, number] = 1.0
            rising = accelerated(at, unit)
            columns.append(_moved(self.linear(torque_regressor(self.weightless, rising)), self._afloat(rising)))
        return side_by_side(columns)

    def bias(self, samples: Samples) -> Uncertain:
        """c, shape (n, 6 + joints): what the motion needs with dv, dw and ddq at zero.

        Needs q, dq, v, w; wheel rates where there are wheels; attitude where a moving base has weight.
        """
        none = np.zeros((len(samples), 6 + samples.q.shape[1]))
        steady = replace(accelerated(samples, none), wheel_accelerations=_zeros_like(samples.wheel_rates))
        wheels = wheel_wrench_columns(self.robot, steady) @ self.robot.wheel_inertias
        found = self.linear(torque_regressor(self.robot, steady))
        return _moved(found, wheels + drive_loads(self._driven, steady))

    # ------------------------------------------------------------------ the free-floating robot

    def base_reaction(self, samples: Samples) -> Uncertain:
        """Base twist that the joints' and wheels' motion causes when there is no momentum, shape (n, 6)."""
        dq, spin = samples.need("dq", "the base's reaction"), spin_momentum(self.robot, samples)
        return self.judge.judged(*self.reaction(samples.q, dq, spin))

    def reaction_jacobian(self, q: ArrayLike) -> Uncertain:
        """-A_b^-1 A_q: base twist per unit of each joint's rate, shape (n, 6, joints)."""
        return side_by_side([self.judge.judged(*reaction) for _, reaction in self._unit_rates(read_only(q))])

    def generalised_jacobian(self, q: ArrayLike, point: str | Point) -> Uncertain:
        """J*: twist of a point per unit of each joint's rate, the base reacting, shape (n, 6, joints).

        point: name of a point of the robot, or any point of one of its bodies.
        """
        positions = read_only(q)
        carried = [self._carried(point, positions, rate, *reaction) for rate, reaction in self._unit_rates(positions)]
        return side_by_side(carried)

    def wheel_jacobian(self, q: ArrayLike, point: str | Point) -> Uncertain:
        """Twist of a point per unit of each wheel's rate, the base reacting, shape (n, 6, wheels)."""
        positions = read_only(q)
        still, columns = np.zeros_like(positions), []
        for spin in momentum_by_wheel_rates(self.robot).T:
            reaction = self.reaction(positions, still, np.tile(spin, (len(positions), 1)))
            columns.append(self._carried(point, positions, still, *reaction))
        return side_by_side(columns)

    def reduced_inertia(self, q: ArrayLike) -> Uncertain:
        """H*: joint torques per unit of each joint's acceleration from rest, base reacting, (n, joints, joints)."""
        at = at_rest(self.weightless, read_only(q))
        twists = np.stack([twist for _, (twist, _) in self._unit_rates(at.q)], axis=-1)  # (n, 6, joints)
        columns = []
        for number, rate in enumerate(np.eye(at.q.shape[1])):
            rise = np.hstack([twists[:, :, number], np.broadcast_to(rate, at.q.shape)])
            rising = accelerated(at, rise)
            Y, rotors = torque_regressor(self.weightless, rising), self._afloat(rising)
            found = self.linear(Y[:, 6:] + np.einsum("kij,kip->kjp", twists, Y[:, :6]))
            columns.append(_moved(found, rotors[:, 6:] + np.einsum("kij,ki->kj", twists, rotors[:, :6])))
        return side_by_side(columns)

    # ------------------------------------------------------------------ pieces, for what is made of them too

    @property
    def robot(self) -> Robot:
        """Whose geometry, wheels and points are meant; its inertias are the CAD model's."""
        return self.estimate.robot

    @cached_property
    def _driven(self) -> Robot:
        """The robot with the rotors that the estimate has, and without friction."""
        drives = estimated_drives(self.estimate)
        return self.robot.with_drives([Drive(rotor=each.rotor, gear_ratio=each.gear_ratio) for each in drives])

    def _afloat(self, samples: Samples) -> Array:
        """What rotors ask of base and joints that move so, the base afloat, shape (n, 6 + joints)."""
        return drive_loads(replace(self._driven, base="free"), samples)

    @cached_property
    def weightless(self) -> Robot:
        """The robot afloat: its mass matrix is that of any base and any gravity."""
        return replace(self.robot, base="free", gravity=np.zeros(3))

    @cached_property
    def judge(self) -> Judge:
        """What is known of the clusters."""
        estimate, columns = self.estimate, undeclared(self.estimate)
        sizes = np.zeros(self.robot.parameters.size)
        sizes[columns] = np.sqrt(np.diagonal(spread_of(estimate).covariance(self.robot)))[columns]
        unseen = (estimate.unseen * cad_spread(estimate)).T
        return Judge(estimate.minimal, covariance_root(estimate.stated_covariance), sizes, unseen)

    def linear(self, Y: Array) -> Uncertain:
        """A quantity Y phi, Y of shape (..., 10 bodies)."""
        return self.judge.judged(Y @ self.estimate.parameters, Y)

    def reaction(self, q: Array, dq: Array, spin: Array, momentum: Array | None = None) -> tuple[Array, Array]:
        """Base twist (n, 6) with wheels of momentum `spin` (n, 3), and its derivative by the parameters (n, 6, p).

        momentum: total angular momentum about the centre of mass, base axes, (n, 3); none unless given.
        """
        spinning = spin + rotor_momentum(self._driven, q, dq)
        found = Reaction.of(self.robot, q, dq, spinning, self.estimate.parameters)
        v, w = found.velocities(np.zeros_like(spin) if momentum is None else momentum)
        K = momentum_regressor(self.robot, Samples(q, dq, v=v, w=w))
        return np.hstack([v, w]), -six_rows(solve_base(found.A, K, found.allowed), found.allowed)

    def _carried(self, point: str | Point, q: Array, rate: Array, twist: Array, slope: Array) -> Uncertain:
        """Twist of a point on a base with this twist (n, 6), and its derivative by the parameters (n, 6, p)."""
        arm, of_point = point_twist(self.robot, q, rate, twist, *self.place(point))
        carried = np.array(slope)
        carried[:, :3] += np.cross(slope[:, 3:], arm[:, :, None], axis=1)
        return self.judge.judged(of_point, carried)

    def _unit_rates(self, q: Array) -> Iterator[tuple[Array, tuple[Array, Array]]]:
        """For each joint: its unit rate (n, joints), and the reaction to it."""
        Samples(q).check(self.robot)
        for rate in np.eye(q.shape[1]):
            rates = np.array(np.broadcast_to(rate, q.shape))
            yield rates, self.reaction(q, rates, np.zeros((len(q), 3)))

    def place(self, point: str | Point) -> tuple[int, Array]:
        """Number of the moving body that carries a point, and the point in its frame (3,)."""
        named = self.robot.point(point) if isinstance(point, str) else point
        if named.body not in self.robot.tree.carried:
            raise UnknownName("body", named.body, self.robot.tree.carried)
        carrier, placement = self.robot.tree.carried[named.body]
        return carrier, placement.p + placement.R @ named.xyz


def _moved(found: Uncertain, certain: Array) -> Uncertain:
    """With something added that is certain."""
    return Uncertain(found.value + certain, found.sd)


def at_rest(robot: Robot, q: Array) -> Samples:
    """Joints at q, nothing moving."""
    rest = np.zeros((len(q), 3))
    samples = Samples(q, dq=np.zeros_like(q), v=rest, w=rest)
    samples.check(robot)
    return samples


def accelerated(samples: Samples, rise: Array) -> Samples:
    """The same states with accelerations (dv, dw, ddq), shape (n or 1, 6 + joints)."""
    full = np.broadcast_to(rise, (len(samples), rise.shape[1]))
    return replace(samples, dv=full[:, :3], dw=full[:, 3:6], ddq=full[:, 6:])


def _zeros_like(values: Array | None) -> Array | None:
    return None if values is None else np.zeros_like(values)


def point_twist(robot: Robot, q: Array, dq: Array, twist: Array, body: int, xyz: Array) -> tuple[Array, Array]:
    """Where a point of a body is, (n, 3), and its twist, (n, 6), in base axes."""
    motion = (read_only(part) for part in (q, dq, twist[:, :3], twist[:, 3:]))
    R, p, v, w, _ = kernels.sweep(robot.tree.arrays, *motion)
    lever = R[:, body] @ xyz
    velocity = v[:, body] + np.cross(w[:, body], lever)
    return p[:, body] + lever, np.hstack([velocity, w[:, body]])
