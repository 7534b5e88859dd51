"""Controllers and motors of joints: their numbers, gains that fit a robot, and how fast they make errors change.

Friction and rotors are not theirs: the robot's joints have them (`robot/drive.py`). Nor are passive joints, which
have a spring (`robot/spring.py`) where others have a controller and a motor.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array, frozen_array, read_only
from freefloat.dynamics.drive_torques import friction_numbers
from freefloat.dynamics.friction_kernels import friction_slope
from freefloat.dynamics.reaction import joint_inertia
from freefloat.dynamics.rotors import spin_ratios
from freefloat.errors import ShapeError
from freefloat.robot.model import Robot
from freefloat.simulation.conditions import CannotFly
from freefloat.simulation.controlled_kernels import Motors

LONGEST_STEP_S = 0.01
_NOTHING = 1e-13  # of the largest inertia that joints feel
_POSITIVE = ("coulomb_rate", "torque_limit")
_SWING_STEP = 0.05  # of the time in which the fastest swing turns by one radian


@dataclass(frozen=True, slots=True, eq=False)
class Drives:
    """Controllers and motors of all joints but passive ones; every number is one for all or has shape (driven joints,).

    stiffness, damping: torque per error of position and of rate [N m/rad, N m s/rad; N/m, N s/m if sliding].
    coulomb_rate: in friction the sign of a rate is tanh(rate / coulomb_rate) [rad/s]; steps must resolve it.
    lag_s: time constant of the motor's torque, zero for none.
    torque_limit: of what is asked of the motor; None for the limits of the robot's joints.
    model: the robot as the controller assumes it to be; its inverse dynamics along the command, the base
        reacting, are fed forward. None for no feed-forward.
    """

    stiffness: ArrayLike = 0.0
    damping: ArrayLike = 0.0
    coulomb_rate: ArrayLike = 0.01
    lag_s: ArrayLike = 0.0
    torque_limit: ArrayLike | None = None
    model: Robot | None = None

    def __post_init__(self) -> None:
        for name in self._numbers():
            if getattr(self, name) is None:
                continue
            values = np.asarray(getattr(self, name), float)
            enough, least = (values > 0.0, "more than") if name in _POSITIVE else (values >= 0.0, "at least")
            if not enough.all():
                raise CannotFly(f"{name} of the drives is {values.min():g}; allowed: {least} zero")
            object.__setattr__(self, name, frozen_array(values, values.shape))

    @classmethod
    def tuned(
        cls,
        robot: Robot,
        frequency_Hz: float,
        damping_ratio: float = 1.0,
        q: ArrayLike | None = None,
        **others: Any,
    ) -> Self:
        """Gains that make each driven joint, the others held, an oscillator of this frequency and damping.

        Joints that move together feel far less inertia than one alone, so that their errors die out sooner.
        q: the posture whose inertias count, shape (joints,), zero unless given. others: further fields.
        """
        posture = np.zeros(len(robot.joints)) if q is None else np.asarray(q, float)
        inertia = (np.diagonal(joint_inertia(robot, posture[None])[0]) + _rotors(robot))[robot.driven]
        speed = 2.0 * np.pi * frequency_Hz
        gains = {"stiffness": speed**2 * inertia, "damping": 2.0 * damping_ratio * speed * inertia}
        return cls(**(gains | others))

    def _numbers(self) -> list[str]:
        return [field.name for field in fields(self) if field.name != "model"]

    def motors(self, robot: Robot) -> Motors:
        """The numbers of every joint of a robot, as the compiled flight takes them; of a passive one its spring's."""
        limit = [robot.joints[k].torque for k in robot.driven] if self.torque_limit is None else self.torque_limit
        given = (self.stiffness, self.damping, self.coulomb_rate, self.lag_s, limit)
        springs = [joint.passive for joint in robot.joints if joint.passive is not None]
        held: tuple[ArrayLike, ...] = (
            [each.stiffness for each in springs],
            [each.damping for each in springs],
            1.0,
            0.0,
            np.inf,
        )
        spread = [np.empty(len(robot.joints)) for _ in given]
        for numbers, own, others in zip(spread, given, held, strict=True):
            try:
                numbers[robot.driven], numbers[robot.passive] = np.asarray(own, float), others
            except ValueError as error:
                count = f"{robot.driven.size} driven joints" if springs else f"{robot.driven.size} joints"
                raise ShapeError(f"the drives are not for {count}, which {robot.name} has") from error
        stiffness, damping, smooth, lag, highest = (read_only(each) for each in spread)
        friction = tuple(read_only(each) for each in friction_numbers(robot))
        rotor, spin = read_only(_rotors(robot)), read_only(spin_ratios(robot))
        return Motors(stiffness, damping, friction, smooth, rotor, spin, lag, highest)


def _rotors(robot: Robot) -> Array:
    """Inertias of rotors as the joints feel them, shape (joints,)."""
    return np.array([joint.drive.rotor for joint in robot.joints])


def motor_inertia(robot: Robot, motors: Motors, q: Array, joints: NDArray[np.int64] | None = None) -> Array:
    """Inertia that the motors feel, (m, joints, joints), or one sentence if there is none to feel.

    joints: of these, the others held; all of them unless given.
    """
    M = joint_inertia(robot, q) + np.diag(motors.rotor)
    if joints is not None:
        M = M[:, joints[:, None], joints]
    sizes = np.linalg.eigvalsh(M)
    if not (sizes > _NOTHING * sizes.max(initial=0.0)).all():
        raise CannotFly(f"{robot.name} has joints that move without inertia; give what they carry a mass")
    return M


def fastest_rate(robot: Robot, motors: Motors, q: Array) -> float:
    """The fastest rate at which errors of the joints change, at any of these postures (m, joints) [1/s].

    The largest eigenvalue of M e'' + D e' + K e = 0, motors that lag apart, and what their lag adds.
    """
    still = np.zeros(q.shape[1])
    drag = motors.damping + friction_slope(still, still, 1.0 / motors.smooth, motors.friction)
    lags = motors.lag[motors.lag > 0.0]
    return max(_fastest(motor_inertia(robot, motors, q), drag, motors.stiffness), (1.0 / lags).max(initial=0.0))


def swing_step(robot: Robot, motors: Motors, q: Array, joints: NDArray[np.int64] | None = None) -> float:
    """The longest step in which springs swing as they should at these postures (m, joints); at most LONGEST_STEP_S.

    joints: that move by their torques, the others held; all of them unless given.
    """
    if not robot.passive.size:
        return LONGEST_STEP_S
    chosen = np.arange(q.shape[1]) if joints is None else joints
    sprung = np.isin(chosen, robot.passive)
    drag, stiffness = (np.where(sprung, each[chosen], 0.0) for each in (motors.damping, motors.stiffness))
    swing = _fastest(motor_inertia(robot, motors, q, chosen), drag, stiffness)
    return min(LONGEST_STEP_S, _SWING_STEP / swing) if swing > 0.0 else LONGEST_STEP_S


def _fastest(M: Array, drag: Array, stiffness: Array) -> float:
    """The largest size of any eigenvalue of M e'' + D e' + K e = 0; M: (m, n, n), others (n,) [1/s]."""
    n = drag.size
    A = np.zeros((len(M), 2 * n, 2 * n))
    A[:, :n, n:] = np.eye(n)
    A[:, n:, :n] = -np.linalg.solve(M, np.broadcast_to(np.diag(stiffness), M.shape))
    A[:, n:, n:] = -np.linalg.solve(M, np.broadcast_to(np.diag(drag), M.shape))
    return float(np.abs(np.linalg.eigvals(A)).max(initial=0.0))
