"""Passive joints along a motion of the others: how they swing on their springs while the base gives way.

With x the acceleration of the base (of its origin less gravity, then angular), Y the regressor of inverse dynamics and
lambda = (-A_b^-1 A_p, e_p) for each passive joint p, the base's balance leaves one equation for each of them,

    g = lambda . (Y phi - f) + k q_p + d dq_p = 0,      M = H_pp - A_p^T A_b^-1 A_p,      ddq_p = -M^-1 g at ddq_p = 0

f being what pushes the base from outside and by its wheels. lambda takes the base's acceleration out of derivatives
too: they are reverse sweeps of inverse dynamics, and those of the base's rate, w(q, dq, phi, momentum), which
`reaction.py` gives. The equations are solved by Newton's method over the whole motion at once: each round is a linear
differential equation (`swing_kernels.py`), and so is every derivative of the motion that it comes to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels, swing_kernels, torque_adjoint_kernels
from freefloat.dynamics.attitude_kernels import turn_by_halves
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.dynamics.reaction import (
    NotPossible,
    Reaction,
    geometry_slopes,
    momentum_slopes,
    six_rows,
    solve_base,
)
from freefloat.errors import FreefloatError
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.geometry import with_still_joints
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import cross_matrices

_PER_PERIOD = 20.0  # steps of the fastest swing
_MOST_STEPS = 200_000
_ROUNDS, _AGREED, _CLOSE = 30, 1e-13, 1e-10  # of Newton's method; changes of the positions [rad or m]
_PIECE = 10  # steps: half a period of the fastest swing
_LEADS = 0.1  # of the change before: slopes that lead on
_FAR_OFF = "with these parameters passive joints swing without bound"
_FAR = 50.0  # rad or m: nothing swings so far


class CannotSwing(FreefloatError):
    """Passive joints whose motion cannot be followed."""


@dataclass(frozen=True, slots=True, eq=False)
class EvenSteps:
    """Even steps in time, with the places of Lobatto's formula in each.

    start: [s]. length: of a step [s]. count: of steps.
    """

    start: float
    length: float
    count: int

    @classmethod
    def over(cls, robot: Robot, start: float, end: float, longest: float) -> EvenSteps:
        """From start to end [s], short enough for the fastest swing and no longer than `longest` [s]."""
        frequency = fastest_swing(robot)
        length = min(longest, 1.0 / (_PER_PERIOD * frequency)) if frequency > 0.0 else longest
        count = max(1, int(np.ceil((end - start) / length)))
        if count > _MOST_STEPS:
            raise CannotSwing(
                f"{robot.name} swings at {frequency:.4g} Hz, which asks for {count} steps over {end - start:.4g} s; "
                f"allowed: at most {_MOST_STEPS}; springs as stiff as that are better left out"
            )
        return cls(start, (end - start) / count, count)

    @property
    def t(self) -> Array:
        """All places, shape (3 count + 1,) [s]."""
        inner = (np.arange(self.count)[:, None] + swing_kernels.PLACES[:3]).reshape(-1)
        return self.start + self.length * np.append(inner, self.count)

    def between(self, t: Array) -> tuple[NDArray[np.int64], Array]:
        """First place of the step that times t (n,) are in, (n,), and weights of its four places there, (n, 4)."""
        since = (t - self.start) / self.length
        step = np.clip(since.astype(np.int64), 0, self.count - 1)
        x = np.clip(since - step, 0.0, 1.0)
        return 3 * step, x[:, None] ** np.arange(len(swing_kernels.POWERS)) @ swing_kernels.POWERS

    @property
    def lengths(self) -> Array:
        """Of all steps, shape (count,) [s]."""
        return np.full(self.count, self.length)


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """What acts at m places while the joints move.

    q, dq, ddq: of all joints, passive ones zero, (m, joints). spin, spin_rate: momentum of the wheels in base axes and
    its derivative, (m, 3). momentum: in the axes of the first instant, (m, 3); torque: its derivative, (m, 3).
    """

    q: Array
    dq: Array
    ddq: Array
    spin: Array
    spin_rate: Array
    momentum: Array
    torque: Array

    @property
    def turns(self) -> bool:
        """Whether attitude counts."""
        return bool(self.momentum.any() or self.torque.any())

    def part(self, places: slice, R: Array) -> Around:
        """The same at some places only, R being the attitude at the first of them."""
        q, dq, ddq, spin, spin_rate = (each[places] for each in (self.q, self.dq, self.ddq, self.spin, self.spin_rate))
        return Around(q, dq, ddq, spin, spin_rate, self.momentum[places] @ R, self.torque[places] @ R)


@dataclass(frozen=True, eq=False)
class Swing:
    """How passive joints swing: at the places of steps, and between them.

    phi: standard parameters, (10 bodies,). springs: stiffness and damping of the passive joints, (2, passive), which
    need not be those of any spring. position, rate: of passive joints at all places, (3 count + 1, passive). R:
    attitudes against the first there, identities where they do not count.
    """

    robot: Robot
    phi: Array
    springs: Array
    steps: EvenSteps
    around: Around
    position: Array
    rate: Array
    R: Array

    @classmethod
    def of(
        cls,
        robot: Robot,
        phi: Array,
        springs: Array,
        steps: EvenSteps,
        around: Around,
        start: Array,
        guess: Swing | None = None,
        agreed: float = _AGREED,
        roughly: bool = False,
    ) -> Swing:
        """Solved.

        start: position and rate of the passive joints at the first instant, (2, passive). guess: to begin with, of a
        similar motion over the same steps, whose slopes serve as long as they lead on. agreed: what the last round of
        Newton's method may have changed positions by [rad or m]; what is left is far less. roughly: whether to begin
        with the slopes of springs and dampers alone, which cost next to nothing and lead on where joints are slow.
        """
        still = cls._still(robot, phi, springs, steps, around)
        begun = still if guess is None else replace(still, position=guess.position, rate=guess.rate, R=guess.R)
        try:
            lead: _Lead = begun if guess is None else guess
            return begun._followed(_SpringsAlone(begun) if roughly else lead, start, agreed)
        except NotPossible:
            if steps.count == 1:
                raise
        # From rest far swings may not be found at once: they are, one piece of the motion after the other.
        begun = cls._in_pieces(robot, phi, springs, steps, around, start)
        return begun._followed(begun, start, agreed)

    @classmethod
    def _in_pieces(
        cls, robot: Robot, phi: Array, springs: Array, steps: EvenSteps, around: Around, start: Array
    ) -> Swing:
        """Each piece of the motion solved from where the one before it ends."""
        m, passive = len(around.q), robot.passive.size
        position, rate, R = np.empty((m, passive)), np.empty((m, passive)), np.empty((m, 3, 3))
        reached, turned = start, np.eye(3)
        longest = max(1, min(_PIECE, steps.count // 2))
        for first in range(0, steps.count, longest):
            count = min(longest, steps.count - first)
            places = slice(3 * first, 3 * (first + count) + 1)
            own = EvenSteps(steps.start + first * steps.length, steps.length, count)
            part = cls.of(robot, phi, springs, own, around.part(places, turned), reached)
            position[places], rate[places], R[places] = part.position, part.rate, turned @ part.R
            reached, turned = np.stack([part.position[-1], part.rate[-1]]), turned @ part.R[-1]
        return cls(robot, phi, springs, steps, around, position, rate, R)

    def _followed(self, lead: _Lead, start: Array, agreed: float) -> Swing:
        """By Newton's method over all of the motion, from here; lead: whose slopes serve at first."""
        found, around, before = self, self.around, np.inf
        for _ in range(_ROUNDS):
            if around.turns:
                found = replace(found, R=found._attitudes())
            following = found._improved(lead, start)
            change = float(np.abs(following.position - found.position).max())
            found = following
            if not np.isfinite(change) or np.abs(found.position).max() > _FAR:
                raise NotPossible(_FAR_OFF)
            to_come = change * min(change / before, 1.0) if np.isfinite(before) else change
            if to_come <= agreed or (change <= _CLOSE and change >= before):
                return found
            if change > _LEADS * before:
                lead = found
            before = change
        raise NotPossible("with these parameters no motion of the passive joints is found")

    @classmethod
    def none(cls, robot: Robot, phi: Array, springs: Array, steps: EvenSteps, around: Around) -> Swing:
        """Passive joints that stand still where springs rest, which the law need not allow."""
        still = cls._still(robot, phi, springs, steps, around)
        return replace(still, R=still._attitudes()) if around.turns else still

    @classmethod
    def _still(cls, robot: Robot, phi: Array, springs: Array, steps: EvenSteps, around: Around) -> Swing:
        m, passive = len(around.q), robot.passive.size
        rest = np.zeros((m, passive))
        return cls(robot, phi, springs, steps, around, rest, rest, np.broadcast_to(np.eye(3), (m, 3, 3)))

    def _improved(self, lead: _Lead, start: Array) -> Swing:
        """One round of Newton's method, with the slopes of a similar motion."""
        p, (by_position, by_rate) = self.robot.passive.size, lead.leading
        s = 2 * p
        F, r = np.zeros((len(self.position), s, s)), np.zeros((len(self.position), s, 1))
        F[:, :p, p:] = np.eye(p)
        F[:, p:] = np.concatenate([by_position, by_rate], axis=2)
        state = np.hstack([self.position, self.rate])
        r[:, p:, 0] = self.law.acceleration - (F[:, p:] @ state[:, :, None])[..., 0]
        out = np.empty((len(state), s, 1))
        try:
            swing_kernels.solve_along(self.steps.lengths, F, r, np.ascontiguousarray(start.reshape(s, 1)), out)
        except np.linalg.LinAlgError as error:  # of numbers beyond all bounds
            raise NotPossible(_FAR_OFF) from error
        return replace(self, position=out[:, :p, 0], rate=out[:, p:, 0])

    def _attitudes(self) -> Array:
        """Against the first instant, at all places, from positions and rates there."""
        t, n = self.steps.t, len(self.position)
        half = np.interp(np.arange(2 * n - 1) / 2.0, np.arange(n), t)
        around = self.around
        # Half-way between places all is smooth: cubics through values and slopes there do.
        q, dq = _half_way(t, self.q, self.dq), _half_way(t, self.dq, self.whole(around.ddq, self.law.acceleration))
        spin, momentum = _half_way(t, around.spin, around.spin_rate), _half_way(t, around.momentum, around.torque)
        rest, gain = Reaction.of(self.robot, q, dq, spin, self.phi).checked().turning()
        R = np.empty((half.size, 3, 3))
        R[0] = np.eye(3)
        turn_by_halves(half, gain, rest, np.ascontiguousarray(momentum), R)
        return R[::2]

    # ------------------------------------------------------------------ the motion

    def whole(self, of_all: Array, of_passive: Array) -> Array:
        """What is known of all joints, with the passive ones' own put in, shape (m, joints)."""
        whole = np.array(of_all)
        whole[:, self.robot.passive] = of_passive
        return whole

    @cached_property
    def q(self) -> Array:
        """Of all joints at all places, (3 count + 1, joints)."""
        return read_only(self.whole(self.around.q, self.position))

    @cached_property
    def dq(self) -> Array:
        """Rates of all joints there."""
        return read_only(self.whole(self.around.dq, self.rate))

    @cached_property
    def law(self) -> _Law:
        """What the law says of this motion, which it need not follow yet."""
        return _Law.of(self)

    @cached_property
    def slopes(self) -> _Slopes:
        """Derivatives of the law."""
        return _Slopes.of(self)

    @property
    def leading(self) -> tuple[Array, Array]:
        """Slopes by which Newton's method goes, by positions and by rates, (m, passive, passive) each."""
        return self.slopes.by_position, self.slopes.by_rate

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Positions, rates and accelerations of the passive joints at times t, shape (m, passive) each."""
        return self._between(t, self.position, self.rate, self.law.acceleration)

    def _between(self, t: Array, position: Array, rate: Array, acceleration: Array) -> tuple[Array, Array, Array]:
        found = np.empty((3, t.size, position.shape[1]))
        motion = (np.ascontiguousarray(each) for each in (position, rate, acceleration))
        swing_kernels.between(self.steps.start, self.steps.length, np.ascontiguousarray(t), *motion, *found)
        return found[0], found[1], found[2]

    # ------------------------------------------------------------------ derivatives

    def by_parameters(self, columns: NDArray[np.int64], present: Array | NDArray[np.bool_]) -> Direct:
        """What unknown parameters do at every place; columns: which, (c,). present: which of them there are, (c,)."""
        robot, law, (m, joints), allowed = self.robot, self.law, self.q.shape, allowed_rows(self.robot)
        Y, still = np.empty((m, 6 + joints, self.phi.size)), read_only(np.zeros((m, 3)))
        kernels.torque(robot.tree.arrays, self.q, self.dq, law.ddq, still, law.w, *_split(law.base), Y)
        force, rate = (law.weights.swapaxes(1, 2) @ Y)[:, :, columns] * present, np.zeros((m, 3, columns.size))
        if allowed.size:
            momentum = momentum_slopes(robot, self.phi, law.A, self.q, self.dq, law.v, law.w, columns, present)
            K = np.ascontiguousarray(momentum[:, :, : columns.size])
            rate = -six_rows(solve_base(law.A, K, allowed), allowed)[:, 3:]
            force = force + self.slopes.of_rate @ rate
        return Direct(force, rate)

    def by_geometry(self, tilts: Array) -> Direct:
        """What errors of the geometry do at every place; tilts: as for `geometry_slopes`."""
        robot, law, (m, joints), allowed = self.robot, self.law, self.q.shape, allowed_rows(self.robot)
        still = with_still_joints(robot, tilts)
        bodies = np.zeros((still.arrays.parent.size, PER_BODY))
        bodies[still.bodies] = self.phi.reshape(-1, PER_BODY)
        wide = joints + still.errors.size
        q, dq, ddq, weights = (np.zeros((m, width)) for width in (wide, wide, wide, 6 + wide))
        q[:, :joints], dq[:, :joints], ddq[:, :joints] = self.q, self.dq, law.ddq
        force = np.zeros((m, robot.passive.size, still.errors.size))
        R, at, _, turning, axes = kernels.sweep(still.arrays, q, dq, np.zeros((m, 3)), law.w)
        for p in range(robot.passive.size):
            own = tuple(np.empty_like(each) for each in (dq, dq, dq, law.w, law.w, law.w))
            weights[:, : 6 + joints] = law.weights[:, :, p]
            motion = (R, at, turning, axes, dq, ddq, *_split(law.base))
            torque_adjoint_kernels.inverse_dynamics_adjoint(still.arrays, bodies, *motion, weights, *own)
            force[:, p] = own[0][:, still.errors.ravel()] * still.sizes.ravel()
        rate = np.zeros((m, 3, still.errors.size))
        if allowed.size:
            D, _ = geometry_slopes(robot, tilts, self.phi, self.q, self.dq, law.v, law.w)
            rate = -six_rows(solve_base(law.A, D, allowed), allowed)[:, 3:]
            force = force + self.slopes.of_rate @ rate
        return Direct(force, rate)

    @property
    def by_joints(self) -> tuple[Direct, Direct, Direct]:
        """What positions, rates and accelerations of all joints do at every place."""
        return self.slopes.by_joints

    @property
    def by_momentum(self) -> Direct:
        """What angular momentum in axes of the first instant does at every place."""
        back, by_base = self.R.swapaxes(1, 2), self.slopes.by_momentum
        return Direct(by_base.force @ back, by_base.rate @ back)

    @property
    def by_torque(self) -> Direct:
        """What a torque from outside in axes of the first instant does at every place, but for its momentum."""
        force = -self.law.weights[:, 3:6].swapaxes(1, 2) @ self.R.swapaxes(1, 2)
        return Direct(force, np.zeros((len(force), 3, 3)))

    def by_spin(self, spin: Array, spin_rate: Array) -> Direct:
        """What more momentum of the wheels and its derivative do, base axes, (m, 3, k) each."""
        force, at_once = self.slopes.by_spin
        rate = -self.slopes.by_momentum.rate @ spin
        return Direct(force @ spin + at_once @ spin_rate, rate)

    @property
    def by_springs(self) -> Direct:
        """What stiffness, then damping of the passive joints do at every place."""
        m, p = self.position.shape
        force = np.zeros((m, p, 2 * p))
        force[:, np.arange(p), np.arange(p)], force[:, np.arange(p), p + np.arange(p)] = self.position, self.rate
        return Direct(force, np.zeros((m, 3, 2 * p)))

    def pulled(self, t: Array) -> Pulled:
        """What accelerates the passive joints at times t, (n,), between places by the polynomial of a step."""
        slopes, M = self.slopes, self.law.M
        by_turn = _solved(M, slopes.by_turn.force)
        by_joints = [_solved(M, direct.force) for direct in slopes.by_joints]
        for each in by_joints:
            each[:, :, self.robot.passive] = 0.0
        by_spin = [_solved(M, each) for each in slopes.by_spin]
        first, weights = self.steps.between(t)
        parts = (by_turn, slopes.by_position, slopes.by_rate, *by_spin, *by_joints)
        around = first[:, None] + np.arange(weights.shape[1])
        turn, position, rate, *others = (np.einsum("nj,njab->nab", weights, each[around]) for each in parts)
        return Pulled(turn, position, rate, (others[0], others[1]), (others[2], others[3], others[4]))

    def derivative(self, direct: Direct, first: Array) -> Changed:
        """How the motion changes by unknowns that act directly at every place so.

        first: what they do to positions and rates at the first instant, (2, passive, k).
        """
        law, slopes, p, m = self.law, self.slopes, self.robot.passive.size, len(self.position)
        k, a = direct.force.shape[2], 3 if self.around.turns else 0
        s = a + 2 * p
        F, r = np.zeros((m, s, s)), np.zeros((m, s, k))
        F[:, a : a + p, a + p :] = np.eye(p)
        F[:, a + p :, a:] = np.concatenate([slopes.by_position, slopes.by_rate], axis=2)
        r[:, a + p :] = _solved(law.M, direct.force)
        if a:
            F[:, :3, :3] = slopes.by_turn.rate - cross_matrices(law.w)
            F[:, :3, 3 : 3 + p] = slopes.rate_by_position
            F[:, :3, 3 + p :] = slopes.rate_by_rate
            F[:, 3 + p :, :3] = _solved(law.M, slopes.by_turn.force)
            r[:, :3] = direct.rate
        begin = np.zeros((s, k))
        begin[a:] = first.reshape(2 * p, k)
        out = np.empty((m, s, k))
        swing_kernels.solve_along(self.steps.lengths, F, r, begin, out)
        acceleration = (F @ out + r)[:, a + p :]
        return Changed(self, out[:, a : a + p], out[:, a + p :], acceleration)


@dataclass(frozen=True, slots=True, eq=False)
class _SpringsAlone:
    """A swing of which only springs, dampers and the inertia that they feel count."""

    swing: Swing

    @property
    def leading(self) -> tuple[Array, Array]:
        """Slopes, (m, passive, passive) each."""
        M, (stiffness, damping) = self.swing.law.M, self.swing.springs
        inverse = np.linalg.inv(M)
        return -inverse * stiffness, -inverse * damping


_Lead = Swing | _SpringsAlone


@dataclass(frozen=True, slots=True, eq=False)
class Direct:
    """What k unknowns do at every place, positions and rates of passive joints held.

    force: to g, (m, passive, k). rate: to the base's angular rate, (m, 3, k).
    """

    force: Array
    rate: Array


@dataclass(frozen=True, slots=True, eq=False)
class Pulled:
    """Derivatives of the passive joints' accelerations at n instants.

    turn: by a small rotation of the attitude, base axes, (n, passive, 3). position, rate: by their own positions and
    rates, (n, passive, passive). by_spin: by momentum of the wheels in base axes, and by its derivative,
    (n, passive, 3) each. by_joints: by positions, rates, accelerations of others, (n, passive, joints) each.
    """

    turn: Array
    position: Array
    rate: Array
    by_spin: tuple[Array, Array]
    by_joints: tuple[Array, Array, Array]


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """Derivatives of the motion of passive joints by k unknowns at all places, (m, passive, k) each."""

    swing: Swing
    position: Array
    rate: Array
    acceleration: Array

    def add_to(self, G: Array, by: Array, t: Array) -> None:
        """Add what the change does at times t (n,) to G (n, rows, ...), in its first k columns.

        by: what positions, then rates of the passive joints do to the rows, (n, rows, 2 passive).
        """
        steps, parts = self.swing.steps, (self.position, self.rate, self.acceleration)
        motion = (np.ascontiguousarray(each) for each in parts)
        swing_kernels.add_change(steps.start, steps.length, t, *motion, np.ascontiguousarray(by), G)


@dataclass(frozen=True, slots=True, eq=False)
class _Law:
    """What the law says at all places of a motion.

    acceleration: of passive joints, (m, p). M: inertia that they feel, (m, p, p). A: momentum matrix. u: momentum in
    base axes, v, w: velocities of the base, (m, 3). base: its acceleration, (m, 6). ddq: of all joints, (m, joints).
    weights: lambda, (m, 6 + joints, p).
    """

    acceleration: Array
    M: Array
    A: Array
    u: Array
    v: Array
    w: Array
    base: Array
    ddq: Array
    weights: Array

    @classmethod
    def of(cls, swing: Swing) -> _Law:
        robot, around, passive = swing.robot, swing.around, swing.robot.passive
        q, dq, tree, allowed = swing.q, swing.dq, robot.tree.arrays, allowed_rows(robot)
        bodies, (m, joints) = read_only(swing.phi).reshape(-1, PER_BODY), swing.q.shape
        still = read_only(np.zeros((m, 3)))
        u = np.einsum("kji,kj->ki", swing.R, around.momentum)
        A, H = momentum_matrix(robot, q, swing.phi), np.empty((m, 6 + joints, 6 + joints))
        kernels.mass_matrix(tree, q, bodies, H)
        v = w = still
        gives = np.zeros((m, 6, passive.size))  # acceleration of the base by that of passive joints
        base, tau = np.zeros((m, 6)), np.empty((m, 6 + joints))
        base[:, :3] -= robot.gravity  # as far as the base cannot follow it: else the balance has it
        if allowed.size:
            v, w = Reaction.of(robot, q, dq, around.spin, swing.phi).checked().velocities(u)
            gives = -six_rows(solve_base(A, A[:, :, 6 + passive], allowed), allowed)
            base[:, allowed] = 0.0
            kernels.inverse_dynamics(tree, bodies, q, dq, around.ddq, still, w, *_split(base), tau)
            missing = -tau[:, :6]
            missing[:, 3:] += np.einsum("kji,kj->ki", swing.R, around.torque) - around.spin_rate
            missing[:, 3:] -= np.cross(w, around.spin)
            base[:, allowed] = solve_base(A, missing[..., None], allowed)[..., 0]
        M = H[:, 6 + passive[:, None], 6 + passive] + H[:, 6 + passive, :6] @ gives
        try:
            np.linalg.cholesky(M)
        except np.linalg.LinAlgError as error:
            raise NotPossible("with these parameters passive joints have no positive inertia") from error
        kernels.inverse_dynamics(tree, bodies, q, dq, around.ddq, still, w, *_split(base), tau)
        stiffness, damping = swing.springs
        g = tau[:, 6 + passive] + stiffness * swing.position + damping * swing.rate
        acceleration = _solved(M, g[:, :, None])[..., 0]
        weights = np.zeros((m, 6 + joints, passive.size))
        weights[:, :6] = gives
        weights[:, 6 + passive, np.arange(passive.size)] = 1.0
        base = base + (gives @ acceleration[:, :, None])[..., 0]
        ddq = read_only(swing.whole(around.ddq, acceleration))
        return cls(acceleration, M, A, u, v, w, base, ddq, weights)


@dataclass(frozen=True, slots=True, eq=False)
class _Slopes:
    """Derivatives of the law at all places of a motion.

    by_position, by_rate: of the passive joints' acceleration by their positions and rates, (m, p, p). rate_by_position,
    rate_by_rate: of the base's angular rate by these, (m, 3, p). by_joints: what positions, rates and accelerations of
    all joints do. by_momentum: what momentum in base axes does. by_turn: what a small rotation of the attitude in base
    axes does, by which momentum and torques from outside turn there. by_spin: of g by momentum of the wheels, and by
    its derivative, (m, p, 3) each. of_rate: of g by the base's angular rate, (m, p, 3).
    """

    by_position: Array
    by_rate: Array
    rate_by_position: Array
    rate_by_rate: Array
    by_joints: tuple[Direct, Direct, Direct]
    by_momentum: Direct
    by_turn: Direct
    by_spin: tuple[Array, Array]
    of_rate: Array

    @classmethod
    def of(cls, swing: Swing) -> _Slopes:
        robot, around, law, passive = swing.robot, swing.around, swing.law, swing.robot.passive
        q, dq, allowed, (m, joints) = swing.q, swing.dq, allowed_rows(robot), swing.q.shape
        positions, rates, accelerations, of_rate = _swept_back(swing)
        of_rate = of_rate + np.cross(around.spin[:, None], law.weights[:, 3:6].swapaxes(1, 2))
        G, B = np.zeros((m, 6, 2 * joints)), np.zeros((m, 3, 3))
        if allowed.size:
            none, absent = np.zeros(0, np.int64), np.zeros(0, bool)
            slopes = momentum_slopes(robot, swing.phi, law.A, q, dq, law.v, law.w, none, absent)
            G = -six_rows(solve_base(law.A, slopes, allowed), allowed)
            B = Reaction.of(robot, q, dq, around.spin, swing.phi).turning()[1]
        by_q, by_dq = G[:, 3:, :joints], G[:, 3:, joints:]
        by_joints = (
            Direct(positions + of_rate @ by_q, by_q),
            Direct(rates + of_rate @ by_dq, by_dq),
            Direct(accelerations, np.zeros_like(by_q)),
        )
        by_turn = cross_matrices(law.u)
        pushed = np.einsum("kji,kj->ki", swing.R, around.torque)
        turning = np.ascontiguousarray(law.weights[:, 3:6].swapaxes(1, 2))
        twisted = turning @ cross_matrices(pushed)
        by_spin = turning @ cross_matrices(law.w) - of_rate @ B
        stiffness, damping = swing.springs
        return cls(
            _solved(law.M, by_joints[0].force[:, :, passive] + np.diag(stiffness)),
            _solved(law.M, by_joints[1].force[:, :, passive] + np.diag(damping)),
            by_q[:, :, passive],
            by_dq[:, :, passive],
            by_joints,
            Direct(of_rate @ B, B),
            Direct(of_rate @ B @ by_turn - twisted, B @ by_turn),
            (by_spin, turning),
            of_rate,
        )


def _swept_back(swing: Swing) -> tuple[Array, Array, Array, Array]:
    """Of lambda . (Y phi) by positions, rates, accelerations of joints, (m, p, joints), by the rate, (m, p, 3)."""
    robot, law, q, dq = swing.robot, swing.law, swing.q, swing.dq
    (m, joints), passive, tree = q.shape, robot.passive.size, robot.tree.arrays
    motion_slopes, of_rate = np.empty((3, m, passive, joints)), np.empty((m, passive, 3))
    bodies, still = read_only(swing.phi).reshape(-1, PER_BODY), read_only(np.zeros((m, 3)))
    R, at, _, turning, axes = kernels.sweep(tree, q, dq, still, law.w)
    for p in range(passive):
        own = tuple(np.empty_like(each) for each in (dq, dq, dq, law.w, law.w, law.w))
        weight = np.ascontiguousarray(law.weights[:, :, p])
        motion = (R, at, turning, axes, dq, law.ddq, *_split(law.base))
        torque_adjoint_kernels.inverse_dynamics_adjoint(tree, bodies, *motion, weight, *own)
        for each, part in zip((*motion_slopes, of_rate), own[:4], strict=True):
            each[:, p] = part
    return motion_slopes[0], motion_slopes[1], motion_slopes[2], of_rate


def _solved(M: Array, force: Array) -> Array:
    """Accelerations -M^-1 g of forces g (m, p, k)."""
    return np.asarray(-np.linalg.solve(M, force))


def springs_of(robot: Robot) -> Array:
    """Stiffness and damping of the passive joints, shape (2, passive)."""
    return np.array([[each.stiffness for each in robot.springs], [each.damping for each in robot.springs]])


def fastest_swing(robot: Robot) -> float:
    """Highest frequency of the passive joints with all others at zero and locked, the base giving way [Hz]."""
    passive, allowed = robot.passive, allowed_rows(robot)
    q = np.zeros((1, len(robot.joints)))
    H = np.empty((1, 6 + q.size, 6 + q.size))
    kernels.mass_matrix(robot.tree.arrays, q, read_only(robot.parameters).reshape(-1, PER_BODY), H)
    M = H[0][6 + passive[:, None], 6 + passive]
    if allowed.size:
        across = H[0][allowed[:, None], 6 + passive]
        M = M - across.T @ np.linalg.solve(H[0][allowed[:, None], allowed], across)
    K = np.diag(springs_of(robot)[0])
    if not (np.linalg.eigvalsh(M) > 0.0).all():
        raise CannotSwing(f"{robot.name} has passive joints that move without inertia; give what they carry a mass")
    return float(np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real.max(initial=0.0)) / (2.0 * np.pi))


def _half_way(t: Array, value: Array, slope: Array) -> Array:
    """Values at times t (n,), and half-way between them by cubics, shape (2 n - 1, k)."""
    found = np.empty((2 * len(value) - 1, value.shape[1]))
    h = np.diff(t)[:, None]
    found[::2], found[1::2] = value, 0.5 * (value[1:] + value[:-1]) + h / 8.0 * (slope[:-1] - slope[1:])
    return read_only(found)


def _split(x: Array) -> tuple[Array, Array]:
    """Linear and angular part, each contiguous."""
    return read_only(x[:, :3]), read_only(x[:, 3:])
