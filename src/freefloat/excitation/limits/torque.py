"""The torque of a joint, or the force of one that slides, while the base reacts to the motion.

The base's twist x and its derivative follow from momentum and from the balance of forces, so by inverse dynamics
(Atkeson, An, Hollerbach, IJRR 1986)

    tau_j = Y_j phi,     d tau_j = (Y_j - mu^T Y_base) phi at a given dx/dt,     mu = A_b^-1 A_q[:, j],

for the derivative of tau_j by the base's acceleration is the column of the momentum matrix that belongs to the joint.
Friction and rotors are those of the joints' drives, on a base that moves as the joint itself feels them: the spin of
rotors behind gears is counted on a fixed base only. Near standstill friction may act
either way, and where it would be against the bound it does: its sign is that of a rate `_NEAR` further towards it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.drive_torques import friction_numbers, smooth_sign
from freefloat.dynamics.friction_kernels import friction, friction_slope
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates, spin_momentum
from freefloat.dynamics.rotor_adjoint import rotor_adjoint
from freefloat.dynamics.rotors import rotor_columns, without_gears
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics_adjoint
from freefloat.errors import UnknownName
from freefloat.excitation.limits.limit import Limit, LimitFields
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.excitation.rows.reaction_slope import refuse_gravity
from freefloat.robot.model import Robot

_NEAR = 0.03  # rate below which a joint is near standstill [rad/s or m/s]


@dataclass(frozen=True, eq=False)
class TorqueLimit(Limit):
    """|torque| <= highest at every instant; margins are all upper ones, then all lower ones.

    joint: its name. highest: [N m], or [N] for a joint that slides.
    """

    kind = "torque"

    joint: str
    highest: float
    unit: str = "N m"

    @property
    def name(self) -> str:  # type: ignore[override]
        """For people."""
        return f"torque of {self.joint}"

    @property
    def size(self) -> float:  # type: ignore[override]
        """The bound itself."""
        return self.highest

    def margins(self, motion: PlannedMotion) -> Array:
        """Not negative where the torque is within its bound, shape (2 n,)."""
        refuse_gravity(motion.robot, "torque limits")
        joint = self._number(motion.robot)
        geared, rotors = _with_rotors(motion.robot)
        torque = motion.loads[:, 6 + joint] + (rotor_columns(geared, motion.samples) @ rotors)[:, 6 + joint]
        upper, lower = (torque + self._friction(motion, side)[0] for side in (1.0, -1.0))
        return 1.0 + np.concatenate([-upper, lower]) / self.highest

    def jacobian(self, motion: PlannedMotion, rows: NDArray[np.int64]) -> Array:
        """Derivative of the chosen margins by the flattened coefficients, shape (len(rows), k * channels)."""
        instants, back = np.unique(rows % motion.t.size, return_inverse=True)
        sign = np.where(rows < motion.t.size, -1.0, 1.0)
        slope = self._slope(motion, instants)[back] + self._rubbing(motion, rows % motion.t.size, -sign)
        return slope * (sign / self.highest)[:, None]

    def instants(self, motion: PlannedMotion) -> Array:
        """Time of each margin, shape (2 n,)."""
        return np.concatenate([motion.t, motion.t])

    def _friction(self, motion: PlannedMotion, side: float) -> tuple[Array, Array]:
        """Friction at the upper (side 1) or the lower bound (-1), and its derivative by the rate, shape (n,) each."""
        joint = self._number(motion.robot)
        dq = motion.samples.need("dq", "torque limits")[:, joint, None]
        sign, slope = smooth_sign(dq + side * _NEAR, _NEAR / 3.0)
        terms = [each[joint] for each in friction_numbers(motion.robot)]
        return friction(dq, sign, terms)[:, 0], friction_slope(dq, sign, slope, terms)[:, 0]

    def _rubbing(self, motion: PlannedMotion, instants: NDArray[np.int64], side: Array) -> Array:
        """Derivative of what drives give at chosen instants and bounds by the flattened coefficients."""
        joint, joints = self._number(motion.robot), len(motion.robot.joints)
        weight = np.zeros((instants.size, 6 + joints))
        weight[:, 6 + joint] = 1.0
        found = rotor_adjoint(_with_rotors(motion.robot)[0], motion.samples[instants], weight)
        by_rate = np.array(found.dq)
        upper, lower = (self._friction(motion, each)[1][instants] for each in (1.0, -1.0))
        by_rate[:, joint] += np.where(side > 0.0, upper, lower)
        return motion.chain(instants, found.q, by_rate, found.ddq)

    def _slope(self, motion: PlannedMotion, instants: NDArray[np.int64]) -> Array:
        """Derivative of the torque without its drive at chosen instants by the flattened coefficients."""
        robot, joint = motion.robot, self._number(motion.robot)
        samples = motion.accelerated[instants]
        weight = np.zeros((instants.size, 6 + len(robot.joints)))
        weight[:, :6], weight[:, 6 + joint] = motion.reaction.by_rate[instants, :, joint], 1.0  # -mu, then e_j
        found = inverse_dynamics_adjoint(robot, samples, weight)
        by_w, by_wheel_rate, by_wheel_acceleration = _through_wheels(robot, samples, weight[:, 3:6])
        slope = motion.chain(instants, found.q, found.dq, found.ddq, by_wheel_rate, by_wheel_acceleration)
        for component, by_twist in enumerate(np.hstack([found.v, found.w + by_w]).T):
            slope += by_twist[:, None] * motion.twist_change(instants, component)
        return slope

    def _number(self, robot: Robot) -> int:
        if self.joint not in robot.joint_names:
            raise UnknownName("joint", self.joint, robot.joint_names)
        return robot.joint_names.index(self.joint)


def torque_limits(robot: Robot) -> tuple[TorqueLimit, ...]:
    """Of all joints that have a largest torque or force."""
    return tuple(
        TorqueLimit(joint.name, joint.torque, "N" if joint.kind == "prismatic" else "N m")
        for joint in robot.joints
        if np.isfinite(joint.torque)
    )


def _through_wheels(robot: Robot, samples: Samples, moment: Array) -> tuple[Array, Array, Array]:
    """Derivatives by w, wheel rates and wheel accelerations of moment . (d spin / dt + w x spin)."""
    _, w = samples.base_twist(robot, "the wheels' torque")
    spin, per_rate = spin_momentum(robot, samples), momentum_by_wheel_rates(robot)
    return np.cross(spin, moment), np.cross(moment, w) @ per_rate, moment @ per_rate


def _with_rotors(robot: Robot) -> tuple[Robot, Array]:
    """The robot whose rotors count as they do here, held at its base, and their inertias, (joints,)."""
    geared = robot if robot.base == "fixed" else replace(without_gears(robot), base="fixed")
    return geared, np.array([joint.drive.rotor for joint in robot.joints])


class TorqueFields(LimitFields):
    """Nothing: the largest torques are said by the robot."""

    def limits(self, robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
        """Of all joints that have one."""
        return torque_limits(robot)
