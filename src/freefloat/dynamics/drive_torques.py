"""What motors give beside inverse dynamics: friction and rotors of the joints (`robot/drive.py`).

Where rates are measured, their sign is not known near zero; there `sign` is a hyperbolic tangent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.robot.drive import DRIVE_TERMS, DriveTerm
from freefloat.robot.model import Robot


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
    none, scale = np.zeros_like(dq), np.broadcast_to(np.asarray(stribeck_rate, float), dq.shape[1:])
    match term:
        case "viscous":
            return DriveColumn(dq, np.ones_like(dq), none)
        case "offset":
            return DriveColumn(np.ones_like(dq), none, none)
        case "rotor":
            return DriveColumn(ddq, none, np.ones_like(ddq))
    sign, slope = smooth_sign(dq, smooth)
    if term == "coulomb":
        return DriveColumn(sign, slope, none)
    if term == "asymmetric":
        return DriveColumn(sign * dq, sign + slope * dq, none)
    slow = np.exp(-((dq / scale) ** 2))
    return DriveColumn(sign * slow, (slope - 2.0 * sign * dq / scale**2) * slow, none)


def smooth_sign(dq: Array, smooth: ArrayLike) -> tuple[Array, Array]:
    """tanh(dq / smooth) and its derivative, or the sign where smooth is zero, (n, joints) each."""
    width = np.broadcast_to(np.asarray(smooth, float), dq.shape[1:])
    safe = np.where(width > 0.0, width, 1.0)
    soft = np.tanh(dq / safe)
    return np.where(width > 0.0, soft, np.sign(dq)), np.where(width > 0.0, (1.0 - soft**2) / safe, 0.0)


def drive_torques(robot: Robot, samples: Samples, smooth: ArrayLike = 0.0) -> Array:
    """What the motors of a robot's drives give beside inverse dynamics, shape (n, joints) [N m or N].

    smooth: as for `drive_column`.
    """
    dq, ddq = samples.need("dq", "friction"), samples.need("ddq", "rotor inertia")
    drives = [joint.drive for joint in robot.joints]
    total, scale = np.zeros_like(dq), np.array([drive.stribeck_rate for drive in drives])
    for term in DRIVE_TERMS:
        size = np.array([getattr(drive, term) for drive in drives])
        if size.any():
            total += size * drive_column(term, dq, ddq, scale, smooth).value
    return total


_SLOW = 0.01  # of the rate's root mean square: whoever is slower may stand
_STANDING = 30.0  # times the noise that readings of a joint at rest are given


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
