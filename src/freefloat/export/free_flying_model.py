"""The free-flying robot about its centre of mass, wheels included, from the identified clusters alone.

    H+ (dv_cm, dw, ddq, ddq_rw) + c+ = (force, moment about the centre of mass, joint torques, wheel torques)

         | M 1   0      0      0    |
    H+ = | 0     D      D_q    A_rw |      c+ without weight; D, D_q, D_qq about the centre of mass
         | 0     D_q^T  D_qq   0    |      (eq. 13 to 16; block (2, 3) of eq. 14 is D_q)
         | 0     A_rw^T 0      I_rw |

    J_p = | 1   J_1   J_2   0 |            twist of a point p of any body by the same speeds
          | 0   1     J_3   0 |            (A.1 to A.3)

    J_p - J_p,w D^-1 [D_q, A_rw]           the same by joints and wheels alone, where there is no momentum

after O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space manipulator
systems", Robotics and Autonomous Systems, 2022; any tree, any number of wheels. With the matrices of `FloatingModel`,
H of (v, w, dq) with the first rows [M 1, P], the base moves by v = v_cm - P u / M, u = (w, dq), and

    [D, D_q; D_q^T, D_qq] = T^T H T,   T = [-P / M; E],     d(T^T H T) = T^T dH T,     d(P u / M) = K_p / M,

K_p being the rows of linear momentum at that motion: derivatives are exact, as there. Vectors are in base axes, twists
(v, w). What the clusters do not determine is NaN, with an infinite standard deviation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, read_only
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates, momentum_regressor, spin_momentum
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import torque_regressor, wheel_wrench_columns
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.uncertain import Uncertain
from freefloat.export.floating_model import FloatingModel, accelerated, at_rest, point_twist
from freefloat.frozen import Content
from freefloat.models.model import NotApplicable
from freefloat.robot.model import Robot
from freefloat.robot.parameters import INDEX, PER_BODY
from freefloat.robot.parts import Point
from freefloat.robot.rotations import rotations


@dataclass(frozen=True, eq=False)
class FreeFlyingModel(Content):
    """The dynamics of an identified robot that flies, each entry with its uncertainty; q has shape (n, joints).

    Speeds are (velocity of the centre of mass, w, joints, wheels), s = 6 + joints + wheels of them. Known values and
    wheels count as exact.
    """

    estimate: Estimate

    def __post_init__(self) -> None:
        if self.estimate.robot.base == "fixed":
            raise NotApplicable("a robot on a fixed base does not fly; allowed: a free or planar base")
        object.__setattr__(self, "estimate", self.floating.estimate)

    @cached_property
    def floating(self) -> FloatingModel:
        """The same about the base's origin."""
        return FloatingModel(self.estimate)

    @property
    def robot(self) -> Robot:
        """Whose geometry, wheels and points are meant; its inertias are the CAD model's."""
        return self.estimate.robot

    # ------------------------------------------------------------------ system matrices

    def mass_matrix(self, q: ArrayLike) -> Uncertain:
        """H+, shape (n, s, s)."""
        at, joints, wheels = at_rest(self.floating.weightless, read_only(q)), len(self.robot.joints), self._wheels
        size = 6 + joints + len(wheels)
        value, sd = np.zeros((len(at), size, size)), np.zeros((len(at), size, size))
        mass = self.total_mass()
        value[:, range(3), range(3)], sd[:, range(3), range(3)] = mass.value, mass.sd
        inner = self._inner(at)
        value[:, 3 : 6 + joints, 3 : 6 + joints], sd[:, 3 : 6 + joints, 3 : 6 + joints] = inner.value, inner.sd
        value[:, 3:6, 6 + joints :], value[:, 6 + joints :, 3:6] = wheels.T, wheels
        value[:, range(6 + joints, size), range(6 + joints, size)] = self.robot.wheel_inertias
        return Uncertain(value, sd)

    def bias(self, samples: Samples) -> Uncertain:
        """c+, shape (n, s): what the motion needs with all accelerations of the speeds at zero, without weight.

        Needs q, dq, v, w; wheel rates where there are wheels. v is that of the base's origin, as everywhere.
        """
        floating, joints = self.floating, samples.q.shape[1]
        w = samples.need("w", "terms of the motion")
        K = momentum_regressor(self.robot, samples)[:, :3]
        slopes = [np.cross(w[:, :, None], K, axis=1)]
        # Others do not see how all of it moves (Galilei): the origin may rest, and rise so that no force is needed.
        steady = accelerated(replace(samples, v=np.zeros_like(w)), np.zeros((1, 6 + joints)))
        steady = replace(steady, wheel_accelerations=np.zeros((len(w), len(self._wheels))))
        force = torque_regressor(floating.weightless, steady)[:, :3] @ self._phi
        falling = replace(steady, dv=-force / self._mass)
        slopes.append(_about_centre(self._origins(samples.q), torque_regressor(floating.weightless, falling)))
        found = floating.linear(np.concatenate(slopes, axis=1))
        value = found.value + wheel_wrench_columns(self.robot, steady) @ self.robot.wheel_inertias
        none = np.zeros((len(w), len(self._wheels)))
        return Uncertain(np.hstack([value, none]), np.hstack([found.sd, none]))

    def total_mass(self) -> Uncertain:
        """M [kg], without axes."""
        return self.floating.judge.judged(np.array(self._mass), self._mass_slope)

    # ------------------------------------------------------------------ points

    def jacobian(self, q: ArrayLike, point: str | Point) -> Uncertain:
        """J_p: twist of a point by all speeds, shape (n, 6, s).

        point: name of a point of the robot, or any point of one of its bodies.
        """
        positions, joints = read_only(q), len(self.robot.joints)
        at_rest(self.robot, positions)
        size = 6 + joints + len(self._wheels)
        value, sd = np.zeros((len(positions), 6, size)), np.zeros((len(positions), 6, size))
        value[:, range(3), range(3)] = 1.0
        place = self.floating.place(point)
        for column, unit in enumerate(np.eye(3 + joints), start=3):
            v, slope = self._origin(positions, unit)
            rates = np.array(np.broadcast_to(unit[3:], positions.shape))
            twist = np.hstack([v, np.broadcast_to(unit[:3], v.shape)])
            of_point = point_twist(self.robot, positions, rates, twist, *place)[1]
            found = self.floating.judge.judged(of_point, np.concatenate([slope, np.zeros_like(slope)], axis=1))
            value[:, :, column], sd[:, :, column] = found.value, found.sd
        return Uncertain(value, sd)

    def floating_jacobian(self, q: ArrayLike, point: str | Point) -> Uncertain:
        """Twist of a point by joints and wheels, the base reacting without momentum, shape (n, 6, joints + wheels)."""
        parts = [self.floating.generalised_jacobian(q, point)]
        if self.robot.wheels:
            parts.append(self.floating.wheel_jacobian(q, point))
        value, sd = (np.concatenate([getattr(part, name) for part in parts], axis=2) for name in ("value", "sd"))
        return Uncertain(value, sd)

    def base_motion(
        self, samples: Samples, angular_momentum: ArrayLike = (0.0, 0.0, 0.0), velocity: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Uncertain:
        """Twist of the base's origin that joints and wheels cause, base axes, shape (n, 6).

        angular_momentum, velocity: total one about the centre of mass [N m s], and that of the centre of mass [m/s],
            inertial axes, (3,): both stay as they are, and need the attitude where they are not zero.
        """
        H, V = np.asarray(angular_momentum, float), np.asarray(velocity, float)
        momentum = drift = np.zeros((len(samples), 3))
        if H.any() or V.any():
            back = rotations(samples.need("attitude", "momentum that is not zero")).transpose(0, 2, 1)
            momentum, drift = back @ H, back @ V
        dq = samples.need("dq", "the base's motion")
        twist, slope = self.floating.reaction(samples.q, dq, spin_momentum(self.robot, samples), momentum)
        return self.floating.judge.judged(twist + np.hstack([drift, np.zeros_like(drift)]), slope)

    # ------------------------------------------------------------------ pieces

    @property
    def _phi(self) -> Array:
        return self.estimate.parameters

    @cached_property
    def _wheels(self) -> Array:
        """Momentum of each wheel at unit rate, the rows of A_rw^T, shape (wheels, 3)."""
        return momentum_by_wheel_rates(self.robot).T

    @cached_property
    def _mass_slope(self) -> Array:
        slope = np.zeros(self._phi.size)
        slope[INDEX["m"] :: PER_BODY] = 1.0
        return slope

    @property
    def _mass(self) -> float:
        return float(self._mass_slope @ self._phi)

    def _inner(self, at: Samples) -> Uncertain:
        """[D, D_q; D_q^T, D_qq], shape (n, 3 + joints, 3 + joints)."""
        T, columns = self._origins(at.q), []
        for number, unit in enumerate(np.eye(T.shape[2])):
            rise = np.hstack([T[:, :, number], np.broadcast_to(unit, (len(at), unit.size))])
            columns.append(_about_centre(T, torque_regressor(self.floating.weightless, accelerated(at, rise))))
        return self.floating.linear(np.stack(columns, axis=2))

    def _origins(self, q: Array) -> Array:
        """The upper part of T, shape (n, 3, 3 + joints)."""
        return np.stack([self._origin(q, unit)[0] for unit in np.eye(3 + q.shape[1])], axis=2)

    def _origin(self, q: Array, unit: Array) -> tuple[Array, Array]:
        """Velocity of the base's origin at speeds (w, dq), shape (3 + joints,), the centre of mass being at rest.

        Shape (n, 3), and its derivative by the parameters, (n, 3, p).
        """
        still = np.zeros((len(q), 3))
        turning = Samples(q, dq=np.tile(unit[3:], (len(q), 1)), v=still, w=np.tile(unit[:3], (len(q), 1)))
        v = -momentum_regressor(self.robot, turning)[:, :3] @ self._phi / self._mass
        return v, -momentum_regressor(self.robot, replace(turning, v=v))[:, :3] / self._mass


def _about_centre(T: Array, Y: Array) -> Array:
    """Rows Y of wrench and torques as those of moment about the centre and torques, (n, 6 + joints, p) -> 3 fewer."""
    return Y[:, 3:] + np.einsum("kai,kap->kip", T, Y[:, :3])
