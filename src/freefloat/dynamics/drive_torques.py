"""What motors give beside inverse dynamics: friction and rotors of the joints (`robot/drive.py`).

Where rates are measured, their sign is not known near zero; there `sign` is a hyperbolic tangent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.dynamics.friction_kernels import friction, friction_slope
from freefloat.dynamics.rotors import rotor_columns
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.robot.drive import FRICTION_TERMS, DriveTerm
from freefloat.robot.model import Robot

_SLOW = 0.01  # of the rate's root mean square: whoever is slower may stand
_STANDING = 30.0  # times the noise that readings of a joint at rest are given


class DriveColumn(NamedTuple):
    """Torque of each joint per unit of its own term, and its derivatives by rate and acceleration, (n, joints) each."""

    value: Array
    by_rate: Array
    by_acceleration: Array


def drive_column(
    term: DriveTerm, dq: Array, ddq: Array, stribeck_rate: ArrayLike = 0.1, smooth: ArrayLike = 0.0
) -> DriveColumn:
    """One term of all joints at n instants; dq, ddq: shape (n, joints).

    stribeck_rate: one for all joints or (joints,) [rad/s]. smooth: the same, the rate at which the sign has three
    quarters of its size; zero for the sign itself. Of the rotor's spin what the joint itself feels.
    """
    if term == "rotor":
        return DriveColumn(ddq, np.zeros_like(dq), np.ones_like(ddq))
    unit, scale = [float(each == term) for each in FRICTION_TERMS], np.asarray(stribeck_rate, float)
    sign, slope = smooth_sign(dq, smooth)
    by_rate = friction_slope(dq, sign, slope, (*unit, scale))
    return DriveColumn(friction(dq, sign, (*unit, scale)), by_rate, np.zeros_like(dq))


def smooth_sign(dq: Array, smooth: ArrayLike) -> tuple[Array, Array]:
    """tanh(dq / smooth) and its derivative, or the sign where smooth is zero, (n, joints) each."""
    width = np.broadcast_to(np.asarray(smooth, float), dq.shape[1:])
    safe = np.where(width > 0.0, width, 1.0)
    soft = np.tanh(dq / safe)
    return np.where(width > 0.0, soft, np.sign(dq)), np.where(width > 0.0, (1.0 - soft**2) / safe, 0.0)


def friction_numbers(robot: Robot) -> tuple[Array, ...]:
    """Of all joints, as `friction` takes them: its terms, then the Stribeck rate, (joints,) each."""
    names = (*FRICTION_TERMS, "stribeck_rate")
    return tuple(np.array([getattr(joint.drive, name) for joint in robot.joints]) for name in names)


def drive_loads(robot: Robot, samples: Samples, smooth: ArrayLike = 0.0) -> Array:
    """What the motors of a robot's drives give beside inverse dynamics, and what their rotors ask of the base.

    Shape (n, 6 + joints), as `inverse_dynamics`. smooth: as for `drive_column`.
    """
    loads = np.zeros((len(samples), 6 + samples.q.shape[1]))
    rotors = np.array([joint.drive.rotor for joint in robot.joints])
    if rotors.any():
        loads += rotor_columns(robot, samples) @ rotors
    terms = friction_numbers(robot)
    if np.any(terms[:-1]):
        dq = samples.need("dq", "friction")
        loads[:, 6:] += friction(dq, smooth_sign(dq, smooth)[0], terms)
    return loads


def drive_torques(robot: Robot, samples: Samples, smooth: ArrayLike = 0.0) -> Array:
    """What the motors of a robot's drives give beside inverse dynamics, shape (n, joints) [N m or N].

    smooth: as for `drive_column`.
    """
    return drive_loads(robot, samples, smooth)[:, 6:]


def driven_dynamics(robot: Robot, samples: Samples, smooth: ArrayLike = 0.0) -> Array:
    """Base wrench and torques of the motors, friction and rotors included, shape (n, 6 + joints).

    smooth: as for `drive_column`.
    """
    return inverse_dynamics(robot, samples) + drive_loads(robot, samples, smooth)


def doubt_near_standstill(rate: Array, acceleration: Array, between_s: float, unclear: ArrayLike = 0.0) -> Array:
    """How many times as much as in motion a joint's torque errs, (n, joints): one, and 30 where the joint may stand.

    Near standstill friction is not what it is in motion, and whether a joint has turned back is not known. A joint may
    stand where it is slower than a hundredth of its usual rate, than what it gains in half of the time between readings
    or than `unclear`, the rate that a measured one is not told from zero, (joints,); between, as a Gaussian.
    """
    speed, turning = np.abs(rate), np.abs(acceleration)
    slow = np.maximum(_SLOW * np.sqrt((rate**2).mean(axis=0)), 0.5 * turning * between_s)
    slow = np.maximum(slow, unclear)
    standing = np.exp(-((speed / np.where(slow > 0.0, slow, 1.0)) ** 2)) * (slow > 0.0)
    return np.hypot(1.0, _STANDING * standing)
